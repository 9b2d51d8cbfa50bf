/// TLS 1.3: the type of a record is in its ciphertext, and each direction goes through three secrets and more.
extension DirectionReader {
  private static let maxFailedTrials = 4
  /// Key updates before the start of a capture. Each repeats the trials of all secrets.
  private static let maxMissedUpdates = 3

  mutating func readTraffic(_ record: Record, _ keys: TrafficKeys?, into output: inout DecryptedBatch)
    -> Outcome
  {
    guard record.header.type == RecordHeader.Content.application else {
      if record.header.type == RecordHeader.Content.alert {
        addAlert(UnsafeBufferPointer(start: record.fragment, count: record.count), record, into: &output)
      }
      trail.pass(record.header, at: record.offset)
      return .done
    }
    guard let keys else { return resolveTraffic(record, into: &output) }
    if let found = Self.open(
      record, keys.opener, isFresh: trail.isKeyChangeLost, trail, &trialBudget, &output)
    {
      take(record, found, keys, isFresh: trail.isKeyChangeLost, into: &output)
      return .done
    }
    for next in keys.successors(state.traffic, sender) {
      if let found = Self.open(record, next.opener, isFresh: true, trail, &trialBudget, &output) {
        take(record, found, next, isFresh: true, into: &output)
        return .done
      }
    }
    return .unverified
  }

  // MARK: - Finding the secrets

  private mutating func resolveTraffic(_ record: Record, into output: inout DecryptedBatch) -> Outcome {
    let handshake = state[number]
    if handshake.serverHello == nil, !isFinal { return .wait }
    if let server = handshake.serverHello, let reason = KeyResolver.unsupported(server) {
      fail(reason, at: record.offset, into: &output)
      return .done
    }
    guard let client = handshake.clientHello?.random else {
      if !isFinal { return .wait }
      return tryAllSecrets(record, handshake.serverHello, into: &output)
    }
    let secrets = TrafficSecrets(of: client, in: state.context.store)
    var hasSecret = false
    for suite in suites(handshake.serverHello) {
      for keys in TrafficKeys.all([.early, .handshake, .application(0)], secrets, sender, suite) {
        hasSecret = true
        guard let found = Self.open(record, keys.opener, isFresh: true, trail, &trialBudget, &output) else {
          continue
        }
        state.traffic = secrets
        take(record, found, keys, isFresh: true, into: &output)
        return .done
      }
    }
    if hasSecret, trialBudget > 0 { return .unverified }
    let reason: DecryptionFailure.Reason =
      hasSecret ? .wrongMAC : handshake.serverHello == nil ? .handshakeNotCaptured(.server) : .noKey(client)
    fail(reason, at: record.offset, into: &output)
    return .done
  }

  private func suites(_ server: ServerHello?) -> [CipherSuite] {
    server.map { [$0.suite] } ?? CipherSuite.ofTLS13
  }

  /// Neither hello, or only the server's: any secret may be the connection's.
  private mutating func tryAllSecrets(
    _ record: Record, _ server: ServerHello?, into output: inout DecryptedBatch
  ) -> Outcome {
    let store = state.context.store
    var hasSecret = false
    // With the hello the first record has number 0; in mid-stream it has any.
    let application = TrafficSecrets.application(sender)
    let phases: [(TrafficSecrets.Phase, updates: Int, SecretStore.Label, extra: Int)] =
      server == nil
      ? (0...Self.maxMissedUpdates).map {
        (.application(0), $0, application, state.context.options.sequenceLimit)
      }
      : [
        (.handshake, 0, TrafficSecrets.handshake(sender), 0),
        (.application(0), 0, application, 0),
      ]
    for (phase, updates, label, extra) in phases {
      for row in store.rows(label) {
        guard state.context.charge(&trialBudget, record.count), let entry = store.entry(row),
          let client = entry.client
        else { break }
        hasSecret = true
        for suite in suites(server) {
          guard let keys = TrafficKeys(phase, entry.secret, entry.origin, suite)?.updated(updates, sender),
            let found = Self.open(
              record, keys.opener, isFresh: true, extra: extra, trail, &trialBudget, &output)
          else { continue }
          state.traffic = TrafficSecrets(of: client, in: store)
          take(record, found, keys, isFresh: true, into: &output)
          return .done
        }
      }
    }
    failedTrials += 1
    if hasSecret, trialBudget > 0, failedTrials < Self.maxFailedTrials { return .unverified }
    fail(server == nil ? .handshakeNotCaptured(sender) : .noKey(nil), at: record.offset, into: &output)
    return .done
  }

  // MARK: - A proved record

  private mutating func take(
    _ record: Record, _ found: Found, _ keys: TrafficKeys, isFresh: Bool, into output: inout DecryptedBatch
  ) {
    var followsData = false
    if case .traffic(let before?) = phase {
      followsData = before.phase != keys.phase && before.phase != .handshake
    }
    phase = .traffic(keys)
    state.prove(keys.origin)
    if keys.phase != .handshake || followsData {
      addGap(
        before: record, found, keys.opener, isFresh: isFresh, followsData: followsData, into: &output)
    }
    prove(found, record, keys.opener)
    switch found.opened.type {
    case RecordHeader.Content.application: addRecord(record, found.opened.count, keys.opener, into: &output)
    case RecordHeader.Content.handshake: addMessages(found.opened.count, record, keys, into: &output)
    case RecordHeader.Content.alert: addAlert(found.opened.count, record, into: &output)
    default: break
    }
  }

  /// Some messages are the last ones under their secret.
  private mutating func addMessages(
    _ count: Int, _ record: Record, _ keys: TrafficKeys, into output: inout DecryptedBatch
  ) {
    let kinds = output.uncommitted(count) { addMessages($0) }
    let isLast: Bool
    switch keys.phase {
    case .early: isLast = kinds.contains(.endOfEarlyData)
    case .handshake: isLast = kinds.contains(.finished)
    case .application: isLast = kinds.contains(.keyUpdate)
    }
    guard isLast else { return }
    guard let next = keys.successors(state.traffic, sender).first else {
      fail(.noKey(state[number].clientHello?.random), at: record.end, into: &output)
      return
    }
    phase = .traffic(next)
    trail.restartKeys(at: record.end)
    assembler.reset()
  }
}
