import CaptureWriting
import CommandTestSupport
import Testing

/// Dialogues before TLS, and connections through proxies, are in samples/corpus/capture (docs/spec/captures.md#before-tls).
@Suite("TLS of other services, and files of keys among the inputs")
struct TLSServiceTests {
  private let directory = TestDirectory()

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
