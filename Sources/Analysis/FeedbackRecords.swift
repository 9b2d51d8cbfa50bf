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

/// Feedback records in a row with their evidence: one stream, one shape, one stretch of the file.
///
/// Record `i` (from 0) has its first byte at `run.offset + i * run.stride` of the stream, at
/// `run.start + i * run.stride` of the bytes that it comes with, and in the file where `origin` says.
package struct FeedbackRecords: Sendable {
  package var labels: StreamLabels
  package var direction: Direction
  package var run: RecordRun
  /// The stretch of the file that has the first bytes of all the records.
  package var origin: ByteOrigin
  /// All times of the records are between these, in seconds since 1970.
  package var times: ClosedRange<UInt32>

  package init(
    labels: StreamLabels, direction: Direction, run: RecordRun, origin: ByteOrigin,
    times: ClosedRange<UInt32>
  ) {
    self.labels = labels
    self.direction = direction
    self.run = run
    self.origin = origin
    self.times = times
  }

  /// Whether the records look the same as `other`, whatever stream they come from.
  package func hasSameShape(as other: FeedbackRecords) -> Bool {
    run.tokenLength == other.run.tokenLength && run.flags == other.run.flags
  }
}

extension RecordRun {
  /// The earliest and the latest time of the records, which are in `bytes`.
  package func times(in bytes: RawSpan) -> ClosedRange<UInt32> {
    var earliest = UInt32.max
    var latest = UInt32.min
    for index in 0..<count {
      let time = bytes.bigEndianUInt32(at: start &+ index &* stride)
      earliest = min(earliest, time)
      latest = max(latest, time)
    }
    return min(earliest, latest)...latest
  }
}

/// Where a chunk of a stream stands: in the window that the source was reading, or in a chunk of its batch.
struct ChunkPlace: BitwiseCopyable {
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

  /// More runs are not collected.
  static let fullCount = 4096

  private var runs: [(records: FeedbackRecords, storage: Storage)] = []
  /// The bytes of records that are in no chunk: those that reach from one chunk into the next.
  private var copied: [UInt8] = []
  /// What the source is reading, while an analysis has it.
  var window = UnsafeRawBufferPointer(start: nil, count: 0)
  var chunks: [[UInt8]] = []

  package var isEmpty: Bool { runs.isEmpty }
  var isFull: Bool { runs.count >= Self.fullCount }

  /// Adds a run.
  /// - Parameters:
  ///   - bytes: hold the records.
  ///   - place: where `bytes` stand; nil where they do not last, and the records are copied.
  mutating func append(_ records: consuming FeedbackRecords, in bytes: RawSpan, at place: ChunkPlace?) {
    guard let place else {
      let start = records.run.start
      records.run.start = copied.count
      bytes.extracting(start..<start &+ records.run.count &* records.run.stride).withUnsafeBytes {
        copied.append(contentsOf: $0)
      }
      return runs.append((records, .copied))
    }
    records.run.start &+= place.start
    switch place.storage {
    case .window: runs.append((records, .window))
    case .chunk(let index): runs.append((records, .chunk(index)))
    }
  }

  mutating func removeAll() {
    runs.removeAll(keepingCapacity: true)
    copied.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with each run and the bytes that hold its records; they are valid until it returns.
  package func visit(_ body: (_ records: FeedbackRecords, _ bytes: RawSpan) throws -> Void) rethrows {
    for (records, storage) in runs {
      switch storage {
      case .window:
        try body(records, window.bytes)
      case .chunk(let index):
        let chunk = chunks[Int(index)]
        try body(records, chunk.span.bytes)
      case .copied:
        let copied = copied
        try body(records, copied.span.bytes)
      }
    }
  }
}
