import WireBytes

/// A stretch of a segment's payload: the bytes that one packet brought.
package struct PayloadStretch: Sendable {
  /// Where it lies in the payload, in bytes from 0.
  package var range: Range<Int>
  /// Offset of its first byte in the file.
  package var fileOffset: Int
  package var packet: PacketReference

  package init(range: Range<Int>, fileOffset: Int, packet: PacketReference) {
    self.range = range
    self.fileOffset = fileOffset
    self.packet = packet
  }
}

/// Where bytes came from.
struct Arrival {
  /// Offset of the first byte in the file.
  var fileOffset: Int
  var packet: PacketReference

  func advanced(by count: Int) -> Arrival {
    Arrival(fileOffset: fileOffset &+ count, packet: packet)
  }
}

/// What was read of a capture and may be read again.
package protocol CaptureMemory: ~Copyable {
  /// Bytes of the file (decompressed) that were read before; false where they are gone.
  mutating func reread(_ range: Range<Int>, into buffer: inout [UInt8]) -> Bool
}

// MARK: - A segment to its place

extension Reassembler {
  /// Takes a segment in.
  /// - Parameters:
  ///   - payload: its bytes, `segment.payloadLength` of them.
  ///   - stretches: which packets brought the payload; one, but for fragments.
  ///   - packet: the packet that completed the segment.
  ///   - isCutByFile: whether it was the file's end that cut what the segment lacks.
  package mutating func segment(
    _ segment: TCPSegment, payload: RawSpan, stretches: Span<PayloadStretch>, packet: PacketReference,
    isCutByFile: Bool = false, memory: inout some CaptureMemory & ~Copyable,
    to receiver: inout some StreamReceiver
  ) throws {
    let (connection, side) = try connection(for: segment, packet, to: &receiver)
    note(packet, of: connection, side)
    let half = connection[side]
    if !segment.flags.isDisjoint(with: [.fin, .rst]) { connection.noteEnd(packet) }
    if connection.isClosed { bytesAfterClose &+= segment.payloadLength }
    if segment.flags.contains(.ack) { connection[side.other].facesClosedWindow = segment.window == 0 }
    // The text that a RST may carry is no part of the stream (RFC 9293, section 3.5.3).
    if segment.flags.contains(.rst) {
      half.isReset = true
      try awaitEnd(connection)
      return table.touch(connection, rank(of: connection))
    }
    var position = half.position(of: segment.sequence)
    if segment.isSYN {
      position += 1  // a SYN takes a number of its own (RFC 9293, section 3.4)
      try synchronise(segment, connection, side, at: position, to: &receiver)
    }
    for place in stretches.indices {
      let stretch = stretches[place]
      try self.place(
        payload.extracting(stretch.range), at: position &+ stretch.range.lowerBound, connection, side,
        Arrival(fileOffset: stretch.fileOffset, packet: stretch.packet), memory: &memory, to: &receiver)
    }
    let captured = position &+ segment.payloadLength
    if segment.missingLength > 0 {
      half.noteSent(to: captured &+ segment.missingLength)
      try noteTruncated(
        segment.missingLength, connection, side, at: captured,
        fileOffset: stretches.isEmpty ? nil : stretches[stretches.count - 1].fileOffset, packet,
        isCutByFile: isCutByFile, to: &receiver)
    }
    if segment.flags.contains(.fin) {
      let end = captured &+ segment.missingLength
      try settleProbe(before: end..<end &+ 1, connection, side, memory: &memory, to: &receiver)
      half.noteFIN(at: end)
    }
    if connection.isEnded { try awaitEnd(connection) }
    table.touch(connection, rank(of: connection))
  }

  /// Takes in a segment whose numbers a tool has exported. It counts them from the SYN, which had 0, unless it
  /// was told otherwise.
  mutating func exportedSegment(
    _ segment: TCPSegment, payload: RawSpan, stretches: Span<PayloadStretch>, packet: PacketReference,
    isCutByFile: Bool = false, memory: inout some CaptureMemory & ~Copyable,
    to receiver: inout some StreamReceiver
  ) throws {
    let (connection, side) = try connection(for: segment, packet, to: &receiver)
    let half = connection[side]
    if !half.hasBegun, half.firstSent == nil, (1...SYNRule.reach).contains(Int(segment.sequence.value)) {
      half.begin(at: half.position(of: SequenceNumber(1)))
      try flush(connection, side, to: &receiver)
    }
    try self.segment(
      segment, payload: payload, stretches: stretches, packet: packet, isCutByFile: isCutByFile,
      memory: &memory, to: &receiver)
  }

  /// Takes in bytes that a tool has put in order already: they follow on what came before.
  /// - Parameter missing: how many bytes at the payload's end the capture lacks.
  mutating func orderedBytes(
    _ payload: RawSpan, missing: Int, isCutByFile: Bool = false, from source: Endpoint,
    to destination: Endpoint, _ arrival: Arrival, to receiver: inout some StreamReceiver
  ) throws {
    let segment = TCPSegment(source: source, destination: destination, sequence: SequenceNumber(0))
    let (connection, side) = try connection(for: segment, arrival.packet, to: &receiver)
    note(arrival.packet, of: connection, side)
    let half = connection[side]
    if !half.hasBegun { half.begin(at: 0) }
    if !payload.isEmpty { try deliver(payload, arrival, connection, side, to: &receiver) }
    if missing > 0 {
      try noteTruncated(
        missing, connection, side, at: half.next, fileOffset: arrival.fileOffset,
        arrival.packet, isCutByFile: isCutByFile, to: &receiver)
      let end = half.next &+ missing
      half.noteSent(to: end)
      try declareGap(to: end, fileOffset: arrival.fileOffset, arrival.packet, connection, side, to: &receiver)
    }
    table.touch(connection, rank(of: connection))
  }

  private func rank(of connection: Connection) -> ConnectionTable.Rank {
    if connection.isBrokenOff { return .ended }
    return connection.carriedNothing ? .silent : .speaking
  }

  private func note(_ packet: PacketReference, of connection: Connection, _ side: Side) {
    connection.lastActive = packetsRead
    connection.lastPacket = packet
    let half = connection[side]
    if half.report.firstPacket == nil {
      half.report.firstPacket = packet
    }
  }

  private mutating func synchronise(
    _ segment: TCPSegment, _ connection: Connection, _ side: Side, at position: Int,
    to receiver: inout some StreamReceiver
  ) throws {
    if segment.flags.contains(.ack) {
      connection.acceptors.insert(Sides(side))
    } else {
      connection.openers.insert(Sides(side))
    }
    let half = connection[side]
    let hadBegun = half.hasBegun
    half.synchronise(segment.sequence, at: position)
    guard !hadBegun else { return }
    try dropBeforeBeginning(connection, side, to: &receiver)
    try tellDeferred(connection, side, to: &receiver)
    try flush(connection, side, to: &receiver)
  }

  /// What came before its SYN may lie one byte before the stream: the byte of a keep-alive, which is none of the
  /// stream's (RFC 9293, section 3.8.4).
  private mutating func dropBeforeBeginning(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    while let first = half.pending.firstPosition, first < half.next, let early = half.pending.removeFirst() {
      held &-= early.cost
      let before = early.position..<min(half.next, early.end)
      let arrival = Arrival(fileOffset: early.fileOffset, packet: early.packet)
      if early.bytes.count > 1 {
        try noteLate(before, "before the beginning of the stream", connection, side, arrival, to: &receiver)
      }
      guard early.end > half.next else { continue }
      let rest = PendingSegment(
        position: half.next, bytes: Array(early.bytes.dropFirst(before.count)),
        fileOffset: early.fileOffset &+ before.count, packet: early.packet, arrival: early.arrival)
      half.pending.insert(rest)
      held &+= rest.cost
    }
  }

  /// Puts bytes where they belong: into the stream if they are next, else among those that wait. What is
  /// there already is held against them.
  mutating func place(
    _ bytes: RawSpan, at position: Int, _ connection: Connection, _ side: Side, _ arrival: Arrival,
    memory: inout some CaptureMemory & ~Copyable, to receiver: inout some StreamReceiver
  ) throws {
    guard !bytes.isEmpty else { return }
    let half = connection[side]
    let end = position &+ bytes.byteCount
    let isKeepAlive = bytes.byteCount == 1 && half.isKeepAlive(at: position)
    if isKeepAlive, position == half.fin { return }
    if bytes.byteCount == 1, half.facesClosedWindow, half.hasBegun, position == max(half.next, half.sent) {
      return keepProbe(bytes, at: position, half, arrival)
    }
    try settleProbe(before: position..<end, connection, side, memory: &memory, to: &receiver)
    half.noteCaptured(to: end)
    var start = position
    if half.hasBegun, start < half.next {
      let known = start..<min(end, half.next)
      try compareDelivered(
        known, bytes.extracting(first: known.count), connection, side, arrival, isKeepAlive: isKeepAlive,
        memory: &memory, to: &receiver)
      start = known.upperBound
    }
    guard start < end else { return }
    let rest = bytes.extracting(droppingFirst: start &- position)
    let restArrival = arrival.advanced(by: start &- position)
    if half.hasBegun, start == half.next,
      (half.pending.firstPosition ?? .max) >= end
    {
      try deliver(rest, restArrival, connection, side, to: &receiver)
      try flush(connection, side, to: &receiver)
      return
    }
    try placeAmongPending(
      rest, at: start, connection, side, restArrival, isKeepAlive: isKeepAlive, to: &receiver)
  }

  /// One byte sent into a closed window asks whether it is open again: the byte comes once more when it is.
  private func keepProbe(_ bytes: RawSpan, at position: Int, _ half: HalfStream, _ arrival: Arrival) {
    half.probe = PendingSegment(
      position: position, bytes: [bytes.byte(at: 0)], fileOffset: arrival.fileOffset, packet: arrival.packet,
      arrival: packetsRead)
  }

  /// The byte of a probe was taken if the stream goes on behind it; if it comes again, that copy counts.
  private mutating func settleProbe(
    before range: Range<Int>, _ connection: Connection, _ side: Side,
    memory: inout some CaptureMemory & ~Copyable, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    guard let probe = half.probe, range.upperBound > probe.position else { return }
    half.probe = nil
    guard range.lowerBound > probe.position else { return }
    half.facesClosedWindow = false
    try place(
      probe.bytes.span.bytes, at: probe.position, connection, side,
      Arrival(fileOffset: probe.fileOffset, packet: probe.packet), memory: &memory, to: &receiver)
  }

  private mutating func placeAmongPending(
    _ bytes: RawSpan, at position: Int, _ connection: Connection, _ side: Side, _ arrival: Arrival,
    isKeepAlive: Bool, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    let end = position &+ bytes.byteCount
    var overlapping: [PendingSegment] = []
    half.pending.visit(position..<end) { overlapping.append($0) }
    var cursor = position
    for known in overlapping {
      try keep(
        bytes, at: position, cursor..<max(cursor, known.position), connection, side, arrival, to: &receiver)
      let shared = max(position, known.position)..<min(end, known.end)
      let copy = bytes.extracting(shared.lowerBound &- position..<shared.upperBound &- position)
      try comparePending(
        known, copy, at: shared.lowerBound, connection, side, arrival.packet,
        isKeepAlive: isKeepAlive, to: &receiver)
      cursor = shared.upperBound
    }
    try keep(bytes, at: position, cursor..<end, connection, side, arrival, to: &receiver)
    try flush(connection, side, to: &receiver)
    guard half.isWaiting else { return }
    wait(for: connection, side, until: packetsRead &+ calendar.window)
    try enforceLimits(connection, side, to: &receiver)
  }

  /// Delivers or keeps the bytes in `range` of positions, which are in no other segment.
  private mutating func keep(
    _ bytes: RawSpan, at position: Int, _ range: Range<Int>, _ connection: Connection, _ side: Side,
    _ arrival: Arrival, to receiver: inout some StreamReceiver
  ) throws {
    guard !range.isEmpty else { return }
    let half = connection[side]
    let part = bytes.extracting(range.lowerBound &- position..<range.upperBound &- position)
    let partArrival = arrival.advanced(by: range.lowerBound &- position)
    if half.hasBegun, range.lowerBound == half.next {
      return try deliver(part, partArrival, connection, side, to: &receiver)
    }
    let segment = PendingSegment(
      position: range.lowerBound, bytes: part.withUnsafeBytes { Array($0) },
      fileOffset: partArrival.fileOffset,
      packet: partArrival.packet, arrival: packetsRead)
    half.pending.insert(segment)
    held &+= segment.cost
  }
}
