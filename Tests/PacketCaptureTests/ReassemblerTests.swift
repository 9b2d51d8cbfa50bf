import Basics
import PacketCapture
import Testing

/// What the captures of samples/corpus do not show.
@Suite("TCP reassembly")
struct ReassemblerTests {
  /// The result of one direction's segments.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var script: [ScriptedSegment]
    var text: String
    var gaps: [String] = []
    var findings: [String] = []
    var window = 4096
    /// Of the last finding, where it is of interest.
    var message: Message?
    var testDescription: String { name }
  }

  static let syn = ScriptedSegment.client(99, "", .syn)

  static let cases: [Case] = [
    Case(
      name: "copies that differ before the stream begins",
      script: [.client(102, "cd"), .client(102, "cX"), .client(100, "ab"), syn], text: "abcd",
      findings: ["conflictingOverlap 3+1"]),
    Case(
      name: "a segment around others that wait",
      script: [syn, .client(101, "b"), .client(103, "d"), .client(100, "abcde")], text: "abcde"),
    Case(
      name: "a keep-alive before the first byte", script: [syn, .client(99, "\0"), .client(100, "a")],
      text: "a"),
    // Found by a fuzzer: the offset was negative.
    Case(
      name: "headers alone of a packet from before the beginning",
      script: [syn, .client(100, "ab"), .client(0xd000_0000, "", missing: 72)], text: "ab",
      findings: ["truncatedPacket 0+72"]),
    Case(
      name: "a cut packet at the end", script: [syn, .client(100, "ab", missing: 2)], text: "ab<2>",
      gaps: ["2+2"], findings: ["truncatedPacket 2+2"]),
    Case(
      name: "headers alone", script: [.client(100, "", missing: 5)], text: "<5>", gaps: ["0+5"],
      findings: ["midstreamStart 0+0", "truncatedPacket 0+5"]),
    Case(
      name: "bytes before the beginning, too late",
      script: [.client(102, "cd"), .client(104, ""), .client(104, ""), .client(100, "ab")], text: "cd",
      findings: ["midstreamStart 0+0", "lateSegment 0+2"], window: 1),
    Case(
      name: "no patience at all", script: [syn, .client(101, "b"), .client(100, "a")], text: "<1>b",
      gaps: ["0+1"], findings: ["lateSegment 0+1"], window: 0,
      message:
        "1 byte of packet 3 arrived after packet 2, when their gap had been flushed (--reorder-window, "
        + "--stream-buffer): not used"),
    Case(
      name: "headers alone twice, and bytes from before them, too late",
      script: [.client(100, "", missing: 5), .client(100, "", missing: 5), .client(105), .client(98, "ab")],
      text: "<5>", gaps: ["0+5"],
      findings: ["midstreamStart 0+0", "truncatedPacket 0+5", "truncatedPacket 0+5", "lateSegment 0+2"],
      window: 2, message: .lateBytesBeforeBeginning(2, of: "packet 4")),
    Case(
      name: "findings before the SYN, in the order of their offsets",
      script: [
        .client(105, "", missing: 5), syn, .client(100, "abcde"), .client(110, "klm"), .client(110, "klX"),
      ], text: "abcde<5>klm", gaps: ["5+5"], findings: ["truncatedPacket 5+5", "conflictingOverlap 12+1"]),
    Case(
      name: "findings before the beginning, in the order of their offsets",
      script: [.client(100, "", missing: 5), .client(105), .client(105, "xy"), .client(105, "xZ")],
      text: "<5>xy", gaps: ["0+5"],
      findings: ["midstreamStart 0+0", "truncatedPacket 0+5", "conflictingOverlap 6+1"], window: 1),
    Case(
      name: "two bytes, of which the first one is before the beginning",
      script: [.client(99, "xa"), syn, .client(101, "b")], text: "ab", findings: ["lateSegment 0+1"]),
    Case(
      name: "a keep-alive after more than one segment",
      script: [syn, .client(100, "abc"), .client(103, "def"), .client(105, "\0"), .client(106, "g")],
      text: "abcdefg"),
    Case(
      name: "a keep-alive after the end",
      script: [syn, .client(100, "ab", [.fin, .ack]), .client(102, "\0")], text: "ab"),
    Case(
      name: "a keep-alive after an end that is cut",
      script: [syn, .client(100, "ab", [.fin, .ack], missing: 2), .client(104, "\0")], text: "ab<2>",
      gaps: ["2+2"], findings: ["truncatedPacket 2+2"]),
    Case(
      name: "a probe after bytes that wait, and which later bytes follow",
      script: [
        syn, .server(500, window: 0), .client(102, "cd"), .client(104, "e"), .client(102, "cd"),
        .client(100, "ab"), .client(105, "fg"),
      ], text: "abcdefg"),
    Case(
      name: "a probe after bytes that wait, which is sent again with others",
      script: [
        syn, .server(500, window: 0), .client(102, "cd"), .client(104, "X"), .client(100, "ab"),
        .client(104, "ef"),
      ], text: "abcdef"),
    Case(
      name: "a probe after the handshake and bytes, which is sent again with others",
      script: [
        syn, .server(499, "", [.syn, .ack]), .client(100, "ab"), .server(500, window: 0), .client(102, "X"),
        .client(102, "cd"),
      ], text: "abcd"),
    Case(
      name: "a probe before an end waits for the bytes before it",
      script: [
        syn, .server(500, window: 0), .client(100, "", missing: 5), .client(105, "f"),
        .client(106, "", [.fin, .ack]), .client(106), .client(100, "abcde"),
      ], text: "<5>f", gaps: ["0+5"], findings: ["truncatedPacket 0+5", "lateSegment 0+5"], window: 1),
  ]

  @Test(arguments: cases)
  func direction(_ example: Case) throws {
    let recording = reassemble(example.script, options: .with { $0.reorderWindow = example.window })
    let half = recording.half()
    #expect(half.text == example.text)
    #expect(half.gaps == example.gaps)
    #expect(recording.findingTexts == example.findings)
    if let message = example.message { #expect(recording.findings.last?.message == message) }
    #expect(recording.misuse == [])
    #expect(recording.reports.count == 1)
    #expect(recording.reports.first?.first.bytes == half.bytes.count { $0 != nil })
  }

  @Test("every byte is traced to the packet that was first to bring it")
  func provenance() throws {
    let recording = reassemble([
      Self.syn, .client(103, "de"), .client(100, "abc"), .client(101, "bcdef"),
    ])
    #expect(recording.half().packets == [3, 3, 3, 2, 2, 4])
    #expect(recording.half().fileOffsets == [2, 3, 4, 0, 1, 9])
  }

  /// Found by a fuzzer: the finding named the stream.
  @Test("headers alone after the stream is closed are reported without it")
  func headersAfterClose() throws {
    let others = (0..<4).map { ScriptedSegment.client(UInt32($0), "x", port: 50_000) }
    let recording = reassemble(
      [Self.syn, .client(100, "ab"), .client(102, "", .rst), .server(7, "", .rst)] + others
        + [.client(102, "", missing: 1)], options: .with { $0.reorderWindow = 1 })
    #expect(recording.half().text == "ab")
    let last = try #require(recording.findings.last)
    #expect(last.code == .truncatedPacket && last.stream == nil)
    #expect(last.message == .truncatedPacket("packet 9", missing: 1, byFileEnd: false))
    #expect(recording.misuse == [])
  }

  @Test(
    "a copy of bytes that are no longer available is reported as not compared", arguments: [nil, 1] as [Int?])
  func forgottenOriginal(_ kept: Int?) throws {
    let recording = reassemble([Self.syn, .client(100, "abc"), .client(100, "abX")], kept: kept)
    #expect(recording.half().text == "abc")
    #expect(recording.findingTexts == ["unverifiedRetransmission -+-"])
  }
}

@Suite("Connections")
struct ConnectionTests {
  @Test("both directions have one number, and the handshake identifies the server")
  func roles() throws {
    let recording = reassemble([
      .server(499, "", [.syn, .ack]), .client(99, "", .syn), .server(500, "pong"), .client(100, "ping"),
    ])
    #expect(recording.half(0, .first).text == "pong")
    #expect(recording.half(0, .second).text == "ping")
    #expect(recording.identities[0]?.server == .first)
    #expect(recording.identities[0]?.serverEvidence == .handshake)
  }

  @Test(
    "one half of a handshake identifies the server, too",
    arguments: [
      [ScriptedSegment.server(499, "", [.syn, .ack]), .server(500, "pong")],
      [.client(100, "ping"), .client(99, "", .syn)],
    ])
  func halfOfTheHandshake(_ script: [ScriptedSegment]) throws {
    let identity = try #require(reassemble(script).identities[0])
    #expect(identity.server == (script[0].isFromServer ? .first : .second))
    #expect(identity.serverEvidence == .handshake)
  }

  /// docs/spec/captures.md#port-reuse
  static let synCases: [(name: String, script: [ScriptedSegment], streams: Int)] = [
    ("16 MiB before the first packet", [.client(100 + 1 << 24), ReassemblerTests.syn], 1),
    ("a byte more before it", [.client(101 + 1 << 24), ReassemblerTests.syn], 2),
    ("a second after it", [.client(110, "ab").at(0), ReassemblerTests.syn.at(1000)], 1),
    ("a millisecond more after it", [.client(110, "ab").at(0), ReassemblerTests.syn.at(1001)], 2),
    (
      "at the time of an end",
      [.client(110, "ab").at(0), .server(7, "", [.fin, .ack]).at(5), ReassemblerTests.syn.at(5)], 1
    ),
    (
      "between two ends",
      [
        .client(110, "ab").at(0), .server(7, "", [.fin, .ack]).at(3), .client(112, "", [.fin, .ack]).at(6),
        ReassemblerTests.syn.at(4),
      ], 2
    ),
  ]

  @Test("which connection a SYN belongs to", arguments: synCases)
  func synOfAConnection(_ name: String, _ script: [ScriptedSegment], _ streams: Int) throws {
    #expect(reassemble(script).reports.count == streams)
  }

  @Test(
    "an idle connection that carried nothing is forgotten first, and the rest counted", arguments: [4, 50])
  func eviction(_ last: Int) throws {
    var script: [ScriptedSegment] = [.client(99, "", .syn, port: 1), .client(100, "abc", port: 1)]
    script += (2...last).map { .client(7, "", .syn, port: UInt16($0)) }
    script.append(.client(103, "def", port: 1))
    let recording = reassemble(script, options: .with { $0.maxConnections = 3 })
    #expect(recording.half(0).text == "abcdef")
    #expect(recording.reports.count == last)
    #expect(recording.findingTexts == ["connectionEvicted -+-"])
    #expect(
      recording.findings.map(\.message) == [
        "dropped \(Count.of(last - 3, "idle connection")) without data, to keep to --max-connections 3"
      ])
  }

  // Found by a fuzzer: the finding came after the end of its stream.
  @Test("a truncated packet that fills the buffers after both sides reset the connection")
  func bufferLimitAfterEnd() throws {
    let recording = reassemble(
      [
        .client(99, "", .syn), .client(100, "abc"), .client(103, "", .rst), .server(500, "", .rst),
        .client(105, "fg", missing: 3),
      ], options: .with { $0.totalBuffer = 1 })
    #expect(recording.misuse == [])
    #expect(recording.half().text == "abc<2>fg<3>")
    #expect(recording.findings.filter { $0.code == .truncatedPacket }.map(\.offset) == [7])
  }

  @Test("no finding lacks what those of its code have, and the worst severity comes first")
  func findings() {
    for shape in FindingCode.allCases.flatMap(\.shapes) { #expect(shape.has.isDisjoint(with: shape.lacks)) }
    #expect(Severity.allCases.reversed().sorted() == Severity.allCases)
  }
}
