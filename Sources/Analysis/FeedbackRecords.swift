import APNsWire
import PacketCapture
import WireBytes

/// What is the same for all records of a stream that come from one file.
package final class StreamLabels: Sendable {
  /// The input as reports name it.
  package let source: String
  /// Number of the TCP connection in its input, from 0; 0 for a dump.
  package let stream: Int
  /// `address:port` of either end, IPv6 in brackets; nil where the source has no peers.
  package let client: String?
  package let server: String?

  package init(source: String, stream: Int, client: String? = nil, server: String? = nil) {
    self.source = source
    self.stream = stream
    self.client = client
    self.server = server
  }
}

/// Feedback records in a row with their evidence: one stream, one shape, one extent of the file.
///
/// Record `i` (from 0) has its first byte at `run.offset + i * run.stride` of the stream, at
/// `run.start + i * run.stride` of the bytes that it comes with, and in the file where `origin` says.
package struct FeedbackRecords: Sendable {
  package var labels: StreamLabels
  package var direction: Direction
  package var run: RecordRun
  /// The extent of the file that has the first bytes of all the records.
  package var origin: ByteOrigin

  package init(labels: StreamLabels, direction: Direction, run: RecordRun, origin: ByteOrigin) {
    self.labels = labels
    self.direction = direction
    self.run = run
    self.origin = origin
  }
}

/// Where the bytes of a chunk are: in the window that the source was reading, or in a chunk of its batch.
struct ChunkLocation: BitwiseCopyable {
  var storage: ByteEvent.Storage
  /// Index of the chunk's first byte there.
  var start: Int
}

/// Runs of records in the order in which they were found, with their bytes. Sinks get one for many chunks of streams.
package struct RecordBatch {
  private enum Storage: BitwiseCopyable {
    case window
    case chunk(Int32)
    /// In `copied`.
    case copied
  }

  /// A run without a reference, so that thousands are added and read without counting any.
  private struct Entry: BitwiseCopyable {
    var run: RecordRun
    var origin: ByteOrigin
    var direction: Direction
    var storage: Storage
    /// Index in `labels`.
    var labels: Int32
  }

  /// More runs are not collected.
  static let fullCount = 4096

  private var entries: [Entry] = []
  /// Of one stream after the other; a stream that comes again has them again.
  private var labels: [StreamLabels] = []
  /// The bytes of records that are in no chunk: those that reach from one chunk into the next.
  private var copied: [UInt8] = []
  /// What the source is reading, while an analysis has it.
  var window = UnsafeRawBufferPointer(start: nil, count: 0)
  var chunks: [[UInt8]] = []

  package var isEmpty: Bool { entries.isEmpty }
  var isFull: Bool { entries.count >= Self.fullCount }

  /// Adds a run.
  /// - Parameters:
  ///   - bytes: hold the records.
  ///   - location: where `bytes` are; nil where they do not last, and the records are copied.
  mutating func append(_ records: FeedbackRecords, in bytes: RawSpan, at location: ChunkLocation?) {
    if labels.last !== records.labels { labels.append(records.labels) }
    var entry = Entry(
      run: records.run, origin: records.origin, direction: records.direction, storage: .copied,
      labels: Int32(truncatingIfNeeded: labels.count &- 1))
    if let location {
      entry.run.start &+= location.start
      switch location.storage {
      case .window: entry.storage = .window
      case .chunk(let index): entry.storage = .chunk(index)
      }
    } else {
      let start = entry.run.start
      entry.run.start = copied.count
      bytes.extracting(start..<start &+ entry.run.count &* entry.run.stride).withUnsafeBytes {
        copied.append(contentsOf: $0)
      }
    }
    entries.append(entry)
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    labels.removeAll(keepingCapacity: true)
    copied.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with each run and the bytes that hold its records; they are valid until it returns.
  package func visit(_ body: (_ records: FeedbackRecords, _ bytes: RawSpan) throws -> Void) rethrows {
    guard let first = entries.first else { return }
    var records = FeedbackRecords(
      labels: labels[0], direction: first.direction, run: first.run, origin: first.origin)
    var last: Int32 = 0
    for entry in entries {
      if entry.labels != last {
        last = entry.labels
        records.labels = labels[Int(last)]
      }
      (records.direction, records.run, records.origin) = (entry.direction, entry.run, entry.origin)
      switch entry.storage {
      case .window: try body(records, window.bytes)
      case .chunk(let index):
        let chunk = chunks[Int(index)]
        try body(records, chunk.span.bytes)
      case .copied: try body(records, copied.span.bytes)
      }
    }
  }
}
