import WireBytes

/// Puts TCP segments together to streams (capture.md, "Streams").
///
/// A segment that is next is handed on where it lies; one that came early is kept. What is missing is waited
/// for while `reorderWindow` more packets are read, as long as the buffers hold what came behind it.
package struct Reassembler {
  /// Stretches of delivered bytes that all directions may remember together, and one alone.
  static let rememberedInAll = 1 << 18
  static let rememberedInOne = 1 << 14

  let options: CaptureOptions
  var table: ConnectionTable
  var calendar: HoleCalendar
  /// Packets of the capture that were read.
  private(set) var packetsRead = 0
  /// What all directions hold back (PendingSegment.cost).
  var held = 0
  /// Stretches of delivered bytes that are remembered.
  var remembered = 0
  /// Connections that were forgotten before they had carried anything.
  private var silentEvictions = 0
  /// Bytes of copies that came when their connection had been closed.
  var bytesAfterClose = 0
  private var nextNumber = 0
  /// Bytes that are read again, to hold a copy against them.
  var rereadBuffer: [UInt8] = []

  package init(options: CaptureOptions) {
    self.options = options
    table = ConnectionTable(limit: options.maxConnections)
    calendar = HoleCalendar(window: options.reorderWindow)
  }

  /// One more packet of the capture was read, and what it brought was handed over: patience may end.
  package mutating func packetRead(to receiver: inout some StreamReceiver) throws {
    defer { packetsRead &+= 1 }
    for matter in calendar.take(at: packetsRead) { try settle(matter, to: &receiver) }
  }

  /// The capture has ended: nothing more is waited for.
  package mutating func finish(to receiver: inout some StreamReceiver) throws {
    for connection in table.all { try close(connection, to: &receiver) }
    table = ConnectionTable(limit: options.maxConnections)
    if bytesAfterClose > 0 {
      try receiver.anomaly(
        StreamAnomaly(
          .uncomparedDuplicate,
          message:
            "\(Count.of(bytesAfterClose, "byte")) came again for connections that had ended: whether they "
            + "are the same as before is not known"))
    }
    guard silentEvictions > 0 else { return }
    try receiver.anomaly(
      StreamAnomaly(
        .connectionEvicted,
        message:
          "\(Count.of(silentEvictions, "idle connection")) that had carried nothing were forgotten, since "
          + "no more than \(options.maxConnections) are remembered at once (--max-connections)"))
  }

  // MARK: - Connections

  /// The connection that `segment` belongs to; a new one where there is none, or a SYN begins another.
  mutating func connection(
    for segment: TCPSegment, _ packet: PacketReference, to receiver: inout some StreamReceiver
  ) throws -> (Connection, Side) {
    let key = ConnectionKey(segment.source, segment.destination)
    if let known = table.connection(key) {
      let side = known.side(of: segment.source)
      if !beginsAnother(segment, packet, known, side) { return (known, side) }
      try close(known, to: &receiver)
      table.remove(known)
    } else if table.isFull, let idle = table.cheapest {
      try evict(idle, to: &receiver)
    }
    let connection = Connection(
      number: nextNumber, key: key, peers: (segment.source, segment.destination), packet: packet)
    nextNumber += 1
    table.insert(connection)
    return (connection, .first)
  }

  private func beginsAnother(
    _ segment: TCPSegment, _ packet: PacketReference, _ connection: Connection, _ side: Side
  ) -> Bool {
    let half = connection[side]
    if segment.isSYN {
      return !SYNRule.accepts(segment.sequence, of: connection, side, packet)
    }
    // What comes behind the end of all is a copy of what was there, or the beginning of something else. The
    // FIN takes a number of its own, which keep-alives repeat.
    guard connection.isClosed, segment.payloadLength > 1 else { return false }
    return half.goesOn(at: segment.sequence, count: segment.payloadLength)
  }

  private mutating func evict(_ connection: Connection, to receiver: inout some StreamReceiver) throws {
    if !connection.isClosed {
      if connection.carriedNothing {
        silentEvictions += 1
      } else if !connection.isBrokenOff {
        try open(connection, to: &receiver)
        try receiver.anomaly(
          StreamAnomaly(
            .connectionEvicted, stream: connection.number, packet: connection.lastPacket,
            message:
              "forgotten after \(connection.lastPacket.text), since no more than "
              + "\(Count.of(options.maxConnections, "connection")) are remembered at once (--max-connections): "
              + "what comes of it gets a new number"))
      }
      try close(connection, to: &receiver)
    }
    table.remove(connection)
  }

  /// Tells the receiver of a connection, once.
  mutating func open(_ connection: Connection, to receiver: inout some StreamReceiver) throws {
    guard connection.identity == nil else { return }
    let identity = connection.identify(serverPorts: options.serverPorts)
    connection.identity = identity
    try receiver.opened(identity)
  }

  /// Hands over all that a connection still holds, and closes it; it stays in the table.
  private mutating func close(_ connection: Connection, to receiver: inout some StreamReceiver) throws {
    guard !connection.isClosed else { return }
    for side in Side.allCases { try endDirection(connection, side, to: &receiver) }
    connection.isClosed = true
    try receiver.closed(connection.report(serverPorts: options.serverPorts))
    for side in Side.allCases {
      remembered -= connection[side].delivered.count
      connection[side].delivered.forget()
    }
  }

  // MARK: - Patience

  private mutating func settle(
    _ matter: HoleCalendar.Matter, to receiver: inout some StreamReceiver
  ) throws {
    switch matter {
    case .hole(let connection, let side):
      let half = connection[side]
      half.isAwaited = false
      while let arrival = half.waitsSince {
        let due = arrival &+ calendar.window
        if due > packetsRead {
          wait(for: connection, side, until: due)
          break
        }
        try giveUpHole(connection, side, to: &receiver)
      }
      try awaitEnd(connection)
    case .end(let connection):
      connection.isEnding = false
      guard !connection.isClosed else { return }
      let due = connection.lastActive &+ calendar.window
      if due > packetsRead {
        connection.isEnding = true
        calendar.add(.end(connection), at: due)
      } else if connection.isEnded {
        try close(connection, to: &receiver)
      }
    }
  }

  /// Waits for the bytes before the ones that are held back, until `packet` packets have been read.
  mutating func wait(for connection: Connection, _ side: Side, until packet: Int) {
    let half = connection[side]
    guard !half.isAwaited, !connection.isClosed else { return }
    half.isAwaited = true
    calendar.add(.hole(connection, side), at: packet)
  }

  /// An ended connection is closed when nothing more of it has come for a window.
  mutating func awaitEnd(_ connection: Connection) throws {
    guard connection.isEnded, !connection.isEnding, !connection.isClosed else { return }
    connection.isEnding = true
    calendar.add(.end(connection), at: packetsRead &+ calendar.window)
  }

  /// Gives up holes while the buffers hold more than they may (capture.md, "Limits").
  mutating func enforceLimits(
    _ connection: Connection, _ side: Side, to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    while half.cost > options.streamBuffer, half.isWaiting {
      try reportLimit(connection, side, "--stream-buffer", options.streamBuffer, to: &receiver)
      try giveUpHole(connection, side, to: &receiver)
    }
    while held > options.totalBuffer, let matter = calendar.takeEarliest(after: packetsRead) {
      guard case .hole(let oldest, let side) = matter else {
        if case .end(let ended) = matter {
          ended.isEnding = false
          try close(ended, to: &receiver)
        }
        continue
      }
      oldest[side].isAwaited = false
      guard oldest[side].isWaiting else { continue }
      try reportLimit(oldest, side, "--total-buffer", options.totalBuffer, to: &receiver)
      try giveUpHole(oldest, side, to: &receiver)
      if let arrival = oldest[side].waitsSince {
        wait(for: oldest, side, until: max(packetsRead, arrival &+ calendar.window))
      }
    }
  }

  private mutating func reportLimit(
    _ connection: Connection, _ side: Side, _ option: String, _ limit: Int,
    to receiver: inout some StreamReceiver
  ) throws {
    let half = connection[side]
    guard let place = half.hasBegun ? half.next : half.firstSent else { return }
    let first = half.pending.first
    try note(
      StreamAnomaly(
        .bufferLimit, fileOffset: first?.fileOffset, packet: first?.packet ?? connection.lastPacket,
        message: "more than \(limit) bytes were held back (\(option)): what is missing here was no longer "
          + "waited for"),
      at: place,
      connection, side, to: &receiver)
  }
}
