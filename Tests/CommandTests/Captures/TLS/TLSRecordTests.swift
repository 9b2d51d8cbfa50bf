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
    var clear = Conversation(serverSends: flow.server)
    clear.segmentSizes = [190]
    try directory.writeCapture(clear.segments(), to: "clear.pcap")
    let found = try directory.apnsift("audit --json capture.pcap --keys keys.log".words).text
    let expected = try directory.apnsift("audit", "--json", "clear.pcap").text
    #expect(!found.isEmpty && found == expected.replacing("clear.pcap", with: "capture.pcap"))
  }
}
