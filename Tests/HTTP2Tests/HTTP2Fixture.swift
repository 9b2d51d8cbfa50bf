import APNsWire
import Basics
import Foundation
import TestSupport
import Testing

/// Tests/Fixtures/http2.json: runs and header blocks as other libraries write and read them.
struct HTTP2Fixture: Decodable, Sendable {
  struct Run: Decodable, Sendable, CustomTestStringConvertible {
    var sender: String
    var hex: String
    /// Type, flags, stream, offset and length of each frame.
    var frames: [[Int]]

    var bytes: [UInt8] { Hex.bytes(hex) ?? [] }
    var side: Direction { sender == "client" ? .client : .server }
    var testDescription: String { sender }
  }

  struct Block: Decodable, Sendable {
    var hex: String
    /// Name and value of each field.
    var fields: [[String]]

    var bytes: [UInt8] { Hex.bytes(hex) ?? [] }

    /// The value of the first field of a name.
    subscript(name: String) -> String? { fields.first { $0[0] == name }?[1] }
  }

  var runs: [Run]
  var blocks: [String: [Block]]

  static let shared: HTTP2Fixture? = try? JSONDecoder().decode(
    HTTP2Fixture.self, from: Fixtures.data("http2.json"))
}
