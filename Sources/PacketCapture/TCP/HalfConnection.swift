import WireBytes

/// One direction of a TCP connection: segments in, events of its stream out (docs/spec/captures.md#streams).
///
/// Its bytes have *positions*: sequence numbers unrolled into 64 bits, so that a stream may be longer than 4 GiB.
/// Position 0 is the first sequence number that was seen; positions before it are negative. Offset 0 of the stream is at
/// `base`.
struct HalfConnection {
  let slot: Int32
  let side: Side
  /// The connection's number.
  let stream: Int

  /// Position of the next byte to deliver; before the direction has begun, of the number that others are measured from.
  private(set) var next = 0
  private(set) var nextNumber = SequenceNumber(0)
  /// Whether any of its packets was seen.
  private(set) var isKnown = false
  /// Whether it is known where the stream begins: only then is anything delivered.
  private(set) var hasBegun = false
  private(set) var base = 0
  /// Position after the last byte that was sent as far as is known, captured or not; `.min` where none is known.
  private(set) var sent = Int.min
  /// Position after the last byte that was captured; `.min` where none was.
  private(set) var captured = Int.min
  /// The lowest position that a packet had, payload or not.
  private var lowestSeen = Int.max
  /// Position of the FIN.
  private(set) var fin: Int?
  /// The initial sequence number, once a SYN was seen.
  private(set) var initialNumber: SequenceNumber?
  /// Whether the other side last said that it takes no more bytes.
  private var facesClosedWindow = false
  /// Whether this side broke the connection off.
  var isReset = false
  /// Whether it has an entry in the flush queue.
  var isAwaited = false
  /// The packet that the side sent first; nil where it sent none.
  var firstPacket: PacketReference?
  var backlog: Backlog?
  var delivered = DeliveredRanges()
  var byteCount = 0
  var gapBytes = 0
  var duplicateBytes = 0
  var conflictingBytes = 0
  /// Bytes of copies whose originals are forgotten.
  var uncomparedBytes = 0

  init(slot: Int32, side: Side, stream: Int) {
    self.slot = slot
    self.side = side
    self.stream = stream
  }

  /// Whether all bytes before its FIN were delivered, or it was broken off.
  var isEnded: Bool { isReset || (fin.map { hasBegun && next >= $0 } ?? false) }

  var report: StreamReport.Half {
    var report = StreamReport.Half()
    report.bytes = byteCount
    report.gapBytes = gapBytes
    report.duplicateBytes = duplicateBytes
    report.conflictingBytes = conflictingBytes
    report.isSYNSeen = initialNumber != nil
    // A RST after a FIN takes nothing back.
    report.end = fin != nil ? .finished : isReset ? .reset : nil
    report.firstPacket = firstPacket
    return report
  }

  // MARK: - Positions

  /// Offset in the stream of the byte at `position`.
  func offset(_ position: Int) -> Int { position &- base }

  /// Position of the byte that has `number`, by the shorter way round from the next one.
  mutating func position(of number: SequenceNumber) -> Int {
    if !isKnown {
      isKnown = true
      nextNumber = number
    }
    let position = next &+ number.distance(from: nextNumber)
    lowestSeen = min(lowestSeen, position)
    return position
  }

  /// How far after the byte that follows a SYN with `number` the direction begins, as far as it is known; nil where none of
  /// its packets was seen.
  func distance(fromSYN number: SequenceNumber) -> Int? {
    guard isKnown else { return nil }
    return (hasBegun ? base : lowestSeen) &- (next &+ (number + 1).distance(from: nextNumber))
  }

  /// Whether `count` bytes from `number` on go beyond all that is known.
  func continues(at number: SequenceNumber, count: Int) -> Bool {
    !isKnown || next &+ number.distance(from: nextNumber) &+ count > max(next, sent)
  }

  mutating func begin(at position: Int) {
    hasBegun = true
    base = position
    nextNumber = nextNumber + (position &- next)
    next = position
    sent = max(sent, position)
  }

  mutating func noteFIN(at position: Int) {
    // Of several FINs the first one counts: the others are copies.
    if fin == nil { fin = position }
    sent = max(sent, position)
  }

  private mutating func advance(_ count: Int) {
    next &+= count
    nextNumber = nextNumber + count
    sent = max(sent, next)
  }

  /// Whether one byte at `position` says no more than that its sender is still there (RFC 9293, section 3.8.4): it
  /// comes before the next one, and the FIN counts as a byte.
  private func isKeepAlive(at position: Int) -> Bool {
    position == fin || position &+ 1 == (captured == .min && hasBegun ? base : captured)
  }

  // MARK: - What waits

  /// What is kept for later costs in memory, about, in bytes.
  var cost: Int { backlog?.cost ?? 0 }

  var firstPending: PendingSegment? { backlog?.segments.first }

  /// How many packets had been read when the first of what it keeps for later came; nil where it keeps nothing.
  var waitsSince: Int? {
    guard let backlog else { return nil }
    guard let lowest = backlog.lowestAnomaly, !hasBegun,
      lowest.position < backlog.segments.firstPosition ?? .max
    else { return backlog.segments.first?.arrival }
    return lowest.arrival
  }

  var isWaiting: Bool { backlog != nil && waitsSince != nil }

  /// Position of the first byte that is known to have been sent where the direction has not begun: it is kept for later,
  /// or the capture has no more than the headers of its packet. Nil where there is none.
  var firstSent: Int? {
    guard let lowest = backlog?.lowestAnomaly?.position else { return backlog?.segments.firstPosition }
    return min(lowest, backlog?.segments.firstPosition ?? lowest)
  }

  mutating func makeBacklog() -> Backlog {
    if let backlog { return backlog }
    let made = Backlog()
    backlog = made
    return made
  }

  private mutating func keep(_ segment: PendingSegment, _ output: inout StreamOutput) {
    makeBacklog().segments.insert(segment)
    output.bufferedBytes &+= segment.cost
    output.didBuffer = true
  }

  // MARK: - Segments in order

  /// Whether the payload of `segment` is next, or it has none, and it needs no further look.
  @inline(__always)
  func accepts(_ segment: TCPSegment) -> Bool {
    hasBegun && backlog == nil && firstPacket != nil
      && (segment.payloadLength == 0 || segment.sequence == nextNumber)
  }

  /// Appends the payload of a segment that it accepts.
  @inline(__always)
  mutating func append(
    _ segment: TCPSegment, fileOffset: Int, packet: PacketReference, _ output: inout StreamOutput
  ) {
    guard segment.payloadLength > 0 else { return }
    output.events.bytes(
      segment.payloadStart..<segment.payloadStart &+ segment.payloadLength, slot: slot, side: side,
      origin: ByteOrigin(streamOffset: offset(next), fileOffset: fileOffset, stride: 1, packet: packet))
    didDeliver(segment.payloadLength, fileOffset: fileOffset, packet, &output)
    captured = max(captured, next)
  }

  /// The other side says with `segment` whether it takes more bytes.
  @inline(__always)
  mutating func noteWindow(_ segment: TCPSegment) {
    if segment.flags.contains(.ack) { facesClosedWindow = segment.window == 0 }
  }

  @inline(__always)
  mutating func didDeliver(
    _ count: Int, fileOffset: Int?, _ packet: PacketReference, _ output: inout StreamOutput
  ) {
    let known = delivered.count
    delivered.append(
      DeliveredRanges.Entry(position: next, length: count, fileOffset: fileOffset, packet: packet),
      mayGrow: output.rememberedRanges < StreamOutput.rememberedInAll && known < StreamOutput.rememberedInOne)
    output.rememberedRanges &+= delivered.count &- known
    if fileOffset == nil { gapBytes &+= count } else { byteCount &+= count }
    advance(count)
  }

  // MARK: - Segments in any order

  /// A SYN came. It may come late: a direction that began without it keeps its beginning.
  /// - Parameter position: of the byte after it.
  mutating func synchronise(_ number: SequenceNumber, at position: Int, _ output: inout StreamOutput) {
    initialNumber = number
    guard !hasBegun else { return }
    begin(at: position)
    dropBeforeBeginning(&output)
    emitAnomalies(&output)
    flush(&output)
  }

  /// Takes bytes: into the stream if they are next, else among those that wait. What is there already is compared with
  /// them.
  mutating func receive(
    _ bytes: RawSpan, at position: Int, from origin: PayloadOrigin, _ output: inout StreamOutput
  ) {
    guard !bytes.isEmpty else { return }
    let end = position &+ bytes.byteCount
    let isKeepAlive = bytes.byteCount == 1 && isKeepAlive(at: position)
    if isKeepAlive, position == fin { return }
    if bytes.byteCount == 1, facesClosedWindow, hasBegun, position == max(next, sent) {
      return keepProbe(bytes, at: position, from: origin, output)
    }
    settleProbe(before: position..<end, &output)
    captured = max(captured, end)
    sent = max(sent, end)
    var start = position
    if hasBegun, start < next {
      let known = start..<min(end, next)
      compareDelivered(
        known, bytes.extracting(first: known.count), from: origin, isKeepAlive: isKeepAlive, &output)
      start = known.upperBound
    }
    guard start < end else { return }
    let rest = bytes.extracting(droppingFirst: start &- position)
    let restOrigin = origin.advanced(by: start &- position)
    if hasBegun, start == next, backlog?.segments.firstPosition ?? .max >= end {
      deliver(rest, from: restOrigin, &output)
      flush(&output)
    } else {
      receiveEarly(rest, at: start, from: restOrigin, isKeepAlive: isKeepAlive, &output)
    }
  }

  /// Takes bytes that a tool has put in order already: they follow those before.
  mutating func receiveOrdered(_ bytes: RawSpan, from origin: PayloadOrigin, _ output: inout StreamOutput) {
    if !hasBegun { begin(at: 0) }
    if !bytes.isEmpty { deliver(bytes, from: origin, &output) }
  }

  /// The capture lacks `missing` bytes at `position`, which the packet had on the wire.
  mutating func receiveTruncated(
    _ missing: Int, at position: Int, fileOffset: Int?, packet: PacketReference, isCutByFile: Bool,
    _ output: inout StreamOutput
  ) {
    let cause =
      isCutByFile ? "the file ends within it" : "a larger snap length (tcpdump -s 0) keeps them"
    emit(
      StreamAnomaly(
        .truncatedPacket, length: missing, fileOffset: fileOffset, packet: packet,
        message: "\(packet.text) is in the capture without its last \(Count.of(missing, "byte")): \(cause)"),
      at: position, &output)
    output.didBuffer = true
  }

  mutating func noteSent(to position: Int) { sent = max(sent, position) }

  /// What comes before the SYN may be one byte before the stream: the byte of a keep-alive, which is no part of the stream
  /// (RFC 9293, section 3.8.4).
  private mutating func dropBeforeBeginning(_ output: inout StreamOutput) {
    guard let backlog else { return }
    while let first = backlog.segments.firstPosition, first < next, let early = backlog.segments.removeFirst()
    {
      output.bufferedBytes &-= early.cost
      let before = early.position..<min(next, early.end)
      if early.bytes.count > 1 {
        emitLate(
          before, "before the beginning of the stream", fileOffset: early.fileOffset, early.packet, &output)
      }
      guard early.end > next else { continue }
      keep(
        PendingSegment(
          position: next, bytes: Array(early.bytes.dropFirst(before.count)),
          fileOffset: early.fileOffset &+ before.count, packet: early.packet, arrival: early.arrival), &output
      )
    }
  }

  /// One byte sent into a closed window asks whether it is open again: the byte comes once more when it is.
  private mutating func keepProbe(
    _ bytes: RawSpan, at position: Int, from origin: PayloadOrigin, _ output: StreamOutput
  ) {
    makeBacklog().probe = PendingSegment(
      position: position, bytes: [bytes.byte(at: 0)], fileOffset: origin.fileOffset, packet: origin.packet,
      arrival: output.packetsRead)
  }

  /// The byte of a probe was taken if the stream continues after it; if it comes again, that copy counts.
  mutating func settleProbe(before range: Range<Int>, _ output: inout StreamOutput) {
    guard let probe = backlog?.probe, range.upperBound > probe.position else { return }
    backlog?.probe = nil
    dropEmptyBacklog()
    guard range.lowerBound > probe.position else { return }
    facesClosedWindow = false
    receive(
      probe.bytes.span.bytes, at: probe.position,
      from: PayloadOrigin(windowIndex: nil, fileOffset: probe.fileOffset, packet: probe.packet), &output)
  }

  private mutating func receiveEarly(
    _ bytes: RawSpan, at position: Int, from origin: PayloadOrigin, isKeepAlive: Bool,
    _ output: inout StreamOutput
  ) {
    let end = position &+ bytes.byteCount
    var cursor = position
    for known in backlog?.segments.overlapping(position..<end) ?? [] {
      keepPart(bytes, at: position, cursor..<max(cursor, known.position), from: origin, &output)
      let shared = max(position, known.position)..<min(end, known.end)
      comparePending(
        known, bytes.extracting(shared.lowerBound &- position..<shared.upperBound &- position),
        at: shared.lowerBound, origin.packet, isKeepAlive: isKeepAlive, &output)
      cursor = shared.upperBound
    }
    keepPart(bytes, at: position, cursor..<end, from: origin, &output)
    flush(&output)
    output.didBuffer = true
  }

  /// Delivers or keeps the bytes in `range` of positions, which are in no other segment.
  private mutating func keepPart(
    _ bytes: RawSpan, at position: Int, _ range: Range<Int>, from origin: PayloadOrigin,
    _ output: inout StreamOutput
  ) {
    guard !range.isEmpty else { return }
    let part = bytes.extracting(range.lowerBound &- position..<range.upperBound &- position)
    let partOrigin = origin.advanced(by: range.lowerBound &- position)
    if hasBegun, range.lowerBound == next { return deliver(part, from: partOrigin, &output) }
    keep(
      PendingSegment(
        position: range.lowerBound, bytes: part.withUnsafeBytes { Array($0) },
        fileOffset: partOrigin.fileOffset, packet: partOrigin.packet, arrival: output.packetsRead), &output)
  }
}
