import Basics
import NIOCore
import NIOSSL
import NIOTLS

/// Replays one connection to one client.
final class Session: ChannelInboundHandler, ServedSession {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State: Equatable {
    /// Before the connection or during the TLS handshake.
    case opening
    /// Ready for the next move.
    case ready
    /// Waiting for a write to complete.
    case writing
    /// Waiting until the client has read the bytes sent.
    case settling
    case awaiting(clientBytes: Int)
    case pausing
    /// Everything was sent; waiting for the client to close.
    case leaving
    case ended
  }

  /// Maximum number of moves before other work on the thread gets its turn.
  private static let movesInARow = 64

  private let registry: ClientRegistry
  private let script: MockServer.Script
  private let transport: TransportHandler
  private let isTLS: Bool
  private(set) var peer = "?"
  private var context: ChannelHandlerContext?
  private var state = State.opening
  private var client = 0
  private var bytes: [UInt8] = []
  private var ending = ServedConnection.Ending.close
  private var cursor: StepCursor?
  /// The move to make once the client has read the bytes sent.
  private var pendingMove: StepCursor.Move?
  private var report = ServedReport(
    connection: "", peer: "?", sent: 0, size: 0, received: 0, end: .stopped, speaksTLS: false)
  private var readMonitor = ReadMonitor(own: nil, peer: nil)
  /// Whether the client may not have read the last chunk yet.
  private var isUnsettled = false
  private var hasInputEnded = false
  /// Whether the client had closed before the server.
  private var clientClosedFirst = false
  private var idleWatch: IdleWatch?
  private var isMoving = false

  /// - Parameter transport: the handler next to the socket.
  init(
    registry: ClientRegistry, script: @escaping MockServer.Script, transport: TransportHandler, isTLS: Bool
  ) {
    (self.registry, self.script, self.transport, self.isTLS) = (registry, script, transport, isTLS)
  }

  /// Called when the server stops.
  func stop() {
    if state == .opening { return leave(nil) }
    end(.stopped)
  }

  // MARK: - Input from the client

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) { begin(context) }

  private func begin(_ context: ChannelHandlerContext) {
    guard peer == "?" else { return }
    peer = context.remoteAddress?.endpointText ?? "unknown"
    guard registry.admit(self) else {
      state = .ended
      return transport.breakOff()
    }
    idleWatch = IdleWatch(limit: registry.configuration.idleNanoseconds, on: context.eventLoop) {
      [weak self] in
      self?.handleIdleTimeout()
    }
    if !isTLS { open(context) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      open(context)
    } else if let event = event as? ChannelEvent, event == .inputClosed {
      inputEnded()
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if report.received == 0, !isTLS { report.speaksTLS = TLSOptions.isHandshake(bytes) }
    report.received &+= bytes.readableBytes
    // Unexpected bytes do not show that the client reads.
    guard case .awaiting(let clientBytes) = state else { return }
    progress()
    if report.received >= clientBytes { proceed() }
  }

  private func inputEnded() {
    hasInputEnded = true
    switch state {
    case .opening: leave(.closedInHandshake)
    case .awaiting: end(.clientClosed)
    case .leaving: complete()
    case .ready, .writing, .settling, .pausing, .ended: break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    switch state {
    case .opening: leave(.closedInHandshake)
    case .leaving: complete()
    case .ended: break
    case .ready, .writing, .settling, .awaiting, .pausing: end(.clientClosed)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .uncleanShutdown? = error as? NIOSSLError { return }
    failed(error)
  }

  private func failed(_ error: any Error) {
    switch state {
    case .ended: break
    case .opening: leave(error.reason)
    case .leaving where isTLS && error.isReset:
      // Many clients never read the closing TLS alert, so their system resets the connection.
      complete()
    default:
      let isGone = error.isReset || error is ChannelError
      end(isGone ? (hasInputEnded ? .clientClosed : .clientReset) : .failed(error.reason))
    }
  }

  // MARK: - Moves

  private func open(_ context: ChannelHandlerContext) {
    guard state == .opening else { return }
    var opened: ServedConnection?
    let number = registry.open(self) { client in
      let connection = script(client)
      opened = connection
      return connection.name
    }
    guard let number, let connection = opened else { return leave(nil) }
    client = number
    bytes = connection.bytes
    ending = connection.ending
    cursor = StepCursor(connection)
    report.connection = connection.name
    report.peer = peer
    report.size = bytes.count
    readMonitor = ReadMonitor(own: context.localAddress, peer: context.remoteAddress)
    state = .ready
    progress()
    advance()
  }

  /// Makes moves until one has to wait. A move may call this again synchronously: then the running loop continues,
  /// without recursion.
  private func advance() {
    guard !isMoving else { return }
    isMoving = true
    defer { isMoving = false }
    var moves = 0
    while state == .ready {
      guard moves < Self.movesInARow else { return again(after: 0) }
      moves += 1
      make(pendingMove.take() ?? cursor?.next() ?? .end)
    }
  }

  private func make(_ move: StepCursor.Move) {
    if isUnsettled, mustSettle(before: move) {
      pendingMove = move
      return settle()
    }
    switch move {
    case .send(let range, let endsChunk): send(range, endsChunk: endsChunk)
    case .await(let clientBytes):
      guard report.received < clientBytes else { return }
      state = .awaiting(clientBytes: clientBytes)
      progress()
      if hasInputEnded { end(.clientClosed) }
    case .pause(let nanoseconds):
      state = .pausing
      later(nanoseconds, ifStill: .pausing) { $0.proceed() }
    case .end: finish()
    }
  }

  private func proceed() {
    state = .ready
    progress()
    advance()
  }

  private func again(after nanoseconds: Int64) {
    later(nanoseconds, ifStill: .ready) { $0.advance() }
  }

  private func send(_ range: Range<Int>, endsChunk: Bool) {
    guard let context else { return end(.clientClosed) }
    state = .writing
    var buffer = context.channel.allocator.buffer(capacity: range.count)
    buffer.writeBytes(bytes[range])
    context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { result in
      self.wrote(range.count, endsChunk: endsChunk, result)
    }
  }

  private func wrote(_ count: Int, endsChunk: Bool, _ result: Result<Void, any Error>) {
    guard state == .writing else { return }
    if case .failure(let error) = result { return failed(error) }
    report.sent += count
    if endsChunk { isUnsettled = true }
    proceed()
  }

  // MARK: - Until the client has read

  /// TLS records separate chunks; without TLS the client must have read a chunk before the next one is sent. A reset
  /// discards bytes in flight.
  private func mustSettle(before move: StepCursor.Move) -> Bool {
    switch move {
    case .send: !isTLS
    case .end: ending == .reset
    case .await, .pause: false
    }
  }

  private func settle() {
    state = .settling
    readMonitor.begin()
    look()
  }

  private func look() {
    let began = NIODeadline.now()
    let status = readMonitor.look()
    // All sessions together spend at most a quarter of the thread's time on looking: if timers are always due,
    // nothing else is read or accepted.
    let shortest = 4 &* (NIODeadline.now() - began).nanoseconds &* Int64(registry.sessionCount)
    switch status {
    case .read: settled()
    case .arrived(let pause): later(pause, ifStill: .settling) { $0.settled() }
    case .waiting(let nanoseconds, let progressed):
      if progressed { progress() }
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
    case .close:
      state = .leaving
      progress()
      context?.close(mode: .output, promise: nil)
      if hasInputEnded { complete() }
    case .reset:
      close(.completed(byClient: clientClosedFirst)) { transport.reset() }
    case .waitForClient:
      state = .leaving
      progress()
      if hasInputEnded { complete() }
    }
  }

  /// Everything was sent, and the client has closed or need not be awaited.
  private func complete(afterWaiting: Bool = false) {
    guard state == .leaving else { return }
    let byClient = clientClosedFirst || ending == .waitForClient && !afterWaiting
    close(.completed(byClient: byClient)) { context?.close(promise: nil) }
  }

  private func end(_ end: ServedReport.End) {
    close(end) { transport.breakOff() }
  }

  private func close(_ end: ServedReport.End, how: () -> Void) {
    guard state != .ended, state != .opening else { return }
    state = .ended
    idleWatch?.end()
    report.end = end
    how()
    registry.ended(self, client: client, report)
  }

  /// Ends a connection that was not served.
  /// - Parameter reason: why the handshake failed; nil if it did not.
  private func leave(_ reason: Message?) {
    guard state != .ended else { return }
    state = .ended
    idleWatch?.end()
    transport.breakOff()
    if let reason { registry.handshakeFailed(self, reason) } else { registry.left(self) }
  }
}

// MARK: - Time

extension Session {
  /// Notes activity of the client or of the server.
  private func progress() { idleWatch?.progress() }

  /// Called after the idle timeout.
  private func handleIdleTimeout() {
    switch state {
    case .opening: leave(.handshakeTooSlow)
    case .awaiting(let clientBytes): end(.stalled(.didNotSend(expected: clientBytes)))
    case .leaving: complete(afterWaiting: true)
    case .ready, .writing, .settling: end(.stalled(.didNotRead))
    // Pauses are intended.
    case .pausing, .ended: break
    }
  }

  /// Runs `work` on the thread after a delay, unless the state has changed.
  private func later(
    _ nanoseconds: Int64, ifStill state: State, _ work: @escaping (Session) -> Void
  ) {
    guard let context else { return }
    context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(max(0, nanoseconds))) {
      if self.state == state { work(self) }
    }
  }
}

extension SocketAddress {
  /// `192.0.2.1:2196`, or `[2001:db8::1]:2196`.
  var endpointText: String? {
    guard let address = ipAddress, let port else { return nil }
    return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
  }
}
