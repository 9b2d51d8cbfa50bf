import Basics
import ReaderModels

/// The true error responses of a stream, to judge `php` by (docs/spec/readers.md#judgement).
package struct TrueResponses: Sendable {
  package struct Response: Hashable, Sendable {
    /// Offset in the stream, in bytes from 0.
    package var offset: Int
    package var status: UInt8
    package var identifier: UInt32

    package init(offset: Int, status: UInt8, identifier: UInt32) {
      (self.offset, self.status, self.identifier) = (offset, status, identifier)
    }

    package var text: String { "\(status),\(identifier)" }
    package var values: SIMD2<Int64> { SIMD2(Int64(status), Int64(identifier)) }
  }

  package let bytes: [UInt8]
  package let responses: [Response]

  /// - Parameter responses: in stream order.
  package init(bytes: [UInt8], responses: [Response]) {
    self.bytes = bytes
    self.responses = responses
  }

  /// Bytes of an error response (docs/spec/protocol.md#error-responses).
  package static let length = 6

  /// Whether the errors are followed by bytes that begin none. A reader must not report those, and may fail at them.
  package var endsInOtherBytes: Bool {
    let end = Self.length * responses.count
    return bytes.count > end && bytes[end] != 8
      && zip(0..., responses).allSatisfy { $1.offset == Self.length * $0 }
  }

  package func judgePHP(cut chunking: Chunking) -> Judgement {
    let reading = PHPReader.read(bytes.span.bytes, cut: chunking)
    var judge = ResponseJudge(truth: self)
    if case .error(_, let status, let identifier) = reading {
      judge.receive(status: Int64(status), identifier: Int64(identifier)) { _ in reason(0, reading) }
    }
    let count = judge.judgement.records
    return judge.finish(.completed) { _ in reason(count, reading) }
  }

  private func reason(_ record: Int, _ reading: PHPReader.Reading) -> Message {
    switch reading {
    case .short(let sizes):
      "the error arrived in parts: \(Count.of(sizes.first ?? 0, "byte"))"
        + "\(sizes.dropFirst().map { ", then \($0)" }.joined()); the single read returned \(sizes.first ?? 0)"
    case .error where record > 0:
      "only the first 6 bytes are read: the error at offset \(responses[record].offset) is never seen"
    case .error(let command, _, _) where command != 8:
      "the bytes at offset 0 begin with 0x\(Hex.string([command])), not with the command 0x08 of an error, "
        + "and the reader does not check it"
    case .error:
      "the 6 bytes at offset 0 were read as an error; no error begins there, and "
        + (responses.first.map { "the first one begins at offset \($0.offset)" } ?? "none follows")
    }
  }
}

/// Compares the error responses that a reader reports with the true ones, one at a time.
package struct ResponseJudge {
  package let truth: TrueResponses
  package private(set) var judgement = Judgement()
  /// Unmatched true responses by status and identifier.
  private var unmatched: [SIMD2<Int64>: Int]

  package init(truth: TrueResponses) {
    self.truth = truth
    unmatched = Dictionary(truth.responses.map { ($0.values, 1) }, uniquingKeysWith: +)
  }

  /// - Parameter reason: explains the first difference from the true record, nil after the last one.
  package mutating func receive(
    status: Int64, identifier: Int64, reason: (TrueResponses.Response?) -> Message
  ) {
    let (values, expected) = (SIMD2(status, identifier), expected)
    if expected?.values != values {
      judgement.differ(expected?.text, "\(status),\(identifier)", reason(expected))
    }
    judgement.records += 1
    guard let left = unmatched[values], left > 0 else { return }
    unmatched[values] = left - 1
    judgement.correct += 1
  }

  /// Takes a line that is not a record, as messages show it.
  package mutating func receive(rubbish: String, _ reason: Message) {
    judgement.differ(expected?.text, rubbish, reason)
    judgement.records += 1
  }

  /// - Parameter reason: explains why the next true record was not reported.
  package consuming func finish(
    _ outcome: ReaderOutcome, reason: (TrueResponses.Response) -> Message
  ) -> Judgement {
    if let expected = expected { judgement.differ(expected.text, nil, reason(expected)) }
    return judgement.ended(outcome, of: truth.responses.count)
  }

  /// The true response at the index of the next record.
  private var expected: TrueResponses.Response? {
    judgement.records < truth.responses.count ? truth.responses[judgement.records] : nil
  }
}
