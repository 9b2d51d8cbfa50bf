import ProviderLogs
import TestSupport
import Testing

/// A member named only `timestamp` may be when the line was written.
@Suite("docs/spec/provider-logs.md#times: whose time it is")
struct LogTimeRoleTests {
  private static let answer = #""token":"ab","status":410,"timestamp":1700000000123"#
  private static let accepted = #"{"token":"cd","status":200}"#

  /// Lines whose time is Apple's.
  static let taken: [LogCase] = [
    LogCase("milliseconds", "{\(answer)}", "push 1 token=ab status=410 time=1700000000123"),
    LogCase(
      "milliseconds as a text", #"{"token":"ab","status":410,"timestamp":"1700000000123"}"#,
      "push 1 token=ab status=410 time=1700000000123"),
    LogCase(
      "seconds, which accepted pushes lack",
      #"{"token":"ab","status":410,"timestamp":1700000000}"# + "\n" + accepted,
      "push 1 token=ab status=410 time=1700000000000", "push 2 token=cd status=200"),
    LogCase(
      "Go's time, which is zero for accepted pushes",
      #"{"token":"ab","StatusCode":410,"Timestamp":"2023-11-14T22:13:20Z"}"# + "\n"
        + #"{"token":"cd","StatusCode":200,"Timestamp":"0001-01-01T00:00:00Z"}"#,
      "push 1 token=ab status=410 time=1700000000000", "push 2 token=cd status=200"),
    LogCase(
      "a column that is empty for accepted pushes",
      "token,status,timestamp\nab,410,2023-11-14T22:13:20Z\ncd,200,\n", "passed",
      "push 2 token=ab status=410 time=1700000000000", "push 3 token=cd status=200"),
    LogCase(
      "beside a level and the line's own time",
      "{\"level\":\"info\",\"ts\":\"2023-12-01T00:00:00Z\",\(answer)}",
      "push 1 token=ab status=410 time=1700000000123"),
    LogCase(
      "in seconds, five minutes before the line's own time",
      #"{"time":1700000300.5,"token":"ab","status":410,"timestamp":1700000000}"#,
      "push 1 token=ab status=410 time=1700000000000"),
    LogCase(
      "beside a level and an own time without its offset",
      "{\"levelname\":\"ERROR\",\"asctime\":\"2023-12-01 00:00:00,123\",\(answer)}",
      "push 1 token=ab status=410 time=1700000000123"),
    LogCase(
      "beside a duration", "{\"time\":0.125,\(answer)}", "push 1 token=ab status=410 time=1700000000123"),
    LogCase(
      "of the answer, beside the time of the line",
      #"{"token":"ab","status":410,"timestamp":"2026-01-01T00:00:00Z","response":{"reason":"Unregistered","timestamp":1700000000}}"#,
      "push 1 token=ab status=410 reason=Unregistered time=1700000000000"),
    LogCase(
      "mapped", #"{"ts":1700000000,"level":"info","token":"ab","status":410}"#,
      "push 1 token=ab status=410 time=1700000000000", mapping: "timestamp=ts"),
    LogCase(
      "mapped by its own name", #"{"timestamp":1700000000,"level":"info","token":"ab","status":410}"#,
      "push 1 token=ab status=410 time=1700000000000", mapping: "timestamp=timestamp"),
  ]

  /// Lines whose time is that of the line.
  static let ofLines: [LogCase] =
    [
      "level", "severityLevel", "log.level", "levelname", "Severity", "logger",
    ].map {
      LogCase("beside \($0)", "{\"\($0)\":\"error\",\(answer)}", "push 1 token=ab status=410")
    } + [
      LogCase(
        "beside ECS's level", "{\"log\":{\"level\":\"error\"},\(answer)}", "push 1 token=ab status=410"),
      LogCase(
        "close to the line's own time", "{\"@timestamp\":\"2023-11-14T22:18:20.122Z\",\(answer)}",
        "push 1 token=ab status=410"),
      LogCase(
        "after the line's own time", "{\"time\":1699999999999,\(answer)}", "push 1 token=ab status=410"),
      LogCase(
        "of accepted pushes, too",
        "{\(answer)}\n" + #"{"token":"cd","status":200,"timestamp":1700000001000}"#,
        "push 1 token=ab status=410", "push 2 token=cd status=200"),
      LogCase(
        "of accepted pushes, too, without an offset",
        #"{"token":"ab","status":410,"timestamp":"2023-11-14 22:13:20,1"}"# + "\n"
          + #"{"token":"cd","status":200,"timestamp":"2023-11-14 22:13:21,1"}"#,
        "push 1 token=ab status=410", "push 2 token=cd status=200"),
      LogCase(
        "of another object", #"{"token":"ab","status":410,"meta":{"timestamp":1700000000123}}"#,
        "push 1 token=ab status=410"),
      LogCase(
        "of the answers of other pushes, too",
        #"{"token":"ab","status":410,"response":{"reason":"Unregistered","timestamp":1700000000123}}"# + "\n"
          + #"{"token":"cd","status":400,"response":{"reason":"BadTopic","timestamp":1700000001000}}"#,
        "push 1 token=ab status=410 reason=Unregistered", "push 2 token=cd status=400 reason=BadTopic"),
      LogCase(
        "timestamp_ms beside a level",
        #"{"level":"error","timestamp_ms":1700000000123,"token":"ab","status":410}"#,
        "push 1 token=ab status=410"),
    ]

  /// Lines whose time may be Apple's or that of the line.
  static let doubtful: [LogCase] = [
    LogCase("seconds", #"{"token":"ab","status":410,"timestamp":1700000000}"#, "push 1 token=ab status=410"),
    LogCase(
      "RFC 3339", #"{"event":"apns","token":"ab","status":410,"timestamp":"2023-11-14T22:13:20.123Z"}"#,
      "push 1 token=ab status=410"),
    LogCase(
      "a wrapped line",
      #"{"log":{"token":"ab","reason":"Unregistered","status":410,"timestamp":1700000000}}"#,
      "push 1 token=ab status=410 reason=Unregistered"),
    LogCase(
      "two times of one hour", "{\(answer)}\n" + #"{"token":"cd","status":410,"timestamp":1700003600123}"#,
      "push 1 token=ab status=410", "push 2 token=cd status=410"),
  ]

  @Test(arguments: taken)
  func isTaken(_ line: LogCase) throws {
    let log = try DecodedLog(line.log, mapping: line.mapping)
    #expect(log.steps == line.steps)
    #expect(log.doubtful == 0 && log.ofLines == 0)
  }

  @Test(arguments: ofLines)
  func isOfLine(_ line: LogCase) throws {
    let log = try DecodedLog(line.log)
    #expect(log.steps == line.steps)
    #expect(log.doubtful == 0 && log.ofLines == 1)
  }

  @Test(arguments: doubtful)
  func isDoubtful(_ line: LogCase) throws {
    let log = try DecodedLog(line.log)
    #expect(log.steps == line.steps)
    #expect(log.doubtful == line.steps.count && log.ofLines == 0)
  }

  @Test("--map timestamp=NAME counts alone", arguments: ["since", "nothere", "response.since"])
  func mappedAlone(_ name: String) throws {
    let line = #"{"token":"ab","status":410,"timestamp":1700000000123,"timestamp_ms":1700000000124}"#
    let log = try DecodedLog(line, mapping: "timestamp=\(name)")
    #expect(log.steps == ["push 1 token=ab status=410"])
    #expect(log.doubtful == 0 && log.ofLines == 0)
  }

  @Test("a time of no form makes the line malformed with status 410 only")
  func noTime() throws {
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
