import Basics
import TLSDecryption
import Testing

@Suite struct SecretTests {
  private static let random = String(repeating: "0a", count: 32)
  private static let master = String(repeating: "b1", count: 48)

  @Test func keyLogLines() {
    var store = SecretStore()
    let secret = String(repeating: "c2", count: 32)
    let report = read(
      """
      # comment\r
      CLIENT_RANDOM \(Self.random) \(Self.master)\r
      CLIENT_RANDOM 00 \(Self.master)
      SERVER_TRAFFIC_SECRET_0 \(Self.random) \(secret)
      EXPORTER_SECRET \(Self.random) \(secret)

      PMS_CLIENT_RANDOM \(Self.random) \(Self.master)
      RSA 0102030405060708 \(Self.master)
      RSA Session-ID:0102 Master-Key:\(Self.master)
      nonsense
      CLIENT_RANDOM \(Self.random) \(Self.master.dropLast())
      """, into: &store)
    #expect(report.lines == 11)
    #expect(report.secrets == 5)
    #expect(report.badLineCount == 3 && report.badLines == [3, 10, 11])
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
    let report = read("\(long)\n#\(long)\n" + line + line, into: &store)
    #expect(report.badLines == [1])
    #expect(store.rowCount == 1 && store.ignoredCount == 1)
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
    dump(entry, to: &dumped)
    for text in ["\(entry)", String(reflecting: entry), dumped] {
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
    #expect(throws: PrivateKey.ReadError.noKey) { try PrivateKey(Array("-----".utf8), file: 0) }
    #expect(throws: PrivateKey.ReadError.noKey) { try PrivateKey([0x30, 1, 2, 3], file: 0) }
    #expect(throws: PrivateKey.ReadError.notRSA) { try PrivateKey(Flow.file("ec.key"), file: 0) }
    #expect(throws: PrivateKey.ReadError.passphrase) {
      try PrivateKey(Flow.file("rsa.p12"), passphrase: Array("wrong".utf8), file: 0)
    }
    var store = SecretStore()
    store.add(try PrivateKey(Flow.file("rsa.p12"), passphrase: Array("secret".utf8), file: 0))
    let flow = try #require(Flow.named("java-SSLv3-RC4_128_SHA"))
    #expect(flow.decrypt(DecryptionContext(store)).plaintext == flow.plaintext)
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
