import Basics
import PacketCapture
import StreamInputs
import TestSupport
import Testing

@Suite("Peers, packets and offsets of exports")
struct ExportEvidenceTests {
  private typealias T = ExportTexts

  @Test("the digits at a byte's position in the file are its own", arguments: ExportTests.cases)
  func positions(_ example: ExportTests.Case) {
    let text = Array(example.text.utf8)
    let recording = ExportRecording.of(text, as: example.format)
    guard example.format != .followYAML, !example.text.contains("a\r") else { return }
    for case .byte(let byte, _, _, let position, _) in recording.events {
      let digits = String(decoding: text[position..<min(text.count, position + 2)], as: UTF8.self)
      #expect(UInt8(digits, radix: 16) == byte || text[position] == byte, "at \(position)")
    }
  }

  @Test("the base64 group at a byte's position contains it")
  func placesInBase64() throws {
    let text = T.yaml(T.packet(4, 1, "YWJj\n      ZGVm\n      Zw=="))
    let recording = ExportRecording.of(text, as: .followYAML)
    let start = try #require(offset(of: "YWJj", in: text))
    let positions = recording.events.compactMap { event -> Int? in
      if case .byte(_, _, _, let position, _) = event { position - start } else { nil }
    }
    #expect(positions == [0, 1, 2, 11, 12, 13, 22])
  }

  private func offset(of word: String, in text: String) -> Int? {
    text.firstRange(of: word).map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) }
  }

  typealias Peers = (
    node0: String, node1: String, ports: Set<UInt16>, server: Side, evidence: StreamIdentity.Evidence,
    areNamed: Bool
  )

  static let peers: [Peers] = [
    ("192.0.2.1:40000", "192.0.2.2:2196", [2196], .second, .port, true),
    ("192.0.2.2:2196", "192.0.2.1:40000", [2196], .first, .port, true),
    ("192.0.2.2:2196", "192.0.2.1:40000", [], .first, .guess, true),
    ("[2001:db8::1]:50000", "[2001:db8::2]:2196", [], .second, .guess, true),
    ("192.0.2.1:2195", "192.0.2.2:2196", [2195, 2196], .first, .guess, true),
    ("192.0.2.1:40000", ":0", [], .second, .guess, false),
    ("host:2196", ":0", [2196], .first, .port, false),
  ]

  @Test("the ends of a followed stream", arguments: peers)
  func ends(_ example: Peers) throws {
    let text = T.frame("tcp,raw", "61\n", node0: example.node0, node1: example.node1)
    let recording = ExportRecording.of(text, as: .followRaw, serverPorts: example.ports)
    let identity = try #require(recording.identities.first)
    #expect(identity.server == example.server && identity.serverEvidence == example.evidence)
    #expect(Self.text(identity) == (example.areNamed ? "\(example.node0) \(example.node1)" : "none"))
  }

  private static func text(_ identity: StreamIdentity) -> String {
    identity.peers.map { "\($0.first.text) \($0.second.text)" } ?? "none"
  }

  @Test("ssldump knows client and server")
  func ssldumpPeers() throws {
    let named = T.connection(1) + T.record(1, 2, "S>C", "    00 \n")
    let unnamed = T.connection(1, "localhost(40000)") + T.record(1, 2, "S>C", "    00 \n")
    for (text, peers) in [(named, "192.0.2.1:40000 192.0.2.2:2196"), (unnamed, "none")] {
      let recording = ExportRecording.of(text, as: .ssldump, serverPorts: [40000])
      let identity = try #require(recording.identities.first)
      #expect(identity.server == .second && identity.serverEvidence == .handshake)
      #expect(Self.text(identity) == peers)
    }
  }

  static let times: [(String, CaptureTime?)] = [
    ("1400000000.200000048", CaptureTime(seconds: 1_400_000_000, fraction: 200_000, digits: 6)),
    ("1400000000.299999952", CaptureTime(seconds: 1_400_000_000, fraction: 300_000, digits: 6)),
    ("1400000000.999999999", CaptureTime(seconds: 1_400_000_001, fraction: 0, digits: 6)),
    ("1400000000.12", CaptureTime(seconds: 1_400_000_000, fraction: 12, digits: 2)),
    ("1400000000", CaptureTime(seconds: 1_400_000_000)),
    ("0.000000000", nil), ("noon", nil),
  ]

  @Test("YAML has packets and times", arguments: times)
  func packets(_ text: String, _ time: CaptureTime?) throws {
    let yaml = T.yaml(T.packet(4, 1, "YWI=", time: text) + T.packet(6, 0, "YQ==", time: text))
    let recording = ExportRecording.of(yaml, as: .followYAML)
    let first = PacketReference(number: nil, original: 4, time: time)
    let last = PacketReference(number: nil, original: 6, time: time)
    #expect(recording.packets == [first, last])
    let report = try #require(recording.reports.first)
    #expect(report.firstPacket == first && report.lastPacket == last)
    #expect(report.second.firstPacket == first && report.first.firstPacket == last)
    #expect(report.second.bytes == 2 && report.first.bytes == 1)
  }

  @Test("C arrays have packets, and ssldump -e has times")
  func otherPackets() {
    let arrays = ExportRecording.of("char peer1_0[] = { /* Packet 17 */\n0x51 };\n", as: .cArrays)
    #expect(arrays.packets == [PacketReference(number: nil, original: 17)])
    let record = T.record(1, 2, "S>C", "    00 \n").replacing("0.2913", with: "1400000000.2913")
    let dump = ExportRecording.of(T.connection(1) + record, as: .ssldump)
    let time = CaptureTime(seconds: 1_400_000_000, fraction: 2913, digits: 4)
    #expect(dump.packets == [PacketReference(number: nil, time: time)])
  }

  @Test("a gap has its mark's packet and position, and the report counts it")
  func gaps() throws {
    let yaml = T.yaml(
      T.packet(4, 1, "YWI=") + T.packet(9, 1, "Wzc2IGJ5dGVzIG1pc3NpbmcgaW4gY2FwdHVyZSBmaWxlXQA=", time: "0.0")
    )
    let recording = ExportRecording.of(yaml, as: .followYAML)
    let mark = try #require(offset(of: "Wzc2", in: yaml))
    let packet = PacketReference(number: nil, original: 9)
    #expect(recording.gaps == [StreamGap(offset: 2, length: 76, fileOffset: mark, packet: packet)])
    #expect(recording.reports.first?.second.gapBytes == 76)
  }

  @Test("lines longer than any buffer", arguments: [ExportFormat.followRaw, .socat, .cArrays])
  func longLines(_ format: ExportFormat) {
    var generator = SeededGenerator(seed: 3)
    let bytes = generator.bytes(150_001)
    let digits = bytes.map { Hex.string([$0]) }
    let text =
      switch format {
      case .followRaw: T.frame("tcp,raw", "\t" + digits.joined() + "\n")
      case .socat: T.block("<", from: 0, bytes.count, " " + digits.joined(separator: " ") + "\n")
      default: "char peer1_0[] = { /* Packet 4 */ 0x" + digits.joined(separator: ", 0x") + "};\n"
      }
    let recording = ExportRecording.of(text, as: format)
    #expect(recording.bytes(.second) == bytes)
    #expect(recording.errors == [] && recording.misuse == [])
    #expect(
      ExportRecording.of(Array(text.utf8), as: format, blockSize: { generator.pick(1...70_000) }) == recording
    )
  }

  @Test("more connections than are remembered")
  func manyConnections() {
    let count = 17_000
    let text = (1...count).map { T.connection($0) }.joined() + T.record(1, 2, "S>C", "    00 \n")
    let recording = ExportRecording.of(text, as: .ssldump)
    // The record makes one more, whose name was forgotten.
    let evicted = recording.events.count {
      if case .finding(let finding) = $0 { finding.code == .connectionEvicted } else { false }
    }
    #expect(evicted == count + 1 - 16_384)
    #expect(recording.reports.count == count + 1 && recording.bytes(.second, stream: count) == [0])
    #expect(recording.misuse == [])
  }

  @Test("exports are recognised by their content", arguments: ExportTests.cases)
  func recognised(_ example: ExportTests.Case) {
    // A format that is detected by a whole line is not detected if that line is damaged or missing.
    guard example.errors.isEmpty, !example.name.contains("not named") else { return }
    let head = Array(example.text.utf8)
    let expected = example.name == "two streams, one as hex" ? .followRaw : example.format
    #expect(ExportFormat.recognise(TextHead(head, isWhole: true)) == expected)
    #expect(ExportFormat.recognise(TextHead([0xef, 0xbb, 0xbf] + head, isWhole: true)) == expected)
  }

  @Test(
    "other texts are not exports",
    arguments: Fixtures.rows("no exports", in: "text-dumps") as [(String, String)])
  func unrecognised(_ name: String, _ text: String) {
    #expect(ExportFormat.recognise(TextHead(Array(text.utf8), isWhole: true)) == nil)
  }
}
