import Basics
import ReaderModels

/// A length of 16 bits: `0x0020`.
private func hex(_ length: Int) -> String {
  "0x" + Hex.string([UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)])
}

/// Explains why a reader's record differs from the true one.
extension Emission {
  /// - Parameter record: index from 0 of this record among those reported, and of the expected one.
  func reason(emptyToken: Bool, record: Int, in truth: TrueRecords) -> Message {
    switch error {
    case .shortRead(let count, let rest):
      // The first 6 bytes, the time and the length, have no byte of the token.
      let token =
        count <= 6
        ? rest == .stale ? "is that of the tuple before" : "is all zeros"
        : rest == .stale ? "ends in bytes of the tuple before" : "ends in zeros"
      return
        "a read of \(Count.of(count, "byte")) at offset \(offset) was taken for a whole tuple of 38; its "
        + "token \(token)"
    case .beyondEnd(let missing):
      return
        "the record at offset \(offset) reaches \(Count.of(missing, "byte")) beyond the end of the "
        + "stream, and the missing bytes were read as zeros"
    case .none, .lengthIgnored, .signedTime, .lengthByteTwice: break
    }
    if let misplaced = misplaced(record: record, in: truth) { return misplaced }
    switch error {
    case .lengthIgnored(let length):
      return
        "the length at offset \(offset + 4) is \(length), but 32 bytes were taken as the token"
        + Self.lostAlignment(read: 32, of: length)
    case .lengthByteTwice(let length, let read):
      let effect = read == 0 ? "the token is empty" : "the token has \(Count.of(read, "byte"))"
      return
        "the length \(hex(length)) at offset \(offset + 4) was read as \(read) (the first byte "
        + "twice), so \(effect)\(Self.lostAlignment(read: read, of: length))"
    case .signedTime: return .timeReadAsSigned(Int(time) + 1 << 32, at: offset, readAs: Int(time))
    case .none, .shortRead, .beyondEnd:
      return emptyToken
        ? .emptyTokenReported(at: offset) : "the tuple at offset \(offset) was reported incorrectly"
    }
  }

  /// The reason if the record was read from an offset where no tuple begins.
  private func misplaced(record: Int, in truth: TrueRecords) -> Message? {
    let expected = record < truth.count ? truth.tuples[record].offset : nil
    if expected == offset || truth.emptyTokens.contains(offset) { return nil }
    let next = expected.map { "the next one begins at offset \($0)" } ?? "none follows"
    return "the bytes at offset \(offset) were read as a tuple; no tuple begins there, and \(next)"
  }

  /// How far a reader loses alignment when it reads `read` bytes of a token of `length`.
  private static func lostAlignment(read: Int, of length: Int) -> Message {
    if read == length { return "" }
    let distance = Count.of(abs(read - length), "byte")
    return ", and the next tuple begins \(distance) \(read < length ? "early" : "late")"
  }
}

extension ReaderEnding {
  /// Why the true tuple `record` and all later ones were not reported.
  func reason(_ record: Int, in truth: TrueRecords) -> Message {
    switch self {
    case .completed: outcome.reason(record, in: truth)
    case .droppedTail(let offset, let count):
      "the reader waits for 38 bytes, but the stream ends \(Count.of(count, "byte")) after offset "
        + "\(offset): the rest is never seen"
    case .hangs(let offset, let length, let buffered):
      "the length \(length) at offset \(offset + 4) makes a tuple of \(length + TrueRecords.header) "
        + "bytes, and \(buffered) are buffered: the reader loops forever"
    case .throws(let offset, let length):
      "the length \(hex(length)) at offset \(offset + 4) was read as signed (\(length)): the reader throws"
    }
  }
}

extension ReaderOutcome {
  /// Why the true tuple `record` and all later ones were not reported, if only the outcome is known.
  func reason(_ record: Int, in truth: TrueRecords) -> Message {
    neverReported(Count.of(truth.count - record, "tuple"), from: truth.tuples[record].offset)
  }

  package func neverReported(_ records: String, from offset: Int) -> Message {
    "\(message), and never reported the \(records) from offset \(offset) on"
  }

  /// How the reader ended.
  package var message: Message {
    switch self {
    case .completed, .refused: "the reader ended"
    case .hangs: "the reader did not end"
    case .throws: "the reader failed"
    case .floods: "the reader was terminated"
    }
  }
}
