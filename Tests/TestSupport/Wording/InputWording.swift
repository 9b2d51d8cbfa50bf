import Basics

extension Message {
  /// - Parameter isJoinedCapture: then sequence numbers identify copies of packets, and no record counts twice.
  package static func sameBytes(as first: String, isJoinedCapture: Bool) -> Message {
    let again = isJoinedCapture ? "its packets are read again" : "its records are counted again"
    return Message("same bytes as \(first), which was already read: \(again)")
  }

  /// - Parameter first: number of the first such line, from 1.
  package static func linesWithoutHash(_ count: Int, first: Int) -> Message {
    Message(
      count == 1
        ? "line \(first) has no hash and is ignored"
        : "\(count) lines have no hash and are ignored; the first is line \(first)")
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

  /// An input of no known format, in which a search found something.
  package static let carvedInstead =
    Message("no known format: searched for records, as with --from carve. Use --from raw if it is a dump")

  package static func tooManyHashes(memory: Int) -> Message {
    Message(
      "the lists of known files need more than \(ByteSize.text(memory)) of memory: raise --memory, or give a "
        + "smaller list")
  }

  package static func knownLeftOut(_ count: Int) -> Message {
    Message("left out \(count == 1 ? "1 known file" : "\(count) known files") (--known-hashes)")
  }

  package static func noTemporaryFile(in directory: String, error: String) -> Message {
    Message(
      "cannot create a temporary file in \(directory): \(error); "
        + "set TMPDIR to another directory, or raise --memory so that none is needed")
  }
}
