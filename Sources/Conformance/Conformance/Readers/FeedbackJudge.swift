import Basics
import ReaderModels

/// Compares the records that a reader reports with the true ones, one at a time.
///
/// As long as both sequences agree, nothing is stored. From the first difference on it counts the unmatched copies of
/// each distinct tuple. This takes 4 bytes per true tuple, whatever is reported, and one look-up per record.
package struct FeedbackJudge: RecordReceiver {
  private let truth: TrueRecords
  private var judgement = Judgement()
  /// By the index of the first equal tuple; empty as long as the sequences agree.
  private var unmatched: [UInt32] = []

  package init(truth: TrueRecords) { self.truth = truth }

  /// Takes a record of one of our models, which includes the reader's error.
  package mutating func receive(_ emission: Emission, token: RawSpan) { take(emission.time, token, emission) }

  /// Takes a record printed by an external reader.
  package mutating func receive(time: Int64, token: [UInt8]) { take(time, token.span.bytes, nil) }

  /// Takes a line of an external reader that is not a record, as messages show it. The text is used only for the first
  /// such line.
  package mutating func receive(rubbish: @autoclosure () -> String) {
    if judgement.firstDifference == nil {
      differ(rubbish(), "the line is not a record: expected `timestamp,token`, in seconds and hex")
    }
    judgement.records += 1
  }

  /// The judgement on one of our models.
  package consuming func finish(_ ending: ReaderEnding) -> Judgement {
    finish(ending.outcome) { ending.reason($0, in: $1) }
  }

  /// The judgement on an external reader.
  package consuming func finish(outcome: ReaderOutcome) -> Judgement {
    finish(outcome) { outcome.reason($0, in: $1) }
  }

  @inline(__always)
  private mutating func take(_ time: Int64, _ token: RawSpan, _ emission: Emission?) {
    if judgement.firstDifference == nil {
      if judgement.records < truth.count, truth.tuples[judgement.records].says(time, token, in: truth.bytes) {
        judgement.records &+= 1
        judgement.correct &+= 1
        return
      }
      differ(time, token, emission)
    }
    judgement.records &+= 1
    guard let kind = truth.firstAlike(time, token), unmatched[kind] > 0 else { return }
    unmatched[kind] &-= 1
    judgement.correct &+= 1
  }

  @inline(never)
  private mutating func differ(_ time: Int64, _ token: RawSpan, _ emission: Emission?) {
    let record = judgement.records
    let reason =
      emission.map { $0.reason(emptyToken: token.isEmpty, record: record, in: truth) }
      ?? truth.reason(forPrinted: PrintedTuple(time, token), record: record)
    differ(tupleText(time, token), reason)
  }

  /// Starts to count unmatched tuples.
  private mutating func differ(_ emitted: String, _ reason: Message) {
    judgement.differ(truth.text(judgement.records), emitted, reason)
    unmatched = truth.index.copies
    for record in 0..<judgement.records { unmatched[Int(truth.index.firstAlike[record])] &-= 1 }
  }

  private consuming func finish(
    _ outcome: ReaderOutcome, reason: (_ record: Int, _ truth: TrueRecords) -> Message
  ) -> Judgement {
    let record = judgement.records
    if record < truth.count { judgement.differ(truth.text(record), nil, reason(record, truth)) }
    return judgement.ended(outcome, of: truth.count)
  }
}

extension TrueRecords {
  package func judge(_ model: FeedbackModel, cut chunking: Chunking) -> Judgement {
    var judge = FeedbackJudge(truth: self)
    let ending = model.read(bytes.span.bytes, cut: chunking, into: &judge)
    return judge.finish(ending)
  }

  /// The true tuple at that index as text; nil after the last one.
  func text(_ number: Int) -> String? {
    guard number < count else { return nil }
    let tuple = tuples[number]
    return tupleText(Int64(tuple.time), bytes.span.bytes.extracting(tuple.token))
  }
}

/// A record of `FirstDifference`: seconds, a comma, the token in lowercase hex.
private func tupleText(_ time: Int64, _ token: RawSpan) -> String {
  "\(time),\(token.withUnsafeBytes { Hex.string($0) })"
}
