import Basics

/// Reassembles TCP segments into streams (docs/spec/captures.md#streams).
///
/// A segment that is next becomes an event without a copy; an early one is buffered. Gaps are waited for while
/// `reorderWindow` more packets are read, as long as the buffers have room for the data after them.
package struct Reassembler: ~Copyable {
  let options: CaptureOptions
  var flows: FlowTable
  var queue: FlushQueue
  var output = StreamOutput()
  /// Connections evicted before they carried data.
  private var silentEvictions = 0
  /// Bytes of retransmissions after their connection was closed.
  private var bytesAfterClose = 0
  package var nextNumber = 0
  private let isCarving: Bool
  /// The connections still to be closed at the end of the capture; nil before it.
  private var remaining: ArraySlice<Int32>?

  /// - Parameters:
  ///   - reservedSlots: the number of slots, from 0, that the caller uses for streams of its own.
  ///   - isCarving: whether the packets were found by a search.
  ///   - held: where batches wait; nil if they do not.
  package init(
    options: CaptureOptions, reservedSlots: Int = 0, isCarving: Bool = false, held: HeldBatches? = nil
  ) {
    self.options = options
    output.held = held
    self.isCarving = isCarving
    flows = FlowTable(limit: options.maxConnections, reserved: reservedSlots)
    queue = FlushQueue(window: options.reorderWindow)
  }

  /// Sets the source of earlier bytes of the file.
  package mutating func use(_ history: CaptureHistory?) { output.history = history }

  package mutating func swapEvents(with batch: inout EventBatch) {
    swap(&output.events, &batch)
    output.held?.packetsRead = output.packetsRead
    output.batch = output.held?.next ?? 0
  }

  package var isFull: Bool { output.events.isFull }

  package mutating func finding(_ finding: StreamFinding) { output.events.finding(finding) }
  package mutating func secrets(_ found: EmbeddedSecrets) { output.events.secrets(found) }

  // MARK: - Packets

  /// Called after each packet of the capture: flushes entries that are due.
  @inline(__always)
  package mutating func packetRead() {
    if let due = queue.takeDue() { settle(due) }
    output.packetsRead &+= 1
    queue.advance()
  }

  /// Processes a segment that is in one packet; its payload is in `window`.
  /// - Parameter fileOffset: of the payload's first byte.
  @inline(never)
  package mutating func segment(
    _ segment: TCPSegment, in window: RawSpan, fileOffset: Int, packet: PacketReference
  ) {
    let range = segment.payloadStart..<segment.payloadStart &+ segment.payloadLength
    let origin = PayloadOrigin(
      windowIndex: range.lowerBound, fileOffset: fileOffset, packet: packet,
      checksum: ChecksumEvidence(segment))
    let parts: InlineArray<1, PayloadPart> = [PayloadPart(range: 0..<range.count, origin: origin)]
    self.segment(segment, payload: window.extracting(range), parts: parts.span, packet: packet)
  }

  /// Fast path for a segment whose payload is next in its stream or empty, which nearly all are. False, without side
  /// effects, for those that `segment` is to process.
  @inline(always)
  mutating func appendInOrder(
    _ segment: TCPSegment, fileOffset: Int, packet: PacketReference
  ) -> Bool {
    guard segment.flags.isDisjoint(with: [.syn, .fin, .rst]), segment.missingLength == 0,
      segment.payloadLength != 1, let (connection, side) = flows.find(segment.source, segment.destination),
      connection.pointee.isSteady
    else { return false }
    if side == .first {
      guard connection.pointee.first.accepts(segment) else { return false }
      connection.pointee.first.append(segment, fileOffset: fileOffset, packet: packet, &output)
      connection.pointee.second.noteWindow(segment)
    } else {
      guard connection.pointee.second.accepts(segment) else { return false }
      connection.pointee.second.append(segment, fileOffset: fileOffset, packet: packet, &output)
      connection.pointee.first.noteWindow(segment)
    }
    connection.pointee.lastPacket = packet
    flows.touch(connection.pointee.first.slot, .speaking)
    return true
  }

  /// Processes a segment.
  /// - Parameters:
  ///   - payload: its bytes, `segment.payloadLength` of them.
  ///   - parts: the packets with the payload; one, except for fragments.
  ///   - packet: the packet that completed the segment.
  @inline(never)
  mutating func segment(
    _ segment: TCPSegment, payload: RawSpan, parts: Span<PayloadPart>, packet: PacketReference
  ) {
    let (connection, side) = connection(for: segment, packet)
    guard connection.pointee.isClosed || connection.pointee.mayHave(segment, from: side) else {
      if segment.payloadLength == 0 { return }
      return finding(
        StreamFinding(
          .lateSegment, stream: connection.pointee.number, length: segment.payloadLength, packet: packet,
          message: "\(packet.name) is left out: its numbers are of another connection with the same ports"))
    }
    note(packet, of: connection, side)
    if !segment.flags.isDisjoint(with: [.fin, .rst]) { connection.pointee.noteEnd(packet) }
    let fileOffset = parts.isEmpty ? nil : parts[parts.count - 1].origin.fileOffset
    if connection.pointee.isClosed {
      // None of the bytes are new, but those that the capture lacks may be.
      bytesAfterClose &+= segment.payloadLength
      if segment.missingLength > 0 { finding(segment.truncation(at: fileOffset, packet)) }
      return touch(connection)
    }
    connection.pointee[side.other].noteWindow(segment)
    // A RST may carry text, which is not part of the stream (RFC 9293, section 3.5.3).
    if segment.flags.contains(.rst) {
      connection.pointee[side].isReset = true
      awaitEnd(connection)
      return touch(connection)
    }
    work(on: connection)
    var position = connection.pointee[side].position(of: segment.sequence)
    if segment.isSYN {
      position += 1  // a SYN uses a sequence number (RFC 9293, section 3.4)
      synchronise(segment, connection, side, at: position)
    }
    output.hasRightCopy = false
    for index in parts.indices {
      let part = parts[index]
      connection.pointee[side].receive(
        payload.extracting(part.range), at: position &+ part.range.lowerBound, from: part.origin, &output)
      settleBuffers(connection, side)
    }
    for index in parts.indices where output.hasRightCopy {
      let part = parts[index]
      connection.pointee[side].replaceEqualBytes(
        payload.extracting(part.range), at: position &+ part.range.lowerBound, by: part.origin,
        isWhole: parts.count == 1, &output)
    }
    let captured = position &+ segment.payloadLength
    if segment.missingLength > 0 {
      connection.pointee[side].noteSent(to: captured &+ segment.missingLength)
      connection.pointee[side].emit(segment.truncation(at: fileOffset, packet), at: captured, &output)
      output.didBuffer = true
      settleBuffers(connection, side)
    }
    if segment.flags.contains(.fin) {
      let end = captured &+ segment.missingLength
      connection.pointee[side].settleProbe(before: end..<end &+ 1, &output)
      settleBuffers(connection, side)
      connection.pointee[side].noteFIN(at: end)
    }
    finishWork(on: connection)
    shrinkBuffers()
    if connection.pointee.isEnded { awaitEnd(connection) }
    touch(connection)
  }

  /// Processes a segment with sequence numbers exported by a tool. It counts them from the SYN, which has 0, unless
  /// configured otherwise.
  mutating func exportedSegment(
    _ segment: TCPSegment, payload: RawSpan, parts: Span<PayloadPart>, packet: PacketReference
  ) {
    let (connection, side) = connection(for: segment, packet)
    let half = connection.pointee[side]
    if !half.hasBegun, half.firstSent == nil, (1...SYNRule.maxDistance).contains(Int(segment.sequence.value))
    {
      let first = connection.pointee[side].position(of: SequenceNumber(1))
      connection.pointee[side].begin(at: first)
    }
    self.segment(segment, payload: payload, parts: parts, packet: packet)
  }

  /// Processes bytes that a tool has already put in order.
  /// - Parameter segment: has no numbers.
  mutating func orderedBytes(_ segment: TCPSegment, _ payload: RawSpan, from origin: PayloadOrigin) {
    // What comes after the end is of another connection: a tool that puts bytes in order leaves copies out.
    if let (known, _) = flows.find(segment.source, segment.destination), known.pointee.isClosed {
      flows.remove(known.pointee.first.slot)
    }
    let (connection, side) = connection(for: segment, origin.packet)
    note(origin.packet, of: connection, side)
    work(on: connection)
    connection.pointee[side].receiveOrdered(payload, from: origin, &output)
    if segment.missingLength > 0 {
      let finding = segment.truncation(at: origin.fileOffset, origin.packet)
      connection.pointee[side].emit(finding, at: connection.pointee[side].next, &output)
      let end = connection.pointee[side].next &+ segment.missingLength
      connection.pointee[side].noteSent(to: end)
      connection.pointee[side].declareGap(to: end, fileOffset: origin.fileOffset, origin.packet, &output)
    }
    finishWork(on: connection)
    touch(connection)
  }

  /// The capture has ended: closes open connections until the batch is full. False if there are more.
  package mutating func finish() -> Bool {
    var rest = remaining ?? flows.slots[...]
    while let slot = rest.first {
      if isFull {
        remaining = rest
        return false
      }
      close(flows[slot])
      rest.removeFirst()
    }
    remaining = []
    assert(output.bufferedBytes == 0 && output.rememberedRanges == 0, "closed connections have no memory")
    reportTotals()
    return true
  }

  private mutating func reportTotals() {
    if bytesAfterClose > 0 {
      finding(
        StreamFinding(
          .unverifiedRetransmission,
          message:
            "\(Count.of(bytesAfterClose, "byte")) retransmitted after the end of their connections "
            + "could not be compared"))
    }
    guard silentEvictions > 0 else { return }
    finding(
      StreamFinding(
        .connectionEvicted,
        message:
          "dropped \(Count.of(silentEvictions, "idle connection")) without data, to keep to "
          + "--max-connections \(options.maxConnections)"))
  }

  // MARK: - One connection

  /// Sets `connection` as the current one for its half connections' output.
  mutating func work(on connection: FlowTable.Reference) {
    output.stream = connection.pointee.number
    output.lastPacket = connection.pointee.lastPacket
    output.peers = connection.pointee.peers
    output.unopened =
      connection.pointee.isOpened ? nil : connection.pointee.identity(serverPorts: options.serverPorts)
    if isCarving { output.unopened?.carving = Carving(.packet) }
  }

  /// Notes whether the stream of `connection` was opened.
  mutating func finishWork(on connection: FlowTable.Reference) {
    if output.unopened == nil { connection.pointee.didOpen(options.serverPorts) }
    output.unopened = nil
  }

  private mutating func touch(_ connection: FlowTable.Reference) {
    let rank: FlowTable.Rank =
      connection.pointee.isBrokenOff ? .ended : connection.pointee.carriedNothing ? .silent : .speaking
    flows.touch(connection.pointee.first.slot, rank)
  }

  private func note(_ packet: PacketReference, of connection: FlowTable.Reference, _ side: Side) {
    connection.pointee.lastActive = output.packetsRead
    connection.pointee.lastPacket = packet
    connection.pointee[side].firstPacket = connection.pointee[side].firstPacket ?? packet
  }

  private mutating func synchronise(
    _ segment: TCPSegment, _ connection: FlowTable.Reference, _ side: Side, at position: Int
  ) {
    if segment.flags.contains(.ack) {
      connection.pointee[side].hasAccepted = true
    } else {
      connection.pointee[side].hasOpened = true
    }
    work(on: connection)
    connection.pointee[side].synchronise(segment.sequence, at: position, &output)
    finishWork(on: connection)
    work(on: connection)
  }

  /// The connection of `segment`; a new one if there is none, or if a SYN begins another.
  private mutating func connection(
    for segment: TCPSegment, _ packet: PacketReference
  ) -> (FlowTable.Reference, Side) {
    if let (known, side) = flows.find(segment.source, segment.destination) {
      if !beginsAnother(segment, packet, known, side) { return (known, side) }
      close(known)
      flows.remove(known.pointee.first.slot)
    } else if flows.isFull, let idle = flows.leastValuable {
      evict(flows[idle])
    }
    let connection = flows.insert(number: nextNumber, (segment.source, segment.destination), packet)
    nextNumber += 1
    return (connection, .first)
  }

  private func beginsAnother(
    _ segment: TCPSegment, _ packet: PacketReference, _ connection: FlowTable.Reference, _ side: Side
  ) -> Bool {
    if segment.isSYN { return !SYNRule.accepts(segment.sequence, of: connection.pointee, side, packet) }
    if segment.payloadLength > 1, !connection.pointee.mayHave(segment, from: side) {
      let wait = packet.time.map { $0.seconds &- (connection.pointee.lastPacket.time ?? $0).seconds } ?? 0
      if connection.pointee.hasEnd || wait >= SYNRule.longestWait { return true }
    }
    // Data after the end is a copy of known data, or the beginning of another connection. The FIN uses a sequence
    // number, which keep-alives repeat.
    guard connection.pointee.isClosed, segment.payloadLength > 1 else { return false }
    return connection.pointee[side].continues(at: segment.sequence, count: segment.payloadLength)
  }

  private mutating func evict(_ connection: FlowTable.Reference) {
    if !connection.pointee.isClosed {
      if connection.pointee.carriedNothing {
        silentEvictions += 1
      } else if !connection.pointee.isBrokenOff {
        reportEviction(connection)
      }
      close(connection)
    }
    flows.remove(connection.pointee.first.slot)
  }

  private mutating func reportEviction(_ connection: FlowTable.Reference) {
    let slot = connection.pointee.first.slot
    work(on: connection)
    output.emit(
      StreamFinding(
        .connectionEvicted, stream: connection.pointee.number, packet: connection.pointee.lastPacket,
        message:
          "dropped after \(connection.pointee.lastPacket.name), to keep to --max-connections "
          + "\(options.maxConnections): later packets begin a new stream"), slot)
    finishWork(on: connection)
  }

  /// Emits the buffered data of a connection, and closes it; it stays in the table.
  mutating func close(_ connection: FlowTable.Reference) {
    guard !connection.pointee.isClosed else { return }
    work(on: connection)
    connection.pointee.first.end(&output)
    connection.pointee.second.end(&output)
    finishWork(on: connection)
    connection.pointee.isClosed = true
    output.events.closed(
      connection.pointee.report(serverPorts: options.serverPorts), slot: connection.pointee.first.slot)
    connection.pointee.first.forget(&output)
    connection.pointee.second.forget(&output)
  }
}
