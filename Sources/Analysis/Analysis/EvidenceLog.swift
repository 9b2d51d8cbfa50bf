import APNsPushes
import APNsWire
import Basics
import PacketCapture

/// The rows of a sink that one thread makes.
private struct KeptRows {
  let keeper: any EvidenceSink
  let write: () throws -> Void

  /// Nil if only the sink itself can make its rows.
  init?(_ sink: some RowSink) {
    guard let keeper = sink.rowKeeper() else { return nil }
    self.keeper = keeper
    write = { try sink.write(rowsOf: keeper) }
  }
}

/// The state that all streams of an analysis share: options, summary, and the batch of evidence for the sinks.
package final class EvidenceLog {
  let options: AnalysisOptions
  let gateway: GatewayBudget
  let pushes: PushBudget
  /// The union of the sinks' needs.
  package let needs: EvidenceNeeds
  private let sinks: [any EvidenceSink]
  /// The names of the inputs that are joined to one, in order.
  private var sources: [String] = [""]
  /// The files of the current input, if it is a disk image.
  private(set) var files: (any FileNames)?
  /// Counts of all inputs so far.
  @exclusivity(unchecked) package internal(set) var summary = Summary()
  /// The labels that were used last, by numbers of streams, which do not keep theirs: few are read at a time.
  @exclusivity(unchecked) var labels = [(of: ObjectIdentifier, input: UInt16, labels: StreamLabels)?](
    repeating: nil, count: recentLabels)
  static let recentLabels = 1 << 12
  /// Evidence not delivered yet.
  @exclusivity(unchecked) private var batch = EvidenceBatch()
  /// Whether a window of a source is being analysed; otherwise, and without other threads, evidence is delivered at once.
  private var isInWindow = false
  private var windows = 0
  /// Delivers batches on other threads; nil to deliver on this one.
  private var worker: OrderedWorkers<[EvidenceBatch]>?
  /// The maximum number of parcels queued for the other threads.
  private static let mostWaiting = 3
  /// Batches for the other threads. Those of small inputs are passed together: waking a thread takes longer than they do.
  private var parcel: [EvidenceBatch] = []
  private var parcelBytes = 0
  private static let fullParcelBytes = 128 << 10
  private static let mostInParcel = 64
  /// Empty batches for reuse.
  private var spare: [EvidenceBatch] = []
  /// The numbers of the excerpts begun, by code, and how many findings there were.
  private var excerpts: [FindingCode: FairSample<Int>] = [:]
  private var findingCount = 0
  private var inputCount = 0

  /// - Parameter sinkThreads: the number of threads that call sinks. Ignored if a sink needs bytes.
  init(_ options: AnalysisOptions, sinks: [any EvidenceSink], sinkThreads: Int) {
    self.options = options
    self.sinks = sinks
    gateway = GatewayBudget(options.gateway)
    pushes = PushBudget(
      maxPending: options.gateway.maxPending, memory: options.gateway.memory,
      tokenLengths: options.rules.tokenLengths)
    summary.requests = ByService(PushTally(mostHours: options.mostHours))
    needs = sinks.reduce(into: []) { $0.formUnion($1.needs) }
    if sinkThreads > 0, !needs.contains(.bytes) {
      worker = OrderedWorkers(
        capacity: Self.mostWaiting,
        threads: (0..<sinkThreads).map { _ in Self.delivery(to: sinks, sinkThreads) }
      )
    }
  }

  /// How one of several threads delivers a parcel: rows are made at the same time, all else is done in order.
  private static func delivery(
    to sinks: [any EvidenceSink], _ threads: Int
  ) -> OrderedWorkers<[EvidenceBatch]>.Steps {
    var rows: [KeptRows] = []
    var others: [any EvidenceSink] = []
    for sink in sinks {
      if threads > 1, let kept = (sink as? any RowSink).flatMap({ KeptRows($0) }) {
        rows.append(kept)
      } else {
        others.append(sink)
      }
    }
    let keepers = rows.map(\.keeper)
    return OrderedWorkers.Steps(
      prepare: keepers.isEmpty
        ? nil : { parcel in for index in parcel.indices { try parcel[index].deliver(to: keepers) } },
      complete: { [rows, others] parcel in
        for sink in rows { try sink.write() }
        for index in parcel.indices {
          if !others.isEmpty { try parcel[index].deliver(to: others) }
          parcel[index].removeAll()
        }
      })
  }

  /// What read the lines of the current input.
  private var forms: String?

  // MARK: - Inputs

  /// The next batches are from the input with the name `source` in reports.
  /// - Parameter files: if it is a disk image, those in it.
  package func begin(source: String, files: (any FileNames)? = nil) throws {
    (sources, self.files) = ([source], files)
    inputCount += 1
    try add { try $0.inputBegan(source) }
  }

  /// A file among the inputs is done with.
  func end(_ input: InputRecord) throws {
    var record = input
    record.forms = forms.take()
    try add { [record] in try $0.inputEnded(record) }
  }

  /// The next batches are from `source`, which continues the previous input.
  func continues(with source: String) { sources.append(source) }

  /// The name of an input by its number among the joined inputs.
  func source(_ input: UInt16) -> String {
    sources.indices.contains(Int(input)) ? sources[Int(input)] : sources.last ?? ""
  }

  var currentInput: UInt16 { UInt16(clamping: sources.count - 1) }

  // MARK: - Evidence

  /// Calls `body`, which adds the evidence of `events`, and delivers it to the sinks or their threads.
  func withWindow(of events: EventBatch, _ body: () throws -> Void) throws {
    batch.begin(events.window, events.chunks)
    if needs.contains(.fileText), let offsets = events.textOffsets {
      let window = events.window
      batch.append(.call { try $0.text(window, at: offsets) })
    }
    isInWindow = true
    windows += 1
    defer {
      isInWindow = false
      batch.removeAll()
    }
    try body()
    try flush()
  }

  /// Keeps bytes of which records are added next, until these are delivered.
  func keep(_ bytes: [UInt8]) -> ByteEvent.Storage { batch.keep(bytes) }

  /// - Parameter location: the location of `bytes`; nil if they are not valid for long.
  func add(_ records: FeedbackRecords, in bytes: RawSpan, at location: ChunkLocation?) throws {
    batch.append(records, in: bytes, at: location)
    if batch.isFull { try flush() }
  }

  func add(
    _ request: consuming RequestRecord, of stream: StreamAnalysis, in bytes: RawSpan,
    at location: ChunkLocation?
  ) throws {
    batch.append(request, of: stream, in: bytes, at: location)
    if batch.isFullOfRequests || !isInWindow && worker == nil { try flush() }
  }

  func forgetLabels(of stream: ObjectIdentifier, at index: Int) {
    labels[index] = nil
    batch.forgetLabels(of: stream)
  }

  func add(_ item: EvidenceBatch.EvidenceItem, owning bytes: Int = 0) throws {
    batch.append(item, owning: bytes)
    try flushIfDue()
  }

  /// Adds a single finding or record, by the call that delivers it to a sink.
  func add(_ deliver: @escaping (any EvidenceSink) throws -> Void) throws { try add(.call(deliver)) }

  func add(_ finding: Finding) throws {
    summary.findings[finding.code, default: 0] += 1
    try add { try $0.finding(finding) }
  }

  /// Adds a push, a broadcast or a request for channels.
  /// - Parameter bytes: the buffer with its texts.
  func add(_ push: consuming PushRecord, labels: StreamLabels, in bytes: RawSpan) throws {
    summary.requests[push.kind].count(push, in: bytes)
    batch.append(push, labels: labels, in: bytes)
    try flushIfDue()
  }

  func add(_ stream: StreamSummary, report: StreamReport) throws {
    forms = stream.forms ?? forms
    summary.streams += 1
    try add { try $0.stream(stream, report: report) }
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

  private func flushIfDue() throws { if batch.isFull || !isInWindow && worker == nil { try flush() } }

  private func flush() throws {
    if batch.isEmpty { return }
    // One window takes less time than waking a thread.
    guard let worker, windows > 1 else {
      defer { batch.removeEvidence() }
      return try batch.deliver(to: sinks)
    }
    var full = spare.popLast() ?? EvidenceBatch()
    swap(&full, &batch)
    batch.begin(full.window, full.chunks)
    parcelBytes += full.byteCount
    parcel.append(full)
    if parcelBytes >= Self.fullParcelBytes || parcel.count >= Self.mostInParcel { try send(to: worker) }
  }

  private func send(to worker: OrderedWorkers<[EvidenceBatch]>) throws {
    var full: [EvidenceBatch] = []
    swap(&full, &parcel)
    parcelBytes = 0
    guard let used = try worker.add(full) else { return }
    spare += used.prefix(Self.mostInParcel - min(spare.count, Self.mostInParcel))
  }

  /// Waits until the sinks have all evidence. Later evidence is delivered at once.
  package func finish() throws {
    try flush()
    let worker = worker
    self.worker = nil
    if let worker, !parcel.isEmpty { try send(to: worker) }
    try worker?.finish()
  }

  /// Waits until no other thread uses the sinks, which may lack the last evidence.
  package func stop() {
    worker?.stop()
    worker = nil
  }

  /// An excerpt of a finding, without bytes so far; nil if none is needed.
  func beginExcerpt(of finding: Finding) -> Excerpt? {
    findingCount += 1
    let position = (stream: 0, offset: findingCount)
    var sample = excerpts[finding.code] ?? FairSample(capacity: options.excerptsPerCode)
    guard sample.admits(input: inputCount, at: position) else { return nil }
    sample.add(findingCount, input: inputCount, at: position)
    excerpts[finding.code] = sample
    return Excerpt(finding, input: inputCount, number: findingCount)
  }
}
