/// The secrets of a TLS 1.3 connection that name one client random.
struct TrafficSecrets {
  /// Which secret protects a record of a direction: each follows the one before it.
  enum Phase: Equatable {
    case early, handshake
    /// After this many key updates.
    case application(Int)
  }

  private var secrets: [SecretStore.Label: (secret: SecretBytes, origin: SecretOrigin)] = [:]

  init(of client: HelloRandom, in store: SecretStore) {
    for row in store.rows(of: client) {
      guard let entry = store.entry(row), secrets[entry.label] == nil else { continue }
      secrets[entry.label] = (entry.secret, entry.origin)
    }
  }

  func secret(_ phase: Phase, of sender: Sender) -> (secret: SecretBytes, origin: SecretOrigin)? {
    switch (phase, sender) {
    case (.early, .client): secrets[.clientEarly]
    case (.early, .server): nil
    case (.handshake, .client): secrets[.clientHandshake]
    case (.handshake, .server): secrets[.serverHandshake]
    case (.application, .client): secrets[.clientApplication]
    case (.application, .server): secrets[.serverApplication]
    }
  }

  static func application(_ sender: Sender) -> SecretStore.Label {
    sender == .client ? .clientApplication : .serverApplication
  }

  static func handshake(_ sender: Sender) -> SecretStore.Label {
    sender == .client ? .clientHandshake : .serverHandshake
  }
}

/// An opener of TLS 1.3, and the position of its secret in the order of secrets.
struct TrafficKeys {
  var phase: TrafficSecrets.Phase
  var secret: SecretBytes
  var origin: SecretOrigin
  var opener: RecordOpener

  init?(_ phase: TrafficSecrets.Phase, _ secret: SecretBytes, _ origin: SecretOrigin, _ suite: CipherSuite) {
    guard secret.bytes.count == suite.prf.length, let keys = KeyDerivation.keys(traffic: secret.bytes, suite),
      let opener = RecordOpener(version: .tls13, suite: suite, encryptThenMAC: false, keys: keys)
    else { return nil }
    (self.phase, self.secret, self.origin, self.opener) = (phase, secret, origin, opener)
  }

  /// What may follow, the nearest first.
  func successors(_ secrets: TrafficSecrets?, _ sender: Sender) -> [TrafficKeys] {
    let suite = opener.suite
    switch phase {
    case .application(let updates):
      guard let next = KeyDerivation.update(traffic: secret.bytes, suite) else { return [] }
      return [TrafficKeys(.application(updates + 1), SecretBytes(next), origin, suite)].compactMap { $0 }
    case .early: return Self.all([.handshake, .application(0)], secrets, sender, suite)
    case .handshake: return Self.all([.application(0)], secrets, sender, suite)
    }
  }

  /// The keys after `count` key updates.
  func updated(_ count: Int, _ sender: Sender) -> TrafficKeys? {
    var keys: TrafficKeys? = self
    for _ in 0..<count { keys = keys?.successors(nil, sender).first }
    return keys
  }

  static func all(
    _ phases: [TrafficSecrets.Phase], _ secrets: TrafficSecrets?, _ sender: Sender, _ suite: CipherSuite
  ) -> [TrafficKeys] {
    phases.compactMap { phase in
      secrets?.secret(phase, of: sender).flatMap { TrafficKeys(phase, $0.secret, $0.origin, suite) }
    }
  }
}
