import Basics
import PacketCapture

/// The step between reassembly and analysis: gets the events of an input, and returns them with the plaintext of the
/// streams that carry TLS (docs/spec/captures.md#tls).
///
/// All other events pass: the batch itself where no stream is held or decrypted, else the same events. Bytes are not
/// copied.
package final class DecryptionStage {
  private enum Slot {
    /// No stream, or one that is passed on.
    case passed
    /// Its first bytes have not come yet.
    case undecided(OpeningStream)
    case decrypted(TLSConnection)
    /// Passed on, and of a service that it shows.
    indirect case service(TLSService)

    /// Nothing of it is of interest any more.
    var isPassed: Bool { if case .passed = self { true } else { false } }

    /// The events of its bytes are passed on.
    var passesBytes: Bool {
      switch self {
      case .passed, .service: true
      case .undecided, .decrypted: false
      }
    }
  }

  private let context: DecryptionContext
  private var output: DecryptedEvents { context.output }
  private let keys: StreamKeys
  /// Ports of the old services.
  private let ports: Set<UInt16>
  /// Ports of pushes, which others use, too. Of streams to other ports, the client's hello says nothing of interest.
  private static let pushPorts: Set<UInt16> = [443, 2197]
  /// Names of the files with secrets, by their numbers.
  private var fileNames: [String]
  /// The number of the current input's key logs; nil as long as it has none.
  private var embeddedFile: Int?
  private var source = ""
  @exclusivity(unchecked) private var slots: [Slot] = []
  /// Slots whose events do not just pass.
  private var busySlots = 0
  /// Whether key logs may follow the packets that they are for.
  private var awaitsSecrets = false
  /// Connections that passed without keys while some were awaited, with their inputs.
  private var missed: [HelloRandom: String] = [:]
  private static let maxMissed = 1 << 16
  /// Bytes of streams whose content is not decided.
  private var heldBytes = 0
  private static let maxHeldBytes = 16 << 20
  /// Numbers of files have 16 bits.
  private static let maxFiles = Int(UInt16.max)

  /// - Parameter ports: those of the feedback service and the gateways.
  package init(_ keys: StreamKeys, ports: Set<UInt16>) {
    (self.keys, self.ports) = (keys, ports)
    context = DecryptionContext(keys.store)
    fileNames = keys.files.map(\.name)
  }

  /// The next batches are from the input `source`.
  package func begin(source: String) {
    (self.source, embeddedFile, awaitsSecrets) = (source, nil, false)
  }

  /// Files whose secrets matched no connection, in whole or in part; and inputs that cannot be read twice, whose keys came
  /// after what was kept of their connections.
  package var unusedSecrets: [(file: String, message: Message)] {
    let unused = keys.files.enumerated().compactMap { number, file -> (String, Message)? in
      let unused = context.unusedCount(file: number)
      return unused > 0
        ? (file.name, "\(unused) of \(Count.of(file.count, "secret")) matched no connection") : nil
    }
    let late = missed.filter { context.store.hasSecrets(of: $0.key) }.values.sorted()
    return unused
      + Set(late).sorted().map { name in
        (
          name,
          "the keys of \(Count.of(late.count { $0 == name }, "connection")) came after its bytes, which "
            + "were not kept: save the input to a file, and read it alone"
        )
      }
  }

  // MARK: - Events

  /// The batch itself, or one with plaintext. It is consumed before the next call.
  package func process(_ batch: EventBatch) -> EventBatch {
    if busySlots == 0, batch.secrets.isEmpty, batch.identities.isEmpty { return batch }
    guard let changed = batch.events.firstIndex(where: { !passes($0, of: batch) }) else { return batch }
    output.begin(batch.prefix(changed))
    for event in batch.events[changed...] {
      if passes(event, of: batch) { output.events.pass(event) } else { take(event, of: batch) }
    }
    return output.finish()
  }

  /// Takes note of an event; true if it is passed on unchanged, as nearly all are, whose fields are not read.
  @inline(__always)
  private func passes(_ event: StreamEvent, of batch: EventBatch) -> Bool {
    if busySlots == 0, case .bytes = event { return true }
    switch event {
    case .opened(let slot, let identity):
      open(batch.identities[Int(identity)], in: slot)
      return true
    case .secrets(let index):
      add(batch.secrets[Int(index)])
      return true
    case .bytes(let event): return passes(event, of: batch)
    case .uncertain(let slot, _, _, _):
      // A MAC or a tag decides about ciphertext.
      if case .decrypted = self[slot] { return false }
      return true
    case .gap(let slot, _, _), .finding(let slot?, _): return self[slot].passesBytes
    case .closed(let slot, _): return self[slot].isPassed
    case .finding(nil, _): return true
    }
  }

  /// Most streams are decided by their first bytes.
  private func passes(_ event: ByteEvent, of batch: EventBatch) -> Bool {
    let slot = self[event.slot]
    guard case .undecided(let stream) = slot else { return slot.passesBytes }
    guard stream.held.isEmpty else { return false }
    switch batch.withBytes(of: event, { stream.verdict(on: $0, from: event.side) }) {
    case .other: break
    case .tls where context.store.isEmpty && !awaitsSecrets && !isOfInterest(stream, Self.pushPorts): break
    case .tls, .dialogue, .undecided: return false
    }
    self[event.slot] = .passed
    return true
  }

  /// Whether its server has one of the ports of the old services, or one of `others`.
  private func isOfInterest(_ stream: OpeningStream, _ others: Set<UInt16> = []) -> Bool {
    stream.identity.endpoint(stream.identity.server).map { ports.union(others).contains($0.port) } ?? false
  }

  private func take(_ event: StreamEvent, of batch: EventBatch) {
    switch event {
    case .bytes(let event):
      if case .decrypted(let connection) = self[event.slot] {
        batch.withBytes(of: event) {
          connection.append($0, origins: batch.origins.span.extracting(event.origins), from: event.side)
        }
      } else if case .undecided(let stream) = self[event.slot] {
        let bytes = batch.withBytes(of: event) { $0.withUnsafeBytes { Array($0) } }
        stream.hold(bytes, origins: Array(batch.origins[event.origins]), from: event.side)
        heldBytes += event.count
        decide(stream, from: event.side)
      }
    case .gap(let slot, let side, let index):
      let gap = batch.gaps[Int(index)]
      if case .decrypted(let connection) = self[slot] {
        connection.gap(gap, from: side)
      } else if case .undecided(let stream) = self[slot] {
        stream.hold(gap, from: side)
        decide(stream, from: side)
      }
    case .finding(let slot?, let index):
      var finding = batch.findings[Int(index)]
      if case .decrypted(let connection) = self[slot] {
        // A MAC or a tag proves each byte that is used.
        finding.isLate = false
        connection.move(&finding)
      } else if case .undecided(let stream) = self[slot] {
        stream.note(finding)
      }
      output.events.finding(finding, slot: slot)
    case .closed(let slot, let report): close(batch.reports[Int(report)], slot)
    case .opened, .secrets, .uncertain, .finding(nil, _): break
    }
  }

  private func decide(_ stream: OpeningStream, from side: Side) {
    let verdict = stream.verdict(from: side)
    // Without keys only the beginning of a stream matters.
    let mayDecide = !context.store.isEmpty || awaitsSecrets || !stream.isMidstream(side)
    let waits =
      verdict == .undecided && mayDecide || verdict != .other && verdict != .undecided && waits(stream)
    if !waits || heldBytes > Self.maxHeldBytes { end(stream) }
  }

  /// Whether a stream of TLS waits: for keys that may follow it, or for what its hello says without them.
  private func waits(_ stream: OpeningStream) -> Bool {
    let store = context.store
    guard awaitsSecrets || isOfInterest(stream, Self.pushPorts) else { return false }
    guard let hello = stream.clientHello else { return stream.bytes < OpeningStream.waitLength }
    return awaitsSecrets && !store.hasSecrets(of: hello.random) && !store.hasNameless
  }

  private func end(_ stream: OpeningStream) {
    heldBytes -= stream.bytes
    self[stream.slot] = .passed
    guard let client = stream.client else { return stream.release(into: &output.events) }
    let hello = stream.clientHello
    if awaitsSecrets, missed.count < Self.maxMissed, let hello, !context.store.hasSecrets(of: hello.random) {
      missed[hello.random] = source
    }
    for side in Side.allCases {
      if let finding = stream.finding(of: side, passesOn: context.store.isEmpty) {
        output.events.finding(finding, slot: stream.slot)
      }
    }
    let service = service(of: stream, hello)
    if context.store.isEmpty {
      stream.release(into: &output.events)
      self[stream.slot] = service.map { .service($0) } ?? .passed
    } else {
      let starts = (stream.start(of: .first), stream.start(of: .second))
      self[stream.slot] = .decrypted(
        TLSConnection(context, slot: stream.slot, client: client, starts: starts, service: service))
      for event in stream.held.events { take(event, of: stream.held) }
    }
  }

  private func service(of stream: OpeningStream, _ hello: ClientHello?) -> TLSService? {
    if isOfInterest(stream), let other = hello.flatMap({ Message.otherService($0) }) { return .other(other) }
    let isExpected =
      hello.map { $0.namesService || context.store.hasSecrets(of: $0.random) } ?? isOfInterest(stream, [2197])
    return isExpected ? .expected : nil
  }

  private func close(_ report: StreamReport, _ slot: Int32) {
    var report = report
    if case .undecided(let stream) = self[slot] { end(stream) }
    if case .service(let service) = self[slot] { report.service = service }
    if case .decrypted(let connection) = self[slot] {
      report.service = connection.service
      connection.finish()
      if let finding = connection.finding(report.identity.number) {
        output.events.finding(finding, slot: slot)
      }
      report.encryption = encryption(of: connection)
    }
    self[slot] = .passed
    output.events.closed(report, slot: slot)
  }

  private func encryption(of connection: TLSConnection) -> StreamEncryption {
    var encryption = connection.encryption
    guard let origin = connection.secret else { return encryption }
    encryption.keyFile = fileNames.indices.contains(origin.file) ? fileNames[origin.file] : nil
    encryption.keyLine = origin.line > 0 ? origin.line : nil
    return encryption
  }

  // MARK: - Streams and secrets

  private subscript(slot: Int32) -> Slot {
    get { slots.indices.contains(Int(slot)) ? slots[Int(slot)] : .passed }
    set {
      guard slots.indices.contains(Int(slot)) else { return }
      busySlots += (slots[Int(slot)].isPassed ? 1 : 0) - (newValue.isPassed ? 1 : 0)
      slots[Int(slot)] = newValue
    }
  }

  /// Dumps are one direction, without its handshake as a rule.
  private func open(_ identity: StreamIdentity, in slot: Int32) {
    while slots.count <= slot { slots.append(.passed) }
    let isDump = [.carved, .dump, .log, .pair].contains(identity.serverEvidence)
    self[slot] = isDump ? .passed : .undecided(OpeningStream(identity, slot: slot))
  }

  private func add(_ secrets: EmbeddedSecrets) {
    if secrets.bytes.isEmpty { awaitsSecrets = true }
    if embeddedFile == nil, fileNames.count < Self.maxFiles { fileNames.append(source) }
    let file = embeddedFile ?? fileNames.count - 1
    embeddedFile = file
    var reader = KeyFileReader(file: file)
    reader.append(secrets.bytes.span.bytes, to: &context.store)
    _ = reader.finish(to: &context.store)
  }
}
