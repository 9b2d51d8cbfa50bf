import PacketCapture
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
