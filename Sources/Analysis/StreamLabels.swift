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
