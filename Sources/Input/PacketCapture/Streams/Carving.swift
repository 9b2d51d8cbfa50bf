/// How a search in bytes of any kind found a stream (docs/carving.md).
package struct Carving: Equatable, Sendable {
  /// The encoding in which the bytes were found.
  package enum CarvedForm: String, CaseIterable, Sendable {
    case binary, hex, base64
    case quotedPrintable = "quoted-printable"
    /// A line with a token in angle brackets and a time.
    case log
    case packet
  }

  /// Number of the chain of records in its input, from 0; nil for a form that has no chains.
  package var chain: Int?
  package var form: CarvedForm
  /// Of a line: whether a word in it says what its time is.
  package var isNamed = false
  /// Tuples of the chain, up to `maxCountedLength`; nil unless it is one of tuples.
  package var chainLength: UInt16?

  /// A longer chain has this length in reports. Its rows are written before its end is known.
  package static let maxCountedLength = 1000

  package init(_ form: CarvedForm, chain: Int? = nil, chainLength: Int? = nil, isNamed: Bool = false) {
    (self.form, self.chain, self.isNamed) = (form, chain, isNamed)
    self.chainLength = chainLength.map { UInt16(clamping: $0) }
  }
}
