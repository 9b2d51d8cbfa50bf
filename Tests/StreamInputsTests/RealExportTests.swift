import Basics
import CaptureWriting
import StreamInputs
import TestSupport
import Testing

/// Wireshark's C arrays cannot be had without its window; their tests are made by hand.
@Suite("Exports by the real tools")
struct RealExportTests {
  /// The output of `script`, in which `$0` is a file of `input`; nil, and a note in the log, without `tool`.
  private func output(of script: String, using tool: String, input: [UInt8] = []) throws -> [UInt8]? {
    let line = "PATH=$PATH:/usr/sbin; command -v \(tool) >/dev/null || exit 127; \(script)"
    let output = try outputOf("sh", ["-c", line], input: input)
    if output == nil { print("\(tool) is not installed: its output is not tested") }
    return output
  }

  private func recognised(_ text: [UInt8]) -> ExportFormat? {
    ExportFormat.recognise(TextHead(Array(text.prefix(64 << 10)), isWhole: text.count <= 64 << 10))
  }

  /// Blocks of random sizes give the same result, which is returned.
  private func read(_ text: [UInt8], as format: ExportFormat) -> ExportRecording {
    let recording = ExportRecording.of(text, as: format, serverPorts: [2196])
    var generator = SeededGenerator(seed: 8)
    let again = ExportRecording.of(
      text, as: format, serverPorts: [2196], blockSize: { generator.pick(1...300) })
    #expect(recording == again)
    #expect(recording.misuse == [] && recording.errors == [])
    return recording
  }

  static let follows: [(String, ExportFormat)] = [
    ("raw", .followRaw), ("hex", .followHex), ("yaml", .followYAML),
  ]

  /// Two connections, IPv4 and IPv6: two tuples, a request, 76 bytes that were not captured, two tuples.
  @Test("tshark follows two streams with gaps", arguments: follows)
  func tshark(_ mode: String, _ format: ExportFormat) throws {
    let follow = [0, 1].map { "-z follow,tcp,\(mode),\($0)" }.joined(separator: " ")
    guard
      let text = try output(
        of: "tshark -r $0 -q \(follow)", using: "tshark", input: FeedbackCapture.bytes)
    else { return }
    #expect(recognised(text) == format)
    let recording = read(text, as: format)
    // tshark prints the last of its -z options first.
    let peers = recording.identities.map { $0.peers?.first.text }
    #expect(Set(peers) == ["192.0.2.10:49152", "[2001:db8::a]:49152"])
    for number in 0...1 {
      #expect(
        recording.bytes(.second, stream: number) == FeedbackCapture.tuples + FeedbackCapture.tuples)
      #expect(recording.bytes(.first, stream: number) == Array("hello".utf8))
    }
    #expect(recording.gaps.map(\.offset) == [76, 76] && recording.gaps.map(\.length) == [76, 76])
    #expect(recording.identities.allSatisfy { $0.server == .second && $0.serverEvidence == .port })
    if format == .followYAML { checkPackets(recording) }
  }

  private func checkPackets(_ recording: ExportRecording) {
    let first =
      recording.identities.first?.peers?.first.address.family == .v4 ? [4, 6, 9] : [17, 19, 22]
    #expect(recording.packets.prefix(3).map(\.original) == first)
    let times = Set(recording.packets.compactMap { $0.time?.text })
    #expect(times == FeedbackCapture.dataTimes)
  }

  @Test("tshark with its packet list before the stream")
  func tsharkWithPacketList() throws {
    for (mode, format) in Self.follows where format != .followYAML {
      let script = "tshark -r $0 -z follow,tcp,\(mode),0"
      guard let text = try output(of: script, using: "tshark", input: FeedbackCapture.bytes) else {
        return
      }
      #expect(recognised(text) == format)
      #expect(read(text, as: format).bytes(.first) == Array("hello".utf8))
    }
  }

  /// Tests/Fixtures/tls-feedback.pcap: a session of TLS 1.2.
  @Test("tshark follows TLS with a key log", arguments: follows)
  func tsharkTLS(_ mode: String, _ format: ExportFormat) throws {
    let session = Fixtures.url("tls-feedback").path
    let script =
      "tshark -r \(session).pcap -o tls.keylog_file:\(session).keylog -q -z follow,tls,\(mode),0"
    guard let text = try output(of: script, using: "tshark") else { return }
    #expect(recognised(text) == format)
    checkSession(read(text, as: format))
  }

  @Test(
    "ssldump decrypts", arguments: ["-d", "-d -n", "-d -n -A", "-d -n -x", "-d -n -X", "-d -e"])
  func ssldump(_ options: String) throws {
    let session = Fixtures.url("tls-feedback").path
    let script = "ssldump -r \(session).pcap -k \(session).key \(options)"
    guard let text = try output(of: script, using: "ssldump") else { return }
    #expect(recognised(text) == .ssldump)
    let recording = read(text, as: .ssldump)
    checkSession(recording)
    #expect(recording.identities.map(\.serverEvidence) == [.handshake])
    #expect(recording.packets.isEmpty == !options.contains("-e"))
  }

  /// Its content: five tuples, a line of the client's, the same five tuples.
  private func checkSession(_ recording: ExportRecording) {
    var tuples: [UInt8] = []
    for tuple in 0..<5 {
      let token = (0..<32).map { byte in UInt8((tuple * 7 + byte * 13) & 255) }
      tuples += Tuples.of(token, time: 1_500_000_000 + UInt32(tuple))
    }
    #expect(recording.bytes(.second) == tuples + tuples)
    #expect(recording.bytes(.first) == Array("hallo\n".utf8))
    #expect(recording.identities.count == 1)
  }

  @Test(
    "socat logs both directions", arguments: ["-x", "-v -x", "-x -b 50", "-v -x -b 7", "-x -d -d"])
  func socat(_ options: String) throws {
    let files = try TemporaryFiles()
    let left = dumpedBytes(seed: 2)
    let right = dumpedBytes(seed: 4)
    let (leftPath, rightPath) = (
      try files.write(left, to: "left"), try files.write(right, to: "right")
    )
    let script = """
      socat -u \(options) FILE:\(leftPath) STDOUT 2>&1 >/dev/null
      socat -U \(options) STDOUT FILE:\(rightPath) 2>&1 >/dev/null
      """
    guard let text = try output(of: script, using: "socat") else { return }
    #expect(recognised(text) == .socat)
    let recording = read(text, as: .socat)
    #expect(recording.bytes(.first) == left && recording.bytes(.second) == right)
    #expect(recording.identities.count == 1 && recording.gaps.isEmpty)
  }
}

/// A capture of two connections; 76 bytes of the server are not in it.
private enum FeedbackCapture {
  static let tuples = Tuples.one() + Tuples.one(fill: 0x5b)
  static let dataTimes = Set(
    [20, 30].flatMap { seconds in [3, 5, 9].map { "2014-05-13T16:53:\(seconds).\($0)00000Z" } })

  static let bytes: [UInt8] = {
    var conversation = Conversation([
      .init(.server, tuples), .init(.client, Array("hello".utf8)),
      .init(.server, Tuples.one(76 - 6) + tuples),
    ])
    conversation.segmentSizes = [76]
    (conversation.start, conversation.interval) = (1_400_000_000_000_000_000, 100_000_000)
    var later = conversation.overV6
    later.start += 10_000_000_000
    return PcapWriter().file(
      FrameWriter().packets([conversation, later].flatMap { $0.segments().dropping([7]) }))
  }()
}
