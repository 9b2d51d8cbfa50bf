/// Facts of a connection, for its stream's record.
package struct TLSSession: Sendable, Equatable {
  package var version: TLSVersion?
  package var suite: String?
  package var serverName: String?
  package var protocolName: String?
  package var serverSubject: CertificateSubject?
  package var clientSubject: CertificateSubject?
  package var clientRandom: HelloRandom?
  /// The first of the secrets that proved records, by file and line; nil as long as none did.
  package var secret: SecretOrigin?

  package init() {}
}

/// What both directions of a connection share.
final class ConnectionState {
  let context: DecryptionContext
  private(set) var session = TLSSession()
  /// By number: the first one is 0, renegotiations follow.
  private var handshakes: [Int: HandshakeState] = [:]
  /// TLS 1.3: the secrets, once one of them proved a record.
  var traffic: TrafficSecrets?
  /// Counts changes: a direction that waits tries again after one.
  private(set) var revision = 0
  private let keepsTranscript: Bool
  /// The secret that proved the last record.
  private var lastProof: SecretOrigin?

  init(_ context: DecryptionContext) {
    self.context = context
    keepsTranscript = !context.store.privateKeys.isEmpty || !context.store.sharedKeys.isEmpty
  }

  subscript(number: Int) -> HandshakeState { handshakes[number] ?? HandshakeState() }

  func add(_ message: HandshakeMessage, from sender: Sender, to number: Int) {
    revision += 1
    handshakes[number, default: HandshakeState()].add(message, from: sender, keepsTranscript: keepsTranscript)
    // Of the older ones, the other direction may still need the last.
    handshakes.removeValue(forKey: number - 3)
    let state = self[number]
    describe(message, from: sender, state)
    if let ticket = state.newTicket, let master = state.master { context.learn(master, session: ticket) }
  }

  func add(ssl2 hello: ArraySlice<UInt8>) {
    revision += 1
    handshakes[0, default: HandshakeState()].add(ssl2: hello, keepsTranscript: keepsTranscript)
    session.clientRandom = self[0].clientHello?.random
  }

  func lose(_ number: Int) { handshakes[number, default: HandshakeState()].lose() }

  func resolve(_ master: MasterSecret, of number: Int) {
    revision += 1
    handshakes[number, default: HandshakeState()].master = master
    let state = self[number]
    if let id = state.serverHello?.session { context.learn(master, session: id) }
    if let ticket = state.newTicket { context.learn(master, session: ticket) }
  }

  /// A record was proved with the secret. Which record comes first depends on the order of the directions.
  func prove(_ origin: SecretOrigin) {
    guard origin != lastProof else { return }
    lastProof = origin
    session.secret = min(session.secret ?? origin, origin)
    context.use(origin)
  }

  private func describe(_ message: HandshakeMessage, from sender: Sender, _ state: HandshakeState) {
    switch message.kind {
    case .clientHello:
      session.clientRandom = state.clientHello?.random
      session.serverName = state.clientHello?.serverName ?? session.serverName
    case .serverHello:
      guard let hello = state.serverHello else { return }
      session.version = hello.version
      session.suite = hello.suite.name
      session.protocolName = hello.protocolName ?? session.protocolName
    case .certificate:
      let subject = CertificateSubject.first(message.body, state.version ?? traffic.map { _ in .tls13 })
      if sender == .server {
        session.serverSubject = subject ?? session.serverSubject
      } else {
        session.clientSubject = subject ?? session.clientSubject
      }
    case .encryptedExtensions:
      var cursor = ByteCursor(message.body)
      for (type, content) in Extensions(&cursor) where type == Extensions.protocolNames {
        session.protocolName = Extensions.protocolName(content)
      }
    default: break
    }
  }
}
