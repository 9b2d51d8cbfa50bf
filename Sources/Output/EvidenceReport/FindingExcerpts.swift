import Analysis

extension FindingExample {
  init(_ excerpt: Excerpt, command: String?) {
    let segments = excerpt.parts.map { part in
      HexSegment(
        offset: part.start,
        bytes: part.bytes.enumerated().map { Self.byte($1, at: part.start + $0, in: excerpt) })
    }
    self.init(excerpt.finding, bytes: segments, command: command)
    (isDecoded, fileText) = (excerpt.isDecoded, excerpt.fileText)
  }

  private static func byte(_ value: UInt8, at offset: Int, in excerpt: Excerpt) -> HexSegment.Byte {
    if let range = excerpt.range, range.contains(offset) { return HexSegment.Byte(value, .finding) }
    guard let tuple = excerpt.tuples.first(where: { $0.range.contains(offset) }) else {
      return HexSegment.Byte(value, .other)
    }
    switch offset - tuple.range.lowerBound {
    case 0..<4: return HexSegment.Byte(value, .time, isOfNoToken: tuple.isSure)
    case 4..<6: return HexSegment.Byte(value, .length, isOfNoToken: tuple.isSure)
    default: return HexSegment.Byte(value, .token)
    }
  }
}

/// Consecutive bytes near a finding, each with its kind.
package struct HexSegment: Equatable, Sendable {
  /// The role of a byte.
  package enum Kind: String, Sendable {
    /// Part of the bytes that the finding is about.
    case finding
    case time, length, token
    /// Part of no known feedback tuple.
    case other
  }

  package struct Byte: Equatable, Sendable {
    /// Nil if it is left out.
    package var value: UInt8?
    package var kind: Kind
    /// Whether it is certain that it is part of no token: only in the time or length of a tuple without flags.
    package var isOfNoToken: Bool

    package init(_ value: UInt8?, _ kind: Kind, isOfNoToken: Bool = false) {
      (self.value, self.kind, self.isOfNoToken) = (value, kind, isOfNoToken)
    }
  }

  /// Offset of the first byte in its direction of the stream, from 0.
  package var offset: Int
  package var bytes: [Byte]

  package init(offset: Int, bytes: [Byte]) { (self.offset, self.bytes) = (offset, bytes) }
}
