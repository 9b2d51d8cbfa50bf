import Foundation
import PacketCapture
import TLSDecryption
import TestSupport
import Testing

/// A recorded connection.
struct Flow: Sendable, CustomTestStringConvertible {
  struct Chunk: Sendable {
    var sender: Side
    var bytes: [UInt8]
  }

  let name: String
  let keys: [String]
  let firstKeys: [String]
  /// Text of `openssl s_client`, and a session file.
  let text: [String]
  let session: [String]
  var chunks: [Chunk]
  /// A connection before it, whose session it resumes.
  let first: [Chunk]
  let plaintext: [Side: [UInt8]]

  var testDescription: String { name }

  /// In hex: the hello has it after the header of the record, its own, and the version.
  var clientRandom: String { TestHex.text((chunks.first?.bytes ?? []).dropFirst(11).prefix(32)) }

  static let all = FlowFile.names().map { Flow($0) }

  /// With all its secrets.
  var context: DecryptionContext { DecryptionContext(secrets(keys)) }

  /// The connection whose session it resumes; nil without one.
  var resumed: Flow? {
    var flow = self
    flow.chunks = first
    return first.isEmpty ? nil : flow
  }

  static func named(_ name: String) -> Flow? { all.first { $0.name == name } }

  static func file(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: FlowFile.directory.appending(path: name))).map(Array.init) ?? []
  }

  init(_ name: String) {
    let file = FlowFile(name)
    func chunks(_ prefix: String) -> [Chunk] {
      file.chunks(prefix).map { Chunk(sender: $0.isClient ? .client : .server, bytes: $0.bytes) }
    }
    self.name = file.values("name").first ?? ""
    (keys, firstKeys) = (file.values("key"), file.values("first-key"))
    (text, session) = (file.values("text"), file.values("session"))
    (self.chunks, first) = (chunks(""), chunks("first-"))
    plaintext = [.client: file.bytes("plain-c"), .server: file.bytes("plain-s")]
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
