import Messages
import WireBytes

/// Compares retransmitted bytes with their first copy.
extension HalfConnection {
  /// Compares bytes in `range` of positions, which were delivered or skipped, with what was delivered.
  mutating func compareDelivered(
    _ range: Range<Int>, _ bytes: RawSpan, from origin: PayloadOrigin, isKeepAlive: Bool,
    _ output: inout StreamOutput
  ) {
    var position = range.lowerBound
    while position < range.upperBound {
      guard let known = delivered.entry(at: position) else {
        position = skipForgotten(position..<range.upperBound, from: origin, isKeepAlive: isKeepAlive, &output)
        continue
      }
      let end = min(known.end, range.upperBound)
      let copy = bytes.extracting(position &- range.lowerBound..<end &- range.lowerBound)
      if known.fileOffset != nil {
        compare(copy, at: position, with: known, origin.packet, isKeepAlive: isKeepAlive, &output)
      } else if !isKeepAlive {
        emitLate(
          position..<end, fileOffset: origin.fileOffset, origin.packet,

          "\(Count.of(end &- position, "byte")) of \(origin.packet.name) arrived after "
            + "\(known.packet.name), when their gap had been flushed (--reorder-window, "
            + "--stream-buffer): not used", &output)
      }
      position = end
    }
  }

  private mutating func compare(
    _ copy: RawSpan, at position: Int, with known: DeliveredRanges.Entry, _ packet: PacketReference,
    isKeepAlive: Bool, _ output: inout StreamOutput
  ) {
    duplicateBytes &+= copy.byteCount
    let start = (known.fileOffset ?? 0) &+ position &- known.position
    var difference: Difference?
    let isCompared =
      known.packet.input == packet.input
      && output.withBytes(at: start..<start &+ copy.byteCount) { difference = Difference($1, copy) }
    if !isCompared { uncomparedBytes &+= copy.byteCount }
    emit(difference, of: known.packet, packet, at: position, isKeepAlive: isKeepAlive, &output)
  }

  /// Compares bytes from `position` on with buffered ones.
  mutating func comparePending(
    _ known: PendingSegment, _ copy: RawSpan, at position: Int, _ packet: PacketReference, isKeepAlive: Bool,
    _ output: inout StreamOutput
  ) {
    duplicateBytes &+= copy.byteCount
    let start = position &- known.position
    let difference = Difference(known.bytes.span.bytes.extracting(start..<start &+ copy.byteCount), copy)
    emit(difference, of: known.packet, packet, at: position, isKeepAlive: isKeepAlive, &output)
  }

  private mutating func emit(
    _ difference: Difference?, of first: PacketReference, _ packet: PacketReference, at position: Int,
    isKeepAlive: Bool, _ output: inout StreamOutput
  ) {
    guard let difference else { return }
    conflictingBytes &+= difference.count
    // The one byte of a keep-alive may be anything (RFC 9293, section 3.8.4).
    if isKeepAlive { return }
    emit(
      StreamAnomaly(
        .conflictingOverlap, length: difference.last &- difference.first &+ 1, packet: packet,
        message: .copiesDiffer(first.name, packet.name, bytes: difference.count)),
      at: position &+ difference.first, &output)
  }

  /// Counts bytes whose first copy is no longer available. Returns the position after them.
  private mutating func skipForgotten(
    _ range: Range<Int>, from origin: PayloadOrigin, isKeepAlive: Bool, _ output: inout StreamOutput
  ) -> Int {
    if range.lowerBound < base {
      let end = min(range.upperBound, base)
      if !isKeepAlive {
        emitLate(
          range.lowerBound..<end, fileOffset: origin.fileOffset, origin.packet,
          .lateBytesBeforeBeginning(end &- range.lowerBound, of: origin.packet.name), &output)
      }
      return end
    }
    var end = range.upperBound
    if let known = delivered.firstPosition, known > range.lowerBound { end = min(end, known) }
    uncomparedBytes &+= end &- range.lowerBound
    return end
  }
}

/// The difference between two copies of the same bytes.
struct Difference: Equatable {
  /// Indices (from 0) of the first and the last differing byte, and the number of differing bytes.
  var first: Int
  var last: Int
  var count: Int

  /// Nil if the copies, which have one length, are equal.
  init?(_ one: RawSpan, _ other: RawSpan) {
    let length = min(one.byteCount, other.byteCount)
    var index = 0
    while index &+ 8 <= length,
      one.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
        == other.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
    { index &+= 8 }
    (first, last, count) = (0, 0, 0)
    while index < length {
      if one.byte(at: index) != other.byte(at: index) {
        if count == 0 { first = index }
        last = index
        count += 1
      }
      index &+= 1
    }
    if count == 0 { return nil }
  }
}
