import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// Where keys come from, and what is wrong with them (docs/spec/captures.md#tls).
@Suite("Keys of TLS")
struct TLSKeyTests {
  private let directory = TestDirectory()

  private let rsaKey = TLSFlow.path(of: "rsa.key")
  private let container = TLSFlow.path(of: "rsa.p12")

  init() throws {
    try directory.writeCapture(TLSFlow.gcm.segments)
    try directory.write(TLSFlow.gcm.keyLog, to: "keys.log")
    try directory.write(TLSFlow.some[0].keyLog, to: "other.log")
  }

  private func export(_ flow: TLSFlow, _ options: String...) throws -> Exported {
    try directory.writeCapture(flow.segments)
    return try directory.export("capture.pcap", options)
  }

  // MARK: - Kinds of keys

  @Test(
    "a private key, in PEM or PKCS#12",
    arguments: ["openssl-1.0-AES128-SHA", "openssl-1.2-AES128-SHA256", "java-SSLv3-RC4_128_SHA"])
  func privateKey(_ name: String) throws {
    let flow = TLSFlow("\(name).flow")
    try directory.write("secret\n", to: "passphrase")
    let pem = try export(flow, "--rsa-key", rsaKey)
    #expect(try pem.tupleTexts == flow.tuples)
    #expect(pem.streams.first?["tls_key_line"] is Null)
    let packed = try export(flow, "--rsa-key", container, "--passphrase-file", "passphrase")
    #expect(try packed.tupleTexts == flow.tuples)
  }

  @Test("a file of PKCS#12 that OpenSSL cannot read is named with the way to convert it")
  func oldContainer() throws {
    let folder = Repository.path(of: "samples/corpus/capture/tls-key-in-pkcs12")
    try directory.apnsift(
      "export \(folder)/input.pcap --rsa-key \(folder)/legacy.p12 --passphrase-file \(folder)/legacy.pass"
        .words,
      environment: ["OPENSSL_MODULES": "/nonexistent"]
    ).exits(2, saying: "openssl pkcs12 -legacy")
  }

  @Test("the text of openssl s_client, and its session file")
  func text() throws {
    let pasted = TLSFlow("openssl-1.2-client-text.flow")
    try directory.write(pasted.text.joined(separator: "\n"), to: "pasted.txt")
    let exported = try export(pasted, "--keys", "pasted.txt")
    #expect(exported.streams.first?["tls_key_file"] as? String == "pasted.txt")
    #expect(!exported.codes.contains("decryption-failed"))
    let resumed = TLSFlow("openssl-1.2-resumption-ticket.flow")
    try directory.write(resumed.session.joined(separator: "\n"), to: "session.pem")
    #expect(try export(resumed, "--keys", "session.pem").tupleTexts == resumed.tuples)
  }

  private func writeWithSecrets(_ flow: TLSFlow, before packet: Int, _ more: [Segment] = []) throws {
    try write(flow.segments + more, withBlocks: [packet: Self.secrets(flow.keyLog)])
  }

  private func write(_ segments: [Segment], withBlocks blocks: [Int: [UInt8]]) throws {
    let file = PcapngWriter().file(FrameWriter().packets(segments), garbage: blocks)
    try directory.write(file, to: "embedded.pcapng")
  }

  /// A block of decryption secrets.
  private static func secrets(_ text: String) -> [UInt8] {
    let (log, order) = (Array(text.utf8), ByteOrder.little)
    let padding = [UInt8](repeating: 0, count: (4 - log.count % 4) % 4)
    return PcapngWriter().block(10, order.bytes(0x544c_534b, 4) + order.bytes(log.count, 4) + log + padding)
  }

  @Test("a key log in the capture may be left alone", arguments: ["--no-embedded-keys", "--no-decrypt"])
  func leftAlone(_ option: String) throws {
    try writeWithSecrets(TLSFlow.gcm, before: 0)
    let ignored = try directory.export("embedded.pcapng", option)
    #expect(try ignored.tuples == [])
    #expect(Set(ignored.codes) == ["encrypted-stream"])
  }

  @Test(
    "a key log anywhere in the capture is used, also line by line, as it is written: of a file, and a pipe",
    arguments: TLSFlow.some)
  func embedded(_ flow: TLSFlow) throws {
    let count = flow.segments.count
    let distance = (count - 1) / flow.keys.count
    let lines = flow.keys.enumerated().map { (1 + $0 * distance, Self.secrets($1 + "\n")) }
    let whole = [0, 1, count / 2, count - 1].map { [$0: Self.secrets(flow.keyLog)] }
    for blocks in whole + [Dictionary(lines, uniquingKeysWith: +)] {
      try write(flow.segments, withBlocks: blocks)
      for exported in [
        try directory.export("embedded.pcapng"), try directory.export("-", input: .file("embedded.pcapng")),
      ] {
        #expect(try exported.tupleTexts == flow.tuples)
        #expect(exported.codes == [])
        let source = exported.streams.first?["source"] as? String
        #expect(exported.streams.first?["tls_key_file"] as? String == source)
      }
    }
  }

  /// A pipe cannot be read twice, and a closed connection is not kept.
  @Test("keys that come too late in a pipe are reported; those of a later file of --join are used")
  func tooLate() throws {
    var other = Conversation(serverSends: TLSFlow.gcm.server)
    other.client.port = 50_000
    let more = other.segments()
    try writeWithSecrets(TLSFlow.gcm, before: TLSFlow.gcm.segments.count + more.count - 1, more)
    let count = TLSFlow.gcm.tuples.count
    #expect(try directory.export("embedded.pcapng", "--reorder-window", "1").tuples.count == 2 * count)
    let exported = try directory.export("-", "--reorder-window", "1", input: .file("embedded.pcapng"))
    #expect(try exported.tuples.count == count)
    #expect(exported.codes == ["encrypted-stream", "encrypted-stream", "unused-secrets"])
    #expect((exported.findings.last?["message"] as? String)?.contains("came after") == true)
    let joined = try directory.export("capture.pcap", "embedded.pcapng", "--join")
    #expect(try joined.tuples.count >= count && joined.findings("encrypted-stream").isEmpty)
  }

  @Test("several files, of which one has the key")
  func several() throws {
    let exported = try directory.export("capture.pcap --keys other.log --keys keys.log".words)
    #expect(try exported.tupleTexts == TLSFlow.gcm.tuples)
    #expect(exported.codes == ["unused-secrets"])
    #expect(exported.findings.first?["source"] as? String == "other.log")
    #expect(exported.streams.first?["tls_key_file"] as? String == "keys.log")
  }

  // MARK: - Faults of files

  @Test("a file of keys that cannot be used ends the command before it reads")
  func unusable() throws {
    try directory.write("nonsense", to: "passphrase")
    for options in [
      "--keys missing.log", "--rsa-key missing.key", "--psk passphrase",
      "--rsa-key \(container) --passphrase-file passphrase", "--rsa-key \(rsaKey) --passphrase-file missing",
    ] {
      let outcome = try directory.apnsift("export capture.pcap \(options)".words)
      #expect(outcome.code == 2 && outcome.output.isEmpty, "\(options)")
      #expect(outcome.messages.count == 1, "\(options)")
    }
    for options in ["--passphrase-file passphrase", "--no-decrypt --keys passphrase"] {
      try directory.apnsift("export capture.pcap \(options)".words).exits(64)
    }
  }

  @Test("lines that are no secrets are named")
  func badLines() throws {
    try directory.write(TLSFlow.gcm.keyLog + "\nCLIENT_RANDOM 00\r\n", to: "keys.log")
    let bad = try directory.apnsift("inspect capture.pcap --keys keys.log".words)
    #expect(bad.errors.contains("line 3") && bad.text.contains("40 records"))
  }

  // MARK: - Keys that do not fit

  @Test(
    "a wrong key gives no record, one finding with the client random, and nothing else",
    arguments: [("wrong.log", false), ("other.log", true)])
  func wrong(_ name: String, _ isNamed: Bool) throws {
    let flow = TLSFlow.gcm
    let random = try #require(flow.keys.first?.split(separator: " ")[1]).lowercased()
    try directory.write(flow.keyLog.dropLast(3) + "00\n", to: "wrong.log")
    let exported = try directory.export("capture.pcap", "--keys", name)
    #expect(try exported.tuples == [])
    let failures = exported.findings("decryption-failed")
    #expect(failures.count == 1)
    #expect(failures.first?["severity"] as? String == "error")
    #expect((failures.first?["message"] as? String)?.contains(random) == isNamed)
    #expect(exported.codes.filter { $0 != "unused-secrets" } == ["decryption-failed"])
    let stream = try #require(exported.streams.first)
    #expect(stream["protocol"] as? String == "encrypted")
    #expect(stream["server_bytes"] as? Int == flow.conversation.bytes(of: .server).count)
    #expect(stream["tls_key_file"] is Null && stream["tls_version"] as? String == "TLS 1.2")
    try directory.apnsift("inspect --strict capture.pcap --keys \(name)".words).exits(1)
  }

  @Test("TLS on another port is a note, with keys and without")
  func otherPort() throws {
    var conversation = TLSFlow.gcm.conversation
    conversation.server.port = 443
    try directory.writeCapture(conversation.segments())
    for options in [[], ["--keys", "other.log"]] {
      let exported = try directory.export("capture.pcap", ["--strict"] + options)
      #expect(exported.codes.filter { $0 != "unused-secrets" } == ["unrelated-tls"])
      #expect(exported.outcome.code == 0)
    }
    let port = try directory.export("capture.pcap", "--feedback-port", "443")
    #expect(Set(port.codes) == ["encrypted-stream"])
    #expect(try directory.export("capture.pcap", "--keys", "keys.log").tupleTexts == TLSFlow.gcm.tuples)
  }

  // MARK: - Secrets

  @Test("no output has a secret")
  func secrecy() throws {
    let secret = TLSFlow.gcm.keys[0].suffix(96)
    try directory.write("CLIENT_RANDOM 00 \(secret)\n", to: "bad.log")
    var outputs: [String] = []
    for command in [
      "inspect", "export -t ndjson", "export --records streams", "audit --json", "report -o report.html",
      "replay --store sqlite:tokens.sqlite --create", "show --offset 0",
    ] {
      let outcome = try directory.apnsift(
        "\(command) capture.pcap --keys keys.log --keys bad.log".words)
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
      outputs += [outcome.text, outcome.errors]
    }
    for name in ["report.html", "tokens.sqlite"] { outputs.append(try directory.text(of: name)) }
    outputs.append(hex(try directory.bytes(of: "tokens.sqlite")))
    #expect(outputs.allSatisfy { !$0.lowercased().contains(secret.lowercased().prefix(40)) })
    #expect(try directory.temporaryNames == [])
  }
}
