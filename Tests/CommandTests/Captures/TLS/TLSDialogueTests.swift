import CaptureWriting
import CommandTestSupport
import Testing

/// What clients say in clear before TLS (docs/spec/captures.md#before-tls).
struct Dialogue: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var turns: [Conversation.Turn]

  init(_ name: String, _ turns: (Conversation.Sender, [UInt8])...) {
    testDescription = name
    self.turns = turns.map { Conversation.Turn($0.0, $0.1) }
  }

  private static func http(_ text: String) -> [UInt8] { Array(text.replacing("\n", with: "\r\n").utf8) }
  private static let connect = http(
    "CONNECT feedback.push.apple.com:2196 HTTP/1.1\nHost: feedback.push.apple.com:2196\nUser-Agent: x\n\n")
  private static let refusal = http(
    "HTTP/1.1 407 Proxy Authentication Required\nProxy-Authenticate: Basic realm=\"p\"\nContent-Length: 3800\n\n"
      + String(repeating: "<p>Access denied</p>", count: 190))
  private static let accepted = http("HTTP/1.0 200 Connection established\nVia: 1.1 proxy\n\n")
  private static let address: [UInt8] = [192, 0, 2, 7]
  private static let proxy2: [UInt8] = [
    13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x21, 0x11, 0, 12,
  ]

  static let all = [
    Dialogue("HTTP CONNECT", (.client, connect), (.server, accepted)),
    Dialogue(
      "HTTP CONNECT with a 407", (.client, connect), (.server, refusal), (.client, connect),
      (.server, accepted)),
    Dialogue(
      "SOCKS 4", (.client, [4, 1, 8, 0x94] + address + [0x75, 0]), (.server, [0, 0x5a, 0, 0, 0, 0, 0, 0])),
    Dialogue(
      "SOCKS 4a", (.client, [4, 1, 8, 0x94, 0, 0, 0, 1, 0] + Array("feedback.push.apple.com".utf8) + [0]),
      (.server, [0, 0x5a, 8, 0x94] + address)),
    Dialogue(
      "SOCKS 5", (.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0, 1] + address + [8, 0x94]),
      (.server, [5, 0, 0, 1] + address + [4, 0])),
    Dialogue(
      "SOCKS 5 with a password", (.client, [5, 2, 0, 2]), (.server, [5, 2]),
      (.client, [1, 4, 0x75, 0x73, 0x65, 0x72, 3, 0x16, 3, 1]), (.server, [1, 0]),
      (.client, [5, 1, 0, 3, 11] + Array("example.com".utf8) + [8, 0x94]),
      (.server, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])),
    Dialogue("PROXY protocol 1", (.client, http("PROXY TCP4 192.0.2.7 192.0.2.8 50000 2196\n"))),
    Dialogue("PROXY protocol 2", (.client, proxy2 + address + address + [0xc3, 0x50, 8, 0x94])),
    Dialogue(
      "SMTP with STARTTLS", (.server, http("220 mail.example ESMTP\n")), (.client, http("EHLO client\n")),
      (.server, http("250-mail.example\n250 STARTTLS\n")), (.client, http("STARTTLS\n")),
      (.server, http("220 2.0.0 Ready to start TLS\n"))),
  ]
}

@Suite("TLS after a dialogue in clear")
struct TLSDialogueTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func conversation(_ dialogue: Dialogue, _ flow: TLSFlow) -> Conversation {
    var conversation = flow.conversation
    conversation.server.port = 3128
    conversation.turns = dialogue.turns + conversation.turns
    return conversation
  }

  private func export(_ segments: [Segment], _ flow: TLSFlow, _ options: String...) throws -> Exported {
    try directory.writeCapture(segments)
    try directory.write(flow.keyLog, to: "keys.log")
    return try directory.export("capture.pcap", options)
  }

  @Test("its tuples are read, and the bytes before it counted", arguments: Dialogue.all, [0, 4])
  func dialogue(_ dialogue: Dialogue, _ number: Int) throws {
    let flow = TLSFlow.some[number]
    let conversation = conversation(dialogue, flow)
    for sizes in [[1 << 14], [7, 1400]] {
      var conversation = conversation
      conversation.segmentSizes = sizes
      let exported = try export(conversation.segments(), flow, "--keys", "keys.log")
      #expect(try exported.tupleTexts == flow.tuples)
      let senders = Set(dialogue.turns.map(\.sender))
      #expect(exported.codes == senders.map { _ in "plaintext-before-tls" })
      for (sender, name) in [(Conversation.Sender.client, "client"), (.server, "server")] {
        let count = dialogue.turns.filter { $0.sender == sender }.reduce(0) { $0 + $1.bytes.count }
        let finding = exported.findings.first { $0["direction"] as? String == name }
        #expect(finding?["length"] as? Int == (count > 0 ? count : nil))
      }
      #expect(exported.streams.first?["protocol"] as? String == "feedback")
    }
  }

  @Test("without keys it is TLS, and nothing of it is decoded", arguments: Dialogue.all)
  func withoutKeys(_ dialogue: Dialogue) throws {
    let flow = TLSFlow.some[4]
    let conversation = conversation(dialogue, flow)
    for (port, code) in [("3129", "unrelated-tls"), ("3128", "encrypted-stream")] {
      let exported = try export(conversation.segments(), flow, "--feedback-port", port)
      #expect(exported.streams.first?["protocol"] as? String == "encrypted")
      #expect(Set(exported.codes) == ["plaintext-before-tls", code])
      #expect(exported.streams.first?["client_bytes"] as? Int == conversation.bytes(of: .client).count)
      #expect(exported.streams.first?["server_bytes"] as? Int == conversation.bytes(of: .server).count)
    }
  }

  @Test("the hello follows in the same segment, is late, or is one of SSL 2.0")
  func hellos() throws {
    let proxied = Dialogue.all[6]
    var joined = conversation(proxied, TLSFlow.some[4])
    joined.turns[0...1] = [Conversation.Turn(.client, joined.turns[0].bytes + joined.turns[1].bytes)]
    #expect(
      try export(joined.segments(), TLSFlow.some[4], "--keys", "keys.log").tupleTexts
        == TLSFlow.some[4].tuples)
    var late = conversation(proxied, TLSFlow.some[4]).segments()
    let data = late.dataIndices
    late.swapAt(data[1], data[2])
    #expect(try export(late, TLSFlow.some[4], "--keys", "keys.log").tupleTexts == TLSFlow.some[4].tuples)
    let old = TLSFlow("java-SSLv3-v2-hello.flow")
    let segments = conversation(Dialogue.all[0], old).segments()
    let exported = try export(segments, old, "--rsa-key", TLSFlow.path(of: "rsa.key"))
    #expect(try exported.tupleTexts == old.tuples)
  }

  @Test("a dialogue without TLS, or with a hello after more than 16 KiB, stays as it is")
  func others() throws {
    let flow = TLSFlow.some[4]
    var plain = conversation(Dialogue.all[8], flow)
    plain.turns.removeLast(flow.turns.count)
    let text = Array(String(repeating: "NOOP\r\n", count: 3000).utf8)
    var far = conversation(Dialogue("far", (.client, text), (.server, text)), flow)
    far.server.port = 25
    for conversation in [plain, far] {
      for options in [[], ["--keys", "keys.log"]] {
        try directory.write(flow.keyLog, to: "keys.log")
        try directory.writeCapture(conversation.segments())
        let exported = try directory.export("capture.pcap", options)
        #expect(exported.codes.filter { $0 != "unused-secrets" } == [])
        #expect(exported.streams.first?["protocol"] as? String == "other")
        #expect(exported.streams.first?["server_bytes"] as? Int == conversation.bytes(of: .server).count)
      }
    }
  }

  // MARK: - Services of today

  /// A hello of TLS 1.2 with a server name and protocols.
  private func hello(_ name: String, _ protocols: [String]) -> [UInt8] {
    func sized(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
      (0..<length).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * (length - 1 - $0))) } + bytes
    }
    let names = sized([0] + sized(Array(name.utf8), 2), 2)
    let offered = sized(protocols.flatMap { sized(Array($0.utf8), 1) }, 2)
    let extensions = [0, 0] + sized(names, 2) + (protocols.isEmpty ? [] : [0, 16] + sized(offered, 2))
    let body = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0x13, 1, 1, 0] + sized(extensions, 2)
    return [22, 3, 1] + sized([1] + sized(body, 3), 2)
  }

  @Test(
    "the hello, not the port, says whether TLS is the old service's",
    arguments: [
      ("api-manage-broadcast.push.apple.com", ["h2"], true),
      ("api-manage-broadcast.push.apple.com", [], true),
      ("api.push.apple.com", ["h2", "http/1.1"], true), ("gateway.push.apple.com", ["h2"], false),
      ("gateway.push.apple.com", [], false), ("example.com", ["http/1.1"], false),
    ])
  func otherServices(_ name: String, _ protocols: [String], _ isOther: Bool) throws {
    let record: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: 9, count: 40)
    for port in [2195, 2196] {
      for size in [1 << 14, 10] {
        var conversation = Conversation([
          .init(.client, hello(name, protocols)), .init(.server, record), .init(.client, record),
        ])
        conversation.server.port = UInt16(port)
        conversation.segmentSizes = [size]
        let exported = try export(conversation.segments(), TLSFlow.some[0])
        #expect(Set(exported.codes) == [isOther ? "unrelated-tls" : "encrypted-stream"])
        let keyed = try export(conversation.segments(), TLSFlow.some[0], "--keys", "keys.log")
        #expect(
          Set(keyed.codes) == ["unused-secrets", isOther ? "unrelated-tls" : "decryption-failed"])
        let message = exported.findings.first?["message"] as? String
        #expect(message?.contains("channel management") == name.hasPrefix("api-manage"))
        #expect(exported.streams.first?["protocol"] as? String == "encrypted")
      }
    }
  }

  // MARK: - Inputs after public reports

  private func fixture(_ name: String) -> String {
    Repository.path(of: "Tests/Fixtures/cases/public/\(name)")
  }

  private func times(_ arguments: String...) throws -> [Int] {
    try directory.export(fixture(arguments[0]), Array(arguments.dropFirst())).tuples.map(\.timestamp)
  }

  @Test("the six tuples through a proxy, with late secrets, and with an old PKCS#12 file")
  func cases() throws {
    let six = (0..<6).map { 1_400_000_000 + 100 * $0 }
    #expect(try times("connect-proxy-tls13.pcap", "--keys", fixture("connect-proxy-tls13.keys")) == six)
    #expect(try times("secrets-after-client-hello.pcapng") == six)
    let pass = ["--passphrase-file", fixture("legacy.pass")]
    #expect(
      try times("rsa-key-exchange.pcap", "--rsa-key", fixture("legacy.p12"), pass[0], pass[1]) == six)
    let refused = try directory.apnsift(
      ["export", fixture("rsa-key-exchange.pcap"), "--rsa-key", fixture("legacy.p12")] + pass,
      environment: ["OPENSSL_MODULES": "/nonexistent"])
    #expect(refused.code == 2 && refused.errors.contains("openssl pkcs12 -legacy"))
    let pushes = try directory.export(
      fixture("proxy-protocol-h2.pcap"), ["--keys", fixture("proxy-protocol-h2.keys")])
    #expect(pushes.objects("push").map { $0["status"] as? Int } == [410])
  }

  @Test("files of keys in a folder are named with their option, and others are not taken for them")
  func folder() throws {
    let session = try directory.text(of: Repository.path(of: "samples/tls/pasted.s_client.txt"))
    try directory.write("# log\r\n" + TLSFlow.gcm.keyLog, to: "in/a.log")
    try directory.write("SERVER_TRAFFIC_SECRET_0 \(String(repeating: "0a", count: 64))\n", to: "in/none.txt")
    try directory.write(try directory.bytes(of: TLSFlow.path(of: "rsa.key")), to: "in/b.pem")
    try directory.write(try directory.bytes(of: fixture("legacy.p12")), to: "in/c.p12")
    try directory.write(session, to: "in/d.txt")
    try directory.write(
      TLSFlow("openssl-1.2-resumption-ticket.flow").session.joined(separator: "\n"), to: "in/e.pem")
    // What s_client received, after its text.
    try directory.write(Array(session.utf8) + TLSFlow.gcm.server, to: "in/received.txt")
    let exported = try directory.export("in")
    let named = exported.findings("unrecognised-input").map { "\($0["source"] ?? "") \($0["message"] ?? "")" }
    for (name, option) in [
      ("a.log", "--keys"), ("b.pem", "--rsa-key"), ("c.p12", "--rsa-key"), ("d.txt", "--keys"),
      ("e.pem", "--keys"),
    ] {
      #expect(named.contains { $0.hasPrefix("in/\(name)") && $0.contains(option) }, "\(name)")
    }
    #expect(named.contains { $0.hasPrefix("in/none.txt") && !$0.contains("--keys") })
    #expect(try exported.tuples.count == TLSFlow.gcm.tuples.count)
  }
}
