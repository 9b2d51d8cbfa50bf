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
      gaps: ["0+1"], findings: ["lateSegment 0+1"], window: 0),
  ]

  @Test(arguments: cases)
  func direction(_ example: Case) throws {
    let recording = reassemble(example.script, options: .with { $0.reorderWindow = example.window })
    let half = recording.half()
    #expect(half.text == example.text)
    #expect(half.gaps == example.gaps)
    #expect(recording.findingTexts == example.findings)
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
        + [.client(102, "", missing: 9)], options: .with { $0.reorderWindow = 1 })
    #expect(recording.half().text == "ab")
    #expect(recording.findings.last?.code == .truncatedPacket && recording.findings.last?.stream == nil)
    #expect(recording.misuse == [])
  }

  @Test("a copy of bytes that are no longer available is reported as not compared")
  func forgottenOriginal() throws {
    let recording = reassemble(
      [Self.syn, .client(100, "abc"), .client(100, "abX")], isForgetful: true)
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

  @Test("an idle connection that carried nothing is forgotten first, and the rest counted")
  func eviction() throws {
    var script: [ScriptedSegment] = [.client(99, "", .syn, port: 1), .client(100, "abc", port: 1)]
    script += (2...50).map { .client(7, "", .syn, port: UInt16($0)) }
    script.append(.client(103, "def", port: 1))
    let recording = reassemble(script, options: .with { $0.maxConnections = 3 })
    #expect(recording.half(0).text == "abcdef")
    #expect(recording.reports.count == 50)
    #expect(recording.findingTexts == ["connectionEvicted -+-"])
    #expect(
      recording.findings.map(\.message) == [
        "dropped \(Count.of(47, "idle connection")) without data, to keep to --max-connections 3"
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
}
