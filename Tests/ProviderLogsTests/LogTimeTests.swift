import ProviderLogs
import Testing

/// Expected values by Python's datetime.
@Suite("docs/spec/provider-logs.md#times: times")
struct LogTimeTests {
  @Test(
    arguments: [
      ("1700000000", 1_700_000_000_000), ("1700000000123", 1_700_000_000_123),
      ("1700000000.5", 1_700_000_000_500),
      ("1700000000.123999", 1_700_000_000_123), ("99999999999", 99_999_999_999_000),
      ("100000000000", 100_000_000_000), ("2023-11-14T22:13:20Z", 1_700_000_000_000),
      ("2023-11-14T22:13:20.123456789Z", 1_700_000_000_123), ("2023-11-15T00:13:20+02:00", 1_700_000_000_000),
      ("2023-11-14 17:13:20.5-0500", 1_700_000_000_500), ("2023-11-14 22:13:20 +0000 UTC", 1_700_000_000_000),
      ("2023-11-14 22:13:20.123+00", 1_700_000_000_123), ("2023-11-14T23:13:20+01", 1_700_000_000_000),
      ("2023-11-14t22:13:20z", 1_700_000_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ] as [(String, Int64)])
  func time(_ text: String, _ milliseconds: Int64) {
    #expect(Self.read(text) == .time(milliseconds))
  }

  @Test(arguments: ["", "0", "0.0", "0001-01-01T00:00:00Z"])
  func absent(_ text: String) {
    #expect(Self.read(text) == .absent)
  }

  @Test(arguments: [
    "soon", "-5", "1e300", "1700000000.", "1700000000x", "100000000000000", "99999999999999999999",
    "2023-11-14T22:13:20", "2023-13-14T22:13:20Z", "2023-02-29T00:00:00Z", "2023-11-14T24:00:00Z",
    "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:60Z", "2023-11-14",
    "1969-12-31T23:59:59Z",
  ])
  func invalid(_ text: String) {
    #expect(Self.read(text) == .invalid)
  }

  private static func read(_ text: String) -> LogTimes.Result {
    var text = text
    return text.withUTF8 { LogTimes.milliseconds(UnsafeRawBufferPointer($0)) }
  }

  /// A member named only `timestamp` may be when the line was written.
  static let roles: [LogCase] = [
    LogCase(
      "of status 410", #"{"token":"ab","status":410,"timestamp":1700000000}"#,
      "push 1 token=ab status=410 time=1700000000000"),
    LogCase(
      "next to a level", #"{"timestamp":1700000000,"level":"info","token":"ab","status":410}"#,
      "push 1 token=ab status=410"),
    LogCase(
      "of accepted pushes, too",
      "{\"token\":\"ab\",\"status\":410,\"timestamp\":1700000000}\n{\"token\":\"ab\",\"status\":200,\"timestamp\":1700000001}\n",
      "push 1 token=ab status=410", "push 2 token=ab status=200"),
    LogCase(
      "of accepted pushes, and one of the answer",
      #"{"token":"ab","status":410,"timestamp":"2026-01-01T00:00:00Z","response":{"reason":"Unregistered","timestamp":1700000000123}}"#,
      "push 1 token=ab status=410 reason=Unregistered time=1700000000123"),
    LogCase(
      "mapped", #"{"ts":1700000000,"level":"info","token":"ab","status":410}"#,
      "push 1 token=ab status=410 time=1700000000000",
      mapping: "timestamp=ts"),
    LogCase(
      "of no use", #"{"token":"ab","status":410,"timestamp":"soon"}"#, "bad 1+1 timeIsNoTime"),
    LogCase(
      "of another status, whatever it is", #"{"token":"ab","status":200,"timestamp":"soon"}"#,
      "push 1 token=ab status=200"),
  ]

  @Test(arguments: roles)
  func role(_ line: LogCase) throws {
    #expect(try DecodedLog(line.log, mapping: line.mapping).steps == line.steps)
  }

  @Test("a log time that shows late is an error")
  func lateLogTime() throws {
    let answer = #"{"token":"ab","status":410,"timestamp":1700000000123}"# + "\n"
    let others = String(repeating: #"{"token":"cd","status":200}"# + "\n", count: 5000)
    let timed = #"{"token":"ef","status":200,"timestamp":1700000001000}"# + "\n"
    let steps = try DecodedLog(answer + others + timed + answer).steps
    #expect(steps.first == "push 1 token=ab status=410 time=1700000000123")
    #expect(steps.suffix(2) == ["bad 5002+1 lateLineTime", "push 5003 token=ab status=410"])
  }
}
