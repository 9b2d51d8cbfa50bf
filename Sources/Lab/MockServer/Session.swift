import NIOCore

/// Replays one connection to one client.
final class Session: ServedSession, ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum WriteState: Equatable {
    /// Ready for the next move.
    case ready
    case writing
    /// Waiting until the client has read the bytes sent.
    case settling
    case awaiting(clientBytes: Int)
    case pausing
    /// Everything was sent; waiting for the client to close.
    case leaving
  }

  /// Maximum number of moves before other work on the thread gets its turn.
  private static let movesInARow = 64

  private let script: (_ client: Int) -> ServedConnection
  private var state = WriteState.ready
  private var bytes: [UInt8] = []
  private var ending = ServedConnection.Ending.close
  private var cursor: StepCursor?
  /// The move to make once the client has read the bytes sent.
  private var pendingMove: ServedConnection.Action?
  private var readMonitor: ReadMonitor?
  /// Whether the client may not have read the last chunk yet.
  private var isUnsettled = false
  private var hasInputEnded = false
  private var clientClosedFirst = false
  private var isMoving = false

  init(
    registry: ClientRegistry, transport: TransportHandler,
    script: @escaping (_ client: Int) -> ServedConnection
  ) {
    self.script = script
    super.init(registry: registry, transport: transport)
  }

  // MARK: - Input from the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if report.received == 0, !isTLS { report.speaksTLS = TLSOptions.isHandshake(bytes) }
    report.received &+= bytes.readableBytes
    // Unexpected bytes do not show that the client reads.
    guard isServing, case .awaiting(let clientBytes) = state else { return }
    progress()
    if report.received >= clientBytes { proceed() }
  }

  override func inputEnded() {
    hasInputEnded = true
    switch state {
    case .awaiting: end(.clientClosed)
    case .leaving: complete()
    case .ready, .writing, .settling, .pausing: break
    }
  }

  override func disconnected() { if state == .leaving { complete() } else { end(.clientClosed) } }

  override func failed(_ error: any Error) {
    // Many clients never read the closing TLS alert, so their system resets the connection.
    if state == .leaving, isTLS, error.isReset { return complete() }
    let isGone = error.isReset || error is ChannelError
    end(isGone ? (hasInputEnded ? .clientClosed : .clientReset) : .failed(error.reason))
  }

  // MARK: - Moves

  override func prepare(client: Int) -> String {
    let connection = script(client)
    bytes = connection.bytes
    ending = connection.ending
    cursor = StepCursor(connection)
    report.connection = connection.name
    report.size = bytes.count
    return connection.name
  }

  override func serve() {
    readMonitor = ReadMonitor(registry.socketQueues, own: context?.localAddress, peer: context?.remoteAddress)
    advance()
  }

  /// Makes moves until one has to wait. A move may call this again synchronously: then the running loop continues,
  /// without recursion.
  private func advance() {
    guard !isMoving else { return }
    isMoving = true
    defer { isMoving = false }
    var moves = 0
    while isServing, state == .ready {
      guard moves < Self.movesInARow else { return later(0, ifStill: .ready) { $0.advance() } }
      moves += 1
      make(pendingMove.take() ?? cursor?.next())
    }
  }

  /// - Parameter move: nil at the end.
  private func make(_ move: ServedConnection.Action?) {
    if isUnsettled, mustSettle(before: move) {
      pendingMove = move
      state = .settling
      readMonitor?.begin()
      return look()
    }
    switch move {
    case .send(let range): send(range)
    case .await(let clientBytes):
      guard report.received < clientBytes else { return }
      state = .awaiting(clientBytes: clientBytes)
      progress()
      if hasInputEnded { end(.clientClosed) }
    case .pause(let nanoseconds):
      state = .pausing
      later(nanoseconds, ifStill: .pausing) { $0.proceed() }
    case nil: finish()
    }
  }

  private func proceed() {
    state = .ready
    progress()
    advance()
  }

  private func send(_ range: Range<Int>) {
    guard let context else { return end(.clientClosed) }
    state = .writing
    var buffer = context.channel.allocator.buffer(capacity: range.count)
    buffer.writeBytes(bytes[range])
    context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { result in
      self.wrote(range.count, result)
    }
  }

  private func wrote(_ count: Int, _ result: Result<Void, any Error>) {
    guard isServing, state == .writing else { return }
    if case .failure(let error) = result { return failed(error) }
    report.sent += count
    if cursor?.hasEndedChunk == true { isUnsettled = true }
    proceed()
  }

  // MARK: - Until the client has read

  /// TLS records separate chunks; without TLS the client must have read a chunk before the next one is sent. A reset
  /// discards bytes in flight.
  private func mustSettle(before move: ServedConnection.Action?) -> Bool {
    switch move {
    case .send: !isTLS
    case nil: ending == .reset
    case .await, .pause: false
    }
  }

  /// All sessions together spend at most a quarter of the thread's time on looking, which takes some 5 µs: if timers are
  /// always due, nothing else is read or accepted.
  private static let lookInterval: Int64 = 4 * 5_000

  private func look() {
    switch readMonitor?.look() ?? .read {
    case .read: settled()
    case .arrived(let pause): later(pause, ifStill: .settling) { $0.settled() }
    case .waiting(let nanoseconds, let progressed):
      if progressed { progress() }
      let shortest = Self.lookInterval &* Int64(registry.allSessions.value)
      later(max(nanoseconds, shortest), ifStill: .settling) { $0.look() }
    }
  }

  private func settled() {
    isUnsettled = false
    proceed()
  }

  // MARK: - The end

  private func finish() {
    clientClosedFirst = hasInputEnded
    switch ending {
    case .reset: close(.completed(byClient: clientClosedFirst)) { transport.reset() }
    case .close, .waitForClient:
      state = .leaving
      progress()
      if ending == .close { context?.close(mode: .output, promise: nil) }
      if hasInputEnded { complete() }
    }
  }

  /// Everything was sent, and the client has closed or need not be awaited.
  private func complete(afterWaiting: Bool = false) {
    guard state == .leaving else { return }
    complete(byClient: clientClosedFirst || ending == .waitForClient && !afterWaiting)
  }

  override func wasIdle() {
    switch state {
    case .awaiting(let clientBytes): end(.stalled(.didNotSend(expected: clientBytes)))
    case .leaving: complete(afterWaiting: true)
    case .ready, .writing, .settling: end(.stalled(.didNotRead))
    // Pauses are intended.
    case .pausing: break
    }
  }

  /// Runs `work` on the thread after a delay, unless the state has changed.
  private func later(_ nanoseconds: Int64, ifStill state: WriteState, _ work: @escaping (Session) -> Void) {
    guard let context else { return }
    context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(max(0, nanoseconds))) {
      if self.isServing, self.state == state { work(self) }
    }
  }
}
