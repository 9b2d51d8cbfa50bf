import PacketCapture
import TestSupport
import Testing

/// docs/spec/captures.md#limits: `--stream-buffer` bounds the waiting bytes of a direction, `--total-buffer` those of all.
@Suite("Bytes that wait") struct BufferTests {
  private static func options(total: Int = 64 << 10, stream: Int = 64 << 10, connections: Int = 1000)
    -> CaptureOptions
  {
    .with { ($0.totalBuffer, $0.streamBuffer, $0.maxConnections) = (total, stream, connections) }
  }

  private static let text = String(repeating: "x", count: 100)
  private static let long = String(repeating: "x", count: 40_000)
  private static func syn(_ port: UInt16 = 40_000) -> ScriptedSegment { .client(99, "", .syn, port: port) }

  /// Segments, by offsets, that come again and again, after what came before.
  struct Round: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var segments: [(offset: UInt32, text: String)]
    /// Of all of them, in bytes.
    var length: UInt32

    var script: [ScriptedSegment] {
      (0..<700).flatMap { round in
        segments.map { .client(100 + length * round + $0.offset, $0.text) }
      }
    }
  }

  /// A few segments of 100 bytes wait at once: what is given back only in part reaches the limit.
  static let rounds = [
    Round(
      testDescription: "until the bytes before them come", segments: [(100, text), (0, text)], length: 200),
    Round(testDescription: "and come again", segments: [(100, text), (100, text), (0, text)], length: 200),
    Round(
      testDescription: "and are in a longer segment that comes later",
      segments: [(100, text), (0, text + text)], length: 200),
    Round(
      testDescription: "after others that wait", segments: [(200, text), (100, text), (0, text)], length: 300),
  ]

  @Test("are given back", arguments: rounds) func givenBack(_ round: Round) throws {
    let recording = reassemble([Self.syn()] + round.script, options: Self.options())
    #expect(recording.findings.isEmpty && recording.half().gaps.isEmpty && recording.misuse.isEmpty)
    #expect(recording.half().bytes.count == 700 * Int(round.length))
  }

  @Test("those of connections that are evicted are given back") func evicted() throws {
    let script = (1...700).flatMap { [Self.syn($0), .client(200, Self.text, port: $0)] }
    let recording = reassemble(script, options: Self.options(connections: 2))
    #expect(Set(recording.findings.map(\.code)) == [.connectionEvicted])
    #expect(recording.half(0).gaps == ["0+100"] && recording.half(699).gaps == ["0+100"])
    #expect(recording.misuse == [])
  }

  @Test("those from before the beginning are given back") func early() throws {
    let script = (1...700).flatMap { [.client(99, "y" + Self.text, port: $0), Self.syn($0)] }
    #expect(Set(reassemble(script, options: Self.options()).findings.map(\.code)) == [.lateSegment])
  }

  @Test("cost 128 bytes more for each segment, and no more than the limits wait", arguments: [0, 1])
  func exact(_ less: Int) throws {
    let script = [Self.syn(), .client(200, Self.text), .client(100, Self.text)]
    for options in [Self.options(total: 228 - less), Self.options(stream: 228 - less)] {
      let found = reassemble(script, options: options).findingTexts
      #expect(found == (less == 0 ? [] : ["bufferLimit 0+-", "lateSegment 0+100"]))
    }
  }

  @Test("packets of which only the headers were captured cost memory, too") func headers() throws {
    let script = (0..<1000).map { ScriptedSegment.client(100 + 10 * $0, "", missing: 10) }
    #expect(reassemble(script, options: Self.options()).findings.contains { $0.code == .bufferLimit })
  }

  @Test("many that wait are found, in whatever order they came", arguments: 0..<3)
  func many(_ order: Int) throws {
    var generator = SeededGenerator(seed: 6000)
    let bytes = (0..<1400).map { UInt8($0 * 7 % 251) }
    func segment(_ range: Range<Int>) -> ScriptedSegment {
      ScriptedSegment(sequence: 100 + UInt32(range.lowerBound), payload: Array(bytes[range]))
    }
    var early = (1..<700).map { segment(2 * $0..<2 * $0 + 2) }
    if order == 1 { early.reverse() }
    if order == 2 { early.shuffle(using: &generator) }
    let recording = reassemble([Self.syn()] + early + [segment(200..<1200), segment(0..<2)])
    #expect(recording.half().bytes == bytes && recording.findings.isEmpty)
    #expect(recording.reports.first?.first.duplicateBytes == 1000)
  }

  @Test("beyond --total-buffer, the oldest gap of all is flushed") func total() throws {
    let script = [
      Self.syn(1), .client(101, Self.long, port: 1), Self.syn(2), .client(101, Self.long, port: 2),
      .client(100, "a", port: 1), .client(100, "a", port: 2),
    ]
    let recording = reassemble(script, options: Self.options())
    #expect(recording.findingTexts == ["bufferLimit 0+-", "lateSegment 0+1"])
    #expect(recording.half(0).gaps == ["0+1"] && recording.half(1).gaps == [])
    let enough = reassemble(script, options: Self.options(total: 100 << 10))
    #expect(enough.findings.isEmpty)
  }

  /// Each finding as its stream, its code and its offset.
  static let flushes:
    [(name: String, script: [ScriptedSegment], window: Int, total: Int, findings: [String])] = [
      (
        "then the next one, of whatever connection",
        [
          syn(1), .client(102, long, port: 1), syn(2), .client(100, port: 2), .client(102, long, port: 2),
          .client(40_104, text, port: 1), syn(3), .client(102, long + String(long.prefix(30_000)), port: 3),
        ], 4096, 100 << 10, ["0 bufferLimit 0", "1 bufferLimit 0"]
      ),
      (
        "the next one of a direction at once, if it is due",
        [
          syn(1), .client(40_104, "dd", port: 1), .client(102, long, port: 1), syn(2),
          .client(102, long, port: 2), .client(40_102, "cc", port: 1),
        ], 3, 64 << 10, ["0 bufferLimit 0", "0 lateSegment 40002"]
      ),
      (
        "long after another one was due",
        [syn(1), .client(102, text, port: 1), syn(2), syn(3)] + acknowledgements(3) + [
          .client(102, long, port: 2)
        ] + acknowledgements(3) + [.client(102, long, port: 3), .client(100, "ab", port: 3)], 4, 64 << 10,
        ["1 bufferLimit 0"]
      ),
      (
        "and connections that have ended are closed",
        [
          syn(1), .server(499, "", [.syn, .ack], port: 1), .client(100, "", [.fin, .ack], port: 1),
          .server(500, "", [.fin, .ack], port: 1), syn(3), .client(102, long, port: 3),
        ] + acknowledgements(9) + [.client(900, "xyz", port: 1)], 4, 1000,
        ["1 bufferLimit 0", "2 midstreamStart 0"]
      ),
    ]
  private static func acknowledgements(_ count: Int) -> [ScriptedSegment] {
    (0..<count).map { _ in .client(100, port: 3) }
  }

  @Test("beyond --total-buffer, the oldest gap of all is flushed", arguments: flushes)
  func order(_ name: String, _ script: [ScriptedSegment], _ window: Int, _ total: Int, _ findings: [String]) {
    var options = Self.options(total: total, stream: 1 << 20)
    options.reorderWindow = window
    let found = reassemble(script, options: options).findings
    #expect(found.map { "\($0.stream ?? -1) \($0.code) \($0.offset ?? -1)" } == findings)
  }

  @Test("beyond --stream-buffer, the first gap of a direction is flushed") func stream() throws {
    let script = [
      Self.syn(), .client(101, Self.long), .client(50_101, Self.long), .client(100, "a"),
      .client(40_101, String(repeating: "y", count: 10_000)),
    ]
    let recording = reassemble(script, options: Self.options(total: 1 << 20))
    #expect(recording.findingTexts == ["bufferLimit 0+-", "lateSegment 0+1"])
    #expect(recording.half().gaps == ["0+1"] && recording.half().bytes.count == 90_001)
    let enough = reassemble(script, options: Self.options(total: 1 << 20, stream: 100 << 10))
    #expect(enough.findings.isEmpty)
  }
}
