import Basics
import Conformance
import ReaderModels

/// Judges an external reader that prints error responses as `status,identifier`.
extension ResponseJudge: PrintedJudge {
  package mutating func take(_ line: ArraySlice<UInt8>, isCut: Bool) {
    guard !isCut, let (status, identifier) = PrintedText.response(line) else {
      return receive(
        rubbish: PrintedText.quoted(line, isCut: isCut),
        isCut
          ? "the line is too long to be `status,identifier`"
          : "the line is not a record: expected `status,identifier`, both decimal")
    }
    let truth = truth
    receive(status: status, identifier: identifier) { expected in
      guard let expected else { return truth.nothingMore }
      if let other = truth.responses.first(where: { $0.values == SIMD2(status, identifier) }) {
        return
          "the error at offset \(other.offset) was reported instead of the one at offset \(expected.offset)"
      }
      return "the error at offset \(expected.offset) was reported incorrectly"
    }
  }

  package consuming func finish(outcome: ReaderOutcome) -> Judgement {
    let missing = truth.responses.count - judgement.records
    // At bytes that begin no error, a reader may fail.
    let outcome = truth.endsInOtherBytes ? outcome.refusing : outcome
    return finish(outcome) { outcome.neverReported(Count.of(missing, "error"), from: $0.offset) }
  }
}

extension TrueResponses {
  /// Why one more than all errors is wrong.
  fileprivate var nothingMore: Message {
    let end = Self.length * responses.count
    guard endsInOtherBytes else { return "the stream has only \(Count.of(responses.count, "error"))" }
    return
      "the bytes at offset \(end) begin with 0x\(Hex.string([bytes[end]])), not with the command 0x08 of an error"
  }
}
