import PacketCapture
import TLSDecryption
import WireBytes

/// The step between reassembly and analysis: gets the events of an input, and returns them with the plaintext of the
/// streams that carry TLS (docs/spec/captures.md#tls).
///
/// All other events pass: without keys the batch itself, with keys the same events. Bytes are not copied.
package final class DecryptionStage {
  private enum Slot {
    /// No stream, or one that is passed on.
    case passed
    /// Its first bytes have not come yet.
    case undecided(OpeningStream)
    case decrypted(StreamDecryptor)
  }

  private let context: DecryptionContext
  private let keys: StreamKeys
  /// Names of the files with secrets, by their numbers.
  private var fileNames: [String]
  /// The number of the current input's key logs; nil as long as it has none.
  private var embeddedFile: Int?
  private var source = ""
  @exclusivity(unchecked) private var slots: [Slot] = []
  @exclusivity(unchecked) private var plaintext = DecryptedBatch()
  /// Bytes of streams whose content is not decided.
  private var heldBytes = 0
  private static let maxHeldBytes = 16 << 20
  /// Numbers of files have 16 bits.
  private static let maxFiles = Int(UInt16.max)

  package init(_ keys: StreamKeys) {
    self.keys = keys
    context = DecryptionContext(keys.store)
    fileNames = keys.files.map(\.name)
  }

  /// The next batches are from the input `source`.
  package func begin(source: String) {
    self.source = source
    embeddedFile = nil
  }

  /// Files whose secrets matched no connection, in whole or in part.
  package var unusedSecrets: [(file: String, unused: Int, all: Int)] {
    keys.files.enumerated().compactMap { number, file in
      let unused = context.unusedCount(file: number)
      return unused > 0 ? (file.name, unused, file.count) : nil
    }
  }

  // MARK: - Events

  /// The batch itself, or one with plaintext. It is consumed before the next call.
  package func process(_ batch: EventBatch) -> EventBatch {
    if context.store.isEmpty, batch.secrets.isEmpty { return batch }
    guard let changed = batch.events.firstIndex(where: { !passes($0, of: batch) }) else { return batch }
    var output = DecryptedEvents(batch.prefix(changed))
    take(batch.events[changed], of: batch, into: &output)
    for event in batch.events[(changed + 1)...] {
      if case .bytes(let bytes) = event, case .decrypted(let stream) = self[bytes.slot] {
        decrypt(bytes, of: batch, stream, into: &output)
      } else if passes(event, of: batch) {
        output.events.pass(event)
      } else {
        take(event, of: batch, into: &output)
      }
    }
    output.fill(from: &plaintext)
    return output.events
  }

  /// Takes note of an event; true if it is passed on unchanged.
  private func passes(_ event: StreamEvent, of batch: EventBatch) -> Bool {
    switch event {
    case .opened(let slot, let identity):
      open(batch.identities[Int(identity)], in: Int(slot))
      return true
    case .secrets(let index):
      add(batch.secrets[Int(index)])
      return true
    case .bytes(let event): return passes(event, of: batch)
    case .gap(let slot, _, _), .anomaly(let slot?, _), .closed(let slot, _):
      if case .passed = self[slot] { return true }
      return false
    case .anomaly(nil, _): return true
    }
  }

  /// Most streams are decided by their first bytes.
  private func passes(_ event: ByteEvent, of batch: EventBatch) -> Bool {
    switch self[event.slot] {
    case .passed: return true
    case .decrypted: return false
    case .undecided(let stream):
      guard stream.items.isEmpty,
        batch.withBytes(of: event, { stream.verdict(on: $0, from: event.side) }) == .other
      else { return false }
      self[event.slot] = .passed
      return true
    }
  }

  private func take(_ event: StreamEvent, of batch: EventBatch, into output: inout DecryptedEvents) {
    switch event {
    case .bytes(let event): take(event, of: batch, into: &output)
    case .gap(let slot, let side, let gap):
      let gap = batch.gaps[Int(gap)]
      if case .decrypted(let stream) = self[slot] {
        stream.gap(gap.length, from: side, &plaintext, into: &output)
      } else if case .undecided(let stream) = self[slot] {
        stream.hold(gap, from: side)
      }
    case .anomaly(let slot?, let index):
      var anomaly = batch.anomalies[Int(index)]
      if case .decrypted(let stream) = self[slot] {
        stream.move(&anomaly)
      } else if case .undecided(let stream) = self[slot] {
        stream.note(anomaly)
      }
      output.events.anomaly(anomaly, slot: slot)
    case .closed(let slot, let report): close(batch.reports[Int(report)], slot, into: &output)
    case .opened, .secrets, .anomaly(nil, _): break
    }
  }

  private func take(_ event: ByteEvent, of batch: EventBatch, into output: inout DecryptedEvents) {
    switch self[event.slot] {
    case .passed: output.events.pass(.bytes(event))
    case .decrypted(let stream): decrypt(event, of: batch, stream, into: &output)
    case .undecided(let stream):
      let origins = Array(batch.origins[event.origins])
      batch.withBytes(of: event) { stream.hold($0, origins: origins, from: event.side) }
      heldBytes += event.count
      decide(stream, event.slot, from: event.side, into: &output)
    }
  }

  private func decrypt(
    _ event: ByteEvent, of batch: EventBatch, _ stream: StreamDecryptor, into output: inout DecryptedEvents
  ) {
    batch.withBytes(of: event) {
      stream.append(
        $0, origins: batch.origins.span.extracting(event.origins), from: event.side, &plaintext, into: &output
      )
    }
    if plaintext.byteCount >= DecryptedEvents.chunkLength { output.fill(from: &plaintext) }
  }

  private func decide(
    _ stream: OpeningStream, _ slot: Int32, from side: Side, into output: inout DecryptedEvents
  ) {
    switch stream.verdict(from: side) {
    case .undecided: if heldBytes > Self.maxHeldBytes { release(stream, slot, into: &output) }
    case .other: release(stream, slot, into: &output)
    case .tls(let client):
      heldBytes -= stream.bytes
      let decryptor = StreamDecryptor(
        stream.identity.number, slot, client: client, TLSConnection(context))
      self[slot] = .decrypted(decryptor)
      for item in stream.items {
        switch item.content {
        case .bytes(let bytes, let origins):
          decryptor.append(
            bytes.span.bytes, origins: origins.span, from: item.side, &plaintext, into: &output)
        case .gap(let gap): decryptor.gap(gap.length, from: item.side, &plaintext, into: &output)
        }
      }
    }
  }

  /// Passes on a stream that is no TLS.
  private func release(_ stream: OpeningStream, _ slot: Int32, into output: inout DecryptedEvents) {
    heldBytes -= stream.bytes
    self[slot] = .passed
    for item in stream.items {
      switch item.content {
      case .bytes(let bytes, let origins):
        output.events.bytes(bytes, slot: slot, side: item.side, origins: origins)
      case .gap(let gap): output.events.gap(gap, slot: slot, side: item.side)
      }
    }
  }

  private func close(_ report: StreamReport, _ slot: Int32, into output: inout DecryptedEvents) {
    var report = report
    if case .undecided(let stream) = self[slot] { release(stream, slot, into: &output) }
    if case .decrypted(let stream) = self[slot] {
      stream.finish(&plaintext, into: &output)
      report.encryption = encryption(of: stream)
    }
    self[slot] = .passed
    output.events.closed(report, slot: slot)
  }

  private func encryption(of stream: StreamDecryptor) -> StreamEncryption {
    var encryption = stream.encryption
    guard let origin = stream.secret else { return encryption }
    encryption.keyFile = fileNames.indices.contains(origin.file) ? fileNames[origin.file] : nil
    encryption.keyLine = origin.line > 0 ? origin.line : nil
    return encryption
  }

  // MARK: - Streams and secrets

  private subscript(slot: Int32) -> Slot {
    get { slots.indices.contains(Int(slot)) ? slots[Int(slot)] : .passed }
    set { if slots.indices.contains(Int(slot)) { slots[Int(slot)] = newValue } }
  }

  /// Dumps are one direction, without its handshake as a rule.
  private func open(_ identity: StreamIdentity, in slot: Int) {
    while slots.count <= slot { slots.append(.passed) }
    let isDump = [.carved, .dump, .log, .pair].contains(identity.serverEvidence)
    slots[slot] = isDump || context.store.isEmpty ? .passed : .undecided(OpeningStream(identity))
  }

  private func add(_ secrets: EmbeddedSecrets) {
    guard keys.readsEmbedded else { return }
    if embeddedFile == nil, fileNames.count < Self.maxFiles { fileNames.append(source) }
    let file = embeddedFile ?? fileNames.count - 1
    embeddedFile = file
    var reader = KeyFileReader(file: file)
    context.addSecrets { store in
      reader.append(secrets.bytes.span.bytes, to: &store)
      _ = reader.finish(to: &store)
    }
  }
}

/// A batch that is made of another one, and the chunk of it that gets the plaintext.
struct DecryptedEvents {
  /// Bytes of a chunk, about.
  static let chunkLength = 64 << 10

  var events: EventBatch
  /// Index of the chunk, which has no bytes before it is full.
  private(set) var chunk: Int32

  init(_ events: EventBatch) {
    self.events = events
    chunk = Int32(truncatingIfNeeded: events.chunks.count)
    _ = self.events.add([])
  }

  /// Fills the chunk, and begins another one.
  mutating func fill(from plaintext: inout DecryptedBatch) {
    events.fill(chunk, with: plaintext.takeBytes())
    chunk = Int32(truncatingIfNeeded: events.chunks.count)
    _ = events.add([])
  }
}

extension ByteEvent {
  fileprivate var origins: Range<Int> { Int(firstOrigin)..<Int(firstOrigin &+ originCount) }
}

extension EventBatch {
  fileprivate func withBytes<T>(of event: ByteEvent, _ body: (RawSpan) -> T) -> T {
    let range = event.start..<event.start &+ event.count
    switch event.storage {
    case .window: return body(window.span.bytes.extracting(range))
    case .chunk(let index):
      let chunk = chunks[Int(index)]
      return body(chunk.span.bytes.extracting(range))
    }
  }
}
