import APNsWire
import Basics
import PacketCapture

/// Finds the request that each response of a gateway connection names, and the outcome of every request
/// (docs/spec/decoding-rules.md#correlation).
///
/// Responses are correlated when the connection ends, or as late as the limits allow. By then, everything captured
/// before them has arrived, whatever the order of reassembly. Requests and the findings among them are queued until
/// their outcome is known, and emitted in the order of their offsets.
package struct Correlator {
  package enum CorrelatedRequests {
    /// Requests of one input, in order; their ranges are in `bytes`.
    case requests([RequestRecord], bytes: [UInt8])
    /// A response with the flags of its correlation; the request that it names is nil if none is found, and if requests
    /// are not kept.
    case response(ResponseFrame, SourceExtent, ResponseRecord.Request?)
    case finding(StreamFinding)
    /// More requests were pending than allowed: about the first request that was evicted.
    case limit(StreamFinding)
  }

  /// A response, or a finding among responses, until it is correlated.
  private enum Waiting {
    case response(ResponseFrame, SourceExtent, captureOrder: Int)
    case finding(StreamFinding)
  }

  private let budget: GatewayBudget
  private let keepsRecords: Bool
  private let client: Side
  /// Count of requests in a dump of one direction: no response can arrive, so they are not queued.
  var alone = 0
  private var pending = PendingRequests()
  private var queue: EvidenceQueue
  private var waiting: [Waiting] = []
  /// Capture order of the earliest response; it matters until the first one is correlated.
  private var earliest: Int?
  /// Nil until the first response is correlated.
  private var decision: ConnectionOutcome?
  /// Requests evicted with unknown outcome, before the first response was correlated.
  private var evicted = 0
  /// The first request, for the finding about the first eviction.
  private var firstRequest: (frame: RequestFrame, origin: SourceExtent)?
  /// The number of the next request to emit.
  private var nextToEmit = 0
  private var responses = 0
  /// Whether bytes of the requests are missing or skipped.
  var isIncomplete = false

  /// - Parameters:
  ///   - keepsRecords: whether requests and responses are needed, not only their counts.
  ///   - client: the side that sends the requests.
  package init(_ budget: GatewayBudget, keepsRecords: Bool, client: Side) {
    (self.budget, self.keepsRecords, self.client) = (budget, keepsRecords, client)
    queue = EvidenceQueue(memory: budget)
  }

  package var counts: GatewayCounts {
    var counts = (decision ?? ConnectionOutcome()).counts(from: evicted, to: pending.end)
    counts.unknown += evicted + alone
    counts.responses = responses
    return counts
  }

  // MARK: - Input

  /// - Parameter captureOrder: the position of the request in the capture, comparable between both directions.
  package mutating func add(
    _ frame: RequestFrame, in bytes: RawSpan, origin: SourceExtent, captureOrder: Int,
    _ emit: (CorrelatedRequests) throws -> Void
  ) throws {
    if firstRequest == nil { firstRequest = (frame, origin) }
    let position =
      keepsRecords
      ? try queue.append(QueuedEvidence(request: frame, origin: origin), body: bytes.extracting(frame.range))
      : 0
    var request = PendingRequest(
      offset: frame.offset, captureOrder: captureOrder, queuePosition: position,
      identifier: frame.fields.identifier)
    request.note(frame.fields, in: bytes)
    pending.append(request)
    if pending.count - budget.limits.maxPending > budget.limits.slack { try evictOldest(emit) }
    assert(pending.count - budget.limits.maxPending <= budget.limits.slack, "no more are kept than allowed")
  }

  package mutating func add(_ frame: ResponseFrame, origin: SourceExtent, captureOrder: Int) {
    responses += 1
    waiting.append(.response(frame, origin, captureOrder: captureOrder))
    earliest = min(earliest ?? captureOrder, captureOrder)
    budget.waitingResponses += 1
  }

  /// Queues a finding after the evidence of lower offsets that is still waiting; false if none is, and the finding
  /// can be emitted at once.
  package mutating func takes(_ finding: StreamFinding, from direction: Direction) throws -> Bool {
    switch direction {
    case .client:
      if [.streamGap, .midstreamStart, .skippedBytes].contains(finding.code) { isIncomplete = true }
      // If requests are not kept, the finding about the limit may still follow, with the offset of the first request.
      if keepsRecords ? queue.isEmpty : firstRequest == nil { return false }
      let message = Array(finding.message.text.utf8)
      _ = try queue.append(QueuedEvidence(finding), body: message.span.bytes)
    case .server:
      if !keepsRecords || waiting.isEmpty { return false }
      waiting.append(.finding(finding))
      budget.waitingResponses += 1
    }
    return true
  }

  /// Correlates and emits the rest: both directions have ended.
  package mutating func finish(_ emit: (CorrelatedRequests) throws -> Void) throws {
    try settle(emit)
    try evictPending(before: nil, emit)
    while let block = try queue.removeFirst() { try emitBlock(block, emit) }
    assert(waiting.isEmpty, "each response has been correlated")
    assert(nextToEmit == (keepsRecords ? pending.end : 0), "each request is emitted once")
  }

  // MARK: - The limit

  private mutating func evictOldest(_ emit: (CorrelatedRequests) throws -> Void) throws {
    if decision == nil, let earliest, earliest <= captureOrderOfLimit { try settle(emit) }
    if decision == nil { try evictUnknown(emit) } else { try dropFirst(emit) }
  }

  /// Capture order of the request that exceeds the limit, and with which the oldest one is evicted.
  private var captureOrderOfLimit: Int { pending[pending.first + budget.limits.maxPending].captureOrder }

  /// Evicts the requests that exceeded the limit before capture order `order`; nil is the end of the capture.
  private mutating func evictPending(before order: Int?, _ emit: (CorrelatedRequests) throws -> Void) throws {
    while decision == nil, pending.count > budget.limits.maxPending, captureOrderOfLimit < order ?? .max {
      try evictUnknown(emit)
    }
  }

  private mutating func evictUnknown(_ emit: (CorrelatedRequests) throws -> Void) throws {
    if evicted == 0, let firstRequest { try emit(.limit(limit(firstRequest.frame, firstRequest.origin))) }
    evicted += 1
    try dropFirst(emit)
  }

  private mutating func dropFirst(_ emit: (CorrelatedRequests) throws -> Void) throws {
    pending.dropFirst()
    let oldest = pending.count > 0 ? pending[pending.first].queuePosition : .max
    while let end = queue.firstBlockEnd, end <= oldest, let block = try queue.removeFirst() {
      try emitBlock(block, emit)
    }
  }

  /// The finding about the limit. It has the offset of the first request, so it precedes everything in the queue.
  private func limit(_ frame: RequestFrame, _ origin: SourceExtent) -> StreamFinding {
    StreamFinding(
      .pendingLimit, side: client, offset: frame.offset, length: frame.length,
      fileOffset: origin.fileOffset(of: frame.offset), packet: origin.packet,
      message: .tooManyPending(limit: budget.limits.maxPending))
  }

  // MARK: - Correlation

  /// Correlates the waiting responses, and emits them.
  package mutating func settle(_ emit: (CorrelatedRequests) throws -> Void) throws {
    guard !waiting.isEmpty else { return }
    try evictPending(before: earliest, emit)
    let settled = waiting
    waiting = []
    budget.waitingResponses -= settled.count
    assert(budget.waitingResponses >= 0, "the responses that wait are those of all connections")
    var wanted: Set<UInt32> = []
    for case .response(let frame, _, _) in settled {
      wanted.insert(frame.response.identifier)
      wanted.insert(frame.response.identifier.byteSwapped)
    }
    // Bytes that are missing may have any identifier, unless the client gives each of them once.
    let carriers = isIncomplete && !pending.haveOwnIdentifiers ? [:] : pending.carriers(of: wanted)
    for item in settled {
      switch item {
      case .response(let frame, let origin, let order):
        let isFirst = decision == nil && order == earliest
        let (settled, request) = try settle(frame, order, isFirst: isFirst, among: carriers)
        try emit(.response(settled, origin, request))
      case .finding(let finding): try emit(.finding(finding))
      }
    }
  }

  /// - Parameter isFirst: whether it is the first response of the connection, which decides the outcome of the
  ///   requests.
  private mutating func settle(
    _ frame: ResponseFrame, _ order: Int, isFirst: Bool, among carriers: [UInt32: Carriers]
  ) throws -> (ResponseFrame, ResponseRecord.Request?) {
    let (candidates, correlation) = find(frame.response.identifier, before: order, among: carriers)
    let number = candidates?.named(by: frame.response.status)
    var frame = frame
    frame.flags.formUnion(correlation)
    if number == nil { frame.flags.insert(.uncorrelated) }
    if isFirst {
      let isProved = !frame.flags.contains(.conflictingBytes)
      decision = ConnectionOutcome(status: frame.response.status, candidates: isProved ? candidates : nil)
    } else {
      frame.flags.insert(.afterClose)
    }
    return (frame, keepsRecords ? try number.map { try request(pending[$0]) } : nil)
  }

  /// The requests that a response with `identifier` may name, and whether their identifiers are byte-swapped.
  private func find(
    _ identifier: UInt32, before order: Int, among carriers: [UInt32: Carriers]
  ) -> (candidates: Candidates?, flags: RecordFlags) {
    for (identifier, flags) in [(identifier, RecordFlags()), (identifier.byteSwapped, .identifierSwapped)] {
      if pending.mayHaveLeft(identifier) { break }
      guard let candidates = carriers[identifier]?.candidates(before: order) else { continue }
      return identifier == 0 && !candidates.isSingle ? (nil, []) : (candidates, flags)
    }
    return (nil, [])
  }

  private func request(_ request: PendingRequest) throws -> ResponseRecord.Request {
    guard let (evidence, body) = try queue.evidence(at: request.queuePosition) else {
      return ResponseRecord.Request(offset: request.offset, token: nil, flags: [])
    }
    let token = RequestFields(body.indices, in: body.span.bytes).token
    return ResponseRecord.Request(
      offset: request.offset, token: token.map { Array(body[$0]) }, flags: evidence.flags)
  }

  // MARK: - Output

  private mutating func emitBlock(_ block: [UInt8], _ emit: (CorrelatedRequests) throws -> Void) throws {
    var batch: [RequestRecord] = []
    func emitBatch() throws {
      if batch.isEmpty { return }
      try emit(.requests(batch, bytes: block))
      batch.removeAll(keepingCapacity: true)
    }
    let bytes = block.span.bytes
    var position = 0
    while position < bytes.byteCount {
      let evidence = EvidenceQueue.head(at: position, in: bytes)
      let body = position + QueuedEvidence.headLength..<position + evidence.length
      position = body.upperBound
      if let code = evidence.code {
        try emitBatch()
        try emit(.finding(evidence.finding(code: code, body: bytes.extracting(body), side: client)))
        continue
      }
      if let last = batch.last, last.packet?.input != evidence.origin?.input { try emitBatch() }
      batch.append(record(evidence, RequestFields(body, in: bytes)))
    }
    try emitBatch()
  }

  private mutating func record(_ evidence: QueuedEvidence, _ fields: RequestFields) -> RequestRecord {
    let number = nextToEmit
    nextToEmit += 1
    let outcome = number < evicted ? .unknown : decision?.outcome(of: number) ?? .unknown
    let status = outcome == .rejected ? decision?.rejected?.status : nil
    return RequestRecord(
      fields: fields, offset: evidence.offset, fileOffset: evidence.fileOffset, packet: evidence.origin,
      flags: evidence.flags, outcome: outcome, status: status)
  }
}
