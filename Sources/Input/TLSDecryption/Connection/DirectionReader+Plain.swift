extension DirectionReader {
  mutating func read(_ record: Record) -> RecordResult {
    switch phase {
    case .plain: readPlain(record)
    case .pending: readPending(record)
    case .protected(let opener, let origin): readProtected(record, opener, origin)
    case .traffic(let keys): readTraffic(record, keys)
    case .unreadable: .done
    }
  }

  /// A record that goes by without having been proved: its direction is protected, or has secrets of TLS 1.3.
  mutating func skip(_ record: Record) {
    if case .protected(let opener, _) = phase { opener.pass(record.fragment.bytes, sequence: nil) }
    trail.see(record.header, unverifiedAt: record.offset)
  }

  private mutating func readPlain(_ record: Record) -> RecordResult {
    let content = record.fragment.bytes
    switch record.header.type {
    case RecordHeader.ContentType.handshake:
      if hasPlainGap, !HandshakeAssembler.isWholeMessages(content) {
        // The rest of a message whose beginning is lost, or an encrypted Finished.
        trail.see(record.header)
        return .done
      }
      addMessages(content)
    case RecordHeader.ContentType.changeCipherSpec: return readChange(record)
    case RecordHeader.ContentType.alert: noteAlert(content)
    case RecordHeader.ContentType.application: return readFirstApplication(record)
    default: break
    }
    trail.restart(at: record.end)
    return .done
  }

  /// In TLS 1.3 it means nothing.
  private mutating func readChange(_ record: Record) -> RecordResult {
    let handshake = state[number]
    if handshake.version == nil, isClient {
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
  private mutating func readFirstApplication(_ record: Record) -> RecordResult {
    switch state[number].version {
    case nil where !isFinal: return .wait
    case nil, .some(.tls13):
      phase = .traffic(nil)
      trail.isKeyChangeLost = true
      return readTraffic(record, nil)
    default:
      (phase, hasChanged, trail.isKeyChangeLost) = (.pending, true, true)
      return readPending(record)
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
      if hasChanged, message.kind == (isClient ? .clientHello : .serverHello) {
        number += 1
        hasChanged = false
      }
      state.add(message, isClient: isClient, to: number)
    }
    return messages.map(\.kind)
  }

  func noteAlert(_ content: UnsafeBufferPointer<UInt8>) {
    guard content.count == 2 else { return }
    state.alert = TLSAlert(isFromClient: isClient, level: content[0], code: content[1])
  }
}
