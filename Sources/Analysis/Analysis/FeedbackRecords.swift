import APNsWire
import PacketCapture

/// The properties that all records of a stream from one file share.
package final class StreamLabels: Sendable {
  /// The name of the input in reports.
  package let source: String
  /// Number of the TCP connection in its input, from 0; 0 for a dump.
  package let stream: Int
  /// `address:port` of each end, IPv6 in brackets; nil if the source has no addresses.
  package let client: String?
  package let server: String?
  /// Nil unless the stream was found by a search.
  package let carving: Carving?

  package init(
    source: String, stream: Int, client: String? = nil, server: String? = nil, carving: Carving? = nil
  ) {
    (self.carving, self.source, self.stream, self.client) = (carving, source, stream, client)
    self.server = server
  }
}

/// Consecutive feedback records with provenance: one stream, one shape and, if a sink needs it, one extent of the file.
///
/// The first byte of record `i` (from 0) is at offset `run.offset + i * run.stride` of the stream, at index
/// `run.start + i * run.stride` of the accompanying bytes, and in the file as `origin` says, if it is in that extent.
package struct FeedbackRecords: Sendable {
  package var labels: StreamLabels
  package var direction: Direction
  package var run: RecordRun
  /// The extent of the file with the first byte of the first record.
  package var origin: SourceExtent

  package init(labels: StreamLabels, direction: Direction, run: RecordRun, origin: SourceExtent) {
    (self.labels, self.direction, self.run, self.origin) = (labels, direction, run, origin)
  }
}
