import CaptureWriting
import CommandTestSupport
import Foundation
import Testing

/// A recorded connection: `samples/make/record-tls-matrix` describes the files.
struct TLSFlow: Sendable, CustomTestStringConvertible {
  var name = ""
  /// Lines of a key log, of the text of `openssl s_client`, and of a session file of it.
  var keys: [String] = []
  var text: [String] = []
  var session: [String] = []
  var turns: [Conversation.Turn] = []
  /// What each side sent, in clear.
  var client: [UInt8] = []
  var server: [UInt8] = []

  var testDescription: String { name }

  private static let directory = Repository.root.appending(path: "Tests/Fixtures/tls")

  static func path(of name: String) -> String { directory.appending(path: name).path }

  /// All with a key log whose server sends feedback.
  static let feedback: [TLSFlow] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.filter { $0.hasSuffix(".flow") }.sorted().map { TLSFlow($0) }.filter {
      !$0.keys.isEmpty && $0.server.starts(with: [0x4f]) && !$0.name.contains("ARIA")
    }
  }()

  /// Of all versions, and of each kind of cipher.
  static let some = [
    "openssl-1.0-AES128-SHA", "openssl-1.2-AES128-SHA256", "openssl-1.2-ECDHE-RSA-AES256-GCM-SHA384",
    "openssl-1.2-ECDHE-RSA-CHACHA20-POLY1305", "openssl-1.3-AES_128_GCM_SHA256",
    "openssl-1.3-CHACHA20_POLY1305_SHA256",
  ].map { TLSFlow("\($0).flow") }

  static let gcm = TLSFlow("openssl-1.2-ECDHE-RSA-AES256-GCM-SHA384.flow")

  init(_ file: String) {
    let content = (try? Data(contentsOf: Self.directory.appending(path: file))) ?? Data()
    for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = String(line[line.index(after: colon)...].drop { $0 == " " })
      switch line[..<colon] {
      case "name": name = value
      case "key": keys.append(value)
      case "text": text.append(value)
      case "session": session.append(value)
      case "c": turns.append(Conversation.Turn(.client, Self.bytes(value)))
      case "s": turns.append(Conversation.Turn(.server, Self.bytes(value)))
      case "plain-c": client = Self.bytes(value)
      case "plain-s": server = Self.bytes(value)
      default: break
      }
    }
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
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
  func exportTLS(_ flow: TLSFlow, _ segments: [Segment]? = nil, _ options: String...) throws -> Exported {
    try writeCapture(segments ?? flow.segments)
    try write(flow.keyLog, to: "keys.log")
    let outcome = try apnsift(["export", "-t", "ndjson", "capture.pcap", "--keys", "keys.log"] + options)
    return Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
  }
}
