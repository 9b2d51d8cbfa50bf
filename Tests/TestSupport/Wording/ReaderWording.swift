import Basics

extension Message {
  package static func readingsRight(_ right: Int, of judged: Int, notJudged: Int) -> Message {
    let judged = "\(right) of \(Count.of(judged, "reading")) right"
    return Message(notJudged > 0 ? "\(judged), \(notJudged) not judged" : judged)
  }

  /// Damage may have happened on the wire or on disk: the readers never saw the latter.
  package static let readersReceivedTheseBytes = Message(
    "the readings hold if the readers received exactly these bytes, "
      + "not if the file was damaged after it was saved")

  /// - Parameter streams: how many of the streams that are only counted; nil for one that is shown.
  package static func bytesInNoRecord(ofStreams streams: Int?) -> Message {
    let bytes = streams.map { "some bytes of \($0) of them" } ?? "some of its bytes"
    return Message("\(bytes) are in no record: \(readersReceivedTheseBytes)")
  }

  /// - Parameters:
  ///   - option: the option that sets the limit `memory`, in bytes.
  ///   - isLast: whether further messages of this kind are suppressed.
  package static func openStreamsTooLarge(
    _ source: String, stream: Int, memory: Int, option: String, isLast: Bool
  ) -> Message {
    let rest = isLast ? " (further messages of this kind are suppressed)" : ""
    return Message(
      "\(source): stream \(stream) is not judged: the open streams exceed \(ByteSize.text(memory)); "
        + "raise \(option)\(rest)")
  }

  package static func readerStillRan(after seconds: Double) -> Message {
    let texts = [seconds, 30 * seconds].map { time in Int(exactly: time).map { "\($0)" } ?? "\(time)" }
    return Message(
      "the reader was terminated: it did not end within \(texts[0]) s of its start or last read, or within "
        + "\(texts[1]) s in all")
  }

  /// - Parameter complaint: the last line of the shell's standard error.
  package static func readerDidNotStart(_ line: String, complaint: String?) -> Message {
    let complaint = complaint.map { " (\($0))" } ?? ""
    return Message("cannot start the reader '\(line)'\(complaint); correct the command")
  }

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

  /// A number in at least `digits` hex digits.
  private static func hex(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// - Parameter readings: as in `readingsRight`.
  package static func audited(inputs: Int, streams: Int, readings: Message) -> Message {
    Message("audited \(Count.of(inputs, "input")): \(Count.of(streams, "stream")), \(readings)")
  }

  /// - Parameter limit: in bytes.
  package static func readerFlooded(_ limit: Int) -> Message {
    Message("the reader printed more than \(ByteSize.text(limit)), and was terminated")
  }

  package static let noReaderAfterDashes = Message("nothing follows --: give a reader, or leave out --")
}
