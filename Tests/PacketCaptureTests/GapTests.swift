import PacketCapture
import Testing

/// docs/spec/captures.md#gaps-and-flushing, and what a report counts.
@Suite("Missing bytes and copies") struct GapTests {
  private static let syn = ScriptedSegment.client(99, "", .syn)
  /// A packet of another connection.
  private static func others(_ count: Int) -> [ScriptedSegment] {
    (0..<count).map { .client(UInt32(1000 + $0), "", port: 50_000) }
  }

  @Test("a gap is flushed when more packets than the window were read", arguments: 1...6, [1, 3, 4])
  func window(_ distance: Int, _ window: Int) throws {
    let script = [Self.syn, .client(101, "b")] + Self.others(distance - 1) + [.client(100, "a")]
    let recording = reassemble(script, options: .with { $0.reorderWindow = window })
    #expect(recording.half().text == (distance <= window ? "ab" : "<1>b"))
    #expect(recording.findings.map(\.code) == (distance <= window ? [] : [.lateSegment]))
  }

  @Test("each gap is waited for from the packet after it on", arguments: 0...3)
  func second(_ distance: Int) throws {
    // The gap before "d" is two packets younger than that before "b".
    let early = [Self.syn, .client(101, "b")] + Self.others(1) + [.client(103, "d")]
    let recording = reassemble(
      early + Self.others(distance) + [.client(102, "c")] + Self.others(9),
      options: .with { $0.reorderWindow = 3 })
    #expect(recording.half().text == (distance < 3 ? "<1>bcd" : "<1>b<1>d"))
  }

  @Test("each direction waits for itself") func directions() throws {
    let recording = reassemble(
      [Self.syn, .server(499, "", [.syn, .ack]), .client(101, "b"), .server(501, "y")] + Self.others(2)
        + [.server(500, "x"), .client(100, "a")], options: .with { $0.reorderWindow = 3 })
    #expect(recording.half(0, .first).text == "<1>b")
    #expect(recording.half(0, .second).text == "xy")
  }

  struct Totals: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var script: [ScriptedSegment]
    var bytes, gapBytes, duplicateBytes, conflictingBytes: Int
    var end: StreamReport.End?

    init(
      _ name: String, _ script: [ScriptedSegment], _ bytes: Int, gaps: Int = 0, duplicates: Int = 0,
      conflicts: Int = 0, end: StreamReport.End? = nil
    ) {
      (testDescription, self.script, self.end) = (name, script, end)
      (self.bytes, gapBytes, duplicateBytes, conflictingBytes) = (bytes, gaps, duplicates, conflicts)
    }
  }

  static let totals = [
    Totals("in order", [syn, .client(100, "abc"), .client(103, "de")], 5),
    Totals("a copy", [syn, .client(100, "abc"), .client(100, "abc")], 3, duplicates: 3),
    Totals(
      "a copy twice", [syn, .client(100, "abc"), .client(100, "abc"), .client(100, "abc")], 3, duplicates: 6),
    Totals("a copy in part", [syn, .client(100, "abc"), .client(101, "bcde")], 5, duplicates: 2),
    Totals(
      "a copy of several segments", [syn, .client(100, "ab"), .client(102, "cd"), .client(100, "abcde")], 5,
      duplicates: 4),
    Totals(
      "another copy", [syn, .client(100, "abc"), .client(100, "aXc")], 3, duplicates: 3, conflicts: 1),
    Totals(
      "a copy of bytes that wait", [syn, .client(102, "cd"), .client(102, "cd"), .client(100, "ab")], 4,
      duplicates: 2),
    Totals(
      "another copy of bytes that wait", [syn, .client(102, "cd"), .client(102, "XY"), .client(100, "ab")], 4,
      duplicates: 2,
      conflicts: 2),
    Totals("a gap", [syn, .client(100, "ab"), .client(105, "fg")], 4, gaps: 3),
    Totals(
      "two gaps", [syn, .client(101, "b"), .client(104, "ef"), .client(109, "jk")], 5, gaps: 6),
    Totals(
      "a gap before the end", [syn, .client(100, "ab"), .client(104, "", [.fin, .ack])], 2, gaps: 2,
      end: .finished),
    Totals("a packet that is cut", [syn, .client(100, "ab", missing: 3)], 2, gaps: 3),
    Totals("an end with bytes", [syn, .client(100, "ab", [.fin, .ack])], 2, end: .finished),
    Totals("a reset", [syn, .client(100, "ab"), .client(102, "", .rst)], 2, end: .reset),
    Totals(
      "a reset after the end", [syn, .client(100, "ab", [.fin, .ack]), .client(103, "", .rst)], 2,
      end: .finished),
  ]

  @Test("what a report counts", arguments: totals) func report(_ test: Totals) throws {
    let recording = reassemble(test.script)
    #expect(recording.reports.count == 1)
    let half = try #require(recording.reports.first?.first)
    #expect(half.bytes == test.bytes && half.gapBytes == test.gapBytes)
    #expect(half.duplicateBytes == test.duplicateBytes && half.conflictingBytes == test.conflictingBytes)
    #expect(half.end == test.end && half.isSYNSeen && half.firstPacket?.number == 1)
    #expect(recording.reports.first?.second.bytes == 0 && recording.reports.first?.second.firstPacket == nil)
    #expect(recording.reports.first?.lastPacket?.number == test.script.count)
  }

  /// The first copy is delivered, or waits for the byte before it.
  @Test("a byte that differs, wherever it is in the copy", arguments: 0..<40, [100, 101] as [UInt32])
  func difference(_ index: Int, _ start: UInt32) throws {
    let first = String(repeating: "a", count: 40)
    let copy = String(repeating: "a", count: index) + "X" + String(repeating: "a", count: 39 - index)
    let recording = reassemble([Self.syn, .client(start, first), .client(start, copy)])
    let conflict = try #require(recording.findings.first { $0.code == .conflictingOverlap })
    #expect(conflict.offset == Int(start) - 100 + index && conflict.length == 1)
    // Nothing holds back what was delivered.
    #expect(conflict.isLate == (start == 100))
  }

  @Test(
    "a connection is closed a window after its end, and later copies are not compared",
    arguments: [2, 4, 5, 9])
  func copiesAfterTheEnd(_ distance: Int) throws {
    let connection = [
      Self.syn, .server(499, "", [.syn, .ack]), .client(100, "ab", [.fin, .ack]),
      .server(500, "", [.fin, .ack]),
    ]
    let recording = reassemble(
      connection + Self.others(distance - 1) + [.client(100, "ab")],
      options: .with { $0.reorderWindow = 4 })
    let isClosed = distance > 4
    #expect(recording.reports.first { $0.identity.number == 0 }?.first.duplicateBytes == (isClosed ? 0 : 2))
    #expect(recording.findings.map(\.code) == (isClosed ? [.unverifiedRetransmission] : []))
  }

  private static let fins = [
    ScriptedSegment.client(100, "ab", [.fin, .ack]), .server(500, "", [.fin, .ack]),
  ]
  private static let resets =
    [.client(100, "ab"), .client(102, "cd"), .client(104, "", .rst), .server(500, "", .rst)] + others(9)

  /// After a handshake. One stream is that of `others`.
  static let ends:
    [(name: String, script: [ScriptedSegment], duplicates: Int, streams: Int, isClosed: Bool)] =
      [
        ("the other side may send more", [fins[0]] + others(9) + [.client(100, "ab")], 2, 2, false),
        (
          "a late packet is waited after, too",
          fins + others(2) + [.client(100, "ab")] + others(3) + [.client(100, "ab")], 4, 2, false
        ),
        (
          "a gap was flushed before the end",
          [fins[1], .client(102, "cd", [.fin, .ack])] + others(8) + [.client(102, "cd")], 0, 2, true
        ),
        (
          "bytes before the end are missing",
          [fins[1], .client(102, "", [.fin, .ack])] + others(9) + [.client(100, "ab")], 0, 2, false
        ),
        ("a copy of the last bytes", resets + [.client(102, "cd")], 0, 2, true),
        ("one new byte", resets + [.client(104, "e")], 0, 2, true),
        ("two new bytes", resets + [.client(104, "ef")], 0, 3, false),
      ]

  @Test("what comes after the end of a connection", arguments: ends)
  func end(_ name: String, _ script: [ScriptedSegment], _ duplicates: Int, _ streams: Int, _ isClosed: Bool)
    throws
  {
    let recording = reassemble(
      [Self.syn, .server(499, "", [.syn, .ack])] + script, options: .with { $0.reorderWindow = 4 })
    #expect(recording.reports.first { $0.identity.number == 0 }?.first.duplicateBytes == duplicates)
    #expect(recording.reports.count == streams)
    #expect(recording.findings.contains { $0.code == .unverifiedRetransmission } == isClosed)
  }
}
