// MARK: - Inputs as a whole

extension Message {
  package static let empty = Message("is empty")
  package static let unknownFormat = Message("no known format")
  /// A file whose content may be compressed or encoded.
  package static func notSearchedInside(_ kind: Message) -> Message {
    Message("\(kind), not searched inside")
  }
  package static func skipped(_ reason: Message) -> Message { Message("skipped: \(reason)") }

  package static func warning(_ problem: Message) -> Message { Message("warning: \(problem)") }

  /// An input of no known format, in which a search found something.
  package static let carvedInstead =
    Message("no known format: searched for records, as with --from carve. Use --from raw if it is a dump")

  /// - Parameter isJoinedCapture: then sequence numbers identify copies of packets, and no record counts twice.
  package static func sameBytes(as first: String, isJoinedCapture: Bool) -> Message {
    let again = isJoinedCapture ? "its packets are read again" : "its records are counted again"
    return Message("same bytes as \(first), which was already read: \(again)")
  }

  // MARK: - Lists of known files

  package static func tooManyHashes(memory: Int) -> Message {
    Message(
      "the lists of known files need more than \(ByteSize.text(memory)) of memory: raise --memory, or give a "
        + "smaller list")
  }

  /// - Parameter first: number of the first such line, from 1.
  package static func linesWithoutHash(_ count: Int, first: Int) -> Message {
    Message(
      count == 1
        ? "line \(first) has no hash and is ignored"
        : "\(count) lines have no hash and are ignored; the first is line \(first)")
  }

  package static func knownLeftOut(_ count: Int) -> Message {
    Message("left out \(count == 1 ? "1 known file" : "\(count) known files") (--known-hashes)")
  }

  package static func copiesLeftOut(_ count: Int) -> Message {
    Message("left out \(count == 1 ? "1 file" : "\(count) files") identical to others (--unique-inputs)")
  }

  // MARK: - Chunk sizes

  // MARK: - Distinct tokens

  package static func noTemporaryFile(in directory: String, error: String) -> Message {
    Message(
      "cannot create a temporary file in \(directory): \(error); "
        + "set TMPDIR to another directory, or raise --memory so that none is needed")
  }

  package static func noMemoryForTokens(bytes: Int, error: String) -> Message {
    Message(
      "cannot allocate \(ByteSize.text(bytes)) of memory for distinct tokens: \(error); lower --memory")
  }

  // MARK: - Archives

  package static let noLibarchive = Message(
    "is an archive, and libarchive, which reads it, is missing: install libarchive, or extract the files")

  package static func archiveTooLarge(limit: Int) -> Message {
    Message("unpacks to more than \(ByteSize.text(limit)): the rest is not read; use --max-content")
  }

  package static func archiveUnreadable(_ format: String, reason: String) -> Message {
    Message("the \(format) archive cannot be read (\(reason)): look for another copy")
  }

  package static func archiveDamaged(_ format: String, reason: String) -> Message {
    Message(
      "the \(format) archive is damaged (\(reason)): the files before that are used; look for another copy")
  }

  package static func memberDamaged(_ format: String, reason: String) -> Message {
    Message(
      "is damaged in the \(format) archive (\(reason)): the content before that is used; look for another copy"
    )
  }

  // MARK: - Disk images

  package static func imageUnreadable(_ reason: String) -> Message {
    Message("the E01 image cannot be read (\(reason)): look for another copy, and for all its segment files")
  }

  // MARK: - Logs of providers

  /// A malformed line.
  /// - Parameters:
  ///   - line: number of the first line, from 1.
  ///   - count: number of lines with the same problem.
  ///   - problem: such as `expected a colon after the key, found "x"`.
  package static func malformedLine(_ line: Int, count: Int, _ problem: Message) -> Message {
    count == 1
      ? Message("line \(line): \(problem.text)")
      : Message("lines \(line) to \(line + count - 1): \(problem.text) (in the first of them)")
  }

  package static func unrelatedLines(_ count: Int, bytes: Int, first line: Int) -> Message {
    Message(
      "\(Count.of(count, "line")) (\(Count.of(bytes, "byte"))) without a push; the first is line \(line)"
    )
  }

  /// Lines of text with a token that make no record.
  /// - Parameters:
  ///   - inUse: tokens in lines that say that they are in use.
  ///   - untimed: tokens in lines without a time that counts.
  package static func excludedLines(inUse: Int, untimed: Int) -> Message {
    let reasons = [
      inUse > 0 ? "\(inUse) in lines about registrations or the like" : nil,
      untimed > 0 ? "\(untimed) in lines without a time that counts" : nil,
    ].compactMap { $0 }
    return Message(
      "left out \(Count.of(inUse + untimed, "token")) in lines of text: \(reasons.joined(separator: ", "))")
  }

  /// - Parameter found: nil at the end of the line.
  package static func lineIsNotJSON(expected: String, found: String?) -> Message {
    Message("not JSON: expected \(expected), found \(found.map { "\"\($0)\"" } ?? "the end of the line")")
  }

  package static func tokenIsNoText(_ found: String) -> Message {
    Message("the token is \(found); expected a string (--map token=NAME selects another member)")
  }

  package static func statusIsNoStatus(_ found: String) -> Message {
    Message(
      "the status is \(found); expected a number from 100 to 599 (--map status=NAME selects another member)")
  }

  package static func reasonIsNoText(_ found: String) -> Message {
    Message("the reason is \(found); expected a string (--map reason=NAME selects another member)")
  }

  package static func timeIsNoTime(_ found: String) -> Message {
    Message(
      "the timestamp is \(found); expected seconds or milliseconds since 1970, or a time with its offset such as "
        + "2026-05-01T09:30:00Z")
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
}
