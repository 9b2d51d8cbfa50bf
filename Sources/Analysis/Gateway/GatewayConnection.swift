import APNsWire
import PacketCapture
import WireBytes

/// Both directions of a gateway connection: tells which request a response names, and what became of each
/// (decoding-rules.md, "Correlation").
///
/// Responses are settled when the connection ends, or as late as the limits allow: then all that was captured
/// before them has come, in whatever order its packets were put together. Requests and what was found among them
/// wait in a queue until their outcome is known, so that they leave in the order of their offsets.
final class GatewayConnection {
  /// Requests are handed on so many at a time.
  private static let batchLength = 256
  /// So many requests more than may wait are kept: a response that was captured before them may still come, since
  /// each direction is put together by itself.
  private static let slack = 1 << 17

  /// A response, or something found among them, until it is settled.
  private enum Waiting {
    case response(WaitingResponse)
    case finding(StreamFinding)
  }

  private struct WaitingResponse {
    var frame: ResponseFrame
    var origin: ByteOrigin
    var captureOrder: Int
  }

  private unowned let stream: StreamAnalysis
  private let space: GatewaySpace
  private let isKept: Bool
  private var pending = PendingRequests()
  private var queue: EvidenceQueue
  private var waiting: [Waiting] = []
  /// The first of the responses that wait, in the order of the capture.
  private var firstWaiting: Int?
  /// Nil until the first response was settled.
  private var verdict: Verdict?
  /// How many requests left, as unknown, before there was a verdict.
  private var leftUnknown = 0
  /// The first request, for the finding that says where the first one left.
  private var firstRequest: (frame: RequestFrame, origin: ByteOrigin)?
  /// The number of the next request that leaves the queue.
  private var nextToLeave = 0
  private var responses = 0
  private var batch: [RequestRecord] = []

  init(of stream: StreamAnalysis, space: GatewaySpace) {
    self.stream = stream
    self.space = space
    isKept = stream.log.takesGatewayRecords
    queue = EvidenceQueue(memory: space.memory)
  }

  /// How many requests and responses it has carried.
  var records: Int { pending.end + responses }

  var counts: GatewayCounts {
    var counts = (verdict ?? .none).counts(from: leftUnknown, to: pending.end)
    counts.unknown += leftUnknown
    counts.responses = responses
    return counts
  }

  // MARK: - What comes

  func add(_ frame: RequestFrame, in bytes: RawSpan, origin: ByteOrigin) throws {
    if firstRequest == nil { firstRequest = (frame, origin) }
    let place =
      isKept
      ? try queue.append(QueuedEvidence(request: frame, origin: origin), body: bytes.extracting(frame.range))
      : 0
    pending.append(
      PendingRequest(
        offset: frame.offset, captureOrder: stream.captureOrder(of: frame.offset, origin, from: .client),
        queuePlace: place, identifier: RequestFields(frame.range, in: bytes).identifier))
    if pending.count - space.limits.maxPending > Self.slack { try makeRoom() }
  }

  func add(_ frame: ResponseFrame, origin: ByteOrigin) throws {
    responses += 1
    let order = stream.captureOrder(of: frame.offset, origin, from: .server)
    waiting.append(.response(WaitingResponse(frame: frame, origin: origin, captureOrder: order)))
    firstWaiting = min(firstWaiting ?? order, order)
    try space.wait(in: self)
  }

  /// Takes a finding that must not come before evidence of lower offsets that waits; false where none does.
  func takes(_ finding: StreamFinding, from direction: Direction) throws -> Bool {
    switch direction {
    case .client:
      // Where nobody takes requests, the finding about the limit may still come, with the offset of the first one.
      if isKept ? queue.isEmpty : firstRequest == nil { return false }
      let message = Array(finding.message.utf8)
      _ = try queue.append(QueuedEvidence(finding), body: message.span.bytes)
    case .server:
      if !isKept || waiting.isEmpty { return false }
      waiting.append(.finding(finding))
      try space.wait(in: self)
    }
    return true
  }

  /// All of both directions has come.
  func close() throws {
    try settle()
    try letLeave(before: nil)
    while let block = try queue.removeFirst() { try handOn(block) }
    stream.log.summary.gateway.add(counts)
  }

  // MARK: - The limit

  /// Lets the oldest request go.
  private func makeRoom() throws {
    if verdict == nil, let firstWaiting, firstWaiting <= captureOrderOfLimit { try settle() }
    if verdict == nil { try leaveUnknown() } else { try dropFirst() }
  }

  /// Where the request stands in the order of the capture with which the oldest one leaves.
  private var captureOrderOfLimit: Int { pending[pending.first + space.limits.maxPending].captureOrder }

  /// Lets all requests leave that wait too long before something that was captured at `order`; nil is the end.
  private func letLeave(before order: Int?) throws {
    while verdict == nil, pending.count > space.limits.maxPending, captureOrderOfLimit < order ?? .max {
      try leaveUnknown()
    }
  }

  private func leaveUnknown() throws {
    if leftUnknown == 0, let firstRequest { try findLimit(firstRequest.frame, firstRequest.origin) }
    leftUnknown += 1
    try dropFirst()
  }

  private func dropFirst() throws {
    pending.dropFirst()
    let oldest = pending.count > 0 ? pending[pending.first].queuePlace : .max
    while let end = queue.firstBlockEnd, end <= oldest, let block = try queue.removeFirst() {
      try handOn(block)
    }
  }

  /// The first request is the first in the queue, so this leaves before all that waits there.
  private func findLimit(_ frame: RequestFrame, _ origin: ByteOrigin) throws {
    let finding = StreamFinding(
      code: .pendingLimit, side: stream.side(of: .client), offset: frame.offset, length: frame.length,
      fileOffset: origin.fileOffset(of: frame.offset), packet: origin.packet,
      message:
        "\(space.limits.maxPending) requests wait for a response: the oldest, from here on, stay unknown "
        + "(--max-pending)")
    try stream.announce(finding)
    try stream.report(finding)
  }

  // MARK: - Correlation

  /// Finds the requests of the responses that wait, and hands those on.
  func settle() throws {
    guard !waiting.isEmpty else { return }
    let first = firstWaiting
    if let first { try letLeave(before: first) }
    let settled = waiting
    waiting = []
    firstWaiting = nil
    space.stopWaiting(in: self, settled.count)
    var wanted: Set<UInt32> = []
    for case .response(let response) in settled {
      wanted.insert(response.frame.response.identifier)
      wanted.insert(response.frame.response.identifier.byteSwapped)
    }
    let carriers = pending.carriers(of: wanted)
    for item in settled {
      switch item {
      case .response(let response):
        try settle(response, decides: verdict == nil && response.captureOrder == first, among: carriers)
      case .finding(let finding): try stream.report(finding)
      }
    }
  }

  /// - Parameter decides: whether it is the first of the connection.
  private func settle(
    _ response: WaitingResponse, decides: Bool, among carriers: [UInt32: Carriers]
  ) throws {
    let frame = response.frame
    let (number, correlation) = find(
      frame.response.identifier, before: response.captureOrder, among: carriers)
    var flags = frame.flags.union(correlation)
    if decides {
      verdict = Verdict(status: frame.response.status, request: number)
    } else {
      flags.insert(.afterClose)
    }
    stream.log.summary.count(flags)
    guard isKept else { return }
    let packet = response.origin.packet
    try stream.log.add(
      ResponseRecord(
        labels: stream.labels(input: packet?.input ?? 0), offset: frame.offset,
        fileOffset: response.origin.fileOffset(of: frame.offset), packet: packet, response: frame.response,
        request: number.map { try request(pending[$0]) }, flags: flags))
  }

  /// The number of the request that a response with `identifier` names, and what is doubtful about that.
  private func find(
    _ identifier: UInt32, before order: Int, among carriers: [UInt32: Carriers]
  ) -> (number: Int?, flags: RecordFlags) {
    if identifier == 0 {
      let number = pending.zeroHasLeft ? nil : carriers[0]?.only(before: order)
      return (number, number == nil ? .uncorrelated : [])
    }
    if let number = carriers[identifier]?.last(before: order) { return (number, []) }
    if let number = carriers[identifier.byteSwapped]?.last(before: order) {
      return (number, .identifierSwapped)
    }
    return (nil, .uncorrelated)
  }

  private func request(_ request: PendingRequest) throws -> ResponseRecord.Request {
    guard let (evidence, body) = try queue.evidence(at: request.queuePlace) else {
      return ResponseRecord.Request(offset: request.offset, token: nil, flags: [])
    }
    let token = RequestFields(body.indices, in: body.span.bytes).token
    return ResponseRecord.Request(
      offset: request.offset, token: token.map { Array(body[$0]) }, flags: evidence.flags)
  }

  // MARK: - What leaves

  /// Hands on what is in a block of the queue.
  private func handOn(_ block: [UInt8]) throws {
    let bytes = block.span.bytes
    var place = 0
    var labels: StreamLabels?
    while place + QueuedEvidence.headLength <= bytes.byteCount {
      let evidence = EvidenceQueue.head(at: place, in: bytes)
      let body = place + QueuedEvidence.headLength..<place + evidence.length
      place = body.upperBound
      if let code = evidence.code {
        try handOnBatch(labels, in: bytes)
        try stream.report(
          evidence.finding(code: code, body: bytes.extracting(body), side: stream.side(of: .client)))
        continue
      }
      let current = stream.labels(input: evidence.origin?.input ?? 0)
      if labels !== current || batch.count >= Self.batchLength { try handOnBatch(labels, in: bytes) }
      labels = current
      batch.append(record(evidence, body))
    }
    try handOnBatch(labels, in: bytes)
  }

  private func record(_ evidence: QueuedEvidence, _ body: Range<Int>) -> RequestRecord {
    let number = nextToLeave
    nextToLeave += 1
    let outcome = number < leftUnknown ? .unknown : (verdict ?? .none).outcome(of: number)
    var status: UInt8?
    if outcome == .rejected, case .rejected(_, let code) = verdict { status = code }
    return RequestRecord(
      range: body, offset: evidence.offset, fileOffset: evidence.fileOffset, packet: evidence.origin,
      flags: evidence.flags, outcome: outcome, status: status)
  }

  private func handOnBatch(_ labels: StreamLabels?, in bytes: RawSpan) throws {
    guard let labels, !batch.isEmpty else { return }
    let records = RequestRecords(labels: labels, records: batch)
    try stream.log.add(records, in: bytes)
    batch.removeAll(keepingCapacity: true)
  }
}
