import PacketCapture

/// One direction's ciphertext: its extents in the file, as long as they may be needed, and its counts.
struct CiphertextSide {
  /// Extents in the order of the stream; those before `firstKept` are unused, and removed from time to time.
  private var extents: [SourceExtent] = []
  private var firstKept = 0
  private static let mostForgotten = 16
  /// Offset after the last byte or gap, and the number of bytes.
  private(set) var end = 0
  private(set) var bytes = 0
  /// Where TLS begins.
  private var start = 0
  /// Offset in the plaintext after the last byte or gap.
  var plaintextEnd = 0
  private(set) var hasPlaintext = false
  /// Where it stopped being readable.
  var failureOffset: Int?

  // MARK: - Input

  mutating func append(_ count: Int, _ origins: Span<SourceExtent>) {
    for index in origins.indices {
      let origin = origins[index]
      if let last = extents.last, origin.streamOffset == end, last.isContinued(by: origin) { continue }
      extents.append(origin)
    }
    end += count
    bytes += count
  }

  mutating func begin(at offset: Int) { (start, end) = (offset, offset) }

  mutating func skip(_ count: Int) { end += count }

  var gapBytes: Int { end - start - bytes }

  mutating func forget(before offset: Int) {
    while firstKept + 1 < extents.count, extents[firstKept + 1].streamOffset <= offset { firstKept += 1 }
    guard firstKept >= Self.mostForgotten else { return }
    extents.removeFirst(firstKept)
    firstKept = 0
  }

  // MARK: - Origins

  /// The extent of the byte at `offset`; nil if it was forgotten, or none has come.
  func origin(at offset: Int) -> SourceExtent? {
    guard offset < end else { return nil }
    let kept = extents[firstKept...]
    guard let first = kept.first, first.streamOffset <= offset else { return nil }
    return kept.last { $0.streamOffset <= offset }
  }

  /// Takes note of a record, and adds the extents of its plaintext.
  mutating func take(_ record: PlaintextRecord, origins: inout [SourceExtent]) {
    hasPlaintext = true
    plaintextEnd = record.plaintextOffset + record.count
    var index = firstKept
    let start = record.contentOffset
    let end = start + record.count
    while index + 1 < extents.count, extents[index + 1].streamOffset <= start { index += 1 }
    while index < extents.count, extents[index].streamOffset < end {
      let next = index + 1 < extents.count ? extents[index + 1].streamOffset : end
      let part = max(start, extents[index].streamOffset)..<max(start, min(end, next))
      if extents[index].spacing.groupSize == 0 {
        var extent = extents[index]
        extent.fileOffset = extent.fileOffset(of: part.lowerBound)
        extent.streamOffset = part.lowerBound - start + record.plaintextOffset
        origins.append(extent)
      } else {
        origins += [extents[index]].slice(part, shiftedBy: record.plaintextOffset - start)
      }
      index += 1
    }
  }
}
