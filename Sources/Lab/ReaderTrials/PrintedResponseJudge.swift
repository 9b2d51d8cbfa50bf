import Basics
import Conformance
import ReaderModels

/// Compares the error responses that an external reader prints as `status,identifier` with the true ones.
package struct PrintedResponseJudge: PrintedJudge {
  private struct Key: Hashable {
    var status: Int64
    var identifier: Int64
  }

  private let truth: TrueResponses
  private var records = 0
  private var correct = 0
  private var firstDifference: FirstDifference?
  /// Unmatched true responses by value.
  private var unmatched: [Key: Int] = [:]

  package init(truth: TrueResponses) {
    self.truth = truth
    for response in truth.responses { unmatched[Self.key(response), default: 0] += 1 }
  }

  package mutating func take(_ line: ArraySlice<UInt8>) {
    guard let (status, identifier) = PrintedText.response(line) else {
      if firstDifference == nil {
        note(PrintedText.quoted(line), "the line is not a record: expected `status,identifier`, both decimal")
      }
      records += 1
      return
    }
    let key = Key(status: status, identifier: identifier)
    if firstDifference == nil, expected.map(Self.key) != key {
      note("\(status),\(identifier)", reason(key))
    }
    records += 1
    guard let left = unmatched[key], left > 0 else { return }
    unmatched[key] = left - 1
    correct += 1
  }

  package mutating func takeOverlong(_ beginning: ArraySlice<UInt8>) {
    note(PrintedText.quoted(beginning, isCut: true), "the line is too long to be `status,identifier`")
    records += 1
  }

  package consuming func finish(outcome: ReaderOutcome) -> Judgement {
    if let next = expected {
      let missing = truth.responses.count - records
      note(nil, .errorsNeverReported(missing, from: next.offset, outcome.message))
    }
    return Judgement(
      records: records, correct: correct, missed: truth.responses.count - correct, outcome: outcome,
      firstDifference: firstDifference)
  }

  /// The true response at the index of the next record.
  private var expected: TrueResponses.Response? {
    records < truth.responses.count ? truth.responses[records] : nil
  }

  private mutating func note(_ emitted: String?, _ reason: Message) {
    guard firstDifference == nil else { return }
    firstDifference = FirstDifference(
      record: records, expected: expected?.text, emitted: emitted, reason: reason)
  }

  private func reason(_ key: Key) -> Message {
    guard let expected else { return "the stream has only \(Count.of(truth.responses.count, "error"))" }
    if let other = truth.responses.first(where: { Self.key($0) == key }) {
      return
        "the error at offset \(other.offset) was reported instead of the one at offset \(expected.offset)"
    }
    return "the error at offset \(expected.offset) was reported incorrectly"
  }

  private static func key(_ response: TrueResponses.Response) -> Key {
    Key(status: Int64(response.status), identifier: Int64(response.identifier))
  }
}
