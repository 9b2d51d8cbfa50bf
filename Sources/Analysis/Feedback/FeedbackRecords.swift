import APNsWire
import PacketCapture
import WireBytes

/// Feedback records in a row with their evidence: one stream, one shape, one stretch of the file.
///
/// Record `i` (from 0) has its first byte at `run.offset + i * run.stride` of the stream, at
/// `run.start + i * run.stride` of the bytes that it is handed over with, and in the file where `origin`
/// says.
package struct FeedbackRecords: Sendable {
  package var labels: StreamLabels
  package var direction: Direction
  package var run: RecordRun
  /// The stretch in which the first bytes of all the records lie.
  package var origin: ByteOrigin
  /// Between these lie the times of all the records, in seconds since 1970.
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
  /// The earliest and the latest time of the records, which lie in `bytes`.
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
