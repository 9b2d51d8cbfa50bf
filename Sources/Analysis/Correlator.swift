import APNsWire
import PacketCapture
import WireBytes

/// Tells which request a response of a gateway connection names, and what became of each (docs/spec/decoding-rules.md#correlation).
///
/// Responses are correlated when the connection ends, or as late as the limits allow: then all that was captured
/// before them has come, in whatever order its packets were put together. Requests and what was found among them
/// wait in a queue until their outcome is known, so that they leave in the order of their offsets.
package struct Correlator {
  /// What leaves a correlator.
  package enum Outcome {
    /// Requests of one input, in order; their ranges are in `bytes`.
    case requests([RequestRecord], bytes: [UInt8])
    case response(Response)
    /// A finding that waited.
    case finding(StreamFinding)
    /// More requests waited than may: the first one that left because of it.
    case limit(StreamFinding)
  }

  /// A response with the request that it names.
  package struct Response {
    package var offset: Int
    package var origin: ByteOrigin
    package var response: ErrorResponse
    /// Nil where none is found, and where requests are not kept.
    package var request: ResponseRecord.Request?
    package var flags: RecordFlags
  }

  /// Requests leave this many at a time.
  private static let batchLength = 256
  /// This many requests more than may wait are kept: a response that was captured before them may still come, since
  /// each direction is put together by itself.
  private static let slack = 1 << 17

  /// A response, or something found among them, until it is correlated.
  private enum Waiting {
    case response(ResponseFrame, ByteOrigin, captureOrder: Int)
    case finding(StreamFinding)
  }

  private let budget: GatewayBudget
  private let keepsRecords: Bool
  private let client: Side
  /// Requests of a dump of one direction: no response can come, so they do not wait.
  private var alone = 0
  private var pending = PendingRequests()
  private var queue: EvidenceQueue
  private var waiting: [Waiting] = []
  /// The first of the responses that wait, in the order of the capture.
  private var firstWaiting: Int?
  /// Nil until the first response was correlated.
  private var verdict: Verdict?
  /// How many requests left, as unknown, before there was a verdict.
  private var leftUnknown = 0
  /// The first request, for the finding that says where the first one left.
  private var firstRequest: (frame: RequestFrame, origin: ByteOrigin)?
  /// The number of the next request that leaves the queue.
  private var nextToLeave = 0
  private var responses = 0

  /// - Parameters:
  ///   - keepsRecords: whether requests and responses are wanted, and not their counts alone.
  ///   - client: who sends the requests.
  package init(_ budget: GatewayBudget, keepsRecords: Bool, client: Side) {
    self.budget = budget
    self.keepsRecords = keepsRecords
    self.client = client
    queue = EvidenceQueue(memory: budget.memory)
  }

  /// What became of the requests, as far as is known.
  package var counts: GatewayCounts {
    var counts = (verdict ?? .none).counts(from: leftUnknown, to: pending.end)
    counts.unknown += leftUnknown + alone
    counts.responses = responses
    return counts
  }

  // MARK: - What comes

  /// - Parameter captureOrder: grows with the order in which the capture holds what both sides sent.
  package mutating func add(
    _ frame: RequestFrame, in bytes: RawSpan, origin: ByteOrigin, captureOrder: Int,
    _ emit: (Outcome) throws -> Void
  ) throws {
    if firstRequest == nil { firstRequest = (frame, origin) }
    let position =
      keepsRecords
      ? try queue.append(QueuedEvidence(request: frame, origin: origin), body: bytes.extracting(frame.range))
      : 0
    pending.append(
      PendingRequest(
        offset: frame.offset, captureOrder: captureOrder, queuePosition: position,
        identifier: RequestFields(frame.range, in: bytes).identifier))
    if pending.count - budget.limits.maxPending > Self.slack { try makeRoom(emit) }
  }

  /// Counts a request to which no response can come.
  mutating func addAlone() { alone += 1 }

  package mutating func add(_ frame: ResponseFrame, origin: ByteOrigin, captureOrder: Int) {
    responses += 1
    waiting.append(.response(frame, origin, captureOrder: captureOrder))
    firstWaiting = min(firstWaiting ?? captureOrder, captureOrder)
    budget.waitingResponses += 1
  }

  /// Takes a finding that must not come before evidence of lower offsets that waits; false where none does.
  package mutating func takes(_ finding: StreamFinding, from direction: Direction) throws -> Bool {
    switch direction {
    case .client:
      // Where requests are not kept, the finding about the limit may still come, with the offset of the first one.
      if keepsRecords ? queue.isEmpty : firstRequest == nil { return false }
      let message = Array(finding.message.utf8)
      _ = try queue.append(QueuedEvidence(finding), body: message.span.bytes)
    case .server:
      if !keepsRecords || waiting.isEmpty { return false }
      waiting.append(.finding(finding))
      budget.waitingResponses += 1
    }
    return true
  }

  /// All of both directions has come.
  package mutating func finish(_ emit: (Outcome) throws -> Void) throws {
    try settle(emit)
    try letLeave(before: nil, emit)
    while let block = try queue.removeFirst() { try emitBlock(block, emit) }
  }

  // MARK: - The limit

  /// Lets the oldest request go.
  private mutating func makeRoom(_ emit: (Outcome) throws -> Void) throws {
    if verdict == nil, let firstWaiting, firstWaiting <= captureOrderOfLimit { try settle(emit) }
    if verdict == nil { try leaveUnknown(emit) } else { try dropFirst(emit) }
  }

  /// Where the request with which the oldest one leaves is in the order of the capture.
  private var captureOrderOfLimit: Int { pending[pending.first + budget.limits.maxPending].captureOrder }

  /// Lets all requests leave that wait too long before something that was captured at `order`; nil is the end.
  private mutating func letLeave(before order: Int?, _ emit: (Outcome) throws -> Void) throws {
    while verdict == nil, pending.count > budget.limits.maxPending, captureOrderOfLimit < order ?? .max {
      try leaveUnknown(emit)
    }
  }

  private mutating func leaveUnknown(_ emit: (Outcome) throws -> Void) throws {
    if leftUnknown == 0, let firstRequest { try emit(.limit(limit(firstRequest.frame, firstRequest.origin))) }
    leftUnknown += 1
    try dropFirst(emit)
  }

  private mutating func dropFirst(_ emit: (Outcome) throws -> Void) throws {
    pending.dropFirst()
    let oldest = pending.count > 0 ? pending[pending.first].queuePosition : .max
    while let end = queue.firstBlockEnd, end <= oldest, let block = try queue.removeFirst() {
      try emitBlock(block, emit)
    }
  }

  /// The first request is the first in the queue, so this leaves before all that waits there.
  private func limit(_ frame: RequestFrame, _ origin: ByteOrigin) -> StreamFinding {
    StreamFinding(
      code: .pendingLimit, side: client, offset: frame.offset, length: frame.length,
      fileOffset: origin.fileOffset(of: frame.offset), packet: origin.packet,
      message:
        "\(budget.limits.maxPending) requests wait for a response: the oldest, from here on, stay unknown "
        + "(--max-pending)")
  }

  // MARK: - Correlation

  /// Finds the requests of the responses that wait: they leave.
  package mutating func settle(_ emit: (Outcome) throws -> Void) throws {
    guard !waiting.isEmpty else { return }
    let first = firstWaiting
    if let first { try letLeave(before: first, emit) }
    let settled = waiting
    waiting = []
    firstWaiting = nil
    budget.waitingResponses -= settled.count
    var wanted: Set<UInt32> = []
    for case .response(let frame, _, _) in settled {
      wanted.insert(frame.response.identifier)
      wanted.insert(frame.response.identifier.byteSwapped)
    }
    let carriers = pending.carriers(of: wanted)
    for item in settled {
      switch item {
      case .response(let frame, let origin, let order):
        let isFirst = verdict == nil && order == first
        try emit(.response(settle(frame, origin, order, isFirst: isFirst, among: carriers)))
      case .finding(let finding): try emit(.finding(finding))
      }
    }
  }

  /// - Parameter isFirst: whether it is the first of the connection: that decides what became of the requests.
  private mutating func settle(
    _ frame: ResponseFrame, _ origin: ByteOrigin, _ order: Int, isFirst: Bool,
    among carriers: [UInt32: Carriers]
  ) throws -> Response {
    let (number, correlation) = find(frame.response.identifier, before: order, among: carriers)
    var flags = frame.flags.union(correlation)
    if isFirst {
      verdict = Verdict(status: frame.response.status, request: number)
    } else {
      flags.insert(.afterClose)
    }
    var request: ResponseRecord.Request?
    if keepsRecords, let number { request = try self.request(pending[number]) }
    return Response(
      offset: frame.offset, origin: origin, response: frame.response, request: request, flags: flags)
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
    guard let (evidence, body) = try queue.evidence(at: request.queuePosition) else {
      return ResponseRecord.Request(offset: request.offset, token: nil, flags: [])
    }
    let token = RequestFields(body.indices, in: body.span.bytes).token
    return ResponseRecord.Request(
      offset: request.offset, token: token.map { Array(body[$0]) }, flags: evidence.flags)
  }

  // MARK: - What leaves

  /// Emits what is in a block of the queue.
  private mutating func emitBlock(_ block: [UInt8], _ emit: (Outcome) throws -> Void) throws {
    var batch: [RequestRecord] = []
    func emitBatch() throws {
      if batch.isEmpty { return }
      try emit(.requests(batch, bytes: block))
      batch.removeAll(keepingCapacity: true)
    }
    let bytes = block.span.bytes
    var position = 0
    while position + QueuedEvidence.headLength <= bytes.byteCount {
      let evidence = EvidenceQueue.head(at: position, in: bytes)
      let body = position + QueuedEvidence.headLength..<position + evidence.length
      position = body.upperBound
      if let code = evidence.code {
        try emitBatch()
        try emit(.finding(evidence.finding(code: code, body: bytes.extracting(body), side: client)))
        continue
      }
      let isOther = batch.last.map { ($0.packet?.input ?? 0) != (evidence.origin?.input ?? 0) } ?? false
      if isOther || batch.count >= Self.batchLength { try emitBatch() }
      batch.append(record(evidence, body))
    }
    try emitBatch()
  }

  private mutating func record(_ evidence: QueuedEvidence, _ body: Range<Int>) -> RequestRecord {
    let number = nextToLeave
    nextToLeave += 1
    let outcome = number < leftUnknown ? .unknown : (verdict ?? .none).outcome(of: number)
    var status: UInt8?
    if outcome == .rejected, case .rejected(_, let code) = verdict { status = code }
    return RequestRecord(
      range: body, offset: evidence.offset, fileOffset: evidence.fileOffset, packet: evidence.origin,
      flags: evidence.flags, outcome: outcome, status: status)
  }
}
