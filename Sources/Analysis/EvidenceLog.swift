import APNsWire
import PacketCapture
import Platform
import WireBytes

/// What the streams of an analysis share: its options, and where they write down what they find. It is counted here,
/// and given to the sinks.
final class EvidenceLog {
  let options: AnalysisOptions
  let gateway: GatewayBudget
  /// What sinks ask for.
  let needs: EvidenceNeeds
  private let sinks: [any EvidenceSink]
  /// The names of the inputs that are read as one, in order.
  private var sources: [String] = [""]
  @exclusivity(unchecked) var summary = Summary()
  /// What the sinks do not have yet.
  @exclusivity(unchecked) private var batch = EvidenceBatch()
  /// Whether a source's window is being worked on: else what is found goes to the sinks at once.
  private var isInWindow = false
  private var windows = 0
  /// Gives batches to the sinks on another thread; nil where this one does.
  private var worker: SerialWorker<EvidenceBatch>?
  /// Batches that wait for the other thread.
  private static let mostWaiting = 3
  /// How many excerpts were begun, of each code and of all.
  private var excerpts: (ofCode: [FindingCode: Int], all: Int) = ([:], 0)

  /// - Parameter usesThread: whether sinks get what is found on another thread. Those that need bytes never do.
  init(_ options: AnalysisOptions, sinks: [any EvidenceSink], usesThread: Bool) {
    self.options = options
    self.sinks = sinks
    gateway = GatewayBudget(options.gateway)
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
    batch.append(input: source)
    try flushIfDue()
  }

  func continues(with source: String) { sources.append(source) }

  /// The name of an input by its number among those that are read as one.
  func source(_ input: UInt16) -> String {
    sources.indices.contains(Int(input)) ? sources[Int(input)] : sources.last ?? ""
  }

  /// The number of the input that is being read.
  var currentInput: UInt16 { UInt16(clamping: sources.count - 1) }

  // MARK: - Evidence

  /// Calls `body`, which adds what it finds in `events`; the sinks, or their thread, have it when this returns.
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

  /// - Parameter location: where `bytes` are; nil where they do not last.
  func add(_ records: FeedbackRecords, in bytes: RawSpan, at location: ChunkLocation?) throws {
    batch.append(records, in: bytes, at: location)
    if batch.isFull { try flush() }
  }

  /// Adds a request that need not wait.
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

  /// Bytes are in no batch: they would be copied.
  func add(_ bytes: RawSpan, of direction: DirectionState, origins: Span<ByteOrigin>) throws {
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

  /// Gives the sinks what there is.
  private func flush() throws {
    if batch.isEmpty { return }
    // One window costs less than to wake a thread.
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

  /// Waits until the sinks have all that was found. What is found later they get at once.
  func finish() throws {
    let worker = worker
    self.worker = nil
    try worker?.finish()
  }

  /// Takes the sinks from the other thread, which may not have given them all.
  func stop() {
    worker?.stop()
    worker = nil
  }

  /// The excerpt of a finding, without bytes so far; nil where none is wanted.
  func beginExcerpt(of finding: Finding) -> Excerpt? {
    guard excerpts.ofCode[finding.code, default: 0] < options.excerptsPerCode else { return nil }
    excerpts.ofCode[finding.code, default: 0] += 1
    excerpts.all += 1
    return Excerpt(finding, number: excerpts.all)
  }
}
