import PacketCapture
import StreamTestSupport
import Testing

/// docs/spec/captures.md#limits: "If more than `--max-connections` are open, connections that have ended or carried no
/// bytes are evicted first, then the one idle longest … An evicted connection that continues is a new stream."
@Suite("Connections beyond --max-connections") struct EvictionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Of at most three connections.
    var script: [ScriptedSegment]
    /// Numbers of connections, from 0 by their first packets, in the order in which they ended. At the end of a capture,
    /// that of their numbers.
    var ended: [Int]
    /// Those that are reported as evicted.
    var evicted: [Int]

    init(_ name: String, _ script: [[ScriptedSegment]], ended: [Int], evicted: [Int] = []) {
      (testDescription, self.script, self.ended, self.evicted) = (name, script.flatMap { $0 }, ended, evicted)
    }
  }

  private static func silent(_ port: UInt16) -> [ScriptedSegment] { [.client(99, "", .syn, port: port)] }
  private static func speaking(_ port: UInt16) -> [ScriptedSegment] {
    silent(port) + [.client(100, "abc", port: port)]
  }
  private static func more(_ port: UInt16) -> [ScriptedSegment] { [.client(103, "def", port: port)] }
  private static func reset(_ port: UInt16) -> [ScriptedSegment] { [.client(103, "", .rst, port: port)] }
  private static func finished(_ port: UInt16) -> [ScriptedSegment] {
    speaking(port) + [
      .client(103, "", [.fin, .ack], port: port), .server(499, "", [.syn, .ack], port: port),
      .server(500, "", [.fin, .ack], port: port),
    ]
  }

  static let cases = [
    Case(
      "the one idle longest", [speaking(1), speaking(2), speaking(3), speaking(4)], ended: [0, 1, 2, 3],
      evicted: [0]),
    Case(
      "not the oldest, if it spoke since", [speaking(1), speaking(2), speaking(3), more(1), speaking(4)],
      ended: [1, 0, 2, 3], evicted: [1]),
    Case(
      "nor one between others", [speaking(1), speaking(2), speaking(3), more(2), speaking(4), speaking(5)],
      ended: [0, 2, 1, 3, 4], evicted: [0, 2]),
    Case(
      "nor the last one",
      [speaking(1), speaking(2), speaking(3), more(3), speaking(4), speaking(5), speaking(6)],
      ended: [0, 1, 2, 3, 4, 5], evicted: [0, 1, 2]),
    Case(
      "one that carried nothing comes first",
      [speaking(1), silent(2), speaking(3), speaking(4), speaking(5)],
      ended: [1, 0, 2, 3, 4], evicted: [0]),
    Case(
      "of those, the oldest", [speaking(1), silent(2), silent(3), silent(2), speaking(4), more(1)],
      ended: [2, 0, 1, 3]),
    Case(
      "one that was reset comes first", [speaking(1), speaking(2), reset(2), speaking(3), speaking(4)],
      ended: [1, 0, 2, 3]),
    Case(
      "one that has ended comes first", [speaking(1), finished(2), speaking(3), speaking(4)],
      ended: [1, 0, 2, 3]),
    Case(
      "one that continues is another stream",
      [speaking(1), speaking(2), speaking(3), speaking(4), more(1)], ended: [0, 1, 2, 3, 4], evicted: [0, 1]),
  ]

  @Test("which one is evicted", arguments: cases) func order(_ test: Case) throws {
    let recording = reassemble(test.script, options: .with { $0.maxConnections = 3 })
    #expect(recording.reports.map(\.identity.number) == test.ended)
    let found = recording.findings.filter { $0.code == .connectionEvicted && $0.stream != nil }
    #expect(found.map(\.stream) == test.evicted)
    #expect(recording.misuse == [])
  }

  /// Counts streams, as a recording of all of them would be slow.
  private struct Counter: StreamRecorder {
    var bytes: [Int: Int] = [:]

    mutating func opened(_ stream: StreamIdentity) {}
    mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) {
      self.bytes[direction.stream, default: 0] += bytes.byteCount
    }
    mutating func gap(_ gap: StreamGap, in direction: StreamDirection) {}
    mutating func finding(_ finding: StreamFinding) {}
    mutating func closed(_ report: StreamReport) {}
  }

  @Test("of thousands of connections each is found again, and none that was evicted") func thousands() {
    // Two bytes of each of 12,000 connections, then one more of the last 5000, and of one that was evicted.
    let opened = (1...12_000).flatMap {
      [ScriptedSegment.client(99, "", .syn, port: UInt16($0)), .client(100, "ab", port: UInt16($0))]
    }
    let more = [UInt16](7001...12_000).map { ScriptedSegment.client(102, "cd", port: $0) }
    let last = ScriptedSegment.client(102, "xyz", port: 7000)
    let playback = play(opened + more + [last], to: Counter(), options: .with { $0.maxConnections = 5000 })
    #expect(playback.misuse == [])
    let counts = Dictionary(grouping: playback.recorder.bytes.values) { $0 }.mapValues(\.count)
    #expect(counts == [2: 7000, 4: 5000, 3: 1])
  }
}
