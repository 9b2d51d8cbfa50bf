import APNsWire
import PacketCapture
import Platform
import WireBytes

/// The state that all streams of an analysis share: options, summary, and the batch of evidence for the sinks.
final class EvidenceLog {
  let options: AnalysisOptions
  let gateway: GatewayBudget
  let pushes: PushBudget
  /// The union of the sinks' needs.
  let needs: EvidenceNeeds
  private let sinks: [any EvidenceSink]
  /// The names of the inputs that are joined to one, in order.
  private var sources: [String] = [""]
  @exclusivity(unchecked) var summary = Summary()
  /// Evidence not delivered yet.
  @exclusivity(unchecked) private var batch = EvidenceBatch()
  /// Whether a window of a source is being analysed; otherwise, evidence is delivered at once.
  private var isInWindow = false
  private var windows = 0
  /// Delivers batches on another thread; nil to deliver on this one.
  private var worker: SerialWorker<EvidenceBatch>?
  /// The maximum number of batches queued for the other thread.
  private static let mostWaiting = 3
  /// The numbers of the excerpts begun, by code, and how many findings there were.
  private var excerpts: [FindingCode: FairSample<Int>] = [:]
  private var findingCount = 0
  private var inputCount = 0

  /// - Parameter usesThread: whether sinks are called on another thread. Ignored if a sink needs bytes.
  init(_ options: AnalysisOptions, sinks: [any EvidenceSink], usesThread: Bool) {
    self.options = options
    self.sinks = sinks
    gateway = GatewayBudget(options.gateway)
    pushes = PushBudget(options.gateway)
    needs = sinks.reduce(into: []) { $0.formUnion($1.needs) }
    if usesThread, !needs.contains(.bytes) {
      worker = SerialWorker(capacity: Self.mostWaiting) { batch in
        try batch.deliver(to: sinks)
        batch.removeAll()
      }
    }
  }

  // MARK: - Inputs

  func begin(source: String) throws {
    sources = [source]
    inputCount += 1
    batch.append(input: source)
    try flushIfDue()
  }

  func end(_ input: InputRecord) throws {
    batch.append(ended: input)
    try flushIfDue()
  }

  func continues(with source: String) { sources.append(source) }

  /// The name of an input by its number among the joined inputs.
  func source(_ input: UInt16) -> String {
    sources.indices.contains(Int(input)) ? sources[Int(input)] : sources.last ?? ""
  }

  /// The number of the current input.
  var currentInput: UInt16 { UInt16(clamping: sources.count - 1) }

  // MARK: - Evidence

  /// Calls `body`, which adds the evidence of `events`, and delivers it to the sinks or their thread.
  func withWindow(of events: EventBatch, _ body: () throws -> Void) throws {
    batch.begin(events.window, events.chunks)
    isInWindow = true
    windows += 1
    defer {
      isInWindow = false
      batch.removeAll()
    }
    try body()
    try flush()
  }

  /// - Parameter location: the location of `bytes`; nil if they are not valid for long.
  func add(_ records: FeedbackRecords, in bytes: RawSpan, at location: ChunkLocation?) throws {
    batch.append(records, in: bytes, at: location)
    if batch.isFull { try flush() }
  }

  /// Adds a request that can be emitted at once.
  func add(
    _ request: consuming RequestRecord, labels: StreamLabels, in bytes: RawSpan, at location: ChunkLocation?
  ) throws {
    batch.append(request, labels: labels, in: bytes, at: location)
    try flushIfDue()
  }

  func add(_ requests: RequestRecords, in bytes: [UInt8]) throws {
    batch.append(requests, in: bytes)
    try flushIfDue()
  }

  func add(_ finding: Finding) throws {
    summary.findings[finding.code, default: 0] += 1
    batch.append(finding)
    try flushIfDue()
  }

  /// Adds a push.
  /// - Parameter bytes: the buffer with its texts.
  func add(_ push: consuming PushRecord, labels: StreamLabels, in bytes: RawSpan) throws {
    summary.pushes.count(push.fields, in: bytes)
    batch.append(push, labels: labels, in: bytes)
    try flushIfDue()
  }

  func add(_ response: ResponseRecord) throws {
    batch.append(response)
    try flushIfDue()
  }

  func add(_ excerpt: Excerpt) throws {
    batch.append(excerpt)
    try flushIfDue()
  }

  func add(_ stream: StreamSummary, report: StreamReport) throws {
    summary.streams += 1
    batch.append(stream, report: report)
    try flushIfDue()
  }

  /// Bytes are delivered directly: in a batch, they would be copied.
  func add(_ bytes: RawSpan, of direction: DirectionState, origins: Span<SourceExtent>) throws {
    try flush()
    for sink in sinks { try sink.bytes(bytes, of: direction, origins: origins) }
  }

  func add(_ gap: StreamGap, in direction: DirectionState) throws {
    try flush()
    for sink in sinks { try sink.gap(gap, in: direction) }
  }

  // MARK: - Delivery

  private func flushIfDue() throws {
    if !isInWindow || batch.isFull { try flush() }
  }

  /// Delivers the batch.
  private func flush() throws {
    if batch.isEmpty { return }
    // One window takes less time than waking a thread.
    guard let worker, windows > 1 else {
      defer { batch.removeEvidence() }
      return try batch.deliver(to: sinks)
    }
    var full = EvidenceBatch()
    swap(&full, &batch)
    let (window, chunks) = (full.window, full.chunks)
    batch = try worker.add(full) ?? EvidenceBatch()
    batch.begin(window, chunks)
  }

  /// Waits until the sinks have all evidence. Later evidence is delivered at once.
  func finish() throws {
    let worker = worker
    self.worker = nil
    try worker?.finish()
  }

  /// Stops the other thread, which may not have delivered everything.
  func stop() {
    worker?.stop()
    worker = nil
  }

  /// An excerpt of a finding, without bytes so far; nil if none is needed.
  func beginExcerpt(of finding: Finding) -> Excerpt? {
    findingCount += 1
    let position = FairSample<Int>.Position(stream: 0, offset: findingCount)
    var sample = excerpts[finding.code] ?? FairSample(capacity: options.excerptsPerCode)
    guard sample.admits(input: inputCount, at: position) else { return nil }
    sample.add(findingCount, input: inputCount, at: position)
    excerpts[finding.code] = sample
    return Excerpt(finding, input: inputCount, number: findingCount)
  }
}
