import Conformance
import ReaderModels
import TestSupport

/// A stream of tuples, and where they are.
struct TupleStream {
  var bytes: [UInt8] = []
  var runs: [TupleRun] = []

  /// Adds a tuple whose token is `count` times `fill`.
  func tuple(_ count: Int = 32, time: UInt32 = Tuples.time, fill: UInt8 = 0xaa) -> TupleStream {
    var stream = self
    stream.runs.append((bytes.count, count, 1))
    stream.bytes += Tuples.one(count, time: time, fill: fill)
    return stream
  }

  /// Adds bytes that are no tuple.
  func noise(_ noise: [UInt8]) -> TupleStream {
    var stream = self
    stream.bytes += noise
    return stream
  }

  var truth: TrueRecords { TrueRecords(bytes: bytes, runs: runs) }
}

extension TrueRecords {
  /// Of a reader that reported these times and tokens.
  func judge(_ records: [(Int64, [UInt8])], outcome: ReaderOutcome = .completed) -> Judgement {
    var judge = FeedbackJudge(truth: self)
    for (time, token) in records { judge.receive(time: time, token: token) }
    return judge.finish(outcome: outcome)
  }
}

/// `1400000000,` and the token in hex.
func text(_ count: Int = 32, time: Int64 = Int64(Tuples.time), fill: UInt8 = 0xaa) -> String {
  "\(time),\(TestHex.text([UInt8](repeating: fill, count: count)))"
}
