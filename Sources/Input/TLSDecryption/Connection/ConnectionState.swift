import Basics
import PacketCapture

/// Why a direction, or what follows in it, cannot be decrypted.
package struct DecryptionStop {
  package var side: Side
  package var message: Message
  /// Offset in the direction of the first record concerned, and the extent of its first byte.
  package var offset: Int
  var origin: SourceExtent?
}

struct TLSAlert {
  var isFromClient: Bool
  var level: UInt8
  var code: UInt8
}

/// What both directions of a connection share.
final class ConnectionState {
  let context: DecryptionContext
  let slot: Int32
  let client: Side
  /// Facts of the connection, for its stream's record.
  private(set) var encryption = StreamEncryption()
  /// The first of the secrets that proved records, by file and line; nil as long as none did.
  private(set) var secret: SecretOrigin?
  /// At most one of each direction.
  var stops: [DecryptionStop] = []
  /// The last one.
  var alert: TLSAlert?
  /// By number: the first one is 0, renegotiations follow.
  private var handshakes: [Int: HandshakeState] = [:]
  /// TLS 1.3: the secrets, once one of them proved a record.
  var traffic: TrafficSecrets?
  /// Counts changes: a direction that waits tries again after one.
  private(set) var revision = 0
  private let keepsTranscript: Bool
  private var lastProof: SecretOrigin?

  init(_ context: DecryptionContext, slot: Int32, client: Side) {
    (self.context, self.slot, self.client) = (context, slot, client)
    keepsTranscript = !context.store.privateKeys.isEmpty || !context.store.sharedKeys.isEmpty
  }

  subscript(number: Int) -> HandshakeState { handshakes[number] ?? HandshakeState() }

  func add(_ message: HandshakeMessage, isClient: Bool, to number: Int) {
    revision += 1
    handshakes[number, default: HandshakeState()]
      .add(message, isClient: isClient, keepsTranscript: keepsTranscript)
    // Of the older ones, the other direction may still need the last.
    handshakes.removeValue(forKey: number - 3)
    let state = self[number]
    describe(message, isClient: isClient, state)
    if let ticket = state.newTicket, let master = state.master { context.learn(master, session: ticket) }
  }

  func add(ssl2 hello: ArraySlice<UInt8>) {
    revision += 1
    handshakes[0, default: HandshakeState()].add(ssl2: hello, keepsTranscript: keepsTranscript)
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
    secret = min(secret ?? origin, origin)
    context.use(origin)
  }

  private func describe(_ message: HandshakeMessage, isClient: Bool, _ state: HandshakeState) {
    switch message.kind {
    case .clientHello:
      encryption.serverName = state.clientHello?.serverName?.cutForReports ?? encryption.serverName
    case .serverHello:
      guard let hello = state.serverHello else { return }
      encryption.version = hello.version.description
      encryption.cipher = hello.suite.name
      encryption.applicationProtocol = hello.protocolName?.cutForReports ?? encryption.applicationProtocol
    case .certificate:
      let version = state.version ?? traffic.map { _ in .tls13 }
      guard let subject = CertificateSubject.first(message.body, version) else { return }
      if isClient {
        encryption.clientSubject = subject.text.cutForReports
        encryption.clientUserID = subject.userID?.cutForReports
      } else {
        encryption.serverSubject = subject.text.cutForReports
      }
    case .encryptedExtensions:
      var cursor = ByteCursor(message.body)
      for (type, content) in Extensions(&cursor) where type == Extensions.protocolNames {
        encryption.applicationProtocol = Extensions.protocolName(content)?.cutForReports
      }
    default: break
    }
  }
}
