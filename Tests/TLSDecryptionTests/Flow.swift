import Basics
import Foundation
import PacketCapture
import TLSDecryption
import Testing

/// A recorded connection: `samples/make/record-tls-matrix` describes the files.
struct Flow: Sendable, CustomTestStringConvertible {
  struct Chunk: Sendable {
    var sender: Side
    var bytes: [UInt8]
  }

  var name = ""
  var keys: [String] = []
  var firstKeys: [String] = []
  /// Text of `openssl s_client`, and a session file.
  var text: [String] = []
  var session: [String] = []
  var chunks: [Chunk] = []
  /// A connection before it, whose session it resumes.
  var first: [Chunk] = []
  var plaintext: [Side: [UInt8]] = [:]

  var testDescription: String { name }

  /// In hex: the hello has it after the header of the record, its own, and the version.
  var clientRandom: String { Hex.string((chunks.first?.bytes ?? []).dropFirst(11).prefix(32)) }

  static let directory: URL = {
    if let path = ProcessInfo.processInfo.environment["TLS_FLOWS"] { return URL(filePath: path) }
    return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/tls")
  }()

  static let all: [Flow] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.filter { $0.hasSuffix(".flow") }.sorted().compactMap { Flow(directory.appending(path: $0)) }
  }()

  static func named(_ name: String) -> Flow? { all.first { $0.name == name } }

  static func file(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: directory.appending(path: name))).map(Array.init) ?? []
  }

  init?(_ file: URL) {
    guard let content = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    for line in content.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = String(line[line.index(after: colon)...].drop { $0 == " " })
      switch line[..<colon] {
      case "name": name = value
      case "key": keys.append(value)
      case "first-key": firstKeys.append(value)
      case "text": text.append(value)
      case "session": session.append(value)
      case "c": chunks.append(Chunk(sender: .client, bytes: Hex.bytes(value) ?? []))
      case "s": chunks.append(Chunk(sender: .server, bytes: Hex.bytes(value) ?? []))
      case "first-c": first.append(Chunk(sender: .client, bytes: Hex.bytes(value) ?? []))
      case "first-s": first.append(Chunk(sender: .server, bytes: Hex.bytes(value) ?? []))
      case "plain-c": plaintext[.client] = Hex.bytes(value) ?? []
      case "plain-s": plaintext[.server] = Hex.bytes(value) ?? []
      default: break
      }
    }
  }
}

/// Secrets of text.
func secrets(_ lines: [String]) -> SecretStore {
  var store = SecretStore()
  _ = read(lines.joined(separator: "\n"), into: &store)
  return store
}

func read(_ text: String, into store: inout SecretStore) -> KeyFileReader.Report {
  var reader = KeyFileReader(file: 0)
  reader.append(Array(text.utf8).span.bytes, to: &store)
  return reader.finish(to: &store)
}

extension Decrypted {
  /// Whether every record is part of the plaintext that was sent, in order.
  func isProved(by flow: Flow) -> Bool {
    for sender in Side.allCases {
      var rest = (flow.plaintext[sender] ?? [])[...]
      for record in records[sender] ?? [] {
        guard let start = rest.firstRange(of: record) else { return false }
        rest = rest[start.upperBound...]
      }
    }
    return true
  }
}

extension Flow {
  /// Decrypts the connection. A chunk that `edit` makes nil is a gap.
  func decrypt(
    _ context: DecryptionContext, only: Side? = nil, step: Int = .max,
    edit: (Int, Chunk) -> [UInt8]? = { $1.bytes }
  ) -> Decrypted {
    let decryption = Decryption(context)
    for (index, chunk) in chunks.enumerated() where only == nil || only == chunk.sender {
      guard let bytes = edit(index, chunk) else {
        decryption.gap(chunk.bytes.count, from: chunk.sender)
        continue
      }
      var rest = bytes[...]
      while !rest.isEmpty {
        decryption.append(rest.prefix(step), from: chunk.sender)
        rest = rest.dropFirst(step)
      }
    }
    return decryption.finish()
  }

  /// Decrypts it without some bytes of a direction, wherever chunks end.
  func decrypt(_ context: DecryptionContext, gap: Range<Int>, of sender: Side) -> Decrypted {
    let decryption = Decryption(context)
    var offset = 0
    var isReported = false
    for chunk in chunks {
      var parts = [chunk.bytes[...]]
      if chunk.sender == sender {
        let before = chunk.bytes.prefix(max(0, gap.lowerBound - offset))
        let after = chunk.bytes.dropFirst(max(0, gap.upperBound - offset))
        parts =
          offset + chunk.bytes.count <= gap.lowerBound || offset >= gap.upperBound ? parts : [before, after]
        offset += chunk.bytes.count
      }
      for (index, part) in parts.enumerated() {
        if index == 1, !isReported {
          decryption.gap(gap.count, from: sender)
          isReported = true
        }
        decryption.append(part, from: chunk.sender)
      }
    }
    return decryption.finish()
  }
}
