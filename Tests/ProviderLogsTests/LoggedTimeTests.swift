import ProviderLogs
import Testing

/// The expected times are by hand, in milliseconds: 1700467200000 is 2023-11-20T08:00:00Z.
@Suite("docs/spec/provider-logs.md#when-a-line-was-written") struct LoggedTimeTests {
  private static let written: Int64 = 1_700_467_200_000
  private static let token = String(repeating: "ab", count: 32)
  private static let answer = #""token":"ab","status":410,"reason":"Unregistered","timestamp":1700000000123"#

  /// A line, and when it was written.
  private static let lines: KeyValuePairs<String, Int64?> = [
    #"{"token":"ab","status":200}"#: nil,
    #"{"time":"2023-11-20T08:00:00Z","token":"ab","status":200}"#: written,
    #"{"ts":1700467200.25,"token":"ab","status":200}"#: written + 250,
    #"{"@timestamp":"2023-11-20T09:00:00.007+01:00","token":"ab","status":400}"#: written + 7,
    #"{"timestamp":1700467200000,"token":"ab","status":200}"#: written,
    "{\"insertId\":\"a\",\"jsonPayload\":{\(answer)},\"timestamp\":\"2023-11-20T08:00:00Z\"}": written,
    #"{"timestamp":1700467200000,"token":"ab","error":"timeout","status":0}"#: written,
    #"{"time":1700467200000,\#(answer)}"#: written,
    "{\(answer)}": nil,
    #"{"level":"error","timestamp":"2023-11-20T08:00:00Z","token":"ab","status":410}"#: written,
    // A duration, no time, no zone, years at the ends of 32 bits.
    #"{"time":12.5,"token":"ab","status":200}"#: nil,
    #"{"time":"soon","token":"ab","status":200}"#: nil,
    #"{"time":"2023-11-20 08:00:00","token":"ab","status":200}"#: nil,
    #"{"time":"1970-01-01T00:00:00Z","token":"ab","status":200}"#: nil,
    #"{"time":"2038-01-19T03:14:08Z","token":"ab","status":200}"#: 2_147_483_648_000,
    // Rows of apnsift.
    #"{"time":"2023-11-14T22:13:20.123Z","timestamp_ms":1700000000123,"token":"ab","status":410}"#: nil,
    #"{"logged_at":"2023-11-20T08:00:00Z","time":"2023-11-14T22:13:20.123Z","timestamp_ms":1700000000123,"#
      + #""token":"ab","status":410}"#: written,
    // Text.
    "2023-11-20T08:00:00Z token=\(token) status=200": written,
    "[2023-11-20T08:00:00Z] sent {\"token\":\"ab\",\"status\":200}": written,
    #"{"time":"2023-11-20T08:00:00Z","msg":"token=\#(token) status=410"}"#: written,
    "10.0.0.1 - - [20/Nov/2023:08:00:00 +0000] \"POST /3/device/abab HTTP/2.0\" 410 52": written,
  ]

  @Test("the own time of a line", arguments: Array(lines)) func time(_ line: String, _ time: Int64?) throws {
    let log = try DecodedLog(line + "\n")
    #expect(log.pushes.count == 1 && log.logged == [time], "\(log.steps)")
  }

  @Test("--log-zone names the zone of times without one, but rpush's are of UTC in any zone")
  func zone() throws {
    var options = LogOptions()
    options.zone = { $0 - 3600...$0 - 3600 }
    let line = #"{"time":"2023-11-20 09:00:00","token":"ab","status":200}"#
    #expect(try DecodedLog(line, options: options).logged == [Self.written])
    let rpush = #"{"token":"ab","status":410,"failed_at":"2023-11-14 22:13:20"}"#
    let log = try DecodedLog(rpush, mapping: "timestamp=failed_at", options: options)
    #expect(log.pushes == ["push 1 token=ab status=410 time=1700000000000"])
  }

  @Test("the line before a transcript does not date it") func transcript() throws {
    let lines = [
      "2023-11-20T08:00:00Z start", "> POST /3/device/abab HTTP/2", "> host: api.push.apple.com", ">",
      "< HTTP/2 200", "< apns-id: 1", "<",
    ]
    let log = try DecodedLog(lines.joined(separator: "\n") + "\n")
    #expect(log.pushes.count == 1 && log.logged == [nil], "\(log.steps)")
  }
}
