extension DirectionReader {
  /// New keys, up to TLS 1.2.
  mutating func beginPending(at offset: Int) {
    phase = .pending
    hasChanged = true
    trail.restartKeys(at: offset)
    assembler.reset()
  }

  mutating func readPending(_ record: Record, into output: inout DecryptedBatch) -> Outcome {
    let resolver = KeyResolver(state: state, number: number, sender: sender, isFinal: isFinal)
    var trial = (trail: trail, budget: trialBudget)
    let context = state.context
    let result = resolver.resolve { opener in
      guard context.charge(&trial.budget, record.count) else { return false }
      return Self.open(
        record, opener, isFresh: trial.trail.isKeyChangeLost, trial.trail, &trial.budget, &output)
        != nil
    }
    trialBudget = trial.budget
    switch result {
    case .wait: return .wait
    case .unavailable(let reason):
      fail(reason, at: record.offset, into: &output)
      return .done
    case .found(let opener, let origin):
      phase = .protected(opener, origin)
      return readProtected(record, opener, origin, into: &output)
    }
  }

  mutating func readProtected(
    _ record: Record, _ opener: RecordOpener, _ origin: SecretOrigin, into output: inout DecryptedBatch
  ) -> Outcome {
    let isFresh = trail.isKeyChangeLost
    guard let found = Self.open(record, opener, isFresh: isFresh, trail, &trialBudget, &output) else {
      return .unverified
    }
    state.prove(origin)
    addGap(before: record, found, opener, isFresh: isFresh, into: &output)
    prove(found, record, opener)
    switch found.opened.type {
    case RecordHeader.Content.application: addRecord(record, found.opened.count, opener, into: &output)
    case RecordHeader.Content.handshake: output.uncommitted(found.opened.count) { _ = addMessages($0) }
    case RecordHeader.Content.changeCipherSpec: beginPending(at: record.end)
    case RecordHeader.Content.alert: addAlert(found.opened.count, record, into: &output)
    default: break
    }
    return .done
  }

  // MARK: - Steps that TLS 1.3 has, too

  /// A record that was proved: how many records were lost before it, and what it has.
  struct Found {
    var lost: Int
    var sequence: UInt64
    var keystream: Int
    var opened: RecordOpener.Opened
  }

  /// Tries the sequence numbers that the record may have.
  /// - Parameters:
  ///   - isFresh: the keys are used from some record after the trail's anchor on.
  ///   - extra: sequence numbers beyond those that the bytes since the anchor allow.
  static func open(
    _ record: Record, _ opener: RecordOpener, isFresh: Bool, extra: Int = 0, _ trail: RecordTrail,
    _ budget: inout Int, _ output: inout DecryptedBatch
  ) -> Found? {
    guard opener.isPlausible(record.count),
      let lost = trail.lostRecords(before: record.offset, minimum: opener.minimumFragment, isFresh: isFresh)
    else { return nil }
    if opener.isRC4, isFresh { return openFreshRC4(record, opener, lost, &output) }
    if opener.isRC4 {
      // The key stream of the gap has to be made.
      budget -= record.offset - trail.anchor
      if budget < 0 { return nil }
    }
    // A few tries are the price of any gap; more of them have a limit.
    let free = 8
    let cost = record.count + 1024
    let tries = min(lost.count + extra, free + max(0, budget) / cost)
    let first = lost.lowerBound
    let sequence = isFresh ? UInt64(first) : trail.sequence &+ UInt64(first)
    let keystream = trail.keystream + record.offset - trail.anchor - RecordHeader.length * first
    let found = search(record, opener, lost: first, sequence, keystream, tries, &output)
    budget -= max(0, (found.map { $0.lost - first + 1 } ?? tries) - free) * cost
    return found
  }

  private static func search(
    _ record: Record, _ opener: RecordOpener, lost: Int, _ sequence: UInt64, _ keystream: Int, _ tries: Int,
    _ output: inout DecryptedBatch
  ) -> Found? {
    let found = output.withRoom(record.count) { room in
      opener.search(
        record.fragment, count: record.count, type: record.header.type, sequence: sequence,
        keystream: keystream, step: RecordHeader.length, tries: tries, to: room)
    }
    return found.map { index, opened in
      Found(
        lost: lost + index, sequence: sequence &+ UInt64(index),
        keystream: keystream - RecordHeader.length * index + record.count, opened: opened)
    }
  }

  /// After a lost ChangeCipherSpec only the length of Finished is known: 4 bytes and 12, or 36 in SSL 3.0.
  private static func openFreshRC4(
    _ record: Record, _ opener: RecordOpener, _ lost: ClosedRange<Int>, _ output: inout DecryptedBatch
  ) -> Found? {
    if let found = search(record, opener, lost: 0, 0, 0, 1, &output) { return found }
    guard lost.contains(1) else { return nil }
    return search(
      record, opener, lost: 1, 1, (opener.version == .ssl3 ? 40 : 16) + opener.overhead, 1, &output)
  }

  /// Adds the plaintext that is missing before the record.
  /// - Parameter followsData: with new keys, whether data may have been lost that the old ones protected.
  mutating func addGap(
    before record: Record, _ found: Found, _ opener: RecordOpener, isFresh: Bool, followsData: Bool = false,
    into output: inout DecryptedBatch
  ) {
    let ciphertext = record.offset - trail.anchor
    guard ciphertext > 0 else { return }
    // Without a ServerHello, the lost records may include records before the capture.
    let isMidstream = isFresh && state[number].serverHello == nil
    // New keys: one record of a handshake is their first, or none.
    if isFresh, !followsData, !isMidstream, found.lost <= (opener.version == .tls13 ? 0 : 1) { return }
    let records = isMidstream ? 0 : found.lost + (followsData ? 1 : 0)
    var length = trail.lostPlaintext(before: record.offset, records: records, overhead: opener.overhead)
    // KeyUpdate, which was lost, has 5 bytes.
    if followsData { length -= 5 }
    guard length > 0 else { return }
    // Before the first data of TLS 1.3, session tickets look like data.
    let isExact = opener.isExact && !isFresh && (hasData || opener.version != .tls13)
    output.add(
      .gap(
        PlaintextGap(
          sender: sender, cause: trail.unseenBytes(before: record.offset) > 0 ? .missing : .unverified,
          plaintextOffset: plaintextOffset, length: length, isExact: isExact,
          ciphertextOffset: trail.anchor, ciphertextLength: ciphertext)))
    plaintextOffset += length
  }

  mutating func prove(_ found: Found, _ record: Record, _ opener: RecordOpener) {
    opener.pass(record.fragment, count: record.count, sequence: found.sequence)
    trail.prove(found.sequence, keystream: found.keystream, end: record.end)
    hasPlainGap = false
  }

  mutating func addRecord(
    _ record: Record, _ count: Int, _ opener: RecordOpener, into output: inout DecryptedBatch
  ) {
    guard count > 0 else { return }
    output.commit(
      PlaintextRecord(
        sender: sender, ciphertextOffset: record.offset, ciphertextLength: record.header.recordLength,
        contentOffset: record.offset + RecordHeader.length + opener.prefixLength,
        plaintextOffset: plaintextOffset, start: 0, count: count))
    plaintextOffset += count
    hasData = true
  }

  mutating func addAlert(_ count: Int, _ record: Record, into output: inout DecryptedBatch) {
    let bytes = output.uncommitted(count) { Array($0) }
    bytes.withUnsafeBufferPointer { addAlert($0, record, into: &output) }
  }
}
