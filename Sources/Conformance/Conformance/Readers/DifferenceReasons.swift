import Basics
import ReaderModels

/// Explains why a reader's record differs from the true one.
extension Emission {
  /// - Parameter record: index from 0 of this record among those reported, and of the expected one.
  func reason(emptyToken: Bool, record: Int, in truth: TrueRecords) -> Message {
    switch fault {
    case .shortRead(let count, let rest): return .shortRead(count, at: offset, isStale: rest == .stale)
    case .beyondEnd(let missing):
      return
        "the record at offset \(offset) reaches \(Count.of(missing, "byte")) beyond the end of the "
        + "stream, and the missing bytes were read as zeros"
    case .none, .lengthIgnored, .signedTime, .lengthByteTwice: break
    }
    if let misplaced = misplaced(record: record, in: truth) { return misplaced }
    switch fault {
    case .lengthIgnored(let length): return .lengthIgnored(length, at: offset + 4)
    case .lengthByteTwice(let length, let read):
      return .lengthByteReadTwice(length, at: offset + 4, readAs: read)
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
    return .noTupleBegins(at: offset, next: expected)
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
    case .throws(let offset, let length): .readerThrows(length: length, at: offset + 4)
    }
  }
}

extension ReaderOutcome {
  /// Why the true tuple `record` and all later ones were not reported, if only the outcome is known.
  func reason(_ record: Int, in truth: TrueRecords) -> Message {
    .tuplesNeverReported(truth.count - record, from: truth.tuples[record].offset, message)
  }
}

extension ReaderOutcome {
  /// How the reader ended.
  package var message: Message {
    switch self {
    case .completed: "the reader ended"
    case .hangs: "the reader did not end"
    case .throws: "the reader failed"
    case .floods: "the reader was terminated"
    }
  }
}
