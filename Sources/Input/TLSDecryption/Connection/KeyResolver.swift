/// Finds the master secret of a handshake up to TLS 1.2.
struct KeyResolver {
  enum Result {
    case found(RecordOpener, SecretOrigin)
    /// The other direction may bring the missing messages.
    case wait
    case unavailable(DecryptionFailure.Reason)
  }

  let state: ConnectionState
  let number: Int
  let sender: Sender
  /// Nothing more will come in time.
  let isFinal: Bool

  /// - Parameter proves: whether an opener proves the record at hand. It decides where a secret does not name the
  ///   connection.
  func resolve(_ proves: (RecordOpener) -> Bool) -> Result {
    let handshake = state[number]
    guard let server = handshake.serverHello else {
      return isFinal ? .unavailable(.handshakeNotCaptured(.server)) : .wait
    }
    if let reason = Self.unsupported(server) { return .unavailable(reason) }
    if handshake.clientHello == nil, !isFinal { return .wait }
    if let master = handshake.master ?? named(handshake, server) { return found(master, server) }
    let needsExchange = !state.context.store.privateKeys.isEmpty || !state.context.store.sharedKeys.isEmpty
    let isComplete = handshake.clientKeyExchange != nil && !handshake.awaitsServerFlight
    if needsExchange, !isComplete, !isFinal, !isResumed(handshake, server) { return .wait }
    // The ticket names the session, and follows the client's first encrypted record.
    if state.context.store.hasSessions, awaitsTicket(handshake), !isFinal { return .wait }
    if let master = exchanged(handshake, server) { return found(master, server) }
    if let master = tried(handshake, server, proves) { return found(master, server) }
    return .unavailable(reason(handshake, server))
  }

  static func unsupported(_ server: ServerHello) -> DecryptionFailure.Reason? {
    if !server.version.isSupported { return .unsupportedVersion(server.version) }
    if server.suite.cipher == nil { return .unsupportedSuite(server.suite.name) }
    if case .aead = server.suite.cipher, server.version < .tls12 {
      return .unsupportedSuite(server.suite.name)
    }
    if server.compression != 0 { return .compressed(server.compression) }
    return nil
  }

  private func found(_ master: MasterSecret, _ server: ServerHello) -> Result {
    guard let opener = opener(master, server) else {
      return .unavailable(.unsupportedSuite(server.suite.name))
    }
    if state[number].master == nil { state.resolve(master, of: number) }
    return .found(opener, master.origin)
  }

  private func opener(_ master: MasterSecret, _ server: ServerHello) -> RecordOpener? {
    KeyDerivation.keys(master: master.secret.bytes, client: master.client, server: server).flatMap {
      RecordOpener(
        version: server.version, suite: server.suite, encryptThenMAC: server.hasEncryptThenMAC,
        keys: sender == .client ? $0.client : $0.server)
    }
  }

  private func awaitsTicket(_ handshake: HandshakeState) -> Bool {
    handshake.serverHello?.issuesTicket == true && handshake.newTicket == nil
  }

  private func isResumed(_ handshake: HandshakeState, _ server: ServerHello) -> Bool {
    guard let client = handshake.clientHello else { return false }
    return !server.session.isEmpty && client.session == server.session
  }

  // MARK: - By name

  /// By client random, session id, ticket, or the encrypted premaster secret.
  private func named(_ handshake: HandshakeState, _ server: ServerHello) -> MasterSecret? {
    let store = state.context.store
    guard let client = handshake.clientHello else { return nil }
    if let row = store.row(.master, of: client.random), let entry = store.entry(row) {
      return MasterSecret(secret: entry.secret, client: client.random, origin: entry.origin)
    }
    let premaster =
      store.row(.premaster, of: client.random)
      ?? handshake.clientKeyExchange.flatMap { store.row(encryptedPremaster: Self.encrypted($0, server)) }
    if let entry = premaster.flatMap({ store.entry($0) }) {
      return master(entry.secret.bytes, handshake, server, entry.origin)
    }
    // With a ticket, clients of OpenSSL call the session by its hash.
    let ticketName = handshake.newTicket.flatMap { DigestAlgorithm.sha256.digest([$0]) }
    if let row = store.row(session: server.session) ?? ticketName.flatMap({ store.row(session: $0) }),
      let entry = store.entry(row)
    {
      return MasterSecret(secret: entry.secret, client: client.random, origin: entry.origin)
    }
    guard isResumed(handshake, server) || handshake.clientKeyExchange == nil else { return nil }
    var resumed = state.context.session(server.session)
    if resumed == nil, let ticket = client.ticket, !ticket.isEmpty { resumed = state.context.session(ticket) }
    resumed?.client = client.random
    return resumed
  }

  private func master(
    _ premaster: [UInt8], _ handshake: HandshakeState, _ server: ServerHello, _ origin: SecretOrigin
  ) -> MasterSecret? {
    guard let client = handshake.clientHello,
      let master = KeyDerivation.master(
        premaster: premaster, client: client.random, server: server,
        sessionHash: server.hasExtendedMasterSecret
          ? handshake.sessionHash(server.version, server.suite) : nil)
    else { return nil }
    return MasterSecret(secret: SecretBytes(master), client: client.random, origin: origin)
  }

  /// What the client encrypted with RSA: SSL 3.0 has no length before it.
  private static func encrypted(_ exchange: [UInt8], _ server: ServerHello) -> [UInt8] {
    var cursor = ByteCursor(exchange)
    if server.suite.keyExchange == .rsaPSK { _ = cursor.vector(2) }
    if server.version == .ssl3 { return Array(cursor.rest) }
    return cursor.vector(2).map(Array.init) ?? []
  }

  // MARK: - By the key exchange

  private func exchanged(_ handshake: HandshakeState, _ server: ServerHello) -> MasterSecret? {
    guard let exchange = handshake.clientKeyExchange, let client = handshake.clientHello else { return nil }
    switch server.suite.keyExchange {
    case .rsa:
      return decrypted(exchange, client, server).flatMap { master($0.0, handshake, server, $0.1) }
    case .psk:
      return shared(exchange).flatMap {
        master(KeyDerivation.premaster(sharedKey: $0.key.bytes, other: nil), handshake, server, $0.origin)
      }
    case .rsaPSK:
      guard let other = decrypted(exchange, client, server), let key = shared(exchange) else { return nil }
      return master(
        KeyDerivation.premaster(sharedKey: key.key.bytes, other: other.0), handshake, server, key.origin)
    case .other: return nil
    }
  }

  private func decrypted(
    _ exchange: [UInt8], _ client: ClientHello, _ server: ServerHello
  ) -> ([UInt8], SecretOrigin)? {
    let encrypted = Self.encrypted(exchange, server)[...]
    for key in state.context.store.privateKeys {
      if let premaster = key.premaster(encrypted, offered: client.version) {
        return (premaster, SecretOrigin(file: key.file, line: 0))
      }
    }
    return nil
  }

  private func shared(_ exchange: [UInt8]) -> SecretStore.SharedKey? {
    var cursor = ByteCursor(exchange)
    let identity = cursor.vector(2).map(Array.init)
    let keys = state.context.store.sharedKeys
    return keys.first { $0.identity != nil && $0.identity == identity } ?? keys.first { $0.identity == nil }
  }

  // MARK: - By trial

  private func tried(
    _ handshake: HandshakeState, _ server: ServerHello, _ proves: (RecordOpener) -> Bool
  ) -> MasterSecret? {
    let store = state.context.store
    func proved(_ row: Int, _ client: HelloRandom) -> MasterSecret? {
      guard let entry = store.entry(row) else { return nil }
      let master = MasterSecret(secret: entry.secret, client: client, origin: entry.origin)
      return opener(master, server).map(proves) == true ? master : nil
    }
    if let client = handshake.clientHello?.random {
      for row in store.unnamed(sessions: handshake.isIncomplete || awaitsTicket(handshake)) {
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

  private func reason(_ handshake: HandshakeState, _ server: ServerHello) -> DecryptionFailure.Reason {
    let isForPrivateKey = server.suite.keyExchange == .rsa && !state.context.store.privateKeys.isEmpty
    if isForPrivateKey, server.hasExtendedMasterSecret, handshake.isIncomplete { return .handshakeIncomplete }
    let random = handshake.clientHello?.random
    return state.context.hasEndedTrials ? .trialLimit(random) : .noKey(random)
  }
}
