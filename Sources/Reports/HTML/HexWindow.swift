/// Bytes around a place of a stream, with what each of them is.
package struct HexWindow: Equatable, Sendable {
  /// What a byte is.
  package enum Kind: String, Sendable {
    /// Of the place that the finding is about.
    case place
    case time, length, token
    /// Of no record of feedback that is known.
    case other
  }

  package struct Byte: Equatable, Sendable {
    /// Nil where it is not to be shown.
    package var value: UInt8?
    package var kind: Kind

    package init(_ value: UInt8?, _ kind: Kind) {
      self.value = value
      self.kind = kind
    }
  }

  /// Bytes in a row.
  package struct Segment: Equatable, Sendable {
    /// Offset of the first one in its direction of the stream, from 0.
    package var offset: Int
    package var bytes: [Byte]

    package init(offset: Int, bytes: [Byte]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  /// In order; between two of them bytes are missing, or left out.
  package var segments: [Segment]

  package init(_ segments: [Segment]) { self.segments = segments }
}
