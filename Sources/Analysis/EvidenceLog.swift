import APNsWire
import PacketCapture
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
  /// Records that the sinks do not have yet.
  @exclusivity(unchecked) private var batch = RecordBatch()
  /// Requests that the sinks do not have yet.
  @exclusivity(unchecked) private var requests = RequestBatch()
  /// How many excerpts were begun, of each code and of all.
  private var excerpts: (ofCode: [FindingCode: Int], all: Int) = ([:], 0)

  init(_ options: AnalysisOptions, sinks: [any EvidenceSink]) {
    self.options = options
    self.sinks = sinks
    gateway = GatewayBudget(options.gateway)
    needs = sinks.reduce(into: []) { $0.formUnion($1.needs) }
  }

  // MARK: - Inputs

  func begin(source: String) throws {
    sources = [source]
    for sink in sinks { try sink.inputBegan(source) }
  }

  func continues(with source: String) { sources.append(source) }

  /// The name of an input by its number among those that are read as one.
  func source(_ input: UInt16) -> String {
    sources.indices.contains(Int(input)) ? sources[Int(input)] : sources.last ?? ""
  }

  /// The number of the input that is being read.
  var currentInput: UInt16 { UInt16(clamping: sources.count - 1) }

  // MARK: - Records in batches

  /// Calls `body` with what a source gave; records that it adds are with the sinks when this returns.
  func withBatch(_ events: EventBatch, window: RawSpan, _ body: () throws -> Void) throws {
    try window.withUnsafeBytes { bytes in
      batch.window = bytes
      batch.chunks = events.chunks
      defer {
        batch.removeAll()
        requests.removeAll()
        batch.window = UnsafeRawBufferPointer(start: nil, count: 0)
        batch.chunks = []
      }
      try body()
      try flush()
    }
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
    if !requests.canTake(labels, at: location) { try flush() }
    requests.append(request, labels: labels, in: bytes, at: location)
  }

  /// Gives the sinks the records so far: what is found next comes after them.
  func flush() throws {
    if let labels = requests.labels {
      let records = RequestRecords(labels: labels, records: requests.records)
      if requests.areCopied {
        let copied = requests.copied
        for sink in sinks { try sink.requests(records, in: copied.span.bytes) }
      } else {
        let window = batch.window
        for sink in sinks { try sink.requests(records, in: window.bytes) }
      }
      requests.removeAll()
    }
    if batch.isEmpty { return }
    for sink in sinks { try sink.records(batch) }
    batch.removeAll()
  }

  // MARK: - Other evidence

  func add(_ bytes: RawSpan, of direction: DirectionState, origins: Span<ByteOrigin>) throws {
    try flush()
    for sink in sinks { try sink.bytes(bytes, of: direction, origins: origins) }
  }

  func add(_ gap: StreamGap, in direction: DirectionState) throws {
    try flush()
    for sink in sinks { try sink.gap(gap, in: direction) }
  }

  func add(_ finding: Finding) throws {
    summary.findings[finding.code, default: 0] += 1
    try flush()
    for sink in sinks { try sink.finding(finding) }
  }

  func add(_ requests: RequestRecords, in bytes: RawSpan) throws {
    try flush()
    for sink in sinks { try sink.requests(requests, in: bytes) }
  }

  func add(_ response: ResponseRecord) throws {
    try flush()
    for sink in sinks { try sink.response(response) }
  }

  func add(_ excerpt: Excerpt) throws {
    for sink in sinks { try sink.excerpt(excerpt) }
  }

  func add(_ stream: StreamSummary, report: StreamReport) throws {
    summary.streams += 1
    try flush()
    for sink in sinks { try sink.stream(stream, report: report) }
  }

  /// The excerpt of a finding, without bytes so far; nil where none is wanted.
  func beginExcerpt(of finding: Finding) -> Excerpt? {
    guard excerpts.ofCode[finding.code, default: 0] < options.excerptsPerCode else { return nil }
    excerpts.ofCode[finding.code, default: 0] += 1
    excerpts.all += 1
    return Excerpt(finding, number: excerpts.all)
  }
}
