import Basics
import Conformance
import ReaderModels

/// A server that a reader must refuse, by its certificate.
package enum RefusedCertificate: String, CaseIterable, Sendable {
  case untrusted, otherName = "other-name", expired

  /// The name of the test.
  var name: String { "certificate-\(rawValue)" }

  /// What the test shows.
  var shows: String {
    switch self {
    case .untrusted: "The server's certificate is not the one of APNSIFT_CA"
    case .otherName: "The server's certificate is for push.invalid"
    case .expired: "The server's certificate has expired"
    }
  }
}

/// Judges a reader whose server must be refused: it may print nothing, and it may fail.
struct RefusalJudge: PrintedJudge {
  private let certificate: RefusedCertificate
  private var records = 0
  private var firstDifference: FirstDifference?

  init(_ certificate: RefusedCertificate) { self.certificate = certificate }

  mutating func take(_ line: ArraySlice<UInt8>) {
    if firstDifference == nil {
      firstDifference = FirstDifference(
        record: 0, expected: nil, emitted: PrintedText.quoted(line),
        reason: "\(certificate.shows), and the reader took what it sent")
    }
    records += 1
  }

  mutating func takeOverlong(_ beginning: ArraySlice<UInt8>) { take(beginning) }

  consuming func finish(outcome: ReaderOutcome) -> Judgement {
    Judgement(
      records: records, correct: 0, missed: 0, outcome: outcome.refusing, firstDifference: firstDifference)
  }
}

extension ReaderOutcome {
  /// The outcome where a failure is right.
  var refusing: ReaderOutcome { self == .throws ? .refused : self }
}
