import WireBytes

// MARK: - Bytes and holes to the receiver

extension Reassembler {
  /// Hands over bytes that are next.
  mutating func deliver(
    _ bytes: RawSpan, _ arrival: Arrival, _ connection: Connection, _ side: Side,
    to receiver: inout some StreamReceiver
  ) throws {
    if connection.identity == nil { try open(connection, to: &receiver) }
    let index = Int(side.rawValue)
    let position = connection.halves[index].next
    let origins: InlineArray<1, ByteOrigin> = [
      ByteOrigin(
        streamOffset: connection.halves[index].offset(position), fileOffset: arrival.fileOffset, stride: 1,
        packet: arrival.packet)
    ]
    try receiver.bytes(
      bytes, of: StreamDirection(stream: connection.number, side: side), origins: origins.span)
    connection.halves[index].report.bytes &+= bytes.byteCount
    remember(
      DeliveredBytes.Stretch(
        position: position, length: bytes.byteCount, fileOffset: arrival.fileOffset, packet: arrival.packet),
      connection, side)
    connection.halves[index].advance(bytes.byteCount)
  }

  /// Hands over what was held back and is next now.
  mutating func flush(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let index = Int(side.rawValue)
    while connection.halves[index].hasBegun,
      connection.halves[index].pending.firstPosition == connection.halves[index].next,
      let segment = connection.halves[index].pending.removeFirst()
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
    let index = Int(side.rawValue)
    guard let first = connection.halves[index].pending.first else { return }
    if connection.halves[index].hasBegun {
      try declareGap(
        to: first.position, fileOffset: first.fileOffset, first.packet, connection, side, to: &receiver)
    } else {
      connection.halves[index].begin(at: first.position)
      try open(connection, to: &receiver)
      try receiver.anomaly(
        StreamAnomaly(
          .midstreamStart, stream: connection.number, side: side, offset: 0, length: 0,
          fileOffset: first.fileOffset, packet: first.packet,
          message: "the capture lacks the beginning of this direction: its bytes are counted from the first "
            + "that is there, sequence number \(connection.halves[index].nextNumber.value)"))
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
    let index = Int(side.rawValue)
    let start = connection.halves[index].next
    let gap = StreamGap(
      offset: connection.halves[index].offset(start), length: position &- start,
      fileOffset: fileOffset, packet: packet)
    try receiver.gap(gap, in: StreamDirection(stream: connection.number, side: side))
    connection.halves[index].report.gapBytes &+= gap.length
    remember(
      DeliveredBytes.Stretch(
        position: start, length: gap.length, fileOffset: nil, packet: packet ?? connection.lastPacket),
      connection, side)
    connection.halves[index].advance(gap.length)
  }

  /// Nothing more comes of a direction: hands over what is held back, and what is missing at its end.
  mutating func endDirection(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let index = Int(side.rawValue)
    while connection.halves[index].isWaiting { try giveUpHole(connection, side, to: &receiver) }
    // Packets of which the capture has the headers alone say where their bytes were.
    if !connection.halves[index].hasBegun,
      let first = connection.halves[index].deferred.map(\.position).min()
    {
      connection.halves[index].begin(at: first)
    }
    if connection.halves[index].hasBegun, connection.halves[index].next < connection.halves[index].sent {
      try declareGap(
        to: connection.halves[index].sent, fileOffset: nil, nil, connection, side, to: &receiver)
    }
    try tellDeferred(connection, side, to: &receiver)
    let count = connection.halves[index].uncomparedBytes
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
    let index = Int(side.rawValue)
    let before = connection.halves[index].delivered.count
    connection.halves[index].delivered.append(
      stretch, mayGrow: remembered < Self.rememberedInAll && before < Self.rememberedInOne)
    remembered &+= connection.halves[index].delivered.count &- before
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
    let index = Int(side.rawValue)
    guard connection.halves[index].hasBegun else {
      connection.halves[index].deferred.append((anomaly, position))
      return
    }
    try open(connection, to: &receiver)
    anomaly.offset = connection.halves[index].offset(position)
    try receiver.anomaly(anomaly)
  }

  mutating func tellDeferred(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let index = Int(side.rawValue)
    let deferred = connection.halves[index].deferred
    connection.halves[index].deferred = []
    for (anomaly, position) in deferred {
      try open(connection, to: &receiver)
      var anomaly = anomaly
      anomaly.offset =
        connection.halves[index].hasBegun ? max(0, connection.halves[index].offset(position)) : nil
      try receiver.anomaly(anomaly)
    }
  }

  mutating func noteTruncated(
    _ missing: Int, _ connection: Connection, _ side: Side, at position: Int, fileOffset: Int?,
    _ packet: PacketReference, to receiver: inout some StreamReceiver
  ) throws {
    try note(
      StreamAnomaly(
        .truncatedPacket, length: missing, fileOffset: fileOffset, packet: packet,
        message: "\(packet.text) was captured without its last \(Count.of(missing, "byte")): "
          + "capture with a larger snap length (tcpdump -s 0)"),
      at: position, connection, side, to: &receiver)
  }
}
