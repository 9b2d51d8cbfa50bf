/// Events of a source's streams. Each stream is opened before its first byte; its bytes and gaps come in the order of
/// their direction; then it is closed. A stream without any byte is closed without having been opened.
///
/// Events are small values without references: large or rare data is in the batch, and the event has its index.
/// `slot` identifies an open stream: a small number that is reused once the stream is closed.
package enum StreamEvent: BitwiseCopyable, Sendable {
  /// - `identity`: index in `EventBatch.identities`.
  case opened(slot: Int32, identity: Int32)
  case bytes(ByteEvent)
  case gap(slot: Int32, side: Side, gap: Int32)
  /// For `count` of the next bytes, from `offset` on, another packet has others, and nothing decides between the two.
  case uncertain(slot: Int32, side: Side, offset: Int, count: Int)
  /// A problem of the input. `slot` is nil if it concerns no open stream.
  case finding(slot: Int32?, finding: Int32)
  /// Keys that the capture brings, for the streams of later packets: index in `EventBatch.secrets`.
  case secrets(Int32)
  case closed(slot: Int32, report: Int32)
}

/// The next bytes of a direction.
package struct ByteEvent: BitwiseCopyable, Sendable {
  package enum Storage: BitwiseCopyable, Equatable, Sendable {
    /// In the window that the source was reading, `EventBatch.window`.
    case window
    /// In `EventBatch.chunks`, at this index: decoded text, and buffered segments.
    case chunk(Int32)
  }

  package var slot: Int32
  package var side: Side
  package var storage: Storage
  /// Index of the first byte in the window or chunk, from 0, and the number of bytes.
  package var start: Int
  package var count: Int
  /// Offset of the first byte in its direction, from 0, including gaps.
  package var offset: Int
  /// The event's origins in `EventBatch.origins`, in order: the first one starts at the first byte.
  package var firstOrigin: Int32
  package var originCount: Int32
  /// Whether the bytes are what one read of the peer returned: a record of TLS.
  package var isRecord = false
}

/// The events of one window of an input, in order, and their bytes. A batch is reused.
package struct EventBatch {
  /// A source ends a batch at this number of events, so that a window of small packets needs no more memory than one
  /// of large ones; reports are larger than other events.
  package static let fullCount = 16_384
  package static let fullReportCount = 1024

  package private(set) var events: [StreamEvent] = []
  package private(set) var origins: [SourceExtent] = []
  /// The window, once the source has read it. The consumer may keep it: it does not change.
  package var window: [UInt8] = []
  /// The file offsets of the window, if it is text that the source decodes; nil if streams have its bytes as they are.
  package var textOffsets: Range<Int>?
  package private(set) var chunks: [[UInt8]] = []
  package private(set) var identities: [StreamIdentity] = []
  package private(set) var gaps: [StreamGap] = []
  package private(set) var findings: [StreamFinding] = []
  package private(set) var reports: [StreamReport] = []
  package private(set) var secrets: [EmbeddedSecrets] = []

  /// - Parameter capacity: about how many events it will have.
  package init(capacity: Int = 0) {
    events.reserveCapacity(capacity)
    origins.reserveCapacity(capacity)
  }

  package var isEmpty: Bool { events.isEmpty }
  package var isFull: Bool { events.count >= Self.fullCount || reports.count >= Self.fullReportCount }

  /// Bytes of its window, chunks and events in memory, about.
  package var byteCount: Int {
    events.count &* MemoryLayout<StreamEvent>.stride &+ origins.count &* MemoryLayout<SourceExtent>.stride
      &+ chunks.reduce(window.count) { $0 &+ $1.count }
  }

  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    window = []
    textOffsets = nil
    if !chunks.isEmpty { chunks.removeAll(keepingCapacity: true) }
    if !identities.isEmpty { identities.removeAll(keepingCapacity: true) }
    if !gaps.isEmpty { gaps.removeAll(keepingCapacity: true) }
    if !findings.isEmpty { findings.removeAll(keepingCapacity: true) }
    if !reports.isEmpty { reports.removeAll(keepingCapacity: true) }
    if !secrets.isEmpty { secrets.removeAll() }
  }

  // MARK: - Adding events

  package mutating func opened(_ identity: StreamIdentity, slot: Int32) {
    events.append(.opened(slot: slot, identity: Int32(truncatingIfNeeded: identities.count)))
    identities.append(identity)
  }

  /// Bytes in the window, from one location in the file.
  @inline(__always)
  package mutating func bytes(_ range: Range<Int>, slot: Int32, side: Side, origin: SourceExtent) {
    events.append(
      .bytes(
        ByteEvent(
          slot: slot, side: side, storage: .window, start: range.lowerBound, count: range.count,
          offset: origin.streamOffset, firstOrigin: Int32(truncatingIfNeeded: origins.count), originCount: 1))
    )
    origins.append(origin)
  }

  /// Bytes from several locations in the file; there is at least one origin.
  package mutating func bytes(
    _ storage: ByteEvent.Storage, _ range: Range<Int>, slot: Int32, side: Side, origins more: [SourceExtent],
    isRecord: Bool = false
  ) {
    guard let first = more.first else { return }
    events.append(
      .bytes(
        ByteEvent(
          slot: slot, side: side, storage: storage, start: range.lowerBound, count: range.count,
          offset: first.streamOffset, firstOrigin: Int32(truncatingIfNeeded: origins.count),
          originCount: Int32(truncatingIfNeeded: more.count), isRecord: isRecord)))
    origins.append(contentsOf: more)
  }

  /// Bytes outside the window: the batch stores them. There is at least one origin.
  package mutating func bytes(_ chunk: [UInt8], slot: Int32, side: Side, origins more: [SourceExtent]) {
    bytes(add(chunk), 0..<chunk.count, slot: slot, side: side, origins: more)
  }

  /// Stores bytes that are outside the window; returns their storage for events.
  package mutating func add(_ chunk: [UInt8]) -> ByteEvent.Storage {
    chunks.append(chunk)
    return .chunk(Int32(truncatingIfNeeded: chunks.count - 1))
  }

  package mutating func gap(_ gap: StreamGap, slot: Int32, side: Side) {
    events.append(.gap(slot: slot, side: side, gap: Int32(truncatingIfNeeded: gaps.count)))
    gaps.append(gap)
  }

  package mutating func finding(_ finding: StreamFinding, slot: Int32? = nil) {
    events.append(.finding(slot: slot, finding: Int32(truncatingIfNeeded: findings.count)))
    findings.append(finding)
  }

  package mutating func secrets(_ found: EmbeddedSecrets) {
    events.append(.secrets(Int32(truncatingIfNeeded: secrets.count)))
    secrets.append(found)
  }

  package mutating func closed(_ report: StreamReport, slot: Int32) {
    events.append(.closed(slot: slot, report: Int32(truncatingIfNeeded: reports.count)))
    reports.append(report)
  }

  // MARK: - Bytes in a row

  /// Bytes of several packets that are read at once, at most: they stay in the cache.
  private static let mostInRow = 64 << 10

  /// The index after the events from `index` on that bring the next bytes of one direction, from one input, as those of a
  /// window are; and the number of bytes.
  package func row(from index: Int) -> (end: Int, byteCount: Int) {
    guard case .bytes(let first) = events[index], !first.isRecord else { return (index + 1, 0) }
    let input = origins[Int(first.firstOrigin)].packet?.input
    var (end, count, origin) = (index + 1, first.count, first.firstOrigin &+ first.originCount)
    while end < events.count, case .bytes(let next) = events[end], next.slot == first.slot,
      next.side == first.side, next.offset == first.offset &+ count, next.firstOrigin == origin,
      !next.isRecord, next.storage == first.storage || origins[Int(origin)].packet?.input == input,
      count &+ next.count <= Self.mostInRow
    {
      count &+= next.count
      origin &+= next.originCount
      end += 1
    }
    return (end, count)
  }

  /// A copy of the `count` bytes of events in a row.
  package func bytes(of row: Range<Int>, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { target, written in
      for index in row {
        guard case .bytes(let event) = events[index] else { continue }
        let part = target.extracting(written..<written &+ event.count)
        withBytes(of: event) {
          $0.withUnsafeBytes { UnsafeMutableRawBufferPointer(part).copyMemory(from: $0) }
        }
        written &+= event.count
      }
    }
  }

  @inline(__always)
  package func withBytes<T>(of event: ByteEvent, _ body: (RawSpan) -> T) -> T {
    let range = event.start..<event.start &+ event.count
    switch event.storage {
    case .window: return body(window.span.bytes.extracting(range))
    case .chunk(let index):
      let chunk = chunks[Int(index)]
      return body(chunk.span.bytes.extracting(range))
    }
  }

  // MARK: - Changing a batch

  /// The batch up to the event at `index`. What events refer to stays, so that later ones can be passed on.
  package func prefix(_ index: Int) -> EventBatch {
    var batch = self
    batch.events = Array(events[..<index])
    return batch
  }

  /// Removes the events; what they refer to stays.
  mutating func takeEvents() -> [StreamEvent] {
    defer { events = [] }
    return events
  }

  /// Adds the origin of an event that is passed on; returns its index.
  mutating func add(_ origin: SourceExtent) -> Int32 {
    origins.append(origin)
    return Int32(truncatingIfNeeded: origins.count - 1)
  }

  /// Passes on an event of the batch that this one was made of.
  package mutating func pass(_ event: StreamEvent) { events.append(event) }

  /// Sets the bytes of a chunk that was added empty, for events that were added before its bytes were known.
  package mutating func fill(_ storage: ByteEvent.Storage, with bytes: [UInt8]) {
    if case .chunk(let index) = storage { chunks[Int(index)] = bytes }
  }
}
