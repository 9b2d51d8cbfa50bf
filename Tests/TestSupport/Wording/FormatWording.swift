import Basics

extension Message {
  /// A file of a format that is not read.
  package static func foreign(_ kind: Message, remedy: Message) -> Message {
    Message("is \(kind): \(remedy)")
  }

  package static func compressedTruncated(_ compression: String, at offset: Int) -> Message {
    compressed(
      compression,
      "is truncated at offset \(offset) of the compressed file, its end: the content before it is used; "
        + "get the whole file")
  }

  package static func compressedWithOtherData(_ compression: String, from offset: Int) -> Message {
    compressed(
      compression,
      "is followed by other data from offset \(offset) of the compressed file on, which is not read; "
        + "save that as a separate file")
  }

  private static func compressed(_ compression: String, _ problem: String) -> Message {
    Message("the \(compression)-compressed data \(problem)")
  }

  /// - Parameter limit: in bytes.
  package static func lineTooLong(limit: Int) -> Message {
    Message("the line is longer than \(ByteSize.text(limit)); expected one entry per line")
  }
}
