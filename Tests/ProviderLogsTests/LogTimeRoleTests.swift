import TestSupport
import Testing

@Suite("docs/spec/provider-logs.md#times: whose time it is, in longer logs") struct LogTimeRoleTests {
  private static let answer = #""token":"ab","status":410,"timestamp":1700000000123"#
  private static let accepted = #"{"token":"cd","status":200}"#

  @Test("--map timestamp=NAME counts alone", arguments: ["since", "nothere", "response.since"])
  func mappedAlone(_ name: String) throws {
    let line = #"{"token":"ab","status":410,"timestamp":1700000000123,"timestamp_ms":1700000000124}"#
    let log = try DecodedLog(line, mapping: "timestamp=\(name)")
    #expect(log.steps == ["push 1 token=ab status=410"])
    #expect(log.doubtful == 0 && log.ofLines == 0)
  }

  @Test("a time of no form makes the line malformed with status 410 only") func noTime() throws {
    #expect(
      try DecodedLog(#"{"token":"ab","status":410,"timestamp":"soon"}"#).steps == ["bad 1+1 timeIsNoTime"])
    #expect(
      try DecodedLog(#"{"token":"ab","status":200,"timestamp":"soon"}"#).steps == [
        "push 1 token=ab status=200"
      ])
  }

  /// Logs of failures alone, with times as loggers write them.
  private static let paces: [(name: String, time: @Sendable (Int64) -> Int64)] = [
    ("rise", { $0 * 1700 }), ("fall", { -$0 * 1700 }), ("rise by days", { $0 * 90_000_000 }),
    ("fall by days", { -$0 * 90_000_000 }), ("rise, but for neighbours", { $0 * 1700 + ($0 % 2) * 5000 }),
  ]

  @Test("times that follow the lines are not taken", arguments: paces.indices, [5, 24, 900])
  func following(_ pace: Int, _ count: Int64) throws {
    let lines = (0..<count).map { Self.line($0, 1_700_000_000_000 + Self.paces[pace].time($0)) }
    let log = try DecodedLog(lines.joined())
    #expect(log.pushes.count == count && log.doubtful == count)
    #expect(!log.pushes.contains { $0.contains("time=") })
  }

  @Test("Apple's times, in any order of invalidations, are taken", arguments: [1, 2, 3, 12, 900])
  func scattered(_ count: Int) throws {
    var random = SeededGenerator(seed: 11)
    let times = (0..<count).map { _ in 1_690_000_000_000 + Int64(random.pick(0...9_000_000)) * 1000 }
    let log = try DecodedLog(times.enumerated().map { Self.line(Int64($0), $1) }.joined())
    #expect(log.pushes == times.enumerated().map { "push \($0 + 1) token=ab status=410 time=\($1)" })
    #expect(log.doubtful == 0)
  }

  @Test("log times that show after the first 64 KiB make all times before them doubtful")
  func lateLogTime() throws {
    let others = String(repeating: Self.accepted + "\n", count: 5000)
    let timed = #"{"token":"ef","status":200,"timestamp":1700000001000}"# + "\n"
    let log = try DecodedLog("{\(Self.answer)}\n" + others + timed + "{\(Self.answer)}\n")
    #expect(log.steps.first == "push 1 token=ab status=410 time=1700000000123")
    #expect(log.steps.suffix(2) == ["push 5002 token=ef status=200", "push 5003 token=ab status=410"])
    #expect(log.doubtful == 1 && log.ofLines == 1)
  }

  private static func line(_ number: Int64, _ time: Int64) -> String {
    #"{"token":"ab","status":410,"timestamp":\#(time)}"# + "\n"
  }
}
