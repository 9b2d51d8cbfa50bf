import Basics
import PacketCapture

/// One stream of TLS: ciphertext with its origins in, events of plaintext out. Offsets of events are of the plaintext,
/// their packets and file offsets are of the ciphertext.
final class StreamDecryptor {
  private let number: Int
  private let slot: Int32
  private let connection: TLSConnection
  private let client: Side
  /// What shows that it is another service's.
  private let otherService: Message?
  @exclusivity(unchecked) private var first = CiphertextSide()
  @exclusivity(unchecked) private var second = CiphertextSide()
  private var failure: (DecryptionFailure, origin: SourceExtent?)?
  private var alert: TLSAlert?
  /// Reused for the origins of one record.
  private var origins: [SourceExtent] = []

  init(_ number: Int, _ slot: Int32, client: Side, otherService: Message?, _ connection: TLSConnection) {
    (self.number, self.slot, self.client, self.connection) = (number, slot, client, connection)
    self.otherService = otherService
  }

  private func sender(_ side: Side) -> Sender { side == client ? .client : .server }
  private func side(_ sender: Sender) -> Side { sender == .client ? client : client.other }

  private subscript(side: Side) -> CiphertextSide {
    get { side == .first ? first : second }
    _modify {
      if side == .first { yield &first } else { yield &second }
    }
  }

  // MARK: - Input

  /// Before any bytes of the side: they begin at `offset`.
  func begin(at offset: Int, _ side: Side) {
    self[side].begin(at: offset)
    connection.begin(at: offset, from: sender(side))
  }

  func append(
    _ bytes: RawSpan, origins: Span<SourceExtent>, from side: Side,
    _ plaintext: inout DecryptedBatch, into output: inout DecryptedEvents
  ) {
    self[side].append(bytes.byteCount, origins)
    connection.append(bytes, from: sender(side), into: &plaintext)
    if plaintext.events.isEmpty {
      self[side].forget(before: connection.keptOffset(of: sender(side)))
    } else {
      take(&plaintext, into: &output)
    }
  }

  func gap(
    _ length: Int, from side: Side, _ plaintext: inout DecryptedBatch, into output: inout DecryptedEvents
  ) {
    self[side].skip(length)
    connection.gap(length, from: sender(side), into: &plaintext)
    take(&plaintext, into: &output)
  }

  /// Moves a finding about packets to the next byte of plaintext: where its bytes are in the ciphertext, its packet
  /// and file offset say.
  func move(_ anomaly: inout StreamAnomaly) {
    if let side = anomaly.side, anomaly.offset != nil { anomaly.offset = self[side].plaintextEnd }
  }

  // MARK: - Output

  private func take(_ plaintext: inout DecryptedBatch, into output: inout DecryptedEvents) {
    for event in plaintext.events {
      switch event {
      case .record(let record): add(record, into: &output)
      case .gap(let gap): add(gap, into: &output)
      case .failure(let failure):
        if self.failure == nil {
          self.failure = (failure, self[side(failure.sender)].origin(at: failure.offset))
        }
        self[side(failure.sender)].failureOffset = failure.offset
      case .alert(let alert): self.alert = alert
      }
    }
    plaintext.removeEvents()
    first.forget(before: connection.keptOffset(of: sender(.first)))
    second.forget(before: connection.keptOffset(of: sender(.second)))
  }

  private func add(_ record: PlaintextRecord, into output: inout DecryptedEvents) {
    let side = side(record.sender)
    origins.removeAll(keepingCapacity: true)
    self[side].take(record, origins: &origins)
    output.events.bytes(
      .chunk(output.chunk), record.start..<record.start + record.count, slot: slot, side: side,
      origins: origins, isRecord: true)
  }

  private func add(_ gap: PlaintextGap, into output: inout DecryptedEvents) {
    let side = side(gap.sender)
    // A secret that proved nothing says nothing about the length.
    guard connection.session.secret != nil else { return }
    let after = self[side].origin(at: gap.ciphertextOffset + gap.ciphertextLength)
    add(
      StreamGap(
        offset: gap.plaintextOffset, length: gap.length,
        fileOffset: after?.fileOffset(of: gap.ciphertextOffset + gap.ciphertextLength), packet: after?.packet),
      from: side, gap.cause, isExact: gap.isExact, into: &output)
  }

  private func add(
    _ gap: StreamGap, from side: Side, _ cause: PlaintextGap.Cause, isExact: Bool,
    into output: inout DecryptedEvents
  ) {
    var gap = gap
    gap.isUpperBound = !isExact
    switch cause {
    case .missing: gap.cause = .missing
    case .unverified: gap.cause = .unverified
    case .cut: gap.cause = .cut
    }
    self[side].plaintextEnd = gap.offset + gap.length
    output.events.gap(gap, slot: slot, side: side)
  }

  // MARK: - The end

  func finish(_ plaintext: inout DecryptedBatch, into output: inout DecryptedEvents) {
    connection.finish(into: &plaintext)
    take(&plaintext, into: &output)
    for side in Side.allCases { addRest(of: side, into: &output) }
    if let anomaly { output.events.anomaly(anomaly, slot: slot) }
  }

  /// What follows the last key that fits: its plaintext has fewer bytes.
  private func addRest(of side: Side, into output: inout DecryptedEvents) {
    let rest = self[side]
    guard rest.hasPlaintext, let offset = rest.failureOffset, connection.isUnreadable(sender(side)),
      rest.end > offset
    else { return }
    add(
      StreamGap(offset: rest.plaintextEnd, length: rest.end - offset, fileOffset: nil), from: side,
      .unverified, isExact: false, into: &output)
  }

  var secret: SecretOrigin? { connection.session.secret }

  private func isDecrypted(_ side: Side) -> Bool {
    self[side].hasPlaintext || (secret != nil && self[side].failureOffset == nil)
  }

  private var anomaly: StreamAnomaly? {
    if let (failure, origin) = failure {
      let side = side(failure.sender)
      // No ciphertext follows the missing key: nothing is lost.
      if secret != nil, self[side].end <= failure.offset { return nil }
      let service = secret == nil ? otherService : nil
      return StreamAnomaly(
        service == nil ? .decryptionFailed : .unrelatedTLS, stream: number, side: side,
        offset: self[side].plaintextEnd,
        length: max(0, self[side].end - failure.offset), fileOffset: origin?.fileOffset(of: failure.offset),
        packet: origin?.packet, message: service.map { "\($0); \(Message(failure))" } ?? Message(failure))
    }
    guard secret == nil else { return nil }
    let reason = Message.noPlaintext(after: alert)
    return StreamAnomaly(
      otherService == nil ? .decryptionFailed : .unrelatedTLS, stream: number,
      message: otherService.map { "\($0); \(reason)" } ?? reason)
  }

  var encryption: StreamEncryption {
    let session = connection.session
    var encryption = StreamEncryption()
    encryption.version = session.version.map { "\($0)" }
    encryption.cipher = session.suite
    encryption.serverName = session.serverName.map(\.cutForReports)
    encryption.applicationProtocol = session.protocolName.map(\.cutForReports)
    encryption.serverSubject = session.serverSubject.map { $0.text.cutForReports }
    encryption.clientSubject = session.clientSubject.map { $0.text.cutForReports }
    encryption.clientUserID = session.clientSubject?.userID.map(\.cutForReports)
    for side in Side.allCases {
      encryption[side].isDecrypted = isDecrypted(side)
      encryption[side].bytes = self[side].bytes
      encryption[side].gapBytes = self[side].gapBytes
    }
    return encryption
  }
}
