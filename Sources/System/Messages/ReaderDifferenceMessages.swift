import WireBytes

/// Why a reader's record differs from the true one. Offsets are in the stream, in bytes from 0.
extension Message {
  // MARK: - Faults of our models

  /// - Parameters:
  ///   - isStale: whether the rest of the record is that of the record before; else it is zeros.
  package static func shortRead(_ count: Int, at offset: Int, isStale: Bool) -> Message {
    let token =
      count <= 6
      ? isStale ? "is that of the tuple before" : "is all zeros"
      : isStale ? "ends in bytes of the tuple before" : "ends in zeros"
    return Message(
      "a read of \(Count.of(count, "byte")) at offset \(offset) was taken for a whole tuple of 38; its token "
        + token)
  }

  package static func lengthIgnored(_ length: Int, at offset: Int) -> Message {
    Message(
      "the length at offset \(offset) is \(length), but 32 bytes were taken as the token"
        + lostAlignment(read: 32, of: length))
  }

  package static func lengthByteReadTwice(_ length: Int, at offset: Int, readAs read: Int) -> Message {
    let effect = read == 0 ? "the token is empty" : "the token has \(Count.of(read, "byte"))"
    return Message(
      "the length \(hex(length, digits: 4)) at offset \(offset) was read as \(read) (the first byte twice), "
        + "so \(effect)\(lostAlignment(read: read, of: length))")
  }

  /// How far a reader loses alignment when it reads `read` bytes of a token of `length`.
  private static func lostAlignment(read: Int, of length: Int) -> String {
    if read == length { return "" }
    let distance = Count.of(abs(read - length), "byte")
    return ", and the next tuple begins \(distance) \(read < length ? "early" : "late")"
  }

  /// - Parameter next: offset of the next true tuple; nil if there is none.
  package static func noTupleBegins(at offset: Int, next: Int?) -> Message {
    let next = next.map { "the next one begins at offset \($0)" } ?? "none follows"
    return Message("the bytes at offset \(offset) were read as a tuple; no tuple begins there, and \(next)")
  }

  /// - Parameter length: as it was read.
  package static func readerThrows(length: Int, at offset: Int) -> Message {
    Message(
      "the length \(hex(length & 0xffff, digits: 4)) at offset \(offset) was read as signed (\(length)): "
        + "the reader throws")
  }

  // MARK: - Records that are missing or too many

  package static let readerEnded = Message("the reader ended")
  /// - Parameter ending: how the reader ended: one of the four above.
  package static func tuplesNeverReported(_ count: Int, from offset: Int, _ ending: Message) -> Message {
    neverReported(Count.of(count, "tuple"), from: offset, ending)
  }

  package static func errorsNeverReported(_ count: Int, from offset: Int, _ ending: Message) -> Message {
    neverReported(Count.of(count, "error"), from: offset, ending)
  }

  private static func neverReported(_ records: String, from offset: Int, _ ending: Message) -> Message {
    Message("\(ending), and never reported the \(records) from offset \(offset) on")
  }

  // MARK: - Printed lines

  package static let lineIsNoTuple = Message(
    "the line is not a record: expected `timestamp,token`, in seconds and hex")

  package static let lineIsNoError = Message(
    "the line is not a record: expected `status,identifier`, both decimal")

  // MARK: - Tuples

  /// - Parameter token: bytes after it that were reported as its token; nil if it was reported as it is.
  package static func emptyTokenReported(at offset: Int, token: Int? = nil) -> Message {
    let token = token.map { ": its token consists of the \(Count.of($0, "byte")) after it" } ?? ""
    return Message("the tuple at offset \(offset) has an empty token and must not be reported\(token)")
  }

  package static func timeReadAsSigned(_ time: Int, at offset: Int, readAs read: Int) -> Message {
    Message("the time \(time) at offset \(offset) was read as signed: \(read)")
  }

  /// - Parameters:
  ///   - expected: offset of the tuple that should have been reported; nil if it is this one, or none.
  ///   - token: bytes of the reported token, and those of the true one.
  package static func tupleReported(
    at offset: Int, insteadOf expected: Int? = nil, otherTime: Bool = false, token: Int, of length: Int
  ) -> Message {
    let expected = expected.map { " instead of the one at offset \($0)," } ?? ""
    let time = otherTime ? "a different time and " : ""
    let token =
      token == length
      ? "different bytes as its token" : "a token of \(Count.of(token, "byte")) instead of \(length)"
    return Message("the tuple at offset \(offset) was reported\(expected) with \(time)\(token)")
  }

  /// The reported bytes begin inside of a tuple.
  package static func bytesInsideTuple(at offset: Int, tupleEnd end: Int) -> Message {
    Message("\(bytes(at: offset)) no tuple begins: the tuple before it ends at \(end)")
  }

  /// The reported bytes begin between two tuples, or after the last one.
  package static func bytesOutsideTuples(at offset: Int, next: Int?) -> Message {
    let rest = next.map { "tuple begins: the next one begins at \($0)" } ?? "whole tuple begins"
    return Message("\(bytes(at: offset)) no \(rest)")
  }

  private static func bytes(at offset: Int) -> String { "its bytes are those at offset \(offset), where" }

  // MARK: - Error responses

  /// - Parameter sizes: bytes that each read returned.
  package static func errorInParts(_ sizes: [Int]) -> Message {
    let first = sizes.first ?? 0
    let rest = sizes.dropFirst().map { ", then \($0)" }.joined()
    return Message(
      "the error arrived in parts: \(Count.of(first, "byte"))\(rest); the single read returned \(first)")
  }

  package static func commandNotChecked(_ command: Int) -> Message {
    Message(
      "the bytes at offset 0 begin with \(hex(command, digits: 2)), not with the command 0x08 of an error, "
        + "and the reader does not check it")
  }

  /// - Parameter first: offset of the first true error; nil if there is none.
  package static func noErrorBegins(first: Int?) -> Message {
    let first = first.map { "the first one begins at offset \($0)" } ?? "none follows"
    return Message("the 6 bytes at offset 0 were read as an error; no error begins there, and \(first)")
  }

  package static func otherErrorReported(_ offset: Int, insteadOf expected: Int) -> Message {
    Message("the error at offset \(offset) was reported instead of the one at offset \(expected)")
  }

  // MARK: - Numbers

  /// A number in at least `digits` hex digits.
  private static func hex(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
