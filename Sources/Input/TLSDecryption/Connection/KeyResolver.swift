import Basics

/// Finds the master secret of a handshake up to TLS 1.2.
struct KeyResolver {
  enum ResolvedKeys {
    case found(RecordOpener, SecretOrigin)
    /// The other direction may bring the missing messages.
    case wait
    case unavailable(Message)
  }

  private let state: ConnectionState
  private let store: SecretStore
  private let number: Int
  private let handshake: HandshakeState
  private let server: ServerHello
  private let isClient: Bool
  /// Nothing more will come in time.
  private let isFinal: Bool

  /// For the handshake of the number; nil as long as it has no hello of the server.
  init?(_ state: ConnectionState, _ number: Int, isClient: Bool, isFinal: Bool) {
    handshake = state[number]
    guard let hello = handshake.serverHello else { return nil }
    (self.state, self.number, self.isClient, self.isFinal) = (state, number, isClient, isFinal)
    (server, store) = (hello, state.context.store)
  }

  /// - Parameter proves: whether an opener proves the record at hand. It decides where a secret does not name the
  ///   connection.
  func resolve(_ proves: (RecordOpener) -> Bool) -> ResolvedKeys {
    if let reason = Self.unsupported(server) { return .unavailable(reason) }
    if handshake.clientHello == nil, !isFinal { return .wait }
    if let master = handshake.master ?? named() { return found(master) }
    let needsExchange = !store.privateKeys.isEmpty || !store.sharedKeys.isEmpty
    let isComplete = handshake.clientKeyExchange != nil && !handshake.awaitsServerFlight
    if needsExchange, !isComplete, !isFinal, !isResumed { return .wait }
    // The ticket names the session, and follows the client's first encrypted record.
    if store.hasSessions, awaitsTicket, !isFinal { return .wait }
    if let master = exchanged() ?? tried(proves) { return found(master) }
    return .unavailable(reason)
  }

  static func unsupported(_ server: ServerHello) -> Message? {
    if !server.version.isSupported {
      return "\(server.version) is not supported: decrypt the stream with another program"
    }
    if server.suite.cipher == nil { return .unsupportedSuite(server.suite.name) }
    if case .aead = server.suite.cipher, server.version < .tls12 {
      return .unsupportedSuite(server.suite.name)
    }
    guard server.compression != 0 else { return nil }
    return "records are compressed (method \(server.compression)), which is not supported: "
      + "decrypt the stream with another program"
  }

  private func found(_ master: MasterSecret) -> ResolvedKeys {
    guard let opener = opener(master) else { return .unavailable(.unsupportedSuite(server.suite.name)) }
    if state[number].master == nil { state.resolve(master, of: number) }
    return .found(opener, master.origin)
  }

  private func opener(_ master: MasterSecret) -> RecordOpener? {
    KeyDerivation.keys(master: master.secret.bytes, client: master.client, server: server).flatMap {
      RecordOpener(
        version: server.version, suite: server.suite, encryptThenMAC: server.hasEncryptThenMAC,
        keys: isClient ? $0.client : $0.server)
    }
  }

  private var awaitsTicket: Bool { server.issuesTicket && handshake.newTicket == nil }

  private var isResumed: Bool {
    !server.session.isEmpty && handshake.clientHello?.session == server.session
  }

  // MARK: - By name

  /// By client random, session id, ticket, or the encrypted premaster secret.
  private func named() -> MasterSecret? {
    guard let client = handshake.clientHello else { return nil }
    func master(_ row: Int?) -> MasterSecret? {
      row.flatMap { store.entry($0) }
        .map { MasterSecret(secret: $0.secret, client: client.random, origin: $0.origin) }
    }
    if let found = master(store.row(.master, of: client.random)) { return found }
    let premaster =
      store.row(.premaster, of: client.random)
      ?? handshake.clientKeyExchange.flatMap { store.row(encryptedPremaster: encrypted($0)) }
    if let entry = premaster.flatMap({ store.entry($0) }) {
      return self.master(entry.secret.bytes, entry.origin)
    }
    // With a ticket, clients of OpenSSL call the session by its hash.
    let ticketName = handshake.newTicket.flatMap { DigestAlgorithm.sha256.digest([$0]) }
    let session = store.row(session: server.session) ?? ticketName.flatMap { store.row(session: $0) }
    if let found = master(session) { return found }
    guard isResumed || handshake.clientKeyExchange == nil else { return nil }
    var resumed = state.context.session(server.session)
    if resumed == nil, let ticket = client.ticket, !ticket.isEmpty { resumed = state.context.session(ticket) }
    resumed?.client = client.random
    return resumed
  }

  private func master(_ premaster: [UInt8], _ origin: SecretOrigin) -> MasterSecret? {
    guard let client = handshake.clientHello,
      let master = KeyDerivation.master(
        premaster: premaster, client: client.random, server: server,
        sessionHash: server.hasExtendedMasterSecret
          ? handshake.sessionHash(server.version, server.suite) : nil)
    else { return nil }
    return MasterSecret(secret: SecretBytes(master), client: client.random, origin: origin)
  }

  /// What the client encrypted with RSA: SSL 3.0 has no length before it.
  private func encrypted(_ exchange: [UInt8]) -> [UInt8] {
    var cursor = ByteCursor(exchange)
    if server.suite.keyExchange == .rsaPSK { _ = cursor.vector(2) }
    if server.version == .ssl3 { return Array(cursor.rest) }
    return cursor.vector(2).map(Array.init) ?? []
  }

  // MARK: - By the key exchange

  private func exchanged() -> MasterSecret? {
    guard let exchange = handshake.clientKeyExchange, let client = handshake.clientHello else { return nil }
    switch server.suite.keyExchange {
    case .rsa:
      return decrypted(exchange, client).flatMap { master($0.premaster, $0.origin) }
    case .psk:
      return shared(exchange).flatMap {
        master(KeyDerivation.premaster(sharedKey: $0.key.bytes, other: nil), $0.origin)
      }
    case .rsaPSK:
      guard let other = decrypted(exchange, client), let key = shared(exchange) else { return nil }
      // Both keys are of this connection, though it names one.
      state.context.use(other.origin)
      return master(KeyDerivation.premaster(sharedKey: key.key.bytes, other: other.premaster), key.origin)
    case .other: return nil
    }
  }

  private func decrypted(
    _ exchange: [UInt8], _ client: ClientHello
  ) -> (premaster: [UInt8], origin: SecretOrigin)? {
    let encrypted = encrypted(exchange)
    for key in store.privateKeys {
      if let premaster = key.premaster(encrypted, offered: client.version) {
        return (premaster, SecretOrigin(file: key.file, line: 0))
      }
    }
    return nil
  }

  private func shared(_ exchange: [UInt8]) -> SecretStore.SharedKey? {
    var cursor = ByteCursor(exchange)
    let identity = cursor.vector(2).map(Array.init)
    let keys = store.sharedKeys
    return keys.first { $0.identity != nil && $0.identity == identity } ?? keys.first { $0.identity == nil }
  }

  // MARK: - By trial

  private func tried(_ proves: (RecordOpener) -> Bool) -> MasterSecret? {
    func proved(_ row: Int, _ client: HelloRandom) -> MasterSecret? {
      guard let entry = store.entry(row) else { return nil }
      let master = MasterSecret(secret: entry.secret, client: client, origin: entry.origin)
      return opener(master).map(proves) == true ? master : nil
    }
    if let client = handshake.clientHello?.random {
      for row in store.unnamed(sessions: handshake.isIncomplete || awaitsTicket) {
        state.context.namelessTrials += 1
        guard !state.context.hasEndedTrials else { return nil }
        if let master = proved(Int(row), client) { return master }
      }
      return nil
    }
    for row in store.rows(.master) {
      guard let client = store.client(of: row) else { continue }
      if let master = proved(row, client) { return master }
    }
    return nil
  }

  private var reason: Message {
    let isForPrivateKey = server.suite.keyExchange == .rsa && !store.privateKeys.isEmpty
    if isForPrivateKey, server.hasExtendedMasterSecret, handshake.isIncomplete {
      return "messages of the handshake that the keys depend on were not captured: a key log "
        + "needs fewer of them than an RSA key"
    }
    let noKey = Message.noKey(for: handshake.clientHello?.random)
    guard state.context.hasEndedTrials else { return noKey }
    return
      "\(noKey) (secrets that name no connection were tried \(DecryptionOptions().namelessTrialLimit) "
      + "times, and not on this one: leave other secrets out)"
  }
}
