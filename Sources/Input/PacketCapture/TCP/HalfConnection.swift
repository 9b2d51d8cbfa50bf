import Basics

/// One direction of a TCP connection: segments in, events of its stream out (docs/spec/captures.md#streams).
///
/// Its bytes have *positions*: sequence numbers unrolled into 64 bits, so that a stream may be longer than 4 GiB.
/// Position 0 is the first sequence number seen; earlier positions are negative. Offset 0 of the stream is at `base`.
struct HalfConnection {
  // In an order without padding: there are many connections.
  let side: Side
  /// Whether any of its packets was seen.
  private(set) var isKnown = false
  /// Whether the start of the stream is known: only then are bytes delivered.
  private(set) var hasBegun = false
  /// Whether the last window of the other side was 0.
  private var facesClosedWindow = false
  private(set) var nextNumber = SequenceNumber(0)
  /// The initial sequence number, once a SYN was seen.
  private(set) var initialNumber: SequenceNumber?
  /// Whether it sent a SYN without ACK, and one with ACK; both sides may have done either (RFC 9293, figure 7).
  var (hasOpened, hasAccepted) = (false, false)
  var isReset = false
  /// Position of the next byte to deliver; before the direction has begun, the position of the reference number.
  private(set) var next = 0
  /// Before the direction has begun, the lowest position of a packet, with or without payload.
  private(set) var base = Int.max
  /// Position after the last byte known to have been sent, captured or not; `next` may be higher.
  private(set) var sent = Int.min
  /// Position after the last captured byte; `.min` if there is none.
  private(set) var captured = Int.min
  /// Position of its FIN; `.max` if there is none.
  private(set) var fin = Int.max
  var backlog: Backlog?
  var delivered = DeliveredRanges()
  /// Whether it has an entry in the flush queue.
  var isAwaited = false
  let slot: Int32
  private var gapBytes = 0
  /// Bytes sent again, those unlike the first copy, and those whose first copy is lost; empty without any.
  var copies: [(bytes: Int, conflicting: Int, uncompared: Int)] = []
  var firstPacket: PacketReference?

  init(slot: Int32, side: Side) { (self.slot, self.side) = (slot, side) }

  /// Whether all bytes before its FIN were delivered, or the connection was reset.
  var isEnded: Bool { isReset || hasBegun && next >= fin }

  var report: StreamReport.Half {
    var report = StreamReport.Half()
    report.bytes = hasBegun ? offset(next) &- gapBytes : 0
    report.gapBytes = gapBytes
    let counts = copies.first ?? (0, 0, 0)
    (report.duplicateBytes, report.conflictingBytes) = (counts.bytes, counts.conflicting)
    report.firstPacket = firstPacket
    report.isSYNSeen = initialNumber != nil
    // A RST after a FIN does not change the end.
    report.end = fin < .max ? .finished : isReset ? .reset : nil
    return report
  }

  // MARK: - Positions

  /// Offset in the stream of the byte at `position`.
  func offset(_ position: Int) -> Int { position &- base }

  /// Position of the byte with `number`: the one closest to the next byte.
  mutating func position(of number: SequenceNumber) -> Int {
    if !isKnown {
      isKnown = true
      nextNumber = number
    }
    let position = next &+ number.distance(from: nextNumber)
    if !hasBegun { base = min(base, position) }
    return position
  }

  /// Distance from the byte after a SYN with `number` to the known beginning of the direction; nil if none of its
  /// packets was seen.
  func distance(fromSYN number: SequenceNumber) -> Int? {
    guard isKnown else { return nil }
    return base &- (next &+ (number + 1).distance(from: nextNumber))
  }

  /// Whether `count` bytes from `number` on extend beyond all known bytes.
  func continues(at number: SequenceNumber, count: Int) -> Bool {
    !isKnown || next &+ number.distance(from: nextNumber) &+ count > max(next, sent)
  }

  /// Whether a byte with `number` is more than `distance` bytes from all known ones.
  func isFar(_ number: SequenceNumber, _ distance: Int = SYNRule.maxDistance) -> Bool {
    let position = next &+ number.distance(from: nextNumber)
    return isKnown && (position < min(base, next) &- distance || position > max(next, sent) &+ distance)
  }

  /// Whether a byte with `number` comes before the direction's SYN.
  func precedesSYN(_ number: SequenceNumber) -> Bool {
    hasBegun && initialNumber != nil && next &+ number.distance(from: nextNumber) < base
  }

  mutating func begin(at position: Int) {
    hasBegun = true
    base = position
    nextNumber = nextNumber + (position &- next)
    next = position
  }

  mutating func noteFIN(at position: Int) {
    // The first FIN counts; others are copies.
    if fin == .max { fin = position }
    sent = max(sent, position)
  }

  /// Whether one byte at `position` is a keep-alive (RFC 9293, section 3.8.4): it precedes the next byte, and the FIN
  /// counts as a byte.
  private func isKeepAlive(at position: Int) -> Bool {
    position == fin || position &+ 1 == (captured == .min && hasBegun ? base : captured)
  }

  // MARK: - Buffered data

  /// Approximate memory of the buffered data, in bytes.
  var cost: Int { backlog?.cost ?? 0 }

  /// Number of packets read when the first buffered item arrived; nil if nothing is buffered.
  var waitsSince: Int? {
    guard let backlog else { return nil }
    guard let lowest = backlog.lowestFinding, !hasBegun,
      lowest.position < backlog.segments.firstPosition ?? .max
    else { return backlog.segments.first?.arrival }
    return lowest.arrival
  }

  var isWaiting: Bool { waitsSince != nil }

  /// Position of the first byte known to have been sent by a direction that has not begun: it is buffered, or the
  /// capture has only its packet's headers. Nil if there is none.
  var firstSent: Int? {
    guard let lowest = backlog?.lowestFinding?.position else { return backlog?.segments.firstPosition }
    return min(lowest, backlog?.segments.firstPosition ?? lowest)
  }

  mutating func makeBacklog() -> Backlog {
    let made = backlog ?? Backlog()
    backlog = made
    return made
  }

  private mutating func buffer(_ segment: PendingSegment, _ output: inout StreamOutput) {
    var segment = segment
    // Its window moves on.
    segment.origin.windowIndex = nil
    makeBacklog().segments.insert(segment)
    output.bufferedBytes &+= segment.cost
  }

  // MARK: - Segments in order

  /// Whether the payload of `segment` is next, or empty, and no further checks are needed.
  @inline(__always)
  func accepts(_ segment: TCPSegment) -> Bool {
    hasBegun && backlog == nil && (segment.payloadLength == 0 || segment.sequence == nextNumber)
  }

  @inline(__always)
  mutating func append(
    _ segment: TCPSegment, fileOffset: Int, packet: PacketReference, _ output: inout StreamOutput
  ) {
    guard segment.payloadLength > 0 else { return }
    output.events.bytes(
      segment.payloadStart..<segment.payloadStart &+ segment.payloadLength, slot: slot, side: side,
      origin: SourceExtent(streamOffset: offset(next), fileOffset: fileOffset, stride: 1, packet: packet))
    didDeliver(segment.payloadLength, fileOffset: fileOffset, packet, ChecksumEvidence(segment), &output)
    captured = max(captured, next)
  }

  /// Notes whether the window in `segment`, from the other side, is closed.
  @inline(__always)
  mutating func noteWindow(_ segment: TCPSegment) {
    if segment.flags.contains(.ack) { facesClosedWindow = segment.window == 0 }
  }

  @inline(__always)
  mutating func didDeliver(
    _ count: Int, fileOffset: Int?, _ packet: PacketReference, _ checksum: ChecksumEvidence,
    _ output: inout StreamOutput
  ) {
    assert(hasBegun, "nothing is delivered before the beginning")
    let known = delivered.count
    delivered.append(
      DeliveredRanges.DeliveredRange(
        position: next, fileOffset: fileOffset, checksum: checksum, event: output.lastEvent,
        packet: packet),
      mayGrow: output.rememberedRanges < StreamOutput.rememberedInAll && known < StreamOutput.rememberedInOne)
    output.rememberedRanges &+= delivered.count &- known
    if fileOffset == nil { gapBytes &+= count }
    next &+= count
    nextNumber = nextNumber + count
  }

  // MARK: - Segments in any order

  /// Handles a SYN. It may arrive late: a direction that began without it keeps its beginning.
  /// - Parameter position: of the byte after it.
  mutating func synchronise(_ number: SequenceNumber, at position: Int, _ output: inout StreamOutput) {
    initialNumber = number
    guard !hasBegun else { return }
    begin(at: position)
    dropBeforeBeginning(&output)
    emitSourceFindings(&output)
    flush(&output)
  }

  /// Receives bytes: delivers them if they are next, otherwise buffers them. Bytes already known are compared.
  mutating func receive(
    _ bytes: RawSpan, at position: Int, from origin: PayloadOrigin, _ output: inout StreamOutput
  ) {
    guard !bytes.isEmpty else { return }
    let end = position &+ bytes.byteCount
    var origin = origin
    origin.isKeepAlive = bytes.byteCount == 1 && isKeepAlive(at: position)
    if origin.isKeepAlive, position == fin { return }
    if bytes.byteCount == 1, facesClosedWindow, hasBegun, position == max(next, sent) {
      return bufferProbe(bytes, at: position, from: origin, output)
    }
    settleProbe(before: position..<end, &output)
    captured = max(captured, end)
    sent = max(sent, end)
    var start = position
    if hasBegun, start < next {
      let known = start..<min(end, next)
      compareDelivered(known, bytes.extracting(first: known.count), from: origin, &output)
      start = known.upperBound
    }
    guard start < end else { return }
    let rest = bytes.extracting(droppingFirst: start &- position)
    let restOrigin = origin.advanced(by: start &- position)
    if hasBegun, start == next, backlog?.segments.firstPosition ?? .max >= end {
      deliver(rest, from: restOrigin, &output)
      flush(&output)
    } else {
      receiveEarly(rest, at: start, from: restOrigin, &output)
    }
  }

  /// Receives bytes that a tool has already put in order, after those that wait.
  mutating func receiveOrdered(_ bytes: RawSpan, from origin: PayloadOrigin, _ output: inout StreamOutput) {
    while isWaiting { skipGap(&output) }
    if !hasBegun { begin(at: 0) }
    if next < sent { declareGap(to: sent, fileOffset: origin.fileOffset, origin.packet, &output) }
    if !bytes.isEmpty { deliver(bytes, from: origin, &output) }
  }

  mutating func noteSent(to position: Int) { sent = max(sent, position) }

  /// Drops buffered bytes before the beginning. One byte there may be a keep-alive's, which is not part of the stream
  /// (RFC 9293, section 3.8.4).
  private mutating func dropBeforeBeginning(_ output: inout StreamOutput) {
    guard let backlog else { return }
    while let first = backlog.segments.firstPosition, first < next, let early = backlog.segments.removeFirst()
    {
      output.bufferedBytes &-= early.cost
      let before = early.position..<min(next, early.end)
      if early.bytes.count > 1 {
        emitLate(
          before, fileOffset: early.fileOffset, early.packet,
          .lateBytesBeforeBeginning(before.count, of: early.packet.name), &output)
      }
      guard early.end > next else { continue }
      buffer(
        PendingSegment(
          position: next, bytes: Array(early.bytes.dropFirst(before.count)),
          origin: early.origin.advanced(by: before.count), arrival: early.arrival,
          corrections: early.corrections), &output)
    }
  }

  /// One byte sent into a closed window asks whether it is open again: the byte is sent again when it is.
  private mutating func bufferProbe(
    _ bytes: RawSpan, at position: Int, from origin: PayloadOrigin, _ output: StreamOutput
  ) {
    makeBacklog().probe = PendingSegment(
      position: position, bytes: [bytes.byte(at: 0)], origin: origin, arrival: output.packetsRead)
    backlog?.probe?.origin.windowIndex = nil
  }

  /// The byte of a probe was accepted if the stream continues after it; if it is sent again, that copy counts.
  mutating func settleProbe(before range: Range<Int>, _ output: inout StreamOutput) {
    guard let probe = backlog?.probe, range.upperBound > probe.position else { return }
    backlog?.probe = nil
    guard range.lowerBound > probe.position else { return }
    facesClosedWindow = false
    receive(probe.bytes.span.bytes, at: probe.position, from: probe.origin, &output)
  }

  private mutating func receiveEarly(
    _ bytes: RawSpan, at position: Int, from origin: PayloadOrigin, _ output: inout StreamOutput
  ) {
    let end = position &+ bytes.byteCount
    var cursor = position
    for known in backlog?.segments.overlapping(position..<end) ?? [] {
      receivePart(bytes, at: position, cursor..<max(cursor, known.position), from: origin, &output)
      let shared = max(position, known.position)..<min(end, known.end)
      comparePending(
        known, bytes.extracting(shared.lowerBound &- position..<shared.upperBound &- position),
        at: shared.lowerBound, origin.advanced(by: shared.lowerBound &- position), &output)
      cursor = shared.upperBound
    }
    receivePart(bytes, at: position, cursor..<end, from: origin, &output)
    flush(&output)
    assert(
      !hasBegun || backlog?.segments.firstPosition ?? .max > next, "what is next does not wait in a buffer")
    output.didBuffer = true
  }

  /// Delivers or buffers the bytes in `range` of positions, which are in no other segment.
  private mutating func receivePart(
    _ bytes: RawSpan, at position: Int, _ range: Range<Int>, from origin: PayloadOrigin,
    _ output: inout StreamOutput
  ) {
    guard !range.isEmpty else { return }
    let part = bytes.extracting(range.lowerBound &- position..<range.upperBound &- position)
    let partOrigin = origin.advanced(by: range.lowerBound &- position)
    if hasBegun, range.lowerBound == next { return deliver(part, from: partOrigin, &output) }
    buffer(
      PendingSegment(
        position: range.lowerBound, bytes: part.withUnsafeBytes { Array($0) }, origin: partOrigin,
        arrival: output.packetsRead), &output)
  }
}
