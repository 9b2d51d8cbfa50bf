import NIOCore

/// Which clients are connected, what each gets, and when the server is done. Used on the server's thread
/// alone.
final class ClientRegistry {
  let configuration: MockServer.Configuration
  /// Of all servers on this one's thread.
  private let allSessions: SessionCount
  private let script: MockServer.Script
  private let hear: @Sendable (ServerEvent) -> Void
  /// Nil before it listens, and once it does so no more.
  private var listener: (any Channel)?
  /// All that are connected.
  private var sessions: [ObjectIdentifier: Session] = [:]
  /// How many of them get something.
  private var servedNow = 0
  /// The number of the client that gets something next.
  private var nextClient = 0
  private var isEnding = false
  private var isFinished = false

  init(
    _ configuration: MockServer.Configuration, _ allSessions: SessionCount,
    script: @escaping MockServer.Script,
    tell: @escaping @Sendable (ServerEvent) -> Void
  ) {
    self.configuration = configuration
    self.allSessions = allSessions
    self.script = script
    hear = tell
  }

  /// How many clients are connected, to others on the same thread as well.
  var sessionCount: Int { allSessions.value }

  /// The first clients may be there before it is called.
  func listen(_ listener: any Channel) {
    self.listener = listener
    if isEnding { endListening() }
  }

  // MARK: - Clients come and go

  /// Whether one more client can be taken; it is told to `left` then.
  func admit(_ session: Session) -> Bool {
    guard !isEnding, sessions.count < configuration.maxConcurrentClients else {
      tell(.turnedAway(peer: session.peer))
      return false
    }
    sessions[ObjectIdentifier(session)] = session
    allSessions.change(by: 1)
    return true
  }

  /// What a client that was admitted gets; nil where nothing is left for it.
  func open(_ session: Session) -> (client: Int, connection: ServedConnection)? {
    guard !isEnding else {
      tell(.turnedAway(peer: session.peer))
      return nil
    }
    let client = nextClient
    nextClient += 1
    servedNow += 1
    let connection = script(client)
    tell(.opened(client: client, peer: session.peer, connection: connection.name))
    if nextClient == configuration.clientLimit { endListening() }
    return (client, connection)
  }

  func handshakeFailed(_ session: Session, _ reason: String) {
    tell(.handshakeFailed(peer: session.peer, reason: reason))
    left(session)
  }

  func ended(_ session: Session, client: Int, _ report: ServedReport) {
    tell(.ended(client: client, report))
    servedNow -= 1
    left(session)
  }

  /// A client that got nothing, or had been told of before, is gone.
  func left(_ session: Session) {
    if sessions.removeValue(forKey: ObjectIdentifier(session)) != nil { allSessions.change(by: -1) }
    guard isEnding, servedNow == 0 else { return }
    // Those that are still shaking hands would get nothing any more.
    breakOff()
    if sessions.isEmpty { finish() }
  }

  // MARK: - The end

  /// Breaks off all that is.
  func stop() {
    endListening()
    breakOff()
    if sessions.isEmpty { finish() }
  }

  private func endListening() {
    isEnding = true
    listener?.close(promise: nil)
    listener = nil
  }

  /// Nothing comes behind the last event: clients that are on their way may still come.
  private func tell(_ event: ServerEvent) {
    if !isFinished { hear(event) }
  }

  private func finish() {
    tell(.finished)
    isFinished = true
  }

  private func breakOff() {
    let sessions = sessions.values
    for session in sessions { session.stop() }
  }
}
