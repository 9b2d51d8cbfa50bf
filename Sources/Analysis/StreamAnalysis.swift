import APNsWire
import HTTP2
import Messages
import PacketCapture
import WireBytes

/// One open stream: determines roles and content, and orders, labels, correlates and emits the results of the
/// decoders and the findings of the source.
final class StreamAnalysis {
  /// The maximum number of findings that wait for the roles to be settled.
  static let maxUnsettled = 64

  let identity: StreamIdentity
  let log: EvidenceLog
  /// The protocol, once it is known.
  private var expected: StreamProtocol?
  private var server: Side
  /// Whether the roles are certain; the content of the directions may correct a guess.
  var isSettled: Bool
  var unsettled: [StreamFinding] = []
  // Safe because a method that gets a direction as `inout` does not access it in any other way.
  @exclusivity(unchecked) private var first = DirectionAnalysis(.first)
  @exclusivity(unchecked) private var second = DirectionAnalysis(.second)
  /// Created when gateway content is detected.
  var gateway: Box<Correlator>?
  /// Of a provider's log.
  private(set) var logPushes: Box<PushCounts>?
  private(set) var logLines: Box<LogLineCounts>?
  /// Created when HTTP/2 is detected.
  private var pushes: PushConnection?
  /// Nil if no excerpts are needed.
  let excerpts: (first: ExcerptMaker, second: ExcerptMaker)?
  var findings = 0
  /// The last used labels and their input.
  private var lastLabels: (input: UInt16, labels: StreamLabels)?

  init(_ identity: StreamIdentity, log: EvidenceLog) {
    self.identity = identity
    self.log = log
    let choice = log.options.choice
    expected = choice.expected(of: identity)
    server = identity.server
    switch identity.serverEvidence {
    case .handshake, .port, .pair: isSettled = true
    case .guess: isSettled = false
    case .dump:
      isSettled = choice.dumpServer != nil
      server = choice.dumpServer ?? server
    case .log:
      isSettled = true
      expected = .providerLog
      logPushes = Box(PushCounts())
      logLines = Box(LogLineCounts())
    }
    excerpts = log.options.excerptsPerCode > 0 ? (ExcerptMaker(), ExcerptMaker()) : nil
  }

  /// Whether its port is one of the service, or unknown.
  private var isOfInterest: Bool { identity.peers == nil || log.options.choice.expected(of: identity) != nil }

  func role(of side: Side) -> Direction { side == server ? .server : .client }

  func labels(input: UInt16) -> StreamLabels {
    if let lastLabels, lastLabels.input == input { return lastLabels.labels }
    let labels = StreamLabels(
      source: log.source(input), stream: identity.number, client: identity.endpoint(server.other)?.text,
      server: identity.endpoint(server)?.text)
    lastLabels = (input, labels)
    return labels
  }

  func excerpts(of side: Side) -> ExcerptMaker? {
    side == .first ? excerpts?.first : excerpts?.second
  }

  // MARK: - Events

  /// - Parameters:
  ///   - location: the location of `bytes`.
  ///   - isRecord: whether they are a record of TLS.
  func append(
    _ bytes: RawSpan, at location: ChunkLocation, origins: Span<SourceExtent>, from side: Side, isRecord: Bool
  ) throws {
    if side == .first {
      try append(bytes, at: location, origins: origins, isRecord: isRecord, to: &first)
    } else {
      try append(bytes, at: location, origins: origins, isRecord: isRecord, to: &second)
    }
  }

  private func append(
    _ bytes: RawSpan, at location: ChunkLocation, origins: Span<SourceExtent>, isRecord: Bool,
    to direction: inout DirectionAnalysis
  ) throws {
    if !origins.isEmpty { direction.noteFirst(origins[0].fileOffset, origins[0].packet) }
    let base = direction.end
    direction.end &+= bytes.byteCount
    direction.bytes &+= bytes.byteCount
    switch direction.content {
    case .decoded(let decoder):
      direction.trail.append(origins, end: direction.end)
      try decode(bytes, at: location, with: decoder, of: &direction)
      try emitPending(before: decoder.coveredOffset, of: &direction)
    case .undecided(let opening):
      direction.trail.append(origins, end: direction.end)
      try appendUndecided(bytes, after: opening, at: location, to: &direction)
    case .ciphertext, .other:
      break
    }
    try excerpts(of: direction.side)?.append(bytes, at: base, covered: direction.coveredOffset, in: log)
    if log.needs.contains(.bytes) {
      var state = direction.state(of: identity.number)
      state.isRecord = isRecord
      try log.add(bytes, of: state, origins: origins)
    }
  }

  private func appendUndecided(
    _ bytes: RawSpan, after opening: [UInt8], at location: ChunkLocation,
    to direction: inout DirectionAnalysis
  ) throws {
    if opening.isEmpty, bytes.byteCount >= headLength(of: bytes, from: direction.side) {
      return try decide(on: bytes, at: location, of: &direction)
    }
    let opening = opening + bytes.withUnsafeBytes { Array($0) }
    direction.content = .undecided(opening)
    if opening.count >= headLength(of: opening.span.bytes, from: direction.side) {
      try decide(on: opening.span.bytes, at: nil, of: &direction)
    }
  }

  func gap(_ gap: StreamGap, from side: Side) throws {
    if side == .first { try add(gap, to: &first) } else { try add(gap, to: &second) }
  }

  private func add(_ gap: StreamGap, to direction: inout DirectionAnalysis) throws {
    direction.noteFirst(gap.fileOffset, gap.packet)
    direction.gapBytes &+= gap.length
    try endRun(of: &direction)
    direction.end = gap.offset &+ gap.length
    // Ciphertext has a single finding, at the end, when its length is known.
    if case .ciphertext = direction.content {} else { try reportGap(gap, in: &direction) }
    try excerpts(of: direction.side)?.fill(in: log)
    if log.needs.contains(.bytes) { try log.add(gap, in: direction.state(of: identity.number)) }
  }

  private func reportGap(_ gap: StreamGap, in direction: inout DirectionAnalysis) throws {
    let location = DirectionAnalysis.Location(fileOffset: gap.fileOffset, packet: gap.packet)
    try report(.streamGap, gap.offset, gap.length, at: location, message(of: gap), in: &direction)
    if case .decoded(let decoder) = direction.content {
      let next = RunDecoder(
        decoder.content, from: role(of: direction.side), by: log.options, offset: direction.end,
        beginsStream: false)
      next.allow(payload: pushes?.limit(of: role(of: direction.side)))
      direction.content = .decoded(next)
    } else {
      direction.start = direction.end
    }
    try losePushBytes(of: direction.side)
    direction.beginsStream = false
  }

  /// A finding of the source. It is kept until all bytes before it are decided.
  func anomaly(_ anomaly: StreamAnomaly) throws {
    // Of another service, unless it is plaintext that ends.
    let isOther = anomaly.kind == .decryptionFailed && !isOfInterest && first.bytes &+ second.bytes == 0
    let finding = StreamFinding(
      code: isOther ? .unrelatedTLS : FindingCode(anomaly.kind), side: anomaly.side, offset: anomaly.offset,
      length: anomaly.length,
      fileOffset: anomaly.fileOffset, packet: anomaly.packet, message: anomaly.message)
    let isMidstream = anomaly.kind == .midstreamStart
    switch anomaly.side {
    case nil: try report(finding)
    case .first: try add(finding, isMidstream: isMidstream, to: &first)
    case .second: try add(finding, isMidstream: isMidstream, to: &second)
    }
  }

  private func add(
    _ finding: StreamFinding, isMidstream: Bool, to direction: inout DirectionAnalysis
  ) throws {
    if isMidstream { direction.beginsStream = false }
    if direction.pendingFindings.keep(finding, from: direction.coveredOffset ?? .max) { return }
    try report(finding)
  }

  // MARK: - Content

  /// Bytes of a direction's first run that are needed to decide its content.
  private func headLength(of head: RawSpan, from side: Side) -> Int {
    if log.options.choice.named == nil, HTTP2Preface.mayBegin(at: 0, in: head) { return HTTP2Preface.length }
    if identity.serverEvidence == .log { return ContentProbe.dumpHeadLength }
    if isSettled, expected != nil { return Ciphertext.headLength }
    return identity.serverEvidence == .dump ? ContentProbe.dumpHeadLength : ContentProbe.headLength
  }

  /// Decides the content of the direction from the first bytes of its first run, and decodes them.
  private func decide(on head: RawSpan, at location: ChunkLocation?, of direction: inout DirectionAnalysis)
    throws
  {
    direction.content = .other
    if Self.isCiphertext(head) {
      direction.content = .ciphertext
      direction.trail = OriginTrail()
      return
    }
    direction.forgetFirst()
    guard let carried = content(of: head, from: direction.side) else {
      direction.trail = OriginTrail()
      return
    }
    try recognised(carried, of: head, from: direction.side)
    let decoder = RunDecoder(
      carried, from: role(of: direction.side), by: log.options, offset: direction.start,
      beginsStream: direction.beginsStream)
    decoder.allow(payload: pushes?.limit(of: role(of: direction.side)))
    if case .providerLog(let decoder) = decoder { decoder.prepare(with: head) }
    direction.content = .decoded(decoder)
    try decode(head, at: location, with: decoder, of: &direction)
    try emitPending(before: decoder.coveredOffset, of: &direction)
  }

  private static func isCiphertext(_ head: RawSpan) -> Bool {
    Ciphertext.begins(
      head.extracting(first: min(head.byteCount, Ciphertext.headLength)).withUnsafeBytes { Array($0) })
  }

  /// The content that `side` sends, whose first bytes are `head`; nil if it cannot be decoded.
  private func content(of head: RawSpan, from side: Side) -> DirectionContent? {
    // Ports are weaker evidence.
    if log.options.choice.named == nil, beginsHTTP2(head, from: side) { return .http2 }
    switch expected {
    case .http2: return .http2
    case .feedback: return side == server ? .feedback : nil
    case .gateway:
      // The bytes are better evidence than guessed roles.
      if !isSettled, let carried = log.options.probe.content(of: head), carried != .feedback,
        carried != .http2
      {
        return carried
      }
      return side == server ? .responses : .requests
    case .providerLog: return .providerLog
    case .encrypted, .other: return nil
    case nil: return recognise(head, from: side)
    }
  }

  private func recognise(_ head: RawSpan, from side: Side) -> DirectionContent? {
    let carried = log.options.probe.content(of: head)
    // A dump that matches no known content is read as feedback.
    if identity.serverEvidence == .dump { return carried ?? .feedback }
    if carried == .http2 { return .http2 }
    let isServer = carried != .requests
    return isSettled && carried != .feedback && (side == server) != isServer ? nil : carried
  }

  /// Whether the first bytes of a connection of HTTP/2 are here.
  private func beginsHTTP2(_ head: RawSpan, from side: Side) -> Bool {
    HTTP2Recognition.isClient(head) || (side == server || !isSettled) && HTTP2Recognition.isServer(head)
  }

  /// Sets roles and protocol from the content that `side` sends.
  private func recognised(_ carried: DirectionContent, of head: RawSpan, from side: Side) throws {
    if carried == .http2 { return try recognisedHTTP2(head, from: side) }
    if !isSettled { server = carried == .requests ? side.other : side }
    if expected == nil { expected = carried == .feedback ? .feedback : .gateway }
    try settle()
    if carried == .requests || carried == .responses, gateway == nil {
      gateway = Box(
        Correlator(log.gateway, keepsRecords: log.needs.contains(.gatewayRecords), client: server.other))
    }
  }

  private func recognisedHTTP2(_ head: RawSpan, from side: Side) throws {
    if !isSettled {
      if HTTP2Recognition.isClient(head) {
        server = side.other
      } else if let sender = HTTP2Recognition.sender(of: head) {
        server = sender == .server ? side : side.other
      }
    }
    expected = .http2
    try settle()
    if pushes == nil {
      pushes = PushConnection(
        log.pushes, keepsPayloads: log.needs.contains(.payloads),
        alone: identity.serverEvidence == .dump ? role(of: .first) : nil)
    }
  }

  func settle() throws {
    guard !isSettled else { return }
    isSettled = true
    lastLabels = nil
    let waiting = unsettled
    unsettled = []
    for finding in waiting { try report(finding) }
  }

  // MARK: - Decoding

  /// Decodes the next bytes of the run, and emits the results.
  /// - Parameter location: the location of `chunk`; nil if it is not valid for long.
  private func decode(
    _ chunk: RawSpan, at location: ChunkLocation?, with decoder: RunDecoder,
    of direction: inout DirectionAnalysis
  ) throws {
    while true {
      switch decoder.next(in: chunk) {
      case .records(let run):
        if run.window == .chunk {
          try emit(run, in: chunk, at: location, of: &direction)
        } else {
          let carry = decoder.carry
          try emit(run, in: carry.span.bytes, at: nil, of: &direction)
        }
      case .request(let frame):
        if frame.window == .chunk {
          try correlate(frame, in: chunk, at: location, of: &direction)
        } else {
          let carry = decoder.carry
          try correlate(frame, in: carry.span.bytes, at: nil, of: &direction)
        }
      case .response(let frame):
        try correlate(frame, of: &direction)
      case .frame(let frame):
        if frame.window == .chunk {
          try take(frame, in: chunk, with: decoder, of: &direction)
        } else {
          let carry = decoder.carry
          try take(frame, in: carry.span.bytes, with: decoder, of: &direction)
        }
      case .opening(let offset, let length):
        log.summary.recordBytes &+= length
        let usual = direction.side == server ? 0 : HTTP2Preface.length
        pushes?.begin(role(of: direction.side), isUpgraded: length > usual)
        try emitPending(before: offset &+ 1, of: &direction)
      case .undecodable(let offset, let command):
        try reportUndecodable(command, at: offset, of: decoder.content, in: &direction)
      case .skipped(let offset, let length):
        try reportSkipped(offset, length, of: decoder.content, in: &direction)
        try losePushBytes(of: direction.side)
      case .truncated(let offset, let length):
        try reportTruncated(offset, length, of: decoder.content, in: &direction)
        try losePushBytes(of: direction.side)
      case .logged(let decoder, let offset, let length):
        try emitLogged(offset, length, by: decoder, of: &direction)
      case .passed(let length):
        log.summary.recordBytes &+= length
      case .skippedLines(let decoder, let skip):
        try reportLines(skip, by: decoder, in: &direction)
      case .needsBytes:
        return direction.forgetDecided(by: decoder)
      }
    }
  }

  /// Emits a run of feedback records, cut at the ends of file extents and at findings of the source.
  private func emit(
    _ run: RecordRun, in bytes: RawSpan, at location: ChunkLocation?, of direction: inout DirectionAnalysis
  ) throws {
    log.summary.count(run)
    direction.records &+= run.count
    var done = 0
    while done < run.count {
      let offset = run.offset &+ done &* run.stride
      guard let (origin, extentEnd) = direction.trail.extent(at: offset) else { return }
      let end = try min(extentEnd, emitPending(through: offset, of: &direction))
      let inExtent = (end &- offset &+ run.stride &- 1) / run.stride
      let count = max(1, min(inExtent, run.count &- done))
      let slice = run.slice(from: done, count: count)
      try log.add(
        FeedbackRecords(
          labels: labels(input: origin.packet?.input ?? 0), direction: role(of: direction.side), run: slice,
          origin: origin),
        in: bytes, at: location)
      try excerpts(of: direction.side)?.note(slice, in: log)
      done &+= count
    }
  }

  private func correlate(
    _ frame: RequestFrame, in bytes: RawSpan, at location: ChunkLocation?,
    of direction: inout DirectionAnalysis
  ) throws {
    guard let origin = direction.trail.origin(at: frame.offset) else { return }
    try emitPending(before: frame.offset &+ 1, of: &direction)
    direction.records &+= 1
    log.summary.recordBytes &+= frame.length
    log.summary.count(frame.flags)
    if identity.serverEvidence == .dump { return try emitAlone(frame, origin, in: bytes, at: location) }
    let order = captureOrder(of: frame.offset, origin, from: .client)
    try gateway?.value.add(frame, in: bytes, origin: origin, captureOrder: order) { try emit($0) }
  }

  /// Emits a request of a dump of one direction at once: no response can decide its outcome.
  private func emitAlone(
    _ frame: RequestFrame, _ origin: SourceExtent, in bytes: RawSpan, at location: ChunkLocation?
  ) throws {
    gateway?.value.addAlone()
    guard log.needs.contains(.gatewayRecords) else { return }
    try log.add(
      RequestRecord(
        range: frame.range, offset: frame.offset, fileOffset: origin.fileOffset(of: frame.offset),
        packet: origin.packet, flags: frame.flags, outcome: .unknown, status: nil),
      labels: labels(input: origin.packet?.input ?? 0), in: bytes, at: location)
  }

  private func correlate(_ frame: ResponseFrame, of direction: inout DirectionAnalysis) throws {
    guard let origin = direction.trail.origin(at: frame.offset) else { return }
    try emitPending(before: frame.offset &+ 1, of: &direction)
    direction.records &+= 1
    log.summary.recordBytes &+= ErrorResponse.length
    let order = captureOrder(of: frame.offset, origin, from: .server)
    gateway?.value.add(frame, origin: origin, captureOrder: order)
  }

  // MARK: - HTTP/2

  private func take(
    _ frame: Frame, in bytes: RawSpan, with decoder: RunDecoder, of direction: inout DirectionAnalysis
  ) throws {
    guard let pushes, let origin = direction.trail.origin(at: frame.offset) else { return }
    try emitPending(before: frame.offset &+ 1, of: &direction)
    log.summary.recordBytes &+= frame.length
    let fault = pushes.take(
      frame, in: bytes, from: role(of: direction.side), at: FrameOrigin(frame.offset, origin))
    if let fault {
      try report(
        .malformedHTTP2, frame.offset, frame.length, origin: origin,
        fault == .tooLong
          ? .headerListTooLong(limit: HeaderTable.longestList) : .malformedHeaderBlock, in: &direction)
    }
    if frame.kind == .settings, case .decoded(let other) = content(of: direction.side.other) {
      other.allow(payload: pushes.limit(of: role(of: direction.side.other)))
    }
    if pushes.hasReady { try emitReady(pushes) }
  }

  private func content(of side: Side) -> DirectionAnalysis.Content {
    side == .first ? first.content : second.content
  }

  /// Bytes of a direction are missing, or no frames.
  private func losePushBytes(of side: Side) throws {
    guard let pushes else { return }
    pushes.gap(in: role(of: side))
    if pushes.hasReady { try emitReady(pushes) }
  }

  private func emitReady(_ pushes: PushConnection) throws {
    if let (origin, direction) = pushes.removeEvicted() {
      try report(
        StreamFinding(
          code: .pendingLimit, side: direction == .server ? server : server.other, offset: origin.offset,
          length: Frame.headerLength, fileOffset: origin.fileOffset, packet: origin.packet,
          message: .tooManyPending(limit: log.options.gateway.maxPending)))
    }
    try pushes.removeReady { push, texts in
      try log.add(push, labels: labels(input: push.packet?.input ?? 0), in: texts)
    }
  }

  /// The position of a byte in the capture, comparable between both directions: by its packet, else by its file
  /// offset. In a pair of dumps, all requests come first.
  private func captureOrder(of offset: Int, _ origin: SourceExtent, from direction: Direction) -> Int {
    if let number = origin.packet?.number { return Int(origin.packet?.input ?? 0) << 47 | number }
    if identity.serverEvidence == .pair { return direction == .client ? 0 : 1 }
    return origin.fileOffset(of: offset)
  }

  /// Correlates the waiting responses now, because too many wait in all streams.
  func settleResponses() throws {
    try gateway?.value.settle { try emit($0) }
  }

  private func emit(_ outcome: Correlator.Outcome) throws {
    switch outcome {
    case .requests(let records, let bytes):
      let labels = labels(input: records.first?.packet?.input ?? 0)
      try log.add(RequestRecords(labels: labels, records: records), in: bytes)
    case .response(let response):
      log.summary.count(response.flags)
      guard log.needs.contains(.gatewayRecords) else { return }
      let packet = response.origin.packet
      try log.add(
        ResponseRecord(
          labels: labels(input: packet?.input ?? 0), offset: response.offset,
          fileOffset: response.origin.fileOffset(of: response.offset), packet: packet,
          response: response.response, request: response.request, flags: response.flags))
    case .finding(let finding): try emit(finding)
    case .limit(let finding):
      try beginExcerpt(of: finding)
      try emit(finding)
    }
  }

  // MARK: - The end

  private func endRun(of direction: inout DirectionAnalysis) throws {
    if case .undecided(let opening) = direction.content, !opening.isEmpty {
      try decide(on: opening.span.bytes, at: nil, of: &direction)
    }
    if case .decoded(let decoder) = direction.content {
      decoder.finishRun()
      try decode(RawSpan(), at: nil, with: decoder, of: &direction)
    }
    try emitPending(before: direction.end, of: &direction)
  }

  private func close(_ direction: inout DirectionAnalysis, _ encryption: StreamEncryption.Half?) throws {
    if let encryption, !encryption.isDecrypted {
      direction.content = .ciphertext
      direction.bytes = encryption.bytes
      direction.gapBytes = encryption.gapBytes
    }
    try endRun(of: &direction)
    try emitPending(before: .max, of: &direction)
    log.summary.gapBytes &+= direction.gapBytes
    if case .decoded = direction.content {
      log.summary.streamBytes &+= direction.bytes
    } else {
      log.summary.undecodedBytes &+= direction.bytes
    }
    // The stage that tried to decrypt it has reported it.
    if case .ciphertext = direction.content, encryption == nil, isOfInterest {
      try reportCiphertext(&direction)
    }
  }

  func close(_ report: StreamReport) throws {
    try close(&first, report.encryption?.first)
    try close(&second, report.encryption?.second)
    if report.encryption == nil, streamProtocol == .encrypted, !isOfInterest { try reportUnrelated(report) }
    try settle()
    if let gateway {
      try gateway.value.finish { try emit($0) }
      log.summary.gateway.add(gateway.value.counts)
    }
    try reportCountedLines()
    if let pushes {
      pushes.finish()
      try emitReady(pushes)
    }
    try excerpts?.first.finish(in: log)
    try excerpts?.second.finish(in: log)
    try log.add(summary(report), report: report)
  }

  private func summary(_ report: StreamReport) -> StreamSummary {
    let labels = labels(input: report.firstPacket?.input ?? 0)
    var summary = StreamSummary(
      source: labels.source, number: identity.number, streamProtocol: streamProtocol)
    summary.client = labels.client
    summary.server = labels.server
    summary.serverSide = server
    summary.setPackets(report)
    summary.records = first.records &+ second.records &+ (pushes?.counts.all ?? 0)
    summary.add(bytes: first.bytes, gapBytes: first.gapBytes, from: role(of: .first))
    summary.add(bytes: second.bytes, gapBytes: second.gapBytes, from: role(of: .second))
    summary.findings = findings
    summary.gateway = gateway?.value.counts
    summary.pushes = pushes?.counts ?? logPushes?.value
    summary.encryption = report.encryption
    return summary
  }

  private var streamProtocol: StreamProtocol {
    switch (first.content, second.content) {
    case (.decoded, _), (_, .decoded): expected ?? .other
    case (.ciphertext, _), (_, .ciphertext): .encrypted
    // An empty dump counts as feedback, like every dump that matches no known content.
    default: expected ?? (identity.serverEvidence == .dump ? .feedback : .other)
    }
  }
}
