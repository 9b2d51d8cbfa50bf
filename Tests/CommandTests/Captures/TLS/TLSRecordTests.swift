import CaptureWriting
import CommandTestSupport
import Testing

/// Recorded connections of real programs, as captures (docs/spec/captures.md#tls), beside those of samples/corpus.
@Suite("Captures of TLS")
struct TLSRecordTests {
  private let directory = TestDirectory()

  @Test("a stream's record describes its connection")
  func facts() throws {
    let flow = TLSFlow("openssl-1.2-client-certificate.flow")
    let stream = try #require(try directory.exportTLS(flow).streams.first)
    #expect(stream["tls_version"] as? String == "TLS 1.2")
    #expect((stream["tls_cipher"] as? String)?.hasPrefix("TLS_") == true)
    #expect(stream["tls_client_user_id"] as? String == "com.example.app")
    #expect(
      (stream["tls_client_subject"] as? String)?.contains("CN=Apple Production IOS Push Services") == true)
    #expect((stream["tls_server_subject"] as? String)?.contains("CN=") == true)
    let clear = try directory.export(Conversation(serverSends: flow.server).segments())
    #expect(clear.streams.first?.keys.contains("tls_version") == false)
  }

  @Test("inspect names the key, raw streams and show are plaintext, with --no-decrypt ciphertext")
  func commands() throws {
    let flow = TLSFlow.gcm
    _ = try directory.exportTLS(flow)
    func run(_ words: String) throws -> Outcome {
      let outcome = try directory.apnsift(words.split(separator: " ").map(String.init)).exits(0)
      return outcome
    }
    let text = try run("inspect capture.pcap --keys keys.log").text
    #expect(text.contains("TLS 1.2") && text.contains("keys.log line 1"))
    _ = try run("export capture.pcap -t raw -o plain --keys keys.log")
    #expect(try directory.bytes(of: "plain/stream-0-b.raw") == flow.server)
    #expect(try directory.bytes(of: "plain/stream-0-a.raw") == flow.client)
    _ = try run("export capture.pcap -t raw -o cipher --no-decrypt")
    #expect(try directory.bytes(of: "cipher/stream-0-b.raw") == flow.conversation.bytes(of: .server))
    let shown = try run("show capture.pcap --keys keys.log --offset 380").text
    #expect(shown.filter { !$0.isWhitespace }.contains(hex(flow.server[386..<394])))
  }

  @Test("readers get a record at a time, however it was segmented")
  func audit() throws {
    let flow = TLSFlow.gcm
    var conversation = flow.conversation
    conversation.segmentSizes = [67]
    try directory.write(flow.keyLog, to: "keys.log")
    try directory.writeCapture(conversation.segments(), to: "tls.pcap")
    var clear = Conversation(serverSends: flow.server)
    clear.segmentSizes = [190]
    try directory.writeCapture(clear.segments(), to: "clear.pcap")
    func readers(_ name: String, _ options: String...) throws -> [String] {
      let text = try directory.apnsift(["audit", "--json", name] + options).text
      return text.replacing(name, with: "").split(separator: "\n").map(String.init)
    }
    let found = try readers("tls.pcap", "--keys", "keys.log")
    #expect(found == (try readers("clear.pcap")))
    #expect(!found.isEmpty)
  }
}
