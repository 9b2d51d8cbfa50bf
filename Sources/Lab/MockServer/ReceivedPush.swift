/// A request that a client sent, and its answer.
package struct ReceivedPush: Sendable, Equatable {
  /// How the request ended.
  package enum Ending: Sendable, Equatable {
    case answered(PushAnswer)
    /// The client reset the stream or left before the answer.
    case abandoned
  }

  /// The headers that are kept, each with the member of `--received` that has it.
  package static let headers = [
    ("topic", "apns-topic"), ("push_type", "apns-push-type"), ("apns_id", "apns-id"),
    ("priority", "apns-priority"), ("expiration", "apns-expiration"), ("collapse_id", "apns-collapse-id"),
  ]

  /// Number of the client, from 0.
  package var client: Int
  package var http2Stream: Int
  package var method = ""
  package var path = ""
  /// The values of `headers`, by member.
  package var headers: [String: String] = [:]
  /// In bytes.
  package var payloadLength = 0
  package var ending = Ending.abandoned

  package init(client: Int, http2Stream: Int) {
    self.client = client
    self.http2Stream = http2Stream
  }

  private static let prefix = "/3/device/"

  /// The part of the path after `/3/device/`; nil for other paths.
  package var token: String? {
    guard path.hasPrefix(Self.prefix) else { return nil }
    return String(path.dropFirst(Self.prefix.count))
  }
}
