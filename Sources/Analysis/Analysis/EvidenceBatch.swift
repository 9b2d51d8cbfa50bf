import APNsWire
import PacketCapture

/// The location of a chunk's bytes: in the window of the source, or in a chunk of its batch.
struct ChunkLocation: BitwiseCopyable {
  var storage: ByteEvent.Storage
  /// Index of the chunk's first byte there.
  var start: Int
}

/// Evidence for the sinks, in order. It is delivered in batches: many runs of records at once, if possible on another
/// thread.
struct EvidenceBatch {
  /// A run without references, so that thousands are added and read without reference counting.
  private struct Run: BitwiseCopyable {
    enum Storage: BitwiseCopyable {
      case window
      case chunk(Int32)
      case copied
    }

    var run: RecordRun
    var origin: SourceExtent
    /// Index in `extents` after the later ones of this run, which follow those of the run before.
    var endOfExtents: Int
    var direction: Direction
    var storage: Storage
    /// Index in `labels`.
    var labels: Int32
  }

  /// Evidence in the order of its delivery.
  enum EvidenceItem {
    /// A single finding or record, by the call that delivers it to a sink.
    case call((any EvidenceSink) throws -> Void)
    /// The runs after those of the previous items, up to this index.
    case runs(end: Int)
    /// The requests of one stream from the end of the previous item up to index `end`. Their bytes are in the window, or
    /// copied.
    case requests(StreamLabels, end: Int, areInWindow: Bool)
    /// The pushes, or others of one kind, of one stream from the end of the previous item up to index `end`.
    case pushes(StreamLabels, end: Int)
  }

  /// A batch is full with this many runs or items, or this many bytes of records outside the window.
  private static let fullCount = 4096
  /// Bytes of an item, such as a stream with its report, about.
  private static let itemCost = 512
  private static let fullBytes = 1 << 20

  private var items: [EvidenceItem] = []
  private var runs: [Run] = []
  /// The number of `runs` that are in items.
  private var itemizedRuns = 0
  private var extents: [SourceExtent] = []
  /// The labels of the runs. A stream whose runs are interleaved with others' is repeated.
  private var labels: [StreamLabels] = []
  /// The bytes of records that cross a boundary between chunks, and of requests that are not in the window.
  private var copied: [UInt8] = []
  private var requests: [RequestRecord] = []
  /// The labels and the stream of the last requests, until an item has these.
  private var requestLabels: StreamLabels?
  private var requestStream: (id: ObjectIdentifier, input: UInt16)?
  private var areInWindow = false
  private var pushes: [PushRecord] = []
  private var pushLabels: StreamLabels?
  /// The texts of `pushes`.
  private var pushBytes: [UInt8] = []
  /// Bytes owned by items.
  private var itemBytes = 0
  /// The window and the chunks that contain the records.
  private(set) var window: [UInt8] = []
  private(set) var chunks: [[UInt8]] = []

  var isEmpty: Bool { items.isEmpty && runs.isEmpty && requests.isEmpty && pushes.isEmpty }

  /// Bytes of its window, chunks and records in memory, about.
  var byteCount: Int {
    runs.count &* MemoryLayout<Run>.stride &+ extents.count &* MemoryLayout<SourceExtent>.stride &+ items
      .count &* Self.itemCost &+ itemBytes &+ copied.count
      &+ pushBytes.count &+ chunks.reduce(window.count) { $0 &+ $1.count }
  }

  @inline(__always)
  var isFull: Bool {
    runs.count >= Self.fullCount || extents.count >= Self.fullCount || items.count >= Self.fullCount
      || itemBytes >= Self.fullBytes
      || copied.count >= Self.fullBytes || requests.count >= Self.fullCount || pushes.count >= Self.fullCount
      || pushBytes.count >= Self.fullBytes
  }

  @inline(__always)
  var isFullOfRequests: Bool { requests.count >= Self.fullCount || copied.count >= Self.fullBytes }

  /// The next evidence is in `window` or in `chunks`.
  mutating func begin(_ window: [UInt8], _ chunks: [[UInt8]]) {
    (self.window, self.chunks) = (window, chunks)
  }

  mutating func keep(_ bytes: [UInt8]) -> ByteEvent.Storage {
    chunks.append(bytes)
    return .chunk(Int32(truncatingIfNeeded: chunks.count &- 1))
  }

  mutating func removeAll() {
    removeEvidence()
    begin([], [])
  }

  mutating func removeEvidence() {
    items.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    itemizedRuns = 0
    extents.removeAll(keepingCapacity: true)
    labels.removeAll(keepingCapacity: true)
    copied.removeAll(keepingCapacity: true)
    requests.removeAll(keepingCapacity: true)
    pushes.removeAll(keepingCapacity: true)
    pushBytes.removeAll(keepingCapacity: true)
    itemBytes = 0
  }

  // MARK: - Evidence

  /// Adds a run.
  /// - Parameters:
  ///   - bytes: the buffer with the records.
  ///   - location: the location of `bytes`; nil if they are not valid for long, so that the records are copied.
  mutating func append(_ records: FeedbackRecords, in bytes: RawSpan, at location: ChunkLocation?) {
    if requestLabels != nil || pushLabels != nil { itemize() }
    if labels.last !== records.labels { labels.append(records.labels) }
    if !records.laterExtents.isEmpty { extents.append(contentsOf: records.laterExtents) }
    var run = Run(
      run: records.run, origin: records.origin,
      endOfExtents: extents.count, direction: records.direction, storage: .copied,
      labels: Int32(truncatingIfNeeded: labels.count &- 1))
    if let location {
      run.run.start &+= location.start
      switch location.storage {
      case .window: run.storage = .window
      case .chunk(let index): run.storage = .chunk(index)
      }
    } else {
      let start = run.run.start
      run.run.start = copied.count
      bytes.extracting(start..<start &+ run.run.count &* run.run.stride).withUnsafeBytes {
        copied.append(contentsOf: $0)
      }
    }
    runs.append(run)
  }

  /// Adds a request that can be emitted at once. Parameters as for runs.
  mutating func append(
    _ request: consuming RequestRecord, of stream: StreamAnalysis, in bytes: RawSpan,
    at location: ChunkLocation?
  ) {
    var isInWindow = false
    if case .window = location?.storage { isInWindow = true }
    let id = (id: ObjectIdentifier(stream), input: request.packet?.input ?? 0)
    // Looking for labels takes time, and so does counting references.
    if requestStream?.id != id.id || requestStream?.input != id.input || areInWindow != isInWindow {
      itemize()
      (requestStream, areInWindow) = (id, isInWindow)
      requestLabels = stream.labels(input: id.input)
    }
    let range = request.fields.range
    request.fields.start = isInWindow ? range.lowerBound &+ (location?.start ?? 0) : copied.count
    if !isInWindow { bytes.extracting(range).withUnsafeBytes { copied.append(contentsOf: $0) } }
    requests.append(request)
  }

  /// The labels of a stream change, or the stream ends.
  mutating func forgetLabels(of stream: ObjectIdentifier) { if requestStream?.id == stream { itemize() } }

  /// Adds a push, with a copy of its texts.
  mutating func append(_ push: consuming PushRecord, labels: StreamLabels, in bytes: RawSpan) {
    if pushLabels !== labels || pushes.last?.kind != push.kind {
      itemize()
      pushLabels = labels
    }
    for text in PushFields.Text.allCases {
      guard let range = push.fields[text] else { continue }
      push.fields[text] = pushBytes.count..<pushBytes.count &+ range.count
      bytes.extracting(range).withUnsafeBytes { pushBytes.append(contentsOf: $0) }
    }
    pushes.append(push)
  }

  /// - Parameter bytes: how many bytes it owns.
  mutating func append(_ item: EvidenceItem, owning bytes: Int = 0) {
    itemize()
    itemBytes &+= bytes
    items.append(item)
  }

  /// Adds items for the runs and requests that are in none.
  private mutating func itemize() {
    if let labels = requestLabels {
      items.append(.requests(labels, end: requests.count, areInWindow: areInWindow))
      (requestLabels, requestStream) = (nil, nil)
    }
    if let labels = pushLabels {
      items.append(.pushes(labels, end: pushes.count))
      pushLabels = nil
    }
    if itemizedRuns < runs.count {
      items.append(.runs(end: runs.count))
      itemizedRuns = runs.count
    }
  }

  // MARK: - Delivery

  mutating func deliver(to sinks: [any EvidenceSink]) throws {
    itemize()
    let window = window
    var (firstRun, firstRequest, firstPush) = (0, 0, 0)
    for item in items {
      for sink in sinks {
        switch item {
        case .call(let deliver): try deliver(sink)
        case .runs(let end): try deliver(runs[firstRun..<end], to: sink, window: window.span.bytes)
        case .requests(let labels, let end, let areInWindow):
          let records = RequestRecords(labels: labels, records: requests[firstRequest..<end])
          let bytes = areInWindow ? window : copied
          try sink.requests(records, in: bytes.span.bytes)
        case .pushes(let labels, let end):
          let records = PushRecords(labels: labels, records: pushes[firstPush..<end])
          if pushes[firstPush].kind == .push {
            try sink.pushes(records, in: pushBytes.span.bytes)
          } else {
            try sink.exchanges(records, in: pushBytes.span.bytes)
          }
        }
      }
      if case .runs(let end) = item { firstRun = end }
      if case .requests(_, let end, _) = item { firstRequest = end }
      if case .pushes(_, let end) = item { firstPush = end }
    }
  }

  private func deliver(_ runs: ArraySlice<Run>, to sink: any EvidenceSink, window: RawSpan) throws {
    guard let first = runs.first else { return }
    var last = first.labels
    var extent = runs.startIndex > 0 ? self.runs[runs.startIndex - 1].endOfExtents : 0
    var records = FeedbackRecords(
      labels: labels[Int(last)], direction: first.direction, run: first.run, origin: first.origin)
    for run in runs {
      if run.labels != last {
        last = run.labels
        records.labels = labels[Int(last)]
      }
      (records.direction, records.run, records.origin) = (run.direction, run.run, run.origin)
      records.laterExtents = extents[extent..<run.endOfExtents]
      extent = run.endOfExtents
      switch run.storage {
      case .window: try sink.records(records, in: window)
      case .chunk(let index):
        let chunk = chunks[Int(index)]
        try sink.records(records, in: chunk.span.bytes)
      case .copied: try sink.records(records, in: copied.span.bytes)
      }
    }
  }
}
