import Conformance
import ReaderModels

/// Judges a reader whose server must be refused: it may print nothing, and it may fail.
struct RefusalJudge: PrintedJudge {
  private let certificate: RefusedCertificate
  private var judgement = Judgement()

  init(_ certificate: RefusedCertificate) { self.certificate = certificate }

  mutating func take(_ line: ArraySlice<UInt8>, isCut _: Bool) {
    judgement.differ(
      nil, PrintedText.quoted(line), "\(certificate.shows), and the reader took what it sent")
    judgement.records += 1
  }

  consuming func finish(outcome: ReaderOutcome) -> Judgement { judgement.ended(outcome.refusing, of: 0) }
}

extension ReaderOutcome {
  /// The outcome where a failure is right.
  var refusing: ReaderOutcome { self == .throws ? .refused : self }
}
