import Basics
import Conformance
import ReaderModels

/// Judges an external reader that prints error responses as `status,identifier`.
extension ResponseJudge: PrintedJudge {
  package mutating func take(_ line: ArraySlice<UInt8>) {
    guard let (status, identifier) = PrintedText.response(line) else {
      return receive(
        rubbish: PrintedText.quoted(line),
        "the line is not a record: expected `status,identifier`, both decimal")
    }
    let truth = truth
    receive(status: status, identifier: identifier) { expected in
      guard let expected else { return "the stream has only \(Count.of(truth.responses.count, "error"))" }
      if let other = truth.responses.first(where: { $0.values == SIMD2(status, identifier) }) {
        return
          "the error at offset \(other.offset) was reported instead of the one at offset \(expected.offset)"
      }
      return "the error at offset \(expected.offset) was reported incorrectly"
    }
  }

  package mutating func takeOverlong(_ beginning: ArraySlice<UInt8>) {
    receive(
      rubbish: PrintedText.quoted(beginning, isCut: true), "the line is too long to be `status,identifier`")
  }

  package consuming func finish(outcome: ReaderOutcome) -> Judgement {
    let missing = truth.responses.count - records
    return finish(outcome) { outcome.neverReported(Count.of(missing, "error"), from: $0.offset) }
  }
}
