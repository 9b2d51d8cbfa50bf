import CaptureWriting
import CommandTestSupport
import Testing

/// Dialogues before TLS, and connections through proxies, are in samples/corpus/capture (docs/spec/captures.md#before-tls).
@Suite("TLS of other services, and files of keys among the inputs")
struct TLSServiceTests {
  private let directory = TestDirectory()

  private func export(_ segments: [Segment], _ flow: TLSFlow, _ options: String...) throws -> Exported {
    try directory.writeCapture(segments)
    try directory.write(flow.keyLog, to: "keys.log")
    return try directory.export("capture.pcap", options)
  }

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

  @Test("files of keys in a folder are named with their option, and others are not taken for them")
  func folder() throws {
    let session = try directory.text(of: Repository.path(of: "samples/tls/pasted.s_client.txt"))
    try directory.write("# log\r\n" + TLSFlow.gcm.keyLog, to: "in/a.log")
    try directory.write("SERVER_TRAFFIC_SECRET_0 \(String(repeating: "0a", count: 64))\n", to: "in/none.txt")
    try directory.write(try directory.bytes(of: TLSFlow.path(of: "rsa.key")), to: "in/b.pem")
    let container = Repository.path(of: "samples/corpus/capture/tls-key-in-pkcs12/legacy.p12")
    try directory.write(try directory.bytes(of: container), to: "in/c.p12")
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
