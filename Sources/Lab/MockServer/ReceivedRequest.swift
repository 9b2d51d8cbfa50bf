import Basics
import Conformance

/// A request that a client sent, and its answer.
package struct ReceivedPush: Sendable, Equatable {
  /// How the request ended.
  package enum Ending: Sendable, Equatable {
    case answered(PushAnswer)
    /// The client reset the stream or left before the answer.
    case abandoned
  }

  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  /// Number of the client, from 0.
  package var client: Int
  package var http2Stream: Int
  package var method = ""
  package var path = ""
  /// In their order, without pseudo-headers.
  package var headers: [Header] = []
  /// In bytes.
  package var payloadLength = 0
  /// SHA-256 in hex, once all of the payload has come.
  package var payloadDigest: String?
  package var ending = Ending.abandoned

  /// The first value of a header.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  private static let prefix = "/3/device/"

  /// The part of the path after `/3/device/`; nil for other paths.
  package var token: String? {
    guard path.hasPrefix(Self.prefix) else { return nil }
    return String(path.dropFirst(Self.prefix.count))
  }
}
