import Basics
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
      "nor one that spoke after the first one",
      [speaking(1), speaking(2), speaking(3), more(1), more(3), speaking(4), speaking(5)],
      ended: [1, 0, 2, 3, 4], evicted: [1, 0]),
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

  @Test("which one is evicted, whatever slots are not used", arguments: cases, [0, 5])
  func order(_ test: Case, _ reserved: Int) throws {
    let recording = reassemble(test.script, options: .with { $0.maxConnections = 3 }, reserved: reserved)
    #expect(recording.reports.map(\.identity.number) == test.ended)
    let found = recording.findings.filter { $0.code == .connectionEvicted && $0.stream != nil }
    #expect(found.map(\.stream) == test.evicted)
    #expect(recording.misuse == [])
  }

  @Test(
    "of thousands of connections each is found again, and none that was evicted",
    arguments: [100, 5000, 20_000])
  func thousands(_ limit: Int) {
    // Two bytes of each of 20,000 connections, two more of the last ones, SYNs that evict each other, and another.
    let opened = (1...20_000).flatMap {
      [ScriptedSegment.client(99, "", .syn, port: UInt16($0)), .client(100, "ab", port: UInt16($0))]
    }
    let first = UInt16(20_001 - limit)
    let more = [UInt16](first...20_000).map { ScriptedSegment.client(102, "cd", port: $0) }
    let last = (20_001...20_300).flatMap(Self.silent) + [.client(102, "xyz", port: first - 1)]
    let playback = play(opened + more + last, to: Counter(), options: .with { $0.maxConnections = limit })
    #expect(playback.misuse == [])
    let counts = Dictionary(grouping: playback.recorder.bytes.values) { $0 }.mapValues(\.count)
    #expect(counts == [2: 20_000 - limit, 4: limit, 3: 1].filter { $0.value > 0 })
  }
}

/// Counts streams, as a recording of all of them would be slow.
private struct Counter: StreamRecorder {
  var bytes: [Int: Int] = [:]
  var duplicates: [Int: Int] = [:]
  var messages: [Message] = []

  mutating func opened(_ stream: StreamIdentity) {}
  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) {
    self.bytes[direction.stream, default: 0] += bytes.byteCount
  }
  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) {}
  mutating func finding(_ finding: StreamFinding) { messages.append(finding.message) }
  mutating func closed(_ report: StreamReport) {
    duplicates[report.identity.number] = report.first.duplicateBytes
  }
}

/// docs/reliability.md#limits: copies are compared with 262,144 delivered ranges, of one direction with 16,384, and
/// where all of them are used with the last 8.
@Suite("Ranges that copies are compared with") struct DeliveredRangesTests {
  /// Numbers from 0 of segments of two bytes.
  private static func client(_ numbers: Range<UInt32>, _ port: UInt16) -> [ScriptedSegment] {
    numbers.map { .client(100 + 2 * $0, "ab", port: port) }
  }
  private static func opening(_ port: UInt16, _ start: UInt32 = 0) -> [ScriptedSegment] {
    [.client(start &+ 99, "", .syn, port: port), .server(start &+ 499, "", [.syn, .ack], port: port)]
  }
  private static func copy(_ count: Int, _ port: UInt16) -> ScriptedSegment {
    .client(100, String(repeating: "ab", count: count), port: port)
  }
  private static func notCompared(_ count: Int) -> Message {
    "\(Count.of(count, "byte")) retransmitted too late to be compared with the original"
  }

  @Test("of one direction") func one() {
    let script = Self.opening(1) + Self.client(0..<16_385, 1) + [.client(32_870, port: 1), Self.copy(2, 1)]
    let recorder = play(script, to: Counter()).recorder
    #expect(recorder.duplicates == [0: 2] && recorder.messages == [Self.notCompared(2)])
  }

  @Test("of all directions") func all() {
    let full = (UInt16(1)...15).flatMap { Self.opening($0) + Self.client(0..<16_384, $0) }
    let few = Self.opening(16) + Self.client(0..<20, 16)
    let answered = Self.opening(17) + (0..<20).map { .server(500 + 2 * $0, "ab", port: 17) }
    let rest = Self.opening(18) + Self.client(0..<16_344, 18)
    var script = full + few + answered + rest + [Self.copy(1, 18)] + Self.opening(19)
    // The last 8 of 16, and the 16th once more.
    script += Self.client(0..<16, 19) + Self.client(15..<16, 19) + [Self.copy(16, 19)]
    // 12 ranges are free, and the 13th takes the room of another one; 20 more are free.
    script += Self.client(16..<20, 19) + Self.opening(16, 1 << 30) + Self.client(20..<33, 19)
    script += Self.opening(17, 1 << 30) + Self.client(33..<34, 19) + [Self.copy(34, 19)]
    let recorder = play(script, to: Counter()).recorder
    #expect(recorder.duplicates[17] == 2 && recorder.duplicates[18] == 2 + 16 + 42)
    #expect(recorder.messages == [Self.notCompared(16 + 26)])
  }
}
