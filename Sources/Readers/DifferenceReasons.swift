import ReaderModels
import WireBytes

/// Explains why a reader's record differs from the true one: sentences without a full stop, with offsets in the stream
/// in bytes from 0.
extension Emission {
  /// - Parameter record: index from 0 of this record among those reported, and of the expected one.
  func reason(emptyToken: Bool, record: Int, in truth: TrueRecords) -> String {
    switch fault {
    case .shortRead(let count, let rest): return shortRead(count, rest)
    case .beyondEnd(let missing):
      return "the record at offset \(offset) reaches \(Count.of(missing, "byte")) beyond the end of"
        + " the stream, and the missing bytes were read as zeros"
    case .none, .lengthIgnored, .signedTime, .lengthByteTwice: break
    }
    if let misplaced = misplaced(record: record, in: truth) { return misplaced }
    switch fault {
    case .lengthIgnored(let length):
      return "the length at offset \(offset + 4) is \(length), but 32 bytes were taken as the token"
        + Self.consequence(read: 32, of: length)
    case .lengthByteTwice(let length, let read): return lengthByteTwice(length, read)
    case .signedTime:
      return "the time \(time + 1 << 32) at offset \(offset) was read as signed: \(time)"
    case .none, .shortRead, .beyondEnd:
      return emptyToken
        ? TrueRecords.emptyToken(at: offset)
        : "the tuple at offset \(offset) was reported incorrectly"
    }
  }

  private func shortRead(_ count: Int, _ rest: ReaderFault.Rest) -> String {
    let start =
      "a read of \(Count.of(count, "byte")) at offset \(offset) was taken for a whole tuple of 38; "
    switch rest {
    case .zeros: return start + (count <= 6 ? "its token is all zeros" : "its token ends in zeros")
    case .stale:
      return start
        + (count <= 6
          ? "its token is that of the tuple before" : "its token ends in bytes of the tuple before")
    }
  }

  private func lengthByteTwice(_ length: Int, _ read: Int) -> String {
    let effect = read == 0 ? "the token is empty" : "the token has \(Count.of(read, "byte"))"
    return "the length \(RecordText.hex(length, digits: 4)) at offset \(offset + 4) was read as \(read)"
      + " (the first byte twice), so \(effect)\(Self.consequence(read: read, of: length))"
  }

  /// How far the reader loses alignment when it reads `read` bytes of a token of `length`.
  private static func consequence(read: Int, of length: Int) -> String {
    if read == length { return "" }
    let distance = Count.of(abs(read - length), "byte")
    return ", and the next tuple begins \(distance) \(read < length ? "early" : "late")"
  }

  /// The reason if the record was read from an offset where no tuple begins.
  private func misplaced(record: Int, in truth: TrueRecords) -> String? {
    let expected = record < truth.count ? truth.tuples[record].offset : nil
    if expected == offset || truth.emptyTokens.contains(offset) { return nil }
    let next = expected.map { "the next one begins at offset \($0)" } ?? "none follows"
    return "the bytes at offset \(offset) were read as a tuple; no tuple begins there, and \(next)"
  }
}

extension ReaderEnding {
  /// Why the true tuple `record` and all later ones were not reported.
  func reason(_ record: Int, in truth: TrueRecords) -> String {
    switch self {
    case .completed: outcome.reason(record, in: truth)
    case .droppedTail(let offset, let count):
      "the reader waits for 38 bytes, but the stream ends \(Count.of(count, "byte")) after offset"
        + " \(offset): the rest is never seen"
    case .hangs(let offset, let length, let buffered):
      "the length \(length) at offset \(offset + 4) makes a tuple of \(length + TrueRecords.header) bytes,"
        + " and \(buffered) are buffered: the reader loops forever"
    case .throws(let offset, let length):
      "the length \(RecordText.hex(length & 0xffff, digits: 4)) at offset \(offset + 4) was read as signed"
        + " (\(length)): the reader throws"
    }
  }
}

extension ReaderOutcome {
  /// Why the true tuple `record` and all later ones were not reported, if only the outcome is known.
  func reason(_ record: Int, in truth: TrueRecords) -> String {
    let missing = Count.of(truth.count - record, "tuple")
    return "\(verb), and never reported the \(missing) from offset \(truth.tuples[record].offset) on"
  }
}

extension ReaderOutcome {
  /// How the reader ended, as a clause.
  var verb: String {
    switch self {
    case .completed: "the reader ended"
    case .hangs: "the reader did not end"
    case .throws: "the reader failed"
    case .floods: "the reader was terminated"
    }
  }
}
