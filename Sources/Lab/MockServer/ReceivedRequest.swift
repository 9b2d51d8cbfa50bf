import APNsWire
import Conformance

/// A request that a client sent, and its answer.
package struct ReceivedRequest: Sendable, Equatable {
  package enum Ending: Sendable, Equatable {
    case answered(PushAnswer)
    /// The client reset the stream or left before the answer.
    case abandoned
  }

  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  /// Number of the client, from 0, and its `address:port`.
  package var client: Int
  package var peer: String
  package var http2Stream: Int
  package var method = ""
  package var path = ""
  /// What it asks; nil if the path is of no service.
  package private(set) var kind: ServiceRequest?
  /// The part of the path that is the token of a push, or the bundle id of an app.
  package private(set) var subject = ""
  /// In their order, without pseudo-headers.
  package var headers: [Header] = []
  /// In bytes.
  package var payloadLength = 0
  /// SHA-256 in hex, once all of the payload has come.
  package var payloadDigest: String?
  package var ending = Ending.abandoned
  /// Those of the response, without `:status`.
  package var answerHeaders: [Header] = []
  /// The storage policy in the body of a request to create a channel, or of the channel that is read.
  package var storagePolicy: Int?

  package init(client: Int, peer: String, http2Stream: Int, method: String, path: String, headers: [Header]) {
    (self.client, self.peer, self.http2Stream) = (client, peer, http2Stream)
    (self.method, self.path, self.headers) = (method, path, headers)
    let bytes = Array((path + method).utf8)
    let (whole, verb) = (0..<path.utf8.count, path.utf8.count..<bytes.count)
    guard let found = ServiceRequest.find(whole, method: verb, in: bytes.span.bytes) else { return }
    (kind, subject) = (found.request, String(decoding: bytes[found.subject], as: UTF8.self))
  }

  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// The first value of a header of the request, else of the response.
  package func either(_ name: String) -> String? {
    header(name) ?? answerHeaders.first { $0.name == name }?.value
  }

  /// Whether it is a broadcast, or one for the channels of an app.
  package var isOfApp: Bool { kind != nil && kind != .push }

  package var token: String? { kind == .push ? subject : nil }
}
