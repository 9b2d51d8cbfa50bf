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
