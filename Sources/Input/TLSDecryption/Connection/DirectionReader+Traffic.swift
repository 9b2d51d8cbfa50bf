/// TLS 1.3: the type of a record is in its ciphertext, and each direction goes through three secrets and more.
extension DirectionReader {
  private static let maxFailedTrials = 4
  /// Key updates before the start of a capture. Each repeats the trials of all secrets.
  private static let maxMissedUpdates = 3

  mutating func readTraffic(_ record: Record, _ keys: TrafficKeys?) -> RecordResult {
    guard record.header.type == RecordHeader.ContentType.application else {
      if record.header.type == RecordHeader.ContentType.alert { noteAlert(record.fragment.bytes) }
      trail.pass(record.header, at: record.offset)
      return .done
    }
    guard let keys else { return resolveTraffic(record) }
    let isRead =
      read(record, with: keys, isFresh: trail.isKeyChangeLost)
      || keys.successors(state.traffic, isClient: isClient).contains { read(record, with: $0) }
    return isRead ? .done : .unverified
  }

  private mutating func resolveTraffic(_ record: Record) -> RecordResult {
    let (hello, server) = (state[number].clientHello, state[number].serverHello)
    if !isFinal, server == nil { return .wait }
    if let reason = server.flatMap(KeyResolver.unsupported) {
      fail(reason, at: record.offset)
      return .done
    }
    if !isFinal, hello == nil { return .wait }
    guard let client = hello?.random else { return tryAllSecrets(record, server) }
    let secrets = TrafficSecrets(of: client, in: state.context.store)
    var hasSecret = false
    for suite in suites(server) {
      for keys in secrets.keys([.early, .handshake, .application(0)], isClient: isClient, suite) {
        hasSecret = true
        if read(record, with: keys, of: secrets) { return .done }
      }
    }
    if hasSecret, trialBudget > 0 { return .unverified }
    fail(
      hasSecret
        ? wrongMAC(from: record.offset)
        : server == nil ? .handshakeNotCaptured(of: "server") : .noKey(for: client), at: record.offset)
    return .done
  }

  private func suites(_ server: ServerHello?) -> [CipherSuite] {
    server.map { [$0.suite] } ?? CipherSuite.ofTLS13
  }

  /// Neither hello, or only the server's: any secret may be the connection's.
  private mutating func tryAllSecrets(_ record: Record, _ server: ServerHello?) -> RecordResult {
    let store = state.context.store
    var hasSecret = false
    // With the hello the first record has number 0; in mid-stream it has any.
    let extra = server == nil ? state.context.options.sequenceLimit : 0
    let phases: [(TrafficSecrets.KeyPhase, updates: Int)] =
      server == nil
      ? (0...Self.maxMissedUpdates).map { (.application(0), $0) } : [(.handshake, 0), (.application(0), 0)]
    for (phase, updates) in phases {
      for row in store.rows(TrafficSecrets.label(phase, isClient: isClient)) {
        guard state.context.charge(&trialBudget, record.fragment.count), let entry = store.entry(row),
          let client = entry.client
        else { break }
        hasSecret = true
        for suite in suites(server) {
          var keys = TrafficKeys(phase, entry.secret, entry.origin, suite)
          for _ in 0..<updates { keys = keys?.updated() }
          if let keys, read(record, with: keys, of: TrafficSecrets(of: client, in: store), extra: extra) {
            return .done
          }
        }
      }
    }
    failedTrials += 1
    if hasSecret, trialBudget > 0, failedTrials < Self.maxFailedTrials { return .unverified }
    fail(server == nil ? .handshakeNotCaptured(of: name) : .noKey(for: nil), at: record.offset)
    return .done
  }

  /// False unless the keys prove the record.
  /// - Parameter secrets: those that the keys are of, if they were not known yet.
  private mutating func read(
    _ record: Record, with keys: TrafficKeys, isFresh: Bool = true,
    of secrets: @autoclosure () -> TrafficSecrets? = nil, extra: Int = 0
  ) -> Bool {
    guard let found = open(record, keys.opener, isFresh: isFresh, extra: extra) else { return false }
    state.traffic = secrets() ?? state.traffic
    var followsData = false
    if case .traffic(let before?) = phase {
      followsData = before.phase != keys.phase && before.phase != .handshake
    }
    phase = .traffic(keys)
    state.prove(keys.origin)
    if keys.phase != .handshake || followsData {
      addGap(before: record, found, keys.opener, isFresh: isFresh, followsData: followsData)
    }
    if use(found, record, keys.opener).contains(keys.phase.lastMessage) { endKeys(keys, at: record.end) }
    return true
  }

  private mutating func endKeys(_ keys: TrafficKeys, at offset: Int) {
    guard let next = keys.successors(state.traffic, isClient: isClient).first else {
      return fail(.noKey(for: state[number].clientHello?.random), at: offset)
    }
    phase = .traffic(next)
    trail.restartKeys(at: offset)
    assembler.reset()
  }
}
