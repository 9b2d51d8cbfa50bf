import WireBytes

/// How streams are cut for readers and for clients (readers.md: a chunk is what one network read can return at most).
package enum StreamChunks {
  /// As the capture has it: a segment's payload is a chunk; where no packets are known, 4096 bytes.
  case asCaptured
  /// Sizes in bytes, in turn and again from the top.
  case sizes([Int])
  /// Every size from 1 to 80, one reading each: twice the tuple of a usual token, and some.
  case everySize

  package static let everySizes = 1...80

  /// In words, after "over".
  package var text: String {
    switch self {
    case .asCaptured: "the segments of captures, and chunks of 4096 bytes where there are none"
    case .sizes(let sizes):
      sizes.count == 1
        ? "chunks of \(Count.of(sizes[0], "byte"))" : "chunks of \(Self.list(sizes)) bytes in turn"
    case .everySize:
      "chunks of \(Self.everySizes.lowerBound) to \(Self.everySizes.upperBound) bytes"
    }
  }

  private static func list(_ sizes: [Int]) -> String {
    let shown = sizes.prefix(8).map { String($0) }.joined(separator: ", ")
    return sizes.count > 8 ? "\(shown), …" : shown
  }
}
