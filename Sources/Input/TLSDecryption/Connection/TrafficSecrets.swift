/// The secrets of a TLS 1.3 connection that name one client random.
struct TrafficSecrets {
  /// Which secret protects a record of a direction: each follows the one before it.
  enum KeyPhase: Equatable {
    case early, handshake
    /// After this many key updates.
    case application(Int)

    var lastMessage: HandshakeMessage.Kind {
      switch self {
      case .early: .endOfEarlyData
      case .handshake: .finished
      case .application: .keyUpdate
      }
    }
  }

  private var secrets: [SecretStore.Label: SecretStore.StoredSecret] = [:]

  init(of client: HelloRandom, in store: SecretStore) {
    for row in store.rows(of: client) {
      guard let entry = store.entry(row), secrets[entry.label] == nil else { continue }
      secrets[entry.label] = entry
    }
  }

  /// The keys of a direction for each of the phases whose secret is there.
  func keys(_ phases: [KeyPhase], isClient: Bool, _ suite: CipherSuite) -> [TrafficKeys] {
    phases.compactMap { phase in
      Self.label(phase, isClient: isClient).flatMap { secrets[$0] }
        .flatMap { TrafficKeys(phase, $0.secret, $0.origin, suite) }
    }
  }

  static func label(_ phase: KeyPhase, isClient: Bool) -> SecretStore.Label? {
    switch phase {
    case .early: isClient ? .clientEarly : nil
    case .handshake: isClient ? .clientHandshake : .serverHandshake
    case .application: isClient ? .clientApplication : .serverApplication
    }
  }
}

/// An opener of TLS 1.3, and the position of its secret in the order of secrets.
struct TrafficKeys {
  var phase: TrafficSecrets.KeyPhase
  var secret: SecretBytes
  var origin: SecretOrigin
  var opener: RecordOpener

  init?(_ phase: TrafficSecrets.KeyPhase, _ secret: SecretBytes, _ origin: SecretOrigin, _ suite: CipherSuite)
  {
    guard secret.bytes.count == suite.prf.length, let keys = KeyDerivation.keys(traffic: secret.bytes, suite),
      let opener = RecordOpener(version: .tls13, suite: suite, encryptThenMAC: false, keys: keys)
    else { return nil }
    (self.phase, self.secret, self.origin, self.opener) = (phase, secret, origin, opener)
  }

  /// What may follow, the nearest first.
  func successors(_ secrets: TrafficSecrets?, isClient: Bool) -> [TrafficKeys] {
    switch phase {
    case .application: updated().map { [$0] } ?? []
    case .early: secrets?.keys([.handshake, .application(0)], isClient: isClient, opener.suite) ?? []
    case .handshake: secrets?.keys([.application(0)], isClient: isClient, opener.suite) ?? []
    }
  }

  func updated() -> TrafficKeys? {
    guard case .application(let updates) = phase else { return nil }
    let (prf, suite) = (opener.suite.prf, opener.suite)
    return PseudoRandom.expandLabel(prf, secret: secret.bytes, label: "traffic upd", length: prf.length)
      .flatMap { TrafficKeys(.application(updates + 1), SecretBytes($0), origin, suite) }
  }
}
