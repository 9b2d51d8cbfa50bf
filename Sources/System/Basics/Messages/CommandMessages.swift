/// Options, outputs, stores and servers.
extension Message {
  // MARK: - Options

  /// - Parameter command: with the option that only the other command has.
  package static func commandOfLab(_ command: String) -> Message {
    Message("'\(command)' is in apnsift-lab: `apnsift-lab \(command) …`")
  }

  package static func exclusive(_ option: String, _ other: String) -> Message {
    Message("\(option) and \(other) exclude each other")
  }

  /// - Parameter value: a number, or a range or list of them.
  package static func outOfRange(_ option: String, _ value: String, _ range: ClosedRange<Int>) -> Message {
    Message("\(option) is \(value): give \(range.lowerBound) to \(range.upperBound)")
  }

  package static func tooSmall(_ option: String, _ value: Int, least: Int) -> Message {
    Message("\(option) is \(value): give \(least) or more")
  }

  package static let standardInputTwice = Message("standard input (-) can be read only once")

  /// - Parameter like: names of zones that may be meant.
  package static func noSuchZone(_ name: String, like: [String], option: String = "--time-zone") -> Message {
    like.isEmpty
      ? Message("\(option): the tz database (tzdata) has no zone '\(name)'; a name is Europe/Berlin, or UTC")
      : Message("\(option): no time zone is named '\(name)'; did you mean \(like.joined(separator: " or "))?")
  }

  // MARK: - Outputs

  package static func inputInOutputDirectory(_ input: String, _ directory: String) -> Message {
    Message("\(input) is in the output directory \(directory): name another directory")
  }

  package static func outputExists(_ path: String) -> Message {
    Message("\(path) exists already: name another file, or give --force to replace it")
  }

  package static func outputNotCreated(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be created: \(error)")
  }

  package static func outputNotWritten(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be written: \(error)")
  }

  // MARK: - Stores

  package static func cannotOpen(_ name: String, _ reason: String) -> Message {
    Message("cannot open \(name): \(reason)")
  }

  package static let noMemory = Message("no memory is left")

  package static func columnsDiffer(from table: String) -> Message {
    Message("the columns of \(table) differ from those of the removed rows in apnsift_changes")
  }

  /// - Parameters:
  ///   - row: its key with the column's name, as `id 3`; nil if several rows have the value.
  ///   - message: one of the messages that follow.
  package static func inRow(_ row: Message?, of table: String, _ message: Message) -> Message {
    Message("\(table)\(row.map { ", \($0)" } ?? ""): \(message)")
  }

  // MARK: - Servers, and the readers of a feedback service

  package static let closedInHandshake = Message("the client closed before the handshake was over")

  package static func notJudged(_ reason: Message) -> Message { Message("not judged: \(reason)") }

  /// - Parameter record: index of the record, from 0.
  package static func recordDiffers(
    _ reason: Message, record: Int, reader: String? = nil, chunkSize: Int? = nil
  ) -> Message {
    let reader = reader.map { "\($0), " } ?? ""
    let chunks = chunkSize.map { "chunks of \(Count.of($0, "byte")), " } ?? ""
    return Message("\(reader)\(chunks)record \(record): \(reason)")
  }

  /// - Parameter token: bytes after it that were reported as its token; nil if it was reported as it is.
  package static func emptyTokenReported(at offset: Int, token: Int? = nil) -> Message {
    let token = token.map { ": its token consists of the \(Count.of($0, "byte")) after it" } ?? ""
    return Message("the tuple at offset \(offset) has an empty token and must not be reported\(token)")
  }

  package static func timeReadAsSigned(_ time: Int, at offset: Int, readAs read: Int) -> Message {
    Message("the time \(time) at offset \(offset) was read as signed: \(read)")
  }
}
