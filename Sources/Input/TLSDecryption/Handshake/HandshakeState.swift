/// One handshake: what both directions said of it so far. A renegotiation is another one.
struct HandshakeState {
  /// The most bytes that are kept for the hash of the extended master secret.
  static let maxTranscript = 1 << 18

  private(set) var clientHello: ClientHello?
  private(set) var serverHello: ServerHello?
  /// The version is known of a retry, too.
  private(set) var version: TLSVersion?
  private(set) var clientKeyExchange: [UInt8]?
  private(set) var newTicket: [UInt8]?
  /// Up to TLS 1.2, once found.
  var master: MasterSecret?
  // The messages up to ClientKeyExchange, for RSA and PSK with the extended master secret.
  private var clientOpening: [UInt8] = []
  private var serverFlight: [UInt8] = []
  private var clientFlight: [UInt8] = []
  private var isServerFlightDone = false
  /// Messages were lost that the hash needs.
  private(set) var isIncomplete = false

  /// - Parameters:
  ///   - isClient: who sends it.
  ///   - keepsTranscript: a private or shared key is there, which may need it.
  mutating func add(_ message: HandshakeMessage, isClient: Bool, keepsTranscript: Bool) {
    if keepsTranscript { addToTranscript(message, isClient: isClient) }
    switch message.kind {
    case .clientHello: clientHello = ClientHello(message.body) ?? clientHello
    case .serverHello: add(ServerHello(message.body))
    case .clientKeyExchange: clientKeyExchange = Array(message.body)
    case .newSessionTicket where version != .tls13:
      var cursor = ByteCursor(message.body.dropFirst(4))
      newTicket = cursor.vector(2).map(Array.init)
    default: break
    }
  }

  mutating func add(ssl2 message: ArraySlice<UInt8>, keepsTranscript: Bool) {
    clientHello = ClientHello(ssl2: message)
    if keepsTranscript { clientOpening = Array(message) }
  }

  mutating func lose() { if clientKeyExchange == nil || !isServerFlightDone { isIncomplete = true } }

  /// Whether the hash of the extended master secret still needs messages of the server: segments of the two directions
  /// may be captured in the wrong order.
  var awaitsServerFlight: Bool {
    serverHello?.hasExtendedMasterSecret == true && !isServerFlightDone && !isIncomplete
  }

  private mutating func add(_ hello: ServerHello?) {
    guard let hello else { return }
    version = hello.version
    if !hello.isRetry { serverHello = hello }
  }

  private mutating func addToTranscript(_ message: HandshakeMessage, isClient: Bool) {
    let isOver = isClient ? clientKeyExchange != nil : isServerFlightDone
    guard !isOver, message.kind != .helloRequest,
      clientOpening.count + serverFlight.count + clientFlight.count + message.bytes.count < Self.maxTranscript
    else { return }
    if !isClient {
      serverFlight += message.bytes
      isServerFlightDone = message.kind == .serverHelloDone
    } else if message.kind == .clientHello {
      clientOpening = Array(message.bytes)
    } else {
      clientFlight += message.bytes
    }
  }

  /// The hash of the messages up to ClientKeyExchange (RFC 7627); nil where not all of them are there.
  func sessionHash(_ version: TLSVersion, _ suite: CipherSuite) -> [UInt8]? {
    guard !isIncomplete, isServerFlightDone, clientKeyExchange != nil else { return nil }
    let messages = [clientOpening, serverFlight, clientFlight]
    if version >= .tls12 { return suite.prf.digest(messages) }
    let md5 = DigestAlgorithm.md5.digest(messages)
    return md5.flatMap { md5 in DigestAlgorithm.sha1.digest(messages).map { md5 + $0 } }
  }
}

/// The master secret of a handshake, and whose it is.
struct MasterSecret: Sendable {
  var secret: SecretBytes
  /// The secret names it, where the hello was not captured.
  var client: HelloRandom
  var origin: SecretOrigin
}
