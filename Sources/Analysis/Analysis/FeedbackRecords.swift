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
  /// Those of the disk image in which it was found; nil if no sink needs them, and if `file` is known.
  package let files: (any FileNames)?
  package let file: FileOwner?

  package init(
    source: String, stream: Int, client: String? = nil, server: String? = nil, carving: Carving? = nil,
    files: (any FileNames)? = nil, file: FileOwner? = nil
  ) {
    (self.carving, self.source, self.stream, self.client) = (carving, source, stream, client)
    (self.server, self.files, self.file) = (server, files, file)
  }

  func of(_ file: FileOwner) -> StreamLabels {
    StreamLabels(source: source, stream: stream, client: client, server: server, carving: carving, file: file)
  }
}

/// Consecutive feedback records of one stream and one shape, with provenance.
///
/// The first byte of record `i` (from 0) is at offset `run.offset + i * run.stride` of the stream, at index
/// `run.start + i * run.stride` of the accompanying bytes, and in the file as the last extent before it says.
package struct FeedbackRecords: Sendable {
  package var labels: StreamLabels
  package var direction: Direction
  package var run: RecordRun
  /// The extent of the file with the first byte of the first record.
  package var origin: SourceExtent
  /// The other extents of the records, in the order of the stream; empty unless a sink needs them.
  package var laterExtents: ArraySlice<SourceExtent> = []

  package init(labels: StreamLabels, direction: Direction, run: RecordRun, origin: SourceExtent) {
    (self.labels, self.direction, self.run, self.origin) = (labels, direction, run, origin)
  }

  /// How many of the first records begin before `offset` of the stream.
  @inline(__always)
  package func count(before offset: Int) -> Int {
    min(run.count, max(0, (offset &- run.offset &+ run.stride &- 1) / run.stride))
  }

  /// Calls `body` with the records that begin in each extent, if any do.
  package func eachExtent(_ body: (FeedbackRecords) throws -> Void) rethrows {
    var rest = self
    rest.laterExtents = []
    for next in laterExtents {
      let count = rest.count(before: next.streamOffset)
      if count > 0 {
        var part = rest
        part.run = rest.run.slice(from: 0, count: count)
        try body(part)
        rest.run = rest.run.slice(from: count, count: rest.run.count &- count)
      }
      rest.origin = next
    }
    if rest.run.count > 0 { try body(rest) }
  }
}
