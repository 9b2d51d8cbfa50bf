import Basics

/// Delivery of a direction's bytes as events of its stream.
extension HalfConnection {
  /// Delivers bytes that are next.
  mutating func deliver(_ bytes: RawSpan, from origin: PayloadOrigin, _ output: inout StreamOutput) {
    output.open(slot)
    let extent = SourceExtent(
      streamOffset: offset(next), fileOffset: origin.fileOffset, stride: 1, packet: origin.packet)
    if let index = origin.windowIndex {
      output.events.bytes(index..<index &+ bytes.byteCount, slot: slot, side: side, origin: extent)
    } else {
      output.events.bytes(bytes.withUnsafeBytes { Array($0) }, slot: slot, side: side, origins: [extent])
    }
    didDeliver(bytes.byteCount, fileOffset: origin.fileOffset, origin.packet, origin.checksum, &output)
  }

  /// Delivers buffered bytes that are now next.
  mutating func flush(_ output: inout StreamOutput) {
    guard let backlog, hasBegun else { return }
    while backlog.segments.firstPosition == next, let segment = backlog.segments.removeFirst() {
      output.bufferedBytes &-= segment.cost
      deliver(segment.bytes.span.bytes, from: segment.origin, &output)
      _ = output.held?.correct(output.lastEvent, segment.corrections, base: base)
    }
    if backlog.isEmpty { self.backlog = nil }
  }

  /// Stops waiting for the bytes before the buffered ones: they become a gap, or the stream begins after them.
  mutating func skipGap(_ output: inout StreamOutput) {
    if hasBegun {
      guard let first = backlog?.segments.first else { return }
      declareGap(to: first.position, fileOffset: first.fileOffset, first.packet, &output)
    } else {
      guard let position = firstSent else { return }
      begin(at: position)
      let first = backlog?.segments.first
      output.emit(
        StreamFinding(
          .midstreamStart, stream: output.stream, side: side, offset: 0, length: 0,
          fileOffset: first?.fileOffset, packet: first?.packet ?? firstPacket,
          message:
            "the beginning of this direction was not captured: offsets count from the first captured "
            + "byte, sequence number \(Int(nextNumber.value))"), slot)
      emitSourceFindings(&output)
    }
    flush(&output)
  }

  /// Declares a gap up to `position`, detected at `fileOffset`.
  mutating func declareGap(
    to position: Int, fileOffset: Int?, _ packet: PacketReference?, _ output: inout StreamOutput
  ) {
    output.open(slot)
    let gap = StreamGap(
      offset: offset(next), length: position &- next, fileOffset: fileOffset, packet: packet)
    output.events.gap(gap, slot: slot, side: side)
    didDeliver(gap.length, fileOffset: nil, packet ?? output.lastPacket, .none, &output)
  }

  /// The direction has ended: delivers buffered bytes and the gap at the end.
  mutating func end(_ output: inout StreamOutput) {
    while isWaiting { skipGap(&output) }
    if hasBegun, next < sent { declareGap(to: sent, fileOffset: nil, nil, &output) }
    guard let uncompared = copies.first?.uncompared, uncompared > 0 else { return }
    output.emit(
      StreamFinding(
        .unverifiedRetransmission, stream: output.stream, side: side, packet: output.lastPacket,
        message:
          "\(Count.of(uncompared, "byte")) retransmitted too late to be compared with the original"),
      slot)
  }

  mutating func forget(_ output: inout StreamOutput) {
    assert(backlog?.segments.isEmpty ?? true, "a closed direction has delivered all that it had")
    output.rememberedRanges &-= delivered.count
    (delivered, copies, backlog) = (DeliveredRanges(), [], nil)
  }

  // MARK: - Anomalies

  /// Emits `anomaly`, which is at `position`; deferred until the offset of that is known.
  mutating func emit(_ finding: StreamFinding, at position: Int, _ output: inout StreamOutput) {
    var finding = finding
    finding.stream = output.stream
    finding.side = side
    guard hasBegun else { return makeBacklog().add(finding, at: position, arrival: output.packetsRead) }
    // The capture may lack bytes of a packet from before the beginning.
    finding.offset = max(0, offset(position))
    output.emit(finding, slot)
  }

  mutating func emitSourceFindings(_ output: inout StreamOutput) {
    guard let deferred = backlog?.findings, !deferred.isEmpty else { return }
    backlog?.findings = []
    for (finding, position) in deferred { emit(finding, at: position, &output) }
  }

  mutating func emitLate(
    _ range: Range<Int>, fileOffset: Int, _ packet: PacketReference, _ message: Message,
    _ output: inout StreamOutput
  ) {
    emit(
      StreamFinding(
        .lateSegment, length: range.count, fileOffset: fileOffset, packet: packet, message: message),
      at: range.lowerBound, &output)
  }
}
