import ReaderModels

/// What became of a stream under one reader (readers.md, last paragraph). A stream with gaps is not judged,
/// and has none.
package struct Judgement: Equatable, Sendable {
  /// Records that it reported.
  package var records: Int
  /// Records that equal a true one, matched one to one whatever their order.
  package var correct: Int
  /// True records that were not matched.
  package var missed: Int
  package var outcome: ReaderOutcome
  /// Nil where it reported the true records in their order, and nothing else.
  package var firstDifference: FirstDifference?

  package var wrong: Int { records - correct }

  package init(
    records: Int, correct: Int, missed: Int, outcome: ReaderOutcome, firstDifference: FirstDifference?
  ) {
    self.records = records
    self.correct = correct
    self.missed = missed
    self.outcome = outcome
    self.firstDifference = firstDifference
  }
}

/// The first place at which what was reported differs from the truth, the two taken in their order.
package struct FirstDifference: Equatable, Sendable {
  /// Number of the record, from 0.
  package var record: Int
  /// The true record as `time,token`, for error responses `status,identifier`; nil behind the last one.
  package var expected: String?
  /// The reported record in the same form; nil behind the last one.
  package var emitted: String?
  /// A sentence without a full stop that says why.
  package var reason: String

  package init(record: Int, expected: String?, emitted: String?, reason: String) {
    self.record = record
    self.expected = expected
    self.emitted = emitted
    self.reason = reason
  }
}

/// A record as `FirstDifference` writes it.
enum RecordText {
  /// Seconds, a comma, the token in lowercase hex.
  static func tuple(_ time: Int64, _ token: RawSpan) -> String { "\(time),\(hex(token))" }

  private static func hex(_ bytes: RawSpan) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.byteCount)
    for offset in 0..<bytes.byteCount {
      let byte = Int(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      text.append(digits[byte >> 4])
      text.append(digits[byte & 15])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A number as the wire has it, in `digits` hex digits.
  static func hex(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// `1 byte`, `20 bytes`.
  static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
