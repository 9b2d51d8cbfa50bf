import WireBytes

// MARK: - Bytes and holes to the receiver

extension Reassembler {
  /// Hands over bytes that are next.
  mutating func deliver(
    _ bytes: RawSpan, _ arrival: Arrival, _ connection: Connection, _ side: Side,
    to receiver: inout some StreamReceiver
  ) throws {
    if connection.identity == nil { try open(connection, to: &receiver) }
    let half = connection[side]
    let position = half.next
    let origins: InlineArray<1, ByteOrigin> = [
      ByteOrigin(
        streamOffset: half.offset(position), fileOffset: arrival.fileOffset, stride: 1,
        packet: arrival.packet)
    ]
    try receiver.bytes(
      bytes, of: StreamDirection(stream: connection.number, side: side), origins: origins.span)
    half.report.bytes &+= bytes.byteCount
    remember(
      DeliveredBytes.Stretch(
        position: position, length: bytes.byteCount, fileOffset: arrival.fileOffset, packet: arrival.packet),
      connection, side)
    half.advance(bytes.byteCount)
  }

  /// Hands over what was held back and is next now.
  mutating func flush(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    while half.hasBegun,
      half.pending.firstPosition == half.next,
      let segment = half.pending.removeFirst()
    {
      held &-= segment.cost
      try deliver(
        segment.bytes.span.bytes, Arrival(fileOffset: segment.fileOffset, packet: segment.packet), connection,
        side, to: &receiver)
    }
  }

  /// What is missing before the bytes that are held back will not come any more: it is a gap, or the stream
  /// begins behind it.
  mutating func giveUpHole(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    if half.hasBegun {
      guard let first = half.pending.first else { return }
      try declareGap(
        to: first.position, fileOffset: first.fileOffset, first.packet, connection, side, to: &receiver)
    } else {
      guard let position = half.firstSent else { return }
      half.begin(at: position)
      try open(connection, to: &receiver)
      try receiver.anomaly(
        StreamAnomaly(
          .midstreamStart, stream: connection.number, side: side, offset: 0, length: 0,
          fileOffset: half.pending.first?.fileOffset,
          packet: half.pending.first?.packet ?? half.report.firstPacket,
          message: "the capture lacks the beginning of this direction: its bytes are counted from the first "
            + "that is there, sequence number \(half.nextNumber.value)"))
      try tellDeferred(connection, side, to: &receiver)
    }
    try flush(connection, side, to: &receiver)
  }

  /// What lies before `position` and was not delivered is a gap, which shows at a place of the file.
  mutating func declareGap(
    to position: Int, fileOffset: Int?, _ packet: PacketReference?, _ connection: Connection, _ side: Side,
    to receiver: inout some StreamReceiver
  ) throws {
    try open(connection, to: &receiver)
    let half = connection[side]
    let start = half.next
    let gap = StreamGap(
      offset: half.offset(start), length: position &- start,
      fileOffset: fileOffset, packet: packet)
    try receiver.gap(gap, in: StreamDirection(stream: connection.number, side: side))
    half.report.gapBytes &+= gap.length
    remember(
      DeliveredBytes.Stretch(
        position: start, length: gap.length, fileOffset: nil, packet: packet ?? connection.lastPacket),
      connection, side)
    half.advance(gap.length)
  }

  /// Nothing more comes of a direction: hands over what is held back, and what is missing at its end.
  mutating func endDirection(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    while half.isWaiting { try giveUpHole(connection, side, to: &receiver) }
    if half.hasBegun, half.next < half.sent {
      try declareGap(
        to: half.sent, fileOffset: nil, nil, connection, side, to: &receiver)
    }
    try tellDeferred(connection, side, to: &receiver)
    let count = half.uncomparedBytes
    guard count > 0 else { return }
    try open(connection, to: &receiver)
    try receiver.anomaly(
      StreamAnomaly(
        .uncomparedDuplicate, stream: connection.number, side: side, packet: connection.lastPacket,
        message:
          "\(Count.of(count, "byte")) came so late that what was there before is no longer at hand: whether "
          + "they are copies of it is not known"))
  }

  private mutating func remember(
    _ stretch: DeliveredBytes.Stretch, _ connection: Connection, _ side: Side
  ) {
    let half = connection[side]
    let before = half.delivered.count
    half.delivered.append(
      stretch, mayGrow: remembered < Self.rememberedInAll && before < Self.rememberedInOne)
    remembered &+= half.delivered.count &- before
  }

  // MARK: - Anomalies of a direction

  /// Tells of `anomaly` at `position`; later, where it is not known yet what offset that is.
  mutating func note(
    _ anomaly: StreamAnomaly, at position: Int, _ connection: Connection, _ side: Side,
    to receiver: inout some StreamReceiver
  ) throws {
    var anomaly = anomaly
    anomaly.stream = connection.number
    anomaly.side = side
    let half = connection[side]
    guard half.hasBegun else {
      half.deferTelling(anomaly, at: position, arrival: packetsRead)
      return
    }
    try open(connection, to: &receiver)
    anomaly.offset = half.offset(position)
    try receiver.anomaly(anomaly)
  }

  mutating func tellDeferred(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    let deferred = half.deferred
    half.deferred = []
    for (anomaly, position) in deferred {
      try open(connection, to: &receiver)
      var anomaly = anomaly
      anomaly.offset =
        half.hasBegun ? max(0, half.offset(position)) : nil
      try receiver.anomaly(anomaly)
    }
  }

  mutating func noteTruncated(
    _ missing: Int, _ connection: Connection, _ side: Side, at position: Int, fileOffset: Int?,
    _ packet: PacketReference, isCutByFile: Bool, to receiver: inout some StreamReceiver
  ) throws {
    let cause =
      isCutByFile
      ? "the file ends within it" : "a larger snap length (tcpdump -s 0) keeps them"
    try note(
      StreamAnomaly(
        .truncatedPacket, length: missing, fileOffset: fileOffset, packet: packet,
        message: "\(packet.text) is in the capture without its last \(Count.of(missing, "byte")): \(cause)"),
      at: position, connection, side, to: &receiver)
    if connection[side].isWaiting {
      wait(for: connection, side, until: packetsRead &+ calendar.window)
      try enforceLimits(connection, side, to: &receiver)
    }
  }
}
