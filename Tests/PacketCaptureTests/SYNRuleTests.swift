import PacketCapture
import Testing

/// Which connection a SYN belongs to where the one on its ports began without its own (docs/spec/captures.md#port-reuse: port
/// reuse, and the order within `--reorder-window`).
@Suite("SYNs after a connection that began without one")
struct SYNRuleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var script: [ScriptedSegment]
    /// The client's bytes in each stream, a dot for a missing byte; no byte is sent twice.
    var streams: [String]
    var testDescription: String { name }
  }

  /// The end of a connection, 10 ms a packet from time 0 on.
  private static let tail: [ScriptedSegment] = [
    .client(1003, "old").at(0), .server(500).at(10), .client(1006, "", [.fin, .ack]).at(20),
    .server(500, "", [.fin, .ack]).at(30), .client(1007).at(40),
  ]

  private static func opening(_ number: UInt32, at time: Int) -> [ScriptedSegment] {
    [
      .client(number, "", .syn).at(time), .server(100, "", [.syn, .ack]).at(time + 1),
      .client(number &+ 1, "new").at(time + 2),
    ]
  }

  static let cases: [Case] = [
    Case(
      name: "after both FINs, three bytes lower", script: tail + opening(999, at: 50),
      streams: ["old", "new"]),
    Case(
      name: "after the speaker's FIN alone", script: Array(tail[..<3]) + opening(999, at: 50),
      streams: ["old", "new"]),
    Case(
      name: "after the other side's FIN alone", script: [tail[0], tail[3]] + opening(999, at: 50),
      streams: ["old", "new"]),
    Case(
      name: "after a RST", script: [tail[0], .server(500, "", .rst).at(10)] + opening(999, at: 50),
      streams: ["old", "new"]),
    Case(
      name: "after nothing but a RST", script: [.client(1003, "", .rst).at(0)] + opening(999, at: 50),
      streams: ["", "new"]),
    Case(
      name: "after nothing but the other side's FIN",
      script: [.server(500, "", [.fin, .ack]).at(0)] + opening(999, at: 50), streams: ["", "new"]),
    Case(
      name: "after both FINs, by a number that wraps around",
      script: [.client(2, "old").at(0), .client(5, "", [.fin, .ack]).at(10)]
        + opening(.max - 7, at: 50), streams: ["old", "new"]),
    Case(
      name: "sent before the FINs, read after them", script: tail + [.client(999, "", .syn).at(0)],
      streams: ["...old"]),
    Case(
      name: "of a capture that was turned round",
      script: ([.client(999, "", .syn).at(0), .client(1000, "one").at(5)] + tail).reversed(),
      streams: ["oneold"]),
    Case(
      name: "of a capture that was turned round and got new times",
      script: ([.client(999, "", .syn), .client(1000, "one")] + tail).reversed().enumerated().map {
        $1.at($0)
      },
      streams: ["oneold"]),
    Case(
      name: "a capture without times does not show the order",
      script: [
        .client(1003, "old"), .client(1006, "", [.fin, .ack]), .client(999, "", .syn),
      ], streams: ["...old"]),
    Case(
      name: "half a second late, without any end",
      script: [.client(1003, "old").at(0)] + [
        .client(999, "", .syn).at(500), .client(1000, "new").at(501),
      ], streams: ["newold"]),
    Case(
      name: "minutes after data, without any end",
      script: [.client(1003, "old").at(0)] + opening(999, at: 120_000), streams: ["old", "new"]),
    Case(
      name: "minutes after data, directly below it: it was sent again",
      script: [.client(1000, "old").at(0), .client(999, "", .syn).at(120_000)], streams: ["old"]),
    Case(
      name: "directly below a keep-alive",
      script: [.client(999, "x").at(0), .client(1000, "old").at(1), .client(999, "", .syn).at(2)],
      streams: ["old"]),
    Case(
      name: "directly below a keep-alive that came last",
      script: [.client(1000, "old").at(0), .client(1002, "x").at(1), .client(999, "", .syn).at(2)],
      streams: ["old"]),
    Case(
      name: "of an unknown side, by another tap's clock",
      script: [
        .client(999, "", .syn).at(0), .client(1000, "one").at(1), .client(1003, "", [.fin, .ack]).at(2),
        .server(99, "", [.syn, .ack]).at(5000), .server(100, "two").at(5001),
      ], streams: ["one"]),
    Case(
      name: "that was seen, and comes again after the FINs",
      script: [.client(1002, "", .syn).at(0)] + tail + [.client(1002, "", .syn).at(50)], streams: ["old"]),
  ]

  @Test(arguments: cases)
  func streams(_ example: Case) throws {
    let recording = try reassemble(example.script)
    let said = recording.reports.sorted { $0.identity.number < $1.identity.number }.map { report in
      // The client has port 40000.
      let side: Side = report.identity.peers?.first.port == 40_000 ? .first : .second
      return recording.half(report.identity.number, side).bytes
        .map { $0.map { String(UnicodeScalar($0)) } ?? "." }.joined()
    }
    #expect(said == example.streams)
    #expect(recording.misuse == [])
    #expect(recording.findings.allSatisfy { $0.code == .midstreamStart })
  }

  @Test("bytes before the SYN's number are skipped and reported, and those after them count")
  func bytesBeforeTheNumber() throws {
    let recording = try reassemble([.client(999, "xold"), .client(1003, "er"), .client(999, "", .syn)])
    #expect(recording.half().text == "older")
    #expect(recording.findingTexts == ["lateSegment 0+1"])
    #expect(recording.misuse == [])
  }
}
