import Basics
import Foundation
import PacketCapture
import StreamInputs
import TLSDecryption
import TestSupport
import Testing

@Suite struct SecretTests {
  private static let random = String(repeating: "0a", count: 32)
  private static let master = String(repeating: "b1", count: 48)

  /// LONG is a line without end.
  @Test(
    "which lines are secrets, and which should be",
    arguments: Fixtures.rows("texts", in: "key-texts") as [([String], Int, [Int])])
  func texts(_ lines: [String], _ count: Int, _ bad: [Int]) {
    let text = lines.joined(separator: "\n").replacing("LONG", with: String(repeating: "A", count: 500_000))
    var store = SecretStore()
    let report = read(text, into: &store)
    #expect(report.secrets == count && store.rowCount == count)
    #expect(report.badLines == bad && report.badLineCount == bad.count)
  }

  @Test func secretsAreFoundByWhatTheyName() {
    let store = secrets([
      "", "CLIENT_RANDOM \(Self.random) \(Self.master)", "RSA 0102030405060708 \(Self.master)",
      "RSA Session-ID:0102 Master-Key:\(Self.master)",
    ])
    let client = HelloRandom([UInt8](repeating: 10, count: 32))
    #expect(client.flatMap { store.row(.master, of: $0) }.flatMap { store.entry($0) }?.origin.line == 2)
    #expect(store.row(session: [1, 2]) != nil)
    #expect(store.row(encryptedPremaster: Array(1...20)) != nil)
  }

  @Test func longLinesAndLimitsAreCounted() {
    var store = SecretStore()
    store.limit = 1
    let long = String(repeating: "x", count: 100_000)
    let line = "CLIENT_RANDOM \(Self.random) \(Self.master)\n"
    let others = "RSA 0102030405060708 \(Self.master)\nRSA Session-ID:0102 Master-Key:\(Self.master)"
    let report = read("\(long)\n#\(long)\n" + line + line + others, into: &store)
    #expect(report.badLines == [1])
    #expect(store.rowCount == 1 && store.ignoredCount == 3)
  }

  @Test func anySplitGivesTheSame() {
    let text = "CLIENT_RANDOM \(Self.random) \(Self.master)\r\nbad\n> Master-Key: \(Self.master)"
    for step in [1, 3, 64] {
      var store = SecretStore()
      var reader = KeyFileReader(file: 0)
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: step) {
        reader.append(Array(bytes[start..<min(bytes.count, start + step)]).span.bytes, to: &store)
      }
      #expect(reader.finish(to: &store).secrets == 2)
    }
  }

  /// Nothing that prints a secret prints its bytes.
  @Test func secretsAreNotDescribed() throws {
    let store = secrets(["CLIENT_RANDOM \(Self.random) \(Self.master)"])
    let entry = try #require(store.entry(0))
    var dumped = ""
    let key = try PrivateKey(Flow.file("rsa.key"), file: 0)
    for value in [entry, key] as [Any] { dump(value, to: &dumped) }
    for text in ["\(entry) \(key)", String(reflecting: entry), dumped] {
      #expect(!text.contains("177") && !text.contains("b1b1"))
    }
  }

  /// The text of s_client and the session file give what the key log gives.
  @Test func sessionTextsAndFiles() throws {
    let pasted = try #require(Flow.named("openssl-1.2-client-text"))
    var store = SecretStore()
    let report = read(pasted.text.joined(separator: "\n"), into: &store)
    #expect(report.secrets == 1 && report.badLineCount == 0)
    let result = pasted.decrypt(DecryptionContext(store))
    #expect(result.plaintext == pasted.plaintext && result.failures == [])

    let resumed = try #require(Flow.named("openssl-1.0-resumption-id"))
    var file = SecretStore()
    #expect(read(resumed.session.joined(separator: "\n"), into: &file).secrets == 1)
    #expect(resumed.decrypt(DecryptionContext(file)).plaintext == resumed.plaintext)

    // Both in one file.
    let both = secrets(resumed.session + pasted.text)
    #expect(pasted.decrypt(DecryptionContext(both)).plaintext == pasted.plaintext)
    #expect(resumed.decrypt(DecryptionContext(both)).plaintext == resumed.plaintext)
  }

  @Test func privateKeys() throws {
    var store = SecretStore()
    store.add(try PrivateKey(Flow.file("rsa.p12"), passphrase: Array("secret".utf8), file: 0))
    let flow = try #require(Flow.named("java-SSLv3-RC4_128_SHA"))
    #expect(flow.decrypt(DecryptionContext(store)).plaintext == flow.plaintext)
  }

  @Test(
    "what is said of a file of keys",
    arguments: Fixtures.rows("files", in: "key-texts") as [(String, String, String?, String?)])
  func files(_ option: String, _ content: String, _ passphrase: String?, _ message: String?) throws {
    let files = TemporaryFiles()
    let isFixture = content.hasPrefix("FILE ")
    let bytes = isFixture ? Flow.file(String(content.dropFirst(5))) : Array(content.utf8)
    let input = Input(try files.write(bytes))
    var keys = StreamKeys(readsEmbedded: true, memory: 160)
    do {
      switch option {
      case "keys": try keys.addKeyFile(input)
      case "rsa-key": try keys.addPrivateKey(input, passphrase: passphrase.map { Array($0.utf8) })
      case "psk": try keys.addSharedKeys(input)
      default: #expect(try StreamKeys.passphrase(in: input) == Array("secret".utf8))
      }
      #expect(message == nil)
    } catch let error as CommandError {
      #expect(error.message.text == "\(input.name): \(message ?? "")")
    }
  }

  @Test func sharedKeys() throws {
    let flow = try #require(Flow.named("openssl-1.2-PSK"))
    var store = SecretStore()
    store.add(
      sharedKey: Hex.bytes("0102030405060708090a0b0c0d0e0f10") ?? [],
      identity: Array("Client_identity".utf8), at: SecretOrigin(file: 1, line: 1))
    #expect(flow.decrypt(DecryptionContext(store)).plaintext == flow.plaintext)
  }
}
