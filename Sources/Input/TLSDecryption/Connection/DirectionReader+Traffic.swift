/// TLS 1.3: the type of a record is in its ciphertext, and each direction goes through three secrets and more.
extension DirectionReader {
  private static let maxFailedTrials = 4
  /// Key updates before the start of a capture. Each repeats the trials of all secrets.
  private static let maxMissedUpdates = 3

  mutating func readTraffic(_ record: Record, _ keys: TrafficKeys?, into output: inout DecryptedEvents)
    -> RecordResult
  {
    guard record.header.type == RecordHeader.ContentType.application else {
      if record.header.type == RecordHeader.ContentType.alert { noteAlert(record.fragment.bytes) }
      trail.pass(record.header, at: record.offset)
      return .done
    }
    guard let keys else { return resolveTraffic(record, into: &output) }
    if let found = open(record, keys.opener, isFresh: trail.isKeyChangeLost, into: &output) {
      take(record, found, keys, isFresh: trail.isKeyChangeLost, into: &output)
      return .done
    }
    for next in keys.successors(state.traffic, isClient: isClient) {
      if let found = open(record, next.opener, isFresh: true, into: &output) {
        take(record, found, next, isFresh: true, into: &output)
        return .done
      }
    }
    return .unverified
  }

  // MARK: - Finding the secrets

  private mutating func resolveTraffic(_ record: Record, into output: inout DecryptedEvents) -> RecordResult {
    let (hello, server) = (state[number].clientHello, state[number].serverHello)
    if !isFinal, server == nil { return .wait }
    if let reason = server.flatMap(KeyResolver.unsupported) {
      fail(reason, at: record.offset)
      return .done
    }
    if !isFinal, hello == nil { return .wait }
    guard let client = hello?.random else { return tryAllSecrets(record, server, into: &output) }
    let secrets = TrafficSecrets(of: client, in: state.context.store)
    var hasSecret = false
    for suite in suites(server) {
      for keys in secrets.keys([.early, .handshake, .application(0)], isClient: isClient, suite) {
        hasSecret = true
        guard let found = open(record, keys.opener, isFresh: true, into: &output) else { continue }
        state.traffic = secrets
        take(record, found, keys, isFresh: true, into: &output)
        return .done
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
  private mutating func tryAllSecrets(
    _ record: Record, _ server: ServerHello?, into output: inout DecryptedEvents
  ) -> RecordResult {
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
          guard let keys, let found = open(record, keys.opener, isFresh: true, extra: extra, into: &output)
          else { continue }
          state.traffic = TrafficSecrets(of: client, in: store)
          take(record, found, keys, isFresh: true, into: &output)
          return .done
        }
      }
    }
    failedTrials += 1
    if hasSecret, trialBudget > 0, failedTrials < Self.maxFailedTrials { return .unverified }
    fail(server == nil ? .handshakeNotCaptured(of: name) : .noKey(for: nil), at: record.offset)
    return .done
  }

  // MARK: - A proved record

  private mutating func take(
    _ record: Record, _ found: Found, _ keys: TrafficKeys, isFresh: Bool, into output: inout DecryptedEvents
  ) {
    var followsData = false
    if case .traffic(let before?) = phase {
      followsData = before.phase != keys.phase && before.phase != .handshake
    }
    phase = .traffic(keys)
    state.prove(keys.origin)
    if keys.phase != .handshake || followsData {
      addGap(before: record, found, keys.opener, isFresh: isFresh, followsData: followsData, into: &output)
    }
    prove(found, record, keys.opener)
    switch found.opened.type {
    case RecordHeader.ContentType.application:
      addData(found.opened.count, of: record, keys.opener, into: &output)
    case RecordHeader.ContentType.handshake: addMessages(found.opened.count, record, keys, output)
    case RecordHeader.ContentType.alert: output.uncommitted(found.opened.count) { noteAlert($0) }
    default: break
    }
  }

  /// Some messages are the last ones under their secret.
  private mutating func addMessages(
    _ count: Int, _ record: Record, _ keys: TrafficKeys, _ output: DecryptedEvents
  ) {
    let kinds = output.uncommitted(count) { addMessages($0) }
    let isLast: Bool
    switch keys.phase {
    case .early: isLast = kinds.contains(.endOfEarlyData)
    case .handshake: isLast = kinds.contains(.finished)
    case .application: isLast = kinds.contains(.keyUpdate)
    }
    guard isLast else { return }
    guard let next = keys.successors(state.traffic, isClient: isClient).first else {
      fail(.noKey(for: state[number].clientHello?.random), at: record.end)
      return
    }
    phase = .traffic(next)
    trail.restartKeys(at: record.end)
    assembler.reset()
  }
}
