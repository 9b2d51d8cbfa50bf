import APNsPushes
import APNsWire
import Basics
import PacketCapture
import ProviderLogs

/// One open stream, from its first event to its summary. Its content is determined (StreamContent.swift) and decoded
/// (StreamDecoding.swift); findings and records are emitted in the order of their offsets (StreamFindings.swift).
final class StreamAnalysis {
  /// The maximum number of findings that wait for the roles to be settled.
  static let maxUnsettled = 64

  // In an order without padding: there are many streams.
  let identity: StreamIdentity
  var findings: UInt32 = 0
  let log: EvidenceLog
  var unsettled: [StreamFinding] = []
  // The server's is in place, the other one is made when it is needed: mostly, it is not. A method that gets
  // one as `inout` does not access it in any other way.
  @exclusivity(unchecked) private var main: DirectionAnalysis
  /// The side of `main`.
  private let mainSide: Side
  /// The protocol, once it is known.
  var expected: StreamProtocol?
  var server: Side
  /// Whether the roles are certain; the content of the directions may correct a guess.
  var isSettled: Bool
  private lazy var other = Box(DirectionAnalysis(mainSide.other))
  /// Created when gateway content is detected.
  var gateway: Box<Correlator>?
  /// Of a provider's log.
  private(set) var logCounts: Box<(pushes: PushCounts, lines: LogLineCounts)>?
  /// Created when HTTP/2 is detected.
  var pushes: PushConnection?
  /// One for each side; none if no excerpts are needed.
  let excerpts: [ExcerptMaker]

  init(_ identity: StreamIdentity, log: EvidenceLog) {
    (self.identity, self.log) = (identity, log)
    let choice = log.options.choice
    expected = choice.expected(of: identity)
    (server, mainSide, main) = (identity.server, identity.server, DirectionAnalysis(identity.server))
    switch identity.serverEvidence {
    case .handshake, .port, .pair: isSettled = true
    case .guess: isSettled = false
    case .dump:
      isSettled = choice.dumpServer != nil
      server = choice.dumpServer ?? server
    case .carved:
      isSettled = true
      expected = identity.server == .first ? .feedback : .gateway
    case .log:
      isSettled = true
      expected = .providerLog
      logCounts = Box((PushCounts(), LogLineCounts()))
    }
    excerpts = log.options.excerptsPerCode > 0 ? Side.allCases.map { _ in ExcerptMaker() } : []
  }

  deinit { forgetLabels() }

  /// Whether its port is one of the service, or unknown.
  var isOfInterest: Bool { identity.peers == nil || log.options.choice.expected(of: identity) != nil }

  subscript(side: Side) -> DirectionAnalysis {
    _read { if side == mainSide { yield main } else { yield other.value } }
    _modify { if side == mainSide { yield &main } else { yield &other.value } }
  }

  func role(of side: Side) -> Direction { side == server ? .server : .client }

  func labels(input: UInt16) -> StreamLabels {
    if let known = log.labels[labelIndex], known.of == ObjectIdentifier(self), known.input == input {
      return known.labels
    }
    let labels = StreamLabels(
      source: log.source(input), stream: identity.number, client: identity.endpoint(server.other)?.text,
      server: identity.endpoint(server)?.text, carving: identity.carving,
      files: identity.carving == nil ? nil : log.files)
    log.labels[labelIndex] = (ObjectIdentifier(self), input, labels)
    return labels
  }

  private var labelIndex: Int { identity.number & (EvidenceLog.recentLabels - 1) }
  private func forgetLabels() { log.forgetLabels(of: ObjectIdentifier(self), at: labelIndex) }

  func excerpts(of side: Side) -> ExcerptMaker? { side == .first ? excerpts.first : excerpts.last }

  /// The roles are certain.
  func settle() throws {
    guard !isSettled else { return }
    isSettled = true
    forgetLabels()
    let waiting = unsettled
    unsettled = []
    for finding in waiting { try report(finding) }
  }

  // MARK: - Events

  /// - Parameters:
  ///   - location: the location of `bytes`.
  ///   - isRecord: whether they are a record of TLS.
  func append(
    _ bytes: RawSpan, at location: ChunkLocation, origins: Span<SourceExtent>, isRecord: Bool,
    to direction: inout DirectionAnalysis
  ) throws {
    if !origins.isEmpty { direction.noteFirst(origins[0].fileOffset, origins[0].packet) }
    let base = direction.end
    direction.end &+= bytes.byteCount
    switch direction.content {
    case .decoded(let decoder):
      direction.trail.append(origins)
      try decoder.decode(bytes, at: location, for: self, of: &direction)
    case .undecided(let opening, let start):
      direction.trail.append(origins)
      try appendUndecided(bytes, after: opening, from: start, at: location, to: &direction)
    case .ciphertext, .other: break
    }
    try excerpts(of: direction.side)?.append(bytes, at: base, covered: direction.coveredOffset, in: log)
    if log.needs.contains(.bytes) {
      var state = direction.state(of: identity.number)
      state.isRecord = isRecord
      try log.add(bytes, of: state, origins: origins)
    }
  }

  private func appendUndecided(
    _ bytes: RawSpan, after opening: [UInt8], from start: Int, at location: ChunkLocation,
    to direction: inout DirectionAnalysis
  ) throws {
    if opening.isEmpty, bytes.byteCount >= headLength(of: bytes, of: direction) {
      return try decide(on: bytes, at: location, of: &direction)
    }
    let opening = opening + bytes.withUnsafeBytes { Array($0) }
    direction.content = .undecided(opening, start: start)
    if opening.count >= headLength(of: opening.span.bytes, of: direction) {
      try decide(on: opening.span.bytes, at: nil, of: &direction)
    }
  }

  func add(_ gap: StreamGap, to direction: inout DirectionAnalysis) throws {
    assert(gap.offset == direction.end && gap.length >= 0, "a gap follows the bytes before it")
    direction.noteFirst(gap.fileOffset, gap.packet)
    direction.gapBytes &+= gap.length
    try endRun(of: &direction, atGap: true)
    try reportCutBlock(in: &direction, before: nil)
    direction.end = gap.offset &+ gap.length
    // All bytes before it are decided.
    direction.trail = OriginTrail()
    // Ciphertext has a single finding, at the end, when its length is known.
    if case .ciphertext = direction.content {} else { try reportGap(gap, in: &direction) }
    try excerpts(of: direction.side)?.fill(in: log)
    if log.needs.contains(.bytes) { try log.add(gap, in: direction.state(of: identity.number)) }
  }

  private func reportGap(_ gap: StreamGap, in direction: inout DirectionAnalysis) throws {
    try report(
      StreamFinding(
        .streamGap, side: direction.side, offset: gap.offset, length: gap.length, fileOffset: gap.fileOffset,
        packet: gap.packet, message: message(of: gap)), in: &direction)
    if case .decoded(let decoder) = direction.content {
      direction.content = .decoded(
        self.decoder(of: decoder.content, from: direction.side, at: direction.end, false))
    } else if case .undecided = direction.content {
      direction.content = .undecided([], start: direction.end)
    }
    try losePushBytes(of: direction.side)
    direction.beginsStream = false
  }

  /// A finding of the source. It is kept until all bytes before it are decided.
  func finding(_ found: StreamFinding) throws {
    // Of another service, unless it is plaintext that ends.
    var finding = found
    if found.code == .decryptionFailed, !isOfInterest, !found.isOfExpected,
      self[.first].bytes &+ self[.second].bytes == 0
    {
      finding.code = .unrelatedTLS
    }
    if found.isLate, self[found.side ?? .second].coveredOffset != nil {
      log.summary.lateConflicts += 1
      finding.message =
        "\(found.message); this came too late: the records here were written before, without a flag"
    }
    if let side = found.side { try add(finding, to: &self[side]) } else { try report(finding) }
  }

  private func add(_ finding: StreamFinding, to direction: inout DirectionAnalysis) throws {
    if finding.code == .midstreamStart { direction.beginsStream = false }
    if finding.code == .plaintextBeforeTLS {
      direction.makeExtras().bytesBeforeTLS = finding.length ?? 0
      if finding.offset != nil { direction.content = .ciphertext }
    }
    if direction.pendingFindings.keep(finding, from: direction.coveredOffset ?? .max) { return }
    try report(finding)
  }

  // MARK: - The end

  private func endRun(of direction: inout DirectionAnalysis, atGap: Bool = false) throws {
    if case .undecided(let opening, _) = direction.content, !opening.isEmpty {
      try decide(on: opening.span.bytes, at: nil, of: &direction)
    }
    if case .decoded(let decoder) = direction.content {
      decoder.finish(atGap: atGap)
      try decoder.decode(RawSpan(), at: nil, for: self, of: &direction)
    }
    try emitPending(before: direction.end, of: &direction)
  }

  private func close(
    _ direction: inout DirectionAnalysis, _ encryption: StreamEncryption.Half?, reportsCiphertext: Bool
  ) throws {
    if let encryption, !encryption.isDecrypted {
      direction.content = .ciphertext
      direction.gapBytes = encryption.gapBytes
      direction.end = encryption.bytes &+ encryption.gapBytes
    }
    try endRun(of: &direction)
    try reportCutBlock(in: &direction, before: nil)
    try emitPending(before: .max, of: &direction)
    try reportSeparators(of: direction)
    log.summary.gapBytes &+= direction.gapBytes
    if case .decoded = direction.content {
      log.summary.streamBytes &+= direction.bytes
    } else {
      log.summary.undecodedBytes &+= direction.bytes
    }
    // They are not among the bytes of a stream that was decrypted.
    if encryption != nil {
      log.summary.undecodedBytes &+= direction.bytesBeforeTLS
      direction.end &+= direction.bytesBeforeTLS
    }
    // The stage that tried to decrypt it has reported it.
    if case .ciphertext = direction.content, encryption == nil, reportsCiphertext {
      try reportCiphertext(&direction)
    }
  }

  func close(_ report: StreamReport) throws {
    let isRelated = report.service == .expected || report.service == nil && isOfInterest
    try close(&self[.first], report.encryption?.first, reportsCiphertext: isRelated)
    try close(&self[.second], report.encryption?.second, reportsCiphertext: isRelated)
    if report.encryption == nil, streamProtocol == .encrypted, !isRelated { try reportUnrelated(report) }
    try settle()
    if let gateway {
      try gateway.value.finish { try emit($0) }
      log.summary.gateway.add(gateway.value.counts)
    }
    try reportCountedLines()
    if let pushes {
      pushes.finish()
      try emitComplete(pushes)
    }
    for maker in excerpts { try maker.finish(in: log) }
    try log.add(summary(report), report: report)
  }

  private func summary(_ report: StreamReport) -> StreamSummary {
    let labels = labels(input: report.firstPacket?.input ?? 0)
    var summary = StreamSummary(
      source: labels.source, number: identity.number, streamProtocol: streamProtocol)
    summary.client = labels.client
    summary.server = labels.server
    summary.serverSide = server
    (summary.firstPacket, summary.lastPacket) = (report.firstPacket?.number, report.lastPacket?.number)
    (summary.startedAt, summary.endedAt) = (report.firstPacket?.time, report.lastPacket?.time)
    let counts = pushes?.counts ?? ByService(PushCounts())
    (summary.broadcasts, summary.channels) = (counts.broadcasts, counts.channels)
    summary.records = ServiceRequest.Kind.allCases.reduce(self[.first].records &+ self[.second].records) {
      $0 &+ counts[$1].all
    }
    (summary.clientBytes, summary.clientGapBytes) = (self[server.other].bytes, self[server.other].gapBytes)
    (summary.serverBytes, summary.serverGapBytes) = (self[server].bytes, self[server].gapBytes)
    summary.findings = Int(findings)
    summary.gateway = gateway?.value.counts
    summary.pushes = pushes?.counts.pushes ?? logCounts?.value.pushes
    if case .decoded(let decoder as Box<LogDecoder>) = self[.first].content {
      summary.forms = decoder.value.readers
    }
    summary.encryption = report.encryption
    return summary
  }

  private var streamProtocol: StreamProtocol {
    switch (self[.first].content, self[.second].content) {
    case (.decoded, _), (_, .decoded): expected ?? .other
    case (.ciphertext, _), (_, .ciphertext): .encrypted
    // An empty dump counts as feedback, like every dump that matches no known content.
    default: expected ?? (identity.serverEvidence == .dump ? .feedback : .other)
    }
  }
}
