import WireBytes

/// Where two copies of the same bytes differ.
struct Difference: Equatable {
  /// Indices (from 0) of the first and the last byte that differs, and how many do.
  var first: Int
  var last: Int
  var count: Int

  /// Nil where the copies, which are of one length, are the same.
  init?(_ one: RawSpan, _ other: RawSpan) {
    let length = min(one.byteCount, other.byteCount)
    var found: Difference?
    for index in 0..<length where one.byte(at: index) != other.byte(at: index) {
      let first = found?.first ?? index
      found = Difference(first: first, last: index, count: (found?.count ?? 0) + 1)
    }
    guard let found else { return nil }
    self = found
  }

  private init(first: Int, last: Int, count: Int) {
    self.first = first
    self.last = last
    self.count = count
  }
}

// MARK: - Copies of bytes that are known

extension Reassembler {
  /// Holds bytes at positions that have been delivered, or given up, against what was delivered. They lie
  /// in `range`.
  mutating func compareDelivered(
    _ range: Range<Int>, _ bytes: RawSpan, _ connection: Connection, _ side: Side, _ arrival: Arrival,
    isKeepAlive: Bool, memory: inout some CaptureMemory & ~Copyable, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    var position = range.lowerBound
    while position < range.upperBound {
      guard let stretch = half.delivered.stretch(at: position) else {
        position = try noteForgotten(
          position..<range.upperBound, connection, side, arrival, isKeepAlive: isKeepAlive, to: &receiver)
        continue
      }
      let end = min(stretch.end, range.upperBound)
      let copy = bytes.extracting(position &- range.lowerBound..<end &- range.lowerBound)
      if let fileOffset = stretch.fileOffset {
        let start = fileOffset &+ position &- stretch.position
        half.report.duplicateBytes &+= copy.byteCount
        if stretch.packet.input == arrival.packet.input,
          memory.reread(start..<start &+ copy.byteCount, into: &rereadBuffer)
        {
          let original = rereadBuffer
          try compare(
            original.span.bytes, of: stretch.packet, copy, at: position, connection, side, arrival.packet,
            isKeepAlive: isKeepAlive, to: &receiver)
        } else {
          half.uncomparedBytes &+= copy.byteCount
        }
      } else if !isKeepAlive {
        try noteLate(
          position..<end,
          "behind \(stretch.packet.text), when they had been given up (--reorder-window, --stream-buffer)",
          connection, side, arrival, to: &receiver)
      }
      position = end
    }
  }

  /// Holds bytes from `position` on against those that wait.
  mutating func comparePending(
    _ known: PendingSegment, _ copy: RawSpan, at position: Int, _ connection: Connection, _ side: Side,
    _ packet: PacketReference, isKeepAlive: Bool, to receiver: inout some StreamReceiver
  ) throws {
    connection[side].report.duplicateBytes &+= copy.byteCount
    let start = position &- known.position
    let original = known.bytes.span.bytes.extracting(start..<start &+ copy.byteCount)
    try compare(
      original, of: known.packet, copy, at: position, connection, side, packet, isKeepAlive: isKeepAlive,
      to: &receiver)
  }

  private mutating func compare(
    _ original: RawSpan, of first: PacketReference, _ copy: RawSpan, at position: Int,
    _ connection: Connection, _ side: Side, _ packet: PacketReference, isKeepAlive: Bool,
    to receiver: inout some StreamReceiver
  ) throws {
    guard let difference = Difference(original, copy) else { return }
    connection[side].report.conflictingBytes &+= difference.count
    // The one byte of a keep-alive may be anything (RFC 9293, section 3.8.4).
    if isKeepAlive { return }
    try note(
      StreamAnomaly(
        .conflictingOverlap, length: difference.last &- difference.first &+ 1, packet: packet,
        message: "\(first.text) and \(packet.text) differ in \(Count.of(difference.count, "byte")) here: "
          + "those of \(first.text) count, which was read first"),
      at: position &+ difference.first, connection, side, to: &receiver)
  }

  /// Bytes of which no first copy is remembered. Returns the position behind them.
  private mutating func noteForgotten(
    _ range: Range<Int>, _ connection: Connection, _ side: Side, _ arrival: Arrival, isKeepAlive: Bool,
    to receiver: inout some StreamReceiver
  ) throws -> Int {
    let half = connection[side]
    let base = half.base
    if range.lowerBound < base {
      let end = min(range.upperBound, base)
      if !isKeepAlive {
        try noteLate(
          range.lowerBound..<end, "before the beginning of the stream", connection, side, arrival,
          to: &receiver)
      }
      return end
    }
    var end = range.upperBound
    if let known = half.delivered.firstPosition, known > range.lowerBound {
      end = min(end, known)
    }
    half.uncomparedBytes &+= end &- range.lowerBound
    return end
  }

  mutating func noteLate(
    _ range: Range<Int>, _ place: String, _ connection: Connection, _ side: Side, _ arrival: Arrival,
    to receiver: inout some StreamReceiver
  ) throws {
    try note(
      StreamAnomaly(
        .lateBytes, length: range.count, fileOffset: arrival.fileOffset, packet: arrival.packet,
        message: "\(Count.of(range.count, "byte")) of \(arrival.packet.text) came \(place): they are left out"
      ),
      at: max(range.lowerBound, connection[side].base), connection, side, to: &receiver)
  }
}
