import Basics
import NIOCore

/// The connected clients, their connections, and the end of the server. Used on the server's thread only.
final class ClientRegistry {
  let configuration: MockServer.Configuration
  let socketQueues = SocketQueues()
  var channels = ChannelStore()
  /// Sessions of all servers on the same thread.
  let allSessions: SessionCount
  private let onEvent: @Sendable (ServerEvent) -> Void
  /// Nil before and after listening.
  private var listener: (any Channel)?
  private var sessions: [ObjectIdentifier: ServedSession] = [:]
  private var servedNow = 0
  private var nextClient = 0
  private var isEnding = false
  private var isFinished = false

  init(
    _ configuration: MockServer.Configuration, _ allSessions: SessionCount,
    onEvent: @escaping @Sendable (ServerEvent) -> Void
  ) {
    (self.configuration, self.allSessions, self.onEvent) = (configuration, allSessions, onEvent)
  }

  /// The first clients may connect before it is called.
  func listen(_ listener: any Channel) {
    self.listener = listener
    if isEnding { endListening() }
  }

  /// Whether another client can be accepted; if so, `left` must be called when it leaves.
  func admit(_ session: ServedSession) -> Bool {
    let isFull = sessions.count >= configuration.maxConcurrentClients
    if isEnding || isFull {
      emit(.rejected(peer: session.peer, tooMany: isFull))
      return false
    }
    sessions[ObjectIdentifier(session)] = session
    allSessions.change(by: 1)
    return true
  }

  /// Numbers an admitted client, from 0; nil if the server is ending.
  /// - Parameter connection: returns the name of the connection that the client gets.
  func open(_ session: ServedSession, connection: (Int) -> String) -> Int? {
    guard !isEnding else {
      emit(.rejected(peer: session.peer, tooMany: false))
      return nil
    }
    let client = nextClient
    nextClient += 1
    servedNow += 1
    emit(.opened(client: client, peer: session.peer, connection: connection(client)))
    if nextClient == configuration.clientLimit { endListening() }
    return client
  }

  func handshakeFailed(_ session: ServedSession, _ reason: Message) {
    emit(.handshakeFailed(peer: session.peer, reason: reason))
    left(session)
  }

  func ended(_ session: ServedSession, _ event: ServerEvent) {
    emit(event)
    servedNow -= 1
    left(session)
  }

  /// A client that was not served, or whose end was reported, has left.
  func left(_ session: ServedSession) {
    if sessions.removeValue(forKey: ObjectIdentifier(session)) != nil { allSessions.change(by: -1) }
    // Clients still in the handshake would not be served any more.
    if isEnding, servedNow == 0 { breakOff() }
  }

  func stop() {
    endListening()
    breakOff()
  }

  private func endListening() {
    isEnding = true
    listener?.close(promise: nil)
    listener = nil
  }

  /// Nothing is reported after `finished`: pending clients may still connect.
  func emit(_ event: ServerEvent) { if !isFinished { onEvent(event) } }

  /// Ends all sessions. Without any, the server has finished.
  private func breakOff() {
    for session in Array(sessions.values) { session.stop() }
    guard sessions.isEmpty else { return }
    emit(.finished)
    isFinished = true
  }
}
