import APNsWire
import PacketCapture

/// How likely a carved record is one (docs/carving.md, which has the measured rates).
package enum Confidence: String, CaseIterable, Sendable {
  case certain, likely, doubtful

  /// The shortest chain whose records are certain, but for the last.
  private static let certainLength = 3

  /// - Parameter flags: of the record.
  init(_ carving: Carving, _ flags: RecordFlags) {
    let isLast = flags.contains(.unconfirmedBoundary)
    switch carving.form {
    case .log: self = carving.isNamed ? .likely : .doubtful
    case .packet: self = isLast ? .likely : .certain
    case .binary, .hex, .base64, .quotedPrintable:
      let length = Int(carving.chainLength ?? 1)
      self =
        length >= Self.certainLength
        ? (isLast ? .likely : .certain) : length > 1 && !isLast ? .likely : .doubtful
    }
  }
}

extension FeedbackRecords {
  /// Nil unless the records were carved.
  package var confidence: Confidence? { labels.carving.map { Confidence($0, run.flags) } }
}
