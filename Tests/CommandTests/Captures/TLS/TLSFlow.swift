import CaptureWriting
import CommandTestSupport
import TestSupport
import Testing

/// A recorded connection.
struct TLSFlow: Sendable, CustomTestStringConvertible {
  let name: String
  /// Lines of a key log, of the text of `openssl s_client`, and of a session file of it.
  let keys: [String]
  let text: [String]
  let session: [String]
  let turns: [Conversation.Turn]
  /// What each side sent, in clear.
  let client: [UInt8]
  let server: [UInt8]

  var testDescription: String { name }

  static func path(of name: String) -> String { FlowFile.directory.appending(path: name).path }

  /// Of all versions, and of each kind of cipher.
  static let some = [
    "openssl-1.0-AES128-SHA", "openssl-1.2-AES128-SHA256", "openssl-1.2-ECDHE-RSA-AES256-GCM-SHA384",
    "openssl-1.2-ECDHE-RSA-CHACHA20-POLY1305", "openssl-1.3-AES_128_GCM_SHA256",
    "openssl-1.3-CHACHA20_POLY1305_SHA256",
  ].map { TLSFlow("\($0).flow") }

  static let gcm = TLSFlow("openssl-1.2-ECDHE-RSA-AES256-GCM-SHA384.flow")

  init(_ file: String) {
    let file = FlowFile(file)
    name = file.values("name").first ?? ""
    (keys, text, session) = (file.values("key"), file.values("text"), file.values("session"))
    turns = file.chunks().map { Conversation.Turn($0.isClient ? .client : .server, $0.bytes) }
    (client, server) = (file.bytes("plain-c"), file.bytes("plain-s"))
  }

  var keyLog: String { keys.joined(separator: "\n") + "\n" }

  /// One segment a chunk, as it was recorded.
  var conversation: Conversation {
    var conversation = Conversation(turns)
    conversation.segmentSizes = [1 << 14]
    return conversation
  }

  var segments: [Segment] { conversation.segments() }

  /// `offset time token` of the tuples, which have 38 bytes each.
  var tuples: [String] {
    stride(from: 0, to: server.count, by: 38).map { start in
      let time = server[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      return "\(start) \(time) \(hex(server[(start + 6)..<(start + 38)]))"
    }
  }
}

extension Exported {
  /// As `TLSFlow.tuples`.
  var tupleTexts: [String] {
    get throws { try tuples.map { "\($0.offset) \($0.timestamp) \($0.token)" } }
  }
}

/// Files of a key log in the directory of a test.
extension TestDirectory {
  func exportTLS(_ flow: TLSFlow, _ segments: [Segment]? = nil) throws -> Exported {
    try writeCapture(segments ?? flow.segments)
    try write(flow.keyLog, to: "keys.log")
    return try export("capture.pcap", "--keys", "keys.log")
  }
}
