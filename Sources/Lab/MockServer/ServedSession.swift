import Basics
import NIOCore
import NIOSSL
import NIOTLS

/// The server's side of the connection to one client: its beginning, its end, and the time that it may be idle. What is
/// served in between is up to subclasses, which get no call before and after. Used on the server's thread only.
class ServedSession {
  private enum SessionPhase {
    /// Before the connection is open, or during the TLS handshake.
    case opening
    case serving
    case ended
  }

  let registry: ClientRegistry
  /// The handler next to the socket.
  let transport: TransportHandler
  var isTLS: Bool { registry.configuration.tls != nil }
  /// The client's `address:port`.
  private(set) var peer = "?"
  private(set) var context: ChannelHandlerContext?
  /// Its number, from 0, while it is served.
  private(set) var client = 0
  private var phase = SessionPhase.opening
  var report = ServedReport()
  private var lastProgress = NIODeadline.now()
  /// For the next look at whether the client is idle.
  private var timer: Scheduled<Void>?

  init(registry: ClientRegistry, transport: TransportHandler) {
    (self.registry, self.transport) = (registry, transport)
  }

  var isServing: Bool { phase == .serving }

  // MARK: - For subclasses

  /// Chooses what a client gets; returns its name.
  func prepare(client: Int) -> String { "" }
  func serve() {}
  /// The client has closed its side.
  func inputEnded() {}
  /// The connection is gone.
  func disconnected() {}
  func failed(_ error: any Error) {}
  func wasIdle() {}
  /// Called before the end is reported.
  func willEnd() {}

  /// Notes activity of the client or of the server.
  func progress() {
    lastProgress = .now()
    if phase == .serving { registry.configuration.onProgress?(client) }
  }

  // MARK: - Events of the connection

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
  func channelActive(context: ChannelHandlerContext) { begin(context) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      open()
    } else if let event = event as? ChannelEvent, event == .inputClosed {
      pass(transport.refusal ?? .closedInHandshake) { inputEnded() }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    pass(transport.refusal ?? .closedInHandshake) { disconnected() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .uncleanShutdown? = error as? NIOSSLError { return }
    pass(transport.refusal ?? error.reason) { failed(error) }
  }

  /// Called when the server stops.
  func stop() { pass(nil) { end(.stopped) } }

  /// Passes an event on; before the session is served, it ends the connection.
  /// - Parameter reason: why the handshake failed; nil if it did not.
  private func pass(_ reason: Message?, _ handle: () -> Void) {
    switch phase {
    case .opening: leave(reason)
    case .serving: handle()
    case .ended: break
    }
  }

  // MARK: - Beginning and end

  private func begin(_ context: ChannelHandlerContext) {
    guard peer == "?" else { return }
    peer = context.remoteAddress?.endpointText ?? "unknown"
    guard registry.admit(self) else {
      phase = .ended
      // The end of a list would look the same as a FIN.
      return transport.reset()
    }
    report.peer = peer
    progress()
    lookForProgress(in: idleLimit, context.eventLoop)
    if !isTLS { open() }
  }

  private func open() {
    guard phase == .opening else { return }
    guard let client = registry.open(self, connection: { prepare(client: $0) }) else { return leave(nil) }
    self.client = client
    phase = .serving
    progress()
    serve()
  }

  private var idleLimit: TimeAmount { .nanoseconds(registry.configuration.idleNanoseconds) }

  /// Looks after `time` whether the client was idle, and again until the end.
  private func lookForProgress(in time: TimeAmount, _ loop: any EventLoop) {
    timer = loop.assumeIsolated().scheduleTask(in: time) {
      let rest = self.idleLimit - (NIODeadline.now() - self.lastProgress)
      guard rest <= .zero else { return self.lookForProgress(in: rest, loop) }
      self.progress()
      self.pass("the client did not complete the handshake in time") { self.wasIdle() }
      if self.phase != .ended { self.lookForProgress(in: self.idleLimit, loop) }
    }
  }

  /// Ends a connection that was not served.
  /// - Parameter reason: why the handshake failed; nil if it did not.
  private func leave(_ reason: Message?) {
    phase = .ended
    timer?.cancel()
    transport.breakOff()
    if let reason { registry.handshakeFailed(self, reason) } else { registry.left(self) }
  }

  func end(_ end: ServedReport.End) { close(end) { transport.breakOff() } }

  /// Closes the connection with the alert of TLS.
  func complete(byClient: Bool) { close(.completed(byClient: byClient)) { context?.close(promise: nil) } }

  func close(_ end: ServedReport.End, how: () -> Void) {
    guard phase == .serving else { return }
    phase = .ended
    timer?.cancel()
    how()
    report.end = end
    willEnd()
    registry.ended(self, .ended(client: client, report))
  }
}

extension SocketAddress {
  /// In network byte order: 4 bytes, or 16; nil if it is not of the Internet.
  var addressBytes: [UInt8]? {
    switch self {
    case .v4(let end): withUnsafeBytes(of: end.address.sin_addr) { Array($0) }
    case .v6(let end): withUnsafeBytes(of: end.address.sin6_addr) { Array($0) }
    case .unixDomainSocket: nil
    }
  }

  /// `192.0.2.1:2196`, or `[2001:db8::1]:2196`.
  var endpointText: String? {
    guard let address = ipAddress, let port else { return nil }
    return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
  }
}
