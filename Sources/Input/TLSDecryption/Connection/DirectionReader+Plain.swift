extension DirectionReader {
  mutating func read(_ record: Record, into output: inout DecryptedBatch) -> Outcome {
    switch phase {
    case .plain: readPlain(record, into: &output)
    case .pending: readPending(record, into: &output)
    case .protected(let opener, let origin): readProtected(record, opener, origin, into: &output)
    case .traffic(let keys): readTraffic(record, keys, into: &output)
    case .unreadable: .done
    }
  }

  /// A record that goes by without having been proved.
  mutating func skip(_ record: Record) {
    switch phase {
    case .protected(let opener, _): opener.pass(record.fragment, count: record.count, sequence: nil)
    case .plain: return trail.restart(at: record.end)
    default: break
    }
    trail.see(record.header, unverifiedAt: record.offset)
  }

  mutating func fail(_ reason: DecryptionFailure.Reason, at offset: Int, into output: inout DecryptedBatch) {
    output.add(.failure(DecryptionFailure(sender: sender, reason: reason, offset: offset)))
    phase = .unreadable
  }

  // MARK: - Before keys are in use

  private mutating func readPlain(_ record: Record, into output: inout DecryptedBatch) -> Outcome {
    let content = UnsafeBufferPointer(start: record.fragment, count: record.count)
    switch record.header.type {
    case RecordHeader.Content.handshake:
      if hasPlainGap, !HandshakeAssembler.isWholeMessages(content) {
        // The rest of a message whose beginning is lost, or an encrypted Finished.
        trail.see(record.header)
        return .done
      }
      addMessages(content)
    case RecordHeader.Content.changeCipherSpec: return readChange(record)
    case RecordHeader.Content.alert: addAlert(content, record, into: &output)
    case RecordHeader.Content.application: return readFirstApplication(record, into: &output)
    default: break
    }
    trail.restart(at: record.end)
    return .done
  }

  /// In TLS 1.3 it means nothing.
  private mutating func readChange(_ record: Record) -> Outcome {
    let handshake = state[number]
    if handshake.version == nil, sender == .client {
      if !isFinal { return .wait }
      if let hello = handshake.clientHello, hello.offersTLS13,
        state.context.store.row(.clientApplication, of: hello.random) != nil
      {
        trail.restart(at: record.end)
        return .done
      }
    }
    if handshake.version == .tls13 {
      trail.restart(at: record.end)
    } else {
      beginPending(at: record.end)
    }
    return .done
  }

  /// Application data: of TLS 1.3, or ChangeCipherSpec was lost.
  private mutating func readFirstApplication(_ record: Record, into output: inout DecryptedBatch) -> Outcome {
    switch state[number].version {
    case nil where !isFinal: return .wait
    case nil, .some(.tls13):
      phase = .traffic(nil)
      trail.isKeyChangeLost = true
      return readTraffic(record, nil, into: &output)
    default:
      phase = .pending
      hasChanged = true
      trail.isKeyChangeLost = true
      return readPending(record, into: &output)
    }
  }

  /// Adds the messages of a handshake's record, whatever protected it; returns their kinds.
  @discardableResult
  mutating func addMessages(_ content: UnsafeBufferPointer<UInt8>) -> [HandshakeMessage.Kind?] {
    var isOversized = false
    let messages = assembler.append(
      content, limit: state.context.options.messageLimit, isOversized: &isOversized)
    if isOversized { state.lose(number) }
    for message in messages {
      if hasChanged, message.kind == (sender == .client ? .clientHello : .serverHello) {
        number += 1
        hasChanged = false
      }
      state.add(message, from: sender, to: number)
    }
    return messages.map(\.kind)
  }

  mutating func addAlert(
    _ content: UnsafeBufferPointer<UInt8>, _ record: Record, into output: inout DecryptedBatch
  ) {
    guard content.count == 2 else { return }
    output.add(
      .alert(TLSAlert(sender: sender, level: content[0], code: content[1], offset: record.offset)))
  }

  // MARK: - The end

  /// Reports what the direction ends with and nothing proved.
  mutating func noteEnd(at end: Int, into output: inout DecryptedBatch) {
    let opener: RecordOpener?
    switch phase {
    case .protected(let found, _): opener = found
    case .traffic(let keys): opener = keys?.opener
    default: return
    }
    if let offset = trail.firstUnverified {
      output.add(.failure(DecryptionFailure(sender: sender, reason: .wrongMAC, offset: offset)))
    }
    guard end > trail.anchor else { return }
    let length = trail.lostPlaintext(before: end, records: trail.seenRecords, overhead: opener?.overhead ?? 0)
    guard length > 0 else { return }
    output.add(
      .gap(
        PlaintextGap(
          sender: sender, cause: trail.firstUnverified == nil ? .cut : .unverified,
          plaintextOffset: plaintextOffset, length: length, isExact: false, ciphertextOffset: trail.anchor,
          ciphertextLength: end - trail.anchor)))
    plaintextOffset += length
  }
}
