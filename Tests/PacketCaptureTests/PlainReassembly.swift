/// The result for a direction by the rules of docs/spec/captures.md#streams, computed with all of its segments available, byte by byte:
/// the first copy to be read counts, wherever it is.
struct PlainDirection {
  /// A byte that was captured.
  struct Known: Equatable {
    var value: UInt8
    /// Number of its packet, from 1, and its position in the scripted file.
    var packet: Int
    var fileOffset: Int
  }

  /// By offset after the SYN.
  private var known: [Int: Known] = [:]
  private(set) var isSYNSeen = false
  private(set) var duplicateBytes = 0
  private(set) var conflictingBytes = 0
  /// Offsets after the SYN of bytes that were sent again with another value. Copies of one byte are ignored: they may
  /// be keep-alives, which may have any content.
  private(set) var conflicts: Set<Int> = []
  /// Lowest and highest end of the bytes known to have been sent.
  private var lowest = Int.max
  private var sent = Int.min
  /// Maximum number of packets between a segment and an earlier one in the stream that arrives later.
  private(set) var patience = 0
  /// Packets of the segments so far, by the ends of those segments.
  private var ends: [(end: Int, packet: Int)] = []

  mutating func add(_ segment: SegmentPlan.Segment, packet: Int, fileOffset: Int) {
    isSYNSeen = isSYNSeen || segment.flags.contains(.syn)
    for (index, value) in segment.payload.enumerated() {
      add(
        Known(value: value, packet: packet, fileOffset: fileOffset + index), at: segment.position + index,
        isAlone: segment.payload.count == 1)
    }
    if segment.flags.contains(.syn) { wait(before: 0, packet) }
    if segment.end > segment.position {
      lowest = min(lowest, segment.position)
      sent = max(sent, segment.end)
      wait(before: segment.position, packet)
    }
    if segment.flags.contains(.fin) { sent = max(sent, segment.end) }
    // If only a packet's headers were captured, the position of its first byte is still known.
    let known = segment.end > segment.position ? max(1, segment.payload.count) : 0
    if known > 0 { ends.append((segment.position + known, packet)) }
  }

  private mutating func add(_ byte: Known, at offset: Int, isAlone: Bool) {
    guard let first = known[offset] else {
      known[offset] = byte
      return wait(before: offset, byte.packet)
    }
    duplicateBytes += 1
    guard first.value != byte.value else { return }
    conflictingBytes += 1
    if !isAlone { conflicts.insert(offset) }
  }

  /// Data at `offset` arrived with `packet`: data after it that arrived before has waited for it.
  private mutating func wait(before offset: Int, _ packet: Int) {
    for (end, earlier) in ends where end > offset { patience = max(patience, packet - earlier) }
  }

  // MARK: - The stream

  /// Offset after the SYN of the stream's first byte; nil if nothing of the direction is known.
  var base: Int? { isSYNSeen ? 0 : lowest == .max ? nil : lowest }

  /// The stream's bytes, nil where one is missing.
  var bytes: [Known?] {
    guard let base, sent > base else { return [] }
    return (base..<sent).map { known[$0] }
  }

  /// The runs of missing bytes, as `offset+length`.
  var gaps: [String] {
    var gaps: [String] = []
    var start: Int?
    for (offset, byte) in (bytes + [Known(value: 0, packet: 0, fileOffset: 0)]).enumerated() {
      if byte == nil, start == nil { start = offset }
      if byte != nil, let begin = start {
        gaps.append("\(begin)+\(offset - begin)")
        start = nil
      }
    }
    return gaps
  }
}

/// Both directions of a connection.
struct PlainConnection {
  var client = PlainDirection()
  var server = PlainDirection()

  /// - Parameters:
  ///   - packet: number of the first segment's packet.
  ///   - fileOffset: offset of the first segment's payload.
  init(_ plan: SegmentPlan, packet: Int = 1, fileOffset: Int = 0) {
    var fileOffset = fileOffset
    for (index, segment) in plan.segments.enumerated() {
      if segment.isFromServer {
        server.add(segment, packet: packet + index, fileOffset: fileOffset)
      } else {
        client.add(segment, packet: packet + index, fileOffset: fileOffset)
      }
      fileOffset += segment.payload.count
    }
  }

  /// The smallest `--reorder-window` that loses nothing.
  var patience: Int { max(client.patience, server.patience) }
}
