import CaptureWriting
import CommandTestSupport
import Testing

/// Recorded connections of real programs, as captures (docs/spec/captures.md#tls).
@Suite("Captures of TLS")
struct TLSRecordTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("the key log gives all tuples, and no findings", arguments: TLSFlow.feedback)
  func keyLog(_ flow: TLSFlow) throws {
    let exported = try directory.exportTLS(flow)
    #expect(try exported.tupleTexts == flow.tuples)
    #expect(exported.codes.filter { $0 != "unused-secrets" } == [])
    let stream = try #require(exported.streams.first)
    #expect(stream["protocol"] as? String == "feedback")
    #expect(stream["server_bytes"] as? Int == flow.server.count)
    #expect(stream["client_bytes"] as? Int == flow.client.count)
    #expect(stream["server_gap_bytes"] as? Int == 0)
    #expect(stream["tls_key_file"] as? String == "keys.log")
    let line = try #require(stream["tls_key_line"] as? Int)
    #expect((1...flow.keys.count).contains(line))
    #expect(exported.outcome.code == 0)
  }

  /// Bytes before the content in a record: its header, and the IV or nonce.
  static let prefixes = [
    ("openssl-1.2-ECDHE-RSA-AES256-GCM-SHA384", 13), ("openssl-1.2-ECDHE-RSA-CHACHA20-POLY1305", 5),
    ("openssl-1.3-AES_128_GCM_SHA256", 5), ("openssl-1.3-CHACHA20_POLY1305_SHA256", 5),
    ("openssl-1.2-AES128-SHA256", 21),
  ]

  @Test("packet and file offset are those of the ciphertext", arguments: prefixes)
  func provenance(_ name: String, _ prefix: Int) throws {
    let flow = TLSFlow("\(name).flow")
    let exported = try directory.exportTLS(flow)
    let file = try directory.bytes(of: "capture.pcap")
    // Five tuples a record, each record a chunk, and each chunk a segment.
    let records = flow.turns.filter { $0.sender == .server && $0.bytes.first == 23 && $0.bytes.count > 190 }
      .suffix(8)
    let segments = flow.segments
    var expected: [String] = []
    for record in records {
      let packet = try #require(segments.firstIndex { $0.payload == record.bytes }) + 1
      // Frames of pcap: 24 bytes of the file, 16 of a packet; Ethernet, IPv4 and TCP have 54.
      let start = try #require(file.firstRange(of: record.bytes)?.lowerBound)
      expected += (0..<5).map { "\(packet) \(start + prefix + 38 * $0)" }
    }
    let found = exported.objects("feedback").map {
      "\($0["packet"] as? Int ?? 0) \($0["file_offset"] as? Int ?? 0)"
    }
    #expect(found == expected)
  }

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
      let outcome = try directory.apnsift(words.split(separator: " ").map(String.init))
      #expect(outcome.code == 0)
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

  @Test("streams in clear pass, whatever the keys")
  func clear() throws {
    let conversation = FeedbackConversation.plain
    try directory.writeCapture(conversation.segments())
    try directory.write(TLSFlow.gcm.keyLog, to: "keys.log")
    let without = try directory.export("capture.pcap")
    let with = try directory.export("capture.pcap", "--keys", "keys.log")
    #expect(Evidence.same(with.objects("feedback"), without.objects("feedback")))
    #expect(with.codes.filter { $0 != "unused-secrets" } == without.codes)
    // Begun in the middle, such a stream is held for some time.
    let middle = Array(conversation.segments().withoutHandshake.dropFirst(5))
    try directory.writeCapture(middle)
    let begun = try directory.export("capture.pcap", "--keys", "keys.log")
    #expect(
      Evidence.same(begun.objects("feedback"), try directory.export("capture.pcap").objects("feedback")))
    #expect(begun.objects("feedback").count > 260)
  }

  @Test("exports of ciphertext are decrypted, too")
  func followedStream() throws {
    let flow = TLSFlow.gcm
    let rule = String(repeating: "=", count: 67)
    let lines = flow.turns.map { ($0.sender == .server ? "\t" : "") + hex($0.bytes) }
    let head = [
      "", rule, "Follow: tcp,raw", "Filter: tcp.stream eq 0", "Node 0: 192.0.2.1:40000",
      "Node 1: 192.0.2.2:2196",
    ]
    let text = (head + lines + [rule, ""]).joined(separator: "\n")
    try directory.write(text, to: "follow.txt")
    try directory.write(flow.keyLog, to: "keys.log")
    let exported = try directory.export("follow.txt", "--keys", "keys.log")
    #expect(try exported.tupleTexts == flow.tuples)
    #expect(exported.codes == [])
    // Two digits a byte, after the header and the nonce.
    let record = try #require(flow.turns.last { $0.bytes.count > 190 })
    let line = try #require(text.range(of: hex(record.bytes))?.lowerBound)
    let offset = text.utf8.distance(from: text.startIndex, to: line)
    let last = exported.objects("feedback").suffix(5).compactMap { $0["file_offset"] as? Int }
    #expect(last == (0..<5).map { offset + 2 * (13 + 38 * $0) })
  }

  @Test("connections continue across joined files")
  func joined() throws {
    let segments = TLSFlow.gcm.segments
    try directory.write(TLSFlow.gcm.keyLog, to: "keys.log")
    for cut in stride(from: 2, to: segments.count, by: 5) {
      try directory.writeCapture(Array(segments[..<cut]), to: "1.pcap")
      try directory.writeCapture(Array(segments[cut...]), to: "2.pcap")
      let exported = try directory.export("1.pcap", "2.pcap", "--join", "--keys", "keys.log")
      #expect(try exported.tupleTexts == TLSFlow.gcm.tuples, "cut at \(cut)")
      #expect(exported.codes == [])
    }
  }

  @Test("a lost record costs its tuples", arguments: TLSFlow.some)
  func loss(_ flow: TLSFlow) throws {
    // Segments of the server's data: five tuples each.
    let data = flow.segments.dataIndices.filter {
      flow.segments[$0].payload.first == 23 && flow.segments[$0].payload.count > 190
    }.suffix(8)
    func tokens(_ tuples: [String]) -> [Substring] { tuples.map { $0.drop { $0 != " " } } }
    // Of a CBC cipher the length of the gap is an upper bound, and later offsets count it.
    let isCBC = ["AES128-SHA256", "AES128-SHA"].contains { flow.name.hasSuffix($0) }
    for (lost, index) in data.dropLast().enumerated() {
      let exported = try directory.exportTLS(flow, flow.segments.dropping([index]))
      let expected = flow.tuples.enumerated().filter { $0.offset / 5 != lost }.map(\.element)
      let found = try exported.tupleTexts
      #expect(tokens(found) == tokens(expected) && (isCBC || found == expected), "record \(lost)")
      let gaps = exported.findings("stream-gap")
      #expect(gaps.map { $0["offset"] as? Int } == [lost * 190])
      let length = try #require(gaps.first?["length"] as? Int)
      #expect(isCBC ? length >= 190 : length == 190)
      // Before the first data of TLS 1.3 there may have been tickets.
      let isBound = isCBC || (flow.name.contains("-1.3-") && lost == 0)
      #expect((gaps.first?["message"] as? String)?.contains("at most") == isBound)
      #expect(exported.findings("decryption-failed").isEmpty)
    }
  }
}
