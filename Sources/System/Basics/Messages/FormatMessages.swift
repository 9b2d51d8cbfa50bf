// MARK: - Files

extension Message {
  /// - Parameter limit: in bytes.
  package static func lineTooLong(limit: Int) -> Message {
    Message("the line is longer than \(ByteSize.text(limit)); expected one entry per line")
  }

  package static let neitherFileNorDirectory = Message("neither a file nor a directory")

  // MARK: - Formats

  /// A file of a format that is not read.
  package static func foreign(_ kind: Message, remedy: Message) -> Message {
    Message("is \(kind): \(remedy)")
  }

  package static func archive(_ format: String) -> Message { Message("a \(format) archive") }
  package static func notExtracted(_ format: String) -> Message {
    Message("is \(archive(format)), which is not searched inside: extract its files")
  }
  /// Disk images and memory.
  package static let partitionedDisk = Message("an image of a disk with partitions")
  package static func fileSystem(_ name: String) -> Message { Message("an image of a file system (\(name))") }
  package static let memoryImage = Message("an image of memory")
  // MARK: - Decompression

  package static func compressedDamaged(_ compression: String, near offset: Int, reason: Message) -> Message {
    compressed(
      compression,
      "is damaged near offset \(offset) of the compressed file (\(reason)): "
        + "the content before it is used; look for another copy")
  }

  package static func compressedRefused(_ compression: String, from offset: Int, reason: Message) -> Message {
    compressed(
      compression, "cannot be decompressed from offset \(offset) of the compressed file on: \(reason)")
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

  /// - Parameters:
  ///   - file: the library's.
  ///   - package: the one of Debian that has it.
  package static func noLibrary(_ file: String, package: String, elsewhere: String) -> Message {
    Message("\(file) is missing or cannot be loaded; install \(package) (elsewhere: \(elsewhere))")
  }

  /// Reasons of libraries.
  package static func libraryOutOfMemory(_ library: String) -> Message {
    Message("\(library) is out of memory; free some and try again")
  }

  package static func libraryError(_ library: String, _ number: Int) -> Message {
    Message("error \(number) of \(library)")
  }

  /// - Parameter limit: in bytes.
  package static func xzNeedsMemory(limit: Int) -> Message {
    Message(
      "it needs more than \(ByteSize.text(limit)) of memory; decompress it first: "
        + "xz -dc FILE | apnsift inspect -")
  }

  /// - Parameter limit: in bytes.
  package static func zstdWindowTooLarge(limit: Int) -> Message {
    Message(
      "it needs a window of more than \(ByteSize.text(limit)) of memory; decompress it "
        + "first: zstd -dc --long=31 FILE | apnsift inspect -")
  }
}
