extension DirectionReader {
  /// New keys, up to TLS 1.2.
  mutating func beginPending(at offset: Int) {
    phase = .pending
    hasChanged = true
    trail.restartKeys(at: offset)
    assembler.reset()
  }

  mutating func readPending(_ record: Record) -> RecordResult {
    guard let resolver = KeyResolver(state, number, isClient: isClient, isFinal: isFinal) else {
      if !isFinal { return .wait }
      fail(.handshakeNotCaptured(of: "server"), at: record.offset)
      return .done
    }
    let result = resolver.resolve { opener in
      state.context.charge(&trialBudget, record.fragment.count)
        && open(record, opener, isFresh: trail.isKeyChangeLost) != nil
    }
    switch result {
    case .wait: return .wait
    case .unavailable(let reason):
      fail(reason, at: record.offset)
      return .done
    case .found(let opener, let origin):
      phase = .protected(opener, origin)
      return readProtected(record, opener, origin)
    }
  }

  mutating func readProtected(_ record: Record, _ opener: RecordOpener, _ origin: SecretOrigin)
    -> RecordResult
  {
    let isFresh = trail.isKeyChangeLost
    guard let found = open(record, opener, isFresh: isFresh) else { return .unverified }
    state.prove(origin)
    addGap(before: record, found, opener, isFresh: isFresh)
    _ = use(found, record, opener)
    if found.opened.type == RecordHeader.ContentType.changeCipherSpec { beginPending(at: record.end) }
    return .done
  }

  /// A record that was proved: how many records were lost before it, and what it has.
  struct Found {
    var lost: Int
    var position: RecordPosition
    var opened: RecordOpener.Opened
  }

  /// Tries the sequence numbers that the record may have.
  /// - Parameters:
  ///   - isFresh: the keys are used from some record after the trail's anchor on.
  ///   - extra: sequence numbers beyond those that the bytes since the anchor allow.
  mutating func open(_ record: Record, _ opener: RecordOpener, isFresh: Bool, extra: Int = 0) -> Found? {
    let count = record.fragment.count
    guard opener.isPlausible(count),
      let lost = trail.lostRecords(before: record.offset, minimum: opener.minimumFragment, isFresh: isFresh)
    else { return nil }
    func search(lost: Int, _ position: RecordPosition, tries: Int = 1) -> Found? {
      output.withRoom { opener.open(record.fragment, at: position, tries: tries, to: $0) }
        .map { Found(lost: lost + $0.more, position: position.passing($0.more), opened: $0.opened) }
    }
    if opener.isRC4, isFresh {
      // After a lost ChangeCipherSpec only the length of Finished is known: 4 bytes and 12, or 36 in SSL 3.0.
      if let found = search(lost: 0, RecordPosition()) { return found }
      let finished = (opener.version == .ssl3 ? 40 : 16) + opener.overhead
      return lost.contains(1) ? search(lost: 1, RecordPosition(sequence: 1, keystream: finished)) : nil
    }
    if opener.isRC4 {
      // The key stream of the gap has to be made.
      trialBudget -= record.offset - trail.anchor
      if trialBudget < 0 { return nil }
    }
    // A few tries are the price of any gap; more of them have a limit.
    let free = 8
    let cost = count + 1024
    let tries = min(lost.count + extra, free + max(0, trialBudget) / cost)
    var position = isFresh ? RecordPosition() : trail.position
    position.keystream += record.offset - trail.anchor
    let found = search(lost: lost.lowerBound, position.passing(lost.lowerBound), tries: tries)
    let tried = found.map { $0.lost - lost.lowerBound + 1 } ?? tries
    trialBudget -= max(0, tried - free) * cost
    return found
  }

  /// Adds the plaintext that is missing before the record.
  /// - Parameter followsData: with new keys, whether data may have been lost that the old ones protected.
  mutating func addGap(
    before record: Record, _ found: Found, _ opener: RecordOpener, isFresh: Bool, followsData: Bool = false
  ) {
    guard record.offset > trail.anchor else { return }
    // Without a ServerHello, the lost records may include records before the capture.
    let isMidstream = isFresh && state[number].serverHello == nil
    // New keys: one record of a handshake is their first, or none.
    if isFresh, !followsData, !isMidstream, found.lost <= (opener.version == .tls13 ? 0 : 1) { return }
    let records = isMidstream ? 0 : found.lost + (followsData ? 1 : 0)
    var length = trail.lostPlaintext(before: record.offset, records: records, overhead: opener.overhead)
    // KeyUpdate, which was lost, has 5 bytes.
    if followsData { length -= 5 }
    // Before the first data of TLS 1.3, session tickets look like data.
    let isExact = opener.isExact && !isFresh && (hasData || opener.version != .tls13)
    let isUnseen = trail.unseenBytes(before: record.offset) > 0
    addGap(length, isUnseen ? .missing : .unverified, isExact: isExact, before: record.offset)
  }

  /// Takes what a proved record has; returns the kinds of its messages.
  mutating func use(_ found: Found, _ record: Record, _ opener: RecordOpener) -> [HandshakeMessage.Kind?] {
    opener.pass(record.fragment.bytes, sequence: found.position.sequence)
    trail.prove(found.position, record.fragment, end: record.end)
    hasPlainGap = false
    switch found.opened.type {
    case RecordHeader.ContentType.application: addData(found.opened.count, of: record, opener)
    case RecordHeader.ContentType.handshake: return output.uncommitted(found.opened.count) { addMessages($0) }
    case RecordHeader.ContentType.alert: output.uncommitted(found.opened.count) { noteAlert($0) }
    default: break
    }
    return []
  }
}
