/// The event of some bytes: the number of its batch in the capture, and its index there.
struct EventReference: BitwiseCopyable {
  var batch: Int32
  var index: Int32
}

/// What another copy shows of bytes.
struct Correction {
  /// All bytes of a segment are in doubt.
  static let everything = Correction(range: Int.min / 2..<Int.max / 2, sparesCopies: true)

  /// Positions in the direction (`HalfConnection`).
  var range: Range<Int>
  /// The right bytes, and where they come from; nil if nothing decides between the copies.
  var copy: (bytes: [UInt8], origin: PayloadOrigin)?
  /// Whether it casts no doubt on the right bytes of other corrections.
  var sparesCopies = false
}

extension [Correction] {
  /// With more for one event, all its bytes are in doubt.
  private static let mostCount = 32

  mutating func add(_ more: [Correction]) { self = count < Self.mostCount ? self + more : [.everything] }
}

/// The last batches of a capture. They wait for other copies of their bytes, so that the analysis sees no byte that
/// another packet disproves (docs/spec/captures.md#retransmissions-and-overlaps).
package final class HeldBatches {
  /// Packets and bytes of the capture to wait for.
  private let window: Int
  private let limit: Int
  private var batches: [(batch: EventBatch, packets: Int, offset: Int)] = []
  /// By the numbers of batches, then by the indices of events. Their ranges are offsets.
  private var corrections: [Int32: [Int32: [Correction]]] = [:]
  /// The number of the first batch, and of the one that is added next.
  private var first: Int32 = 0
  var next: Int32 { first &+ Int32(truncatingIfNeeded: batches.count) }
  /// Packets read so far, and the offset in the file after them.
  var packetsRead = 0
  package var offset = 0

  package init(_ options: CaptureOptions) {
    (window, limit) = (options.reorderWindow, options.totalBuffer / 4)
  }

  /// Takes a batch, and leaves an empty one.
  package func add(_ batch: inout EventBatch) {
    batches.append((batch, packetsRead, offset))
    // The next window may have some more packets.
    batch = EventBatch(capacity: batch.events.count &+ batch.events.count / 8)
  }

  /// Removes the first batch, corrected, if it has waited long enough; at the end of the file, any.
  package func removeDue(isEnd: Bool) -> EventBatch? {
    guard let oldest = batches.first,
      isEnd || offset &- oldest.offset >= limit || packetsRead &- oldest.packets >= window
    else { return nil }
    var batch = batches.removeFirst().batch
    if let found = corrections.removeValue(forKey: first) { batch.correct(found) }
    first &+= 1
    return batch
  }

  /// Whether the first of two copies waits when the second one comes: wherever batches end.
  func awaits(_ first: PayloadOrigin, _ second: PayloadOrigin) -> Bool {
    (second.packet.number ?? 0) &- (first.packet.number ?? 0) < window
      && second.fileOffset &- first.fileOffset < limit
  }

  /// Corrects an event. False if its batch has been removed.
  /// - Parameter base: the position of offset 0.
  func correct(_ event: EventReference, _ more: [Correction], base: Int) -> Bool {
    assert(event.batch <= next, "only an event that there is can be corrected")
    guard event.batch >= first else { return false }
    if more.isEmpty { return true }
    corrections[event.batch, default: [:]][event.index, default: []].add(
      more.map {
        var moved = $0
        moved.range = $0.range.lowerBound &- base..<$0.range.upperBound &- base
        return moved
      })
    return true
  }
}

extension EventBatch {
  /// A part of an event after a correction.
  private typealias Part = (event: ByteEvent, copy: ArraySlice<UInt8>?, isUncertain: Bool)

  /// Applies corrections, by the indices of the events: each of these becomes one or more.
  fileprivate mutating func correct(_ corrections: [Int32: [Correction]]) {
    for (index, event) in takeEvents().enumerated() {
      guard case .bytes(let bytes) = event, let found = corrections[Int32(truncatingIfNeeded: index)] else {
        pass(event)
        continue
      }
      var parts: [Part] = [(bytes, nil, false)]
      for correction in found { parts = parts.flatMap { self.parts(of: $0, correction) } }
      for (part, _, isUncertain) in parts {
        if isUncertain {
          pass(.uncertain(slot: part.slot, side: part.side, offset: part.offset, count: part.count))
        }
        pass(.bytes(part))
      }
    }
  }

  /// The parts before, in and after the range of a correction.
  private mutating func parts(of part: Part, _ correction: Correction) -> [Part] {
    let all = part.event.offset..<part.event.offset &+ part.event.count
    let inside = correction.range.clamped(to: all)
    guard !inside.isEmpty else { return [part] }
    return [
      slice(part, all.lowerBound..<inside.lowerBound), apply(correction, to: slice(part, inside)),
      slice(part, inside.upperBound..<all.upperBound),
    ].filter { $0.event.count > 0 }
  }

  private mutating func apply(_ correction: Correction, to part: Part) -> Part {
    var part = part
    guard let (bytes, origin) = correction.copy else {
      if part.copy == nil || !correction.sparesCopies { part.isUncertain = true }
      return part
    }
    let start = part.event.offset &- correction.range.lowerBound
    let copy = bytes[start..<start &+ part.event.count]
    if let known = part.copy {
      // Two copies have right checksums.
      if known != copy { part.isUncertain = true }
      return part
    }
    (part.event.storage, part.event.start) = (add(bytes), start)
    let extent = SourceExtent(
      streamOffset: part.event.offset, fileOffset: origin.fileOffset &+ start, stride: 1,
      packet: origin.packet)
    part.event.firstOrigin = add(extent)
    (part.copy, part.isUncertain) = (copy, false)
    return part
  }

  /// The bytes of a part in a range of offsets, which have one origin.
  private mutating func slice(_ part: Part, _ range: Range<Int>) -> Part {
    var slice = part
    let start = range.lowerBound &- part.event.offset
    (slice.event.start, slice.event.offset) = (part.event.start &+ start, range.lowerBound)
    slice.event.count = range.count
    slice.copy = part.copy?.dropFirst(start).prefix(range.count)
    var origin = origins[Int(part.event.firstOrigin)]
    (origin.fileOffset, origin.streamOffset) = (origin.fileOffset(of: range.lowerBound), range.lowerBound)
    slice.event.firstOrigin = add(origin)
    return slice
  }
}
