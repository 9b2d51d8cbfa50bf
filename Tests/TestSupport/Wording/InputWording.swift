import Basics

extension Message {
  /// - Parameter isJoinedCapture: then sequence numbers identify copies of packets, and no record counts twice.
  package static func sameBytes(as first: String, isJoinedCapture: Bool) -> Message {
    let again = isJoinedCapture ? "its packets are read again" : "its records are counted again"
    return Message("same bytes as \(first), which was already read: \(again)")
  }

  package static func archiveTooLarge(limit: Int) -> Message {
    Message("unpacks to more than \(ByteSize.text(limit)): the rest is not read; use --max-content")
  }

  /// - Parameters:
  ///   - count: number of lines with status 410.
  ///   - line: number of the first of them, from 1.
  package static func logTimes(_ count: Int, first line: Int, areDoubtful: Bool) -> Message {
    Message(
      "the timestamp of \(Count.of(count, "line")) with status 410 (the first is line \(line)) "
        + (areDoubtful ? "may be the log time: " : "seems to be the log time, and is not taken: ")
        + "--map timestamp=NAME names the time of the invalidation")
  }

  package static let empty = Message("is empty")
}
