/// How long a stream waits for missing bytes, and a closed connection for late packets (docs/spec/captures.md#limits).
extension Reassembler {
  /// - Parameter due: the entries that are due.
  @inline(never)
  mutating func settle(_ due: [FlushQueue.Deadline]) {
    for entry in due where flows.contains(entry.number, in: entry.slot) {
      let connection = flows[entry.slot]
      switch entry.kind {
      case .gap(let side):
        connection.pointee[side].isAwaited = false
        skipDueGaps(connection, side)
        awaitEnd(connection)
      case .end: settleEnd(connection)
      }
    }
  }

  private mutating func skipDueGaps(_ connection: FlowTable.Reference, _ side: Side) {
    work(on: connection)
    while let arrival = connection.pointee[side].waitsSince {
      let due = arrival &+ queue.window
      if due > output.packetsRead {
        wait(for: connection, side, until: due)
        break
      }
      connection.pointee[side].skipGap(&output)
    }
    finishWork(on: connection)
  }

  private mutating func settleEnd(_ connection: FlowTable.Reference) {
    guard !connection.pointee.isClosed else { return }
    let due = connection.pointee.lastActive &+ queue.window
    if due > output.packetsRead { add(.end, connection, at: due) } else { close(connection) }
  }

  /// Waits for the bytes before the buffered ones, until `packet` packets have been read.
  private mutating func wait(for connection: FlowTable.Reference, _ side: Side, until packet: Int) {
    guard !connection.pointee[side].isAwaited, !connection.pointee.isClosed else { return }
    connection.pointee[side].isAwaited = true
    add(.gap(side), connection, at: packet)
  }

  /// An ended connection is closed after a window without further packets of it.
  mutating func awaitEnd(_ connection: FlowTable.Reference) {
    guard connection.pointee.isEnded, !connection.pointee.isEnding, !connection.pointee.isClosed else {
      return
    }
    connection.pointee.isEnding = true
    add(.end, connection, at: output.packetsRead &+ queue.window)
  }

  private mutating func add(
    _ kind: FlushQueue.Deadline.Kind, _ connection: FlowTable.Reference, at packet: Int
  ) {
    queue.add(
      FlushQueue.Deadline(slot: connection.pointee.first.slot, number: connection.pointee.number, kind: kind),
      after: packet &- output.packetsRead)
  }

  /// After a direction has buffered data: waits as long as the buffers allow it (docs/spec/captures.md#limits).
  mutating func settleBuffers(_ connection: FlowTable.Reference, _ side: Side) {
    guard output.didBuffer else { return }
    output.didBuffer = false
    guard connection.pointee[side].isWaiting else { return }
    wait(for: connection, side, until: output.packetsRead &+ queue.window)
    while connection.pointee[side].cost > options.streamBuffer, connection.pointee[side].isWaiting {
      reportLimit(connection, side, "--stream-buffer", options.streamBuffer)
      connection.pointee[side].skipGap(&output)
    }
  }

  /// Skips gaps and closes ended connections, the oldest first, until `totalBuffer` suffices. Called after a segment,
  /// not within one, as its own connection may be closed.
  mutating func shrinkBuffers() {
    while output.bufferedBytes > options.totalBuffer, let entry = queue.takeEarliest() {
      guard flows.contains(entry.number, in: entry.slot) else { continue }
      let oldest = flows[entry.slot]
      guard case .gap(let side) = entry.kind else {
        close(oldest)
        continue
      }
      oldest.pointee[side].isAwaited = false
      // The gap that the entry was added for may be filled: a later one is not the oldest of all.
      if let arrival = oldest.pointee[side].waitsSince, arrival &+ queue.window <= queue.earliest {
        work(on: oldest)
        reportLimit(oldest, side, "--total-buffer", options.totalBuffer)
        oldest.pointee[side].skipGap(&output)
        finishWork(on: oldest)
      }
      if let arrival = oldest.pointee[side].waitsSince {
        wait(for: oldest, side, until: max(output.packetsRead, arrival &+ queue.window))
      }
    }
    assert(output.bufferedBytes <= options.totalBuffer, "all that waits has a deadline")
  }

  private mutating func reportLimit(
    _ connection: FlowTable.Reference, _ side: Side, _ option: String, _ limit: Int
  ) {
    let half = connection.pointee[side]
    guard let position = half.hasBegun ? half.next : half.firstSent else { return }
    let first = half.backlog?.segments.first
    connection.pointee[side].emit(
      StreamFinding(
        .bufferLimit, fileOffset: first?.fileOffset, packet: first?.packet ?? connection.pointee.lastPacket,
        message: "buffer limit of \(limit) bytes reached (\(option)): the gap here was flushed early"),
      at: position, &output)
  }
}
