import CaptureWriting
import CommandTestSupport
import Testing

/// Recorded connections of real programs, as captures (docs/spec/captures.md#tls), beside those of samples/corpus, which has
/// dialogues before TLS, and connections through proxies.
@Suite("Captures of TLS")
struct TLSRecordTests {
  private let directory = TestDirectory()
  private static let certified = TLSFlow("openssl-1.2-client-certificate.flow")

  init() throws {
    try directory.writeCapture(Self.certified.segments)
    try directory.write(Self.certified.keyLog, to: "keys.log")
  }

  @Test("a stream's record describes its connection")
  func facts() throws {
    let stream = try #require(try directory.exportTLS(Self.certified).streams.first)
    #expect(stream["tls_version"] as? String == "TLS 1.2")
    #expect((stream["tls_cipher"] as? String)?.hasPrefix("TLS_") == true)
    #expect(stream["tls_client_user_id"] as? String == "com.example.app")
    #expect(
      (stream["tls_client_subject"] as? String)?.contains("CN=Apple Production IOS Push Services") == true)
    #expect((stream["tls_server_subject"] as? String)?.contains("CN=") == true)
    let clear = try directory.export(Conversation(serverSends: Self.certified.server).segments())
    #expect(clear.streams.first?.keys.contains("tls_version") == false)
  }

  @Test("inspect names the key, raw streams and show are plaintext, with --no-decrypt ciphertext")
  func commands() throws {
    let flow = TLSFlow.gcm
    _ = try directory.exportTLS(flow)
    let text = try directory.apnsift("inspect capture.pcap --keys keys.log".words).exits(0).text
    #expect(text.contains("TLS 1.2") && text.contains("keys.log line 1"))
    try directory.apnsift("export capture.pcap -t raw -o plain --keys keys.log".words).exits(0)
    #expect(try directory.bytes(of: "plain/stream-0-b.raw") == flow.server)
    #expect(try directory.bytes(of: "plain/stream-0-a.raw") == flow.client)
    try directory.apnsift("export capture.pcap -t raw -o cipher --no-decrypt".words).exits(0)
    #expect(try directory.bytes(of: "cipher/stream-0-b.raw") == flow.conversation.bytes(of: .server))
    let shown = try directory.apnsift("show capture.pcap --keys keys.log --offset 380".words).exits(0).text
    #expect(shown.filter { !$0.isWhitespace }.contains(hex(flow.server[386..<394])))
  }

  @Test("readers get a record at a time, however it was segmented")
  func audit() throws {
    let flow = TLSFlow.gcm
    var conversation = flow.conversation
    conversation.segmentSizes = [67]
    _ = try directory.exportTLS(flow, conversation.segments())
    let clear = Conversation(serverSends: flow.server, in: [190])
    try directory.writeCapture(clear.segments(), to: "clear.pcap")
    let found = try directory.apnsift("audit --json capture.pcap --keys keys.log".words).text
    let expected = try directory.apnsift("audit", "--json", "clear.pcap").text
    #expect(!found.isEmpty && found == expected.replacing("clear.pcap", with: "capture.pcap"))
  }

  // MARK: - Replays: the app that a client's certificate names decides whose feedback it is

  private let replay = "replay capture.pcap --store sqlite:tokens.sqlite --create --keys".words

  @Test("its own app", arguments: [[], ["--app", "com.example.app"]])
  func own(_ options: [String]) throws {
    try directory.apnsift(replay + ["keys.log"] + options).exits(0)
    let listed = try directory.apnsift("store list --store sqlite:tokens.sqlite --dead -t csv".words)
    #expect(listed.lines.count == 41)
  }

  @Test("another app is refused, unless it is accepted", arguments: [[], ["--dry-run"]])
  func other(_ options: [String]) throws {
    let arguments = replay + ["keys.log", "--app", "com.example.other"] + options
    let refused = try directory.apnsift(arguments).exits(2, saying: "com.example.app")
    #expect(refused.output.isEmpty)
    try directory.apnsift(arguments + ["--other-app"]).exits(0, saying: "com.example.app")
  }

  @Test("a missing file of keys leaves no store")
  func missingKeys() throws {
    try directory.apnsift(replay + ["none.log"]).exits(2)
    #expect(!directory.exists("tokens.sqlite"))
  }

  // MARK: - Other services, and files of keys among the inputs

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
    "the hello, not the port, says whether TLS is a service of pushes",
    arguments: [
      ("api-manage-broadcast.push.apple.com", ["h2"], true),
      ("api-manage-broadcast.push.apple.com", [], true),
      ("example.com", ["h2", "http/1.1"], true), ("gateway.push.apple.com", ["h2"], false),
      ("gateway.push.apple.com", [], false), ("example.com", ["http/1.1"], false),
      ("api.push.apple.com", ["h2", "http/1.1"], false),
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
        let keyed = try directory.exportTLS(TLSFlow.some[0], conversation.segments())
        #expect(Set(keyed.codes) == ["unused-secrets", isOther ? "unrelated-tls" : "decryption-failed"])
        let exported = try directory.export("capture.pcap")
        #expect(Set(exported.codes) == [isOther ? "unrelated-tls" : "encrypted-stream"])
        let message = exported.findings.first?["message"] as? String
        #expect(message?.contains("channel management") == name.hasPrefix("api-manage"))
        #expect(exported.streams.first?["protocol"] as? String == "encrypted")
      }
    }
  }

  @Test("files of keys in a folder are named with their option, and others are not taken for them")
  func folder() throws {
    let session = try directory.bytes(of: Repository.path(of: "samples/tls/pasted.s_client.txt"))
    let container = Repository.path(of: "samples/corpus/capture/tls-key-in-pkcs12/legacy.p12")
    let ticket = TLSFlow("openssl-1.2-resumption-ticket.flow").session.joined(separator: "\n")
    for (name, content) in [
      ("a.log", Array("# log\r\n\(TLSFlow.gcm.keyLog)".utf8)), ("d.txt", session),
      ("e.pem", Array(ticket.utf8)),
      ("b.pem", try directory.bytes(of: TLSFlow.path(of: "rsa.key"))),
      ("c.p12", try directory.bytes(of: container)),
      ("none.txt", Array("SERVER_TRAFFIC_SECRET_0 \(String(repeating: "0a", count: 64))\n".utf8)),
      // What s_client received, after its text.
      ("received.txt", session + TLSFlow.gcm.server),
    ] { try directory.write(content, to: "in/\(name)") }
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
