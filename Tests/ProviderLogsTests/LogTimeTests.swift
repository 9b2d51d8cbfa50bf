import ProviderLogs
import Testing

/// Expected values by Python's datetime.
@Suite("docs/spec/provider-logs.md#times: times")
struct LogTimeTests {
  /// 2023-11-14T22:13:20Z, in milliseconds.
  private static let at: Int64 = 1_700_000_000_000
  static let times: [(text: String, time: LogTimes.ReadTime)] = [
    ("1700000000", .time(at)), ("1700000000123", .time(at + 123)), ("1700000000.5", .time(at + 500)),
    ("1700000000.123999", .time(at + 123)), ("99999999999", .time(99_999_999_999_000)),
    ("100000000000", .time(100_000_000_000)), ("2023-11-14T22:13:20Z", .time(at)),
    ("2023-11-14T22:13:20.123456789Z", .time(at + 123)), ("2023-11-15T00:13:20+02:00", .time(at)),
    ("2023-11-14 17:13:20.5-0500", .time(at + 500)), ("2023-11-14 22:13:20 +0000 UTC", .time(at)),
    ("2023-11-14 22:13:20.123+00", .time(at + 123)), ("2023-11-14T23:13:20+01", .time(at)),
    ("2023-11-14t22:13:20z", .time(at)), ("Tue Nov 14 22:13:20 UTC 2023", .time(at)),
    ("Tue, 14 Nov 2023 22:13:20 GMT", .time(at)), ("14/Nov/2023:23:13:20 +0100", .time(at)),
    ("2023/11/14 22:13:20 UTC", .time(at)), ("2016-12-31T23:59:60Z", .time(1_483_228_800_000)),
    // Without a zone.
    ("2023-11-14T22:13:20", .zoneless(at)), ("2023-11-14 22:13:20", .zoneless(at)),
    ("Tue Nov 14 22:13:20 CST 2023", .zoneless(at)), ("", .absent), ("0", .absent), ("0.0", .absent),
    ("0001-01-01T00:00:00Z", .absent), ("soon", .invalid), ("-5", .invalid), ("1e300", .invalid),
    ("1700000000.", .invalid), ("1700000000x", .invalid), ("100000000000000", .invalid),
    ("99999999999999999999", .invalid), ("2023-13-14T22:13:20Z", .invalid),
    ("2023-02-29T00:00:00Z", .invalid), ("2023-11-14T24:00:00Z", .invalid),
    ("2023-11-14T22:13:20.Z", .invalid), ("2023-11-14T22:13:20+24:00", .invalid),
    ("2023-11-14T22:13:60Z", .invalid), ("2023-11-14", .invalid), ("1969-12-31T23:59:59Z", .invalid),
  ]

  @Test("are read, with their zone or without one", arguments: times.indices)
  func time(_ index: Int) {
    var (text, time) = Self.times[index]
    let found = text.withUTF8 { LogTimes.milliseconds(UnsafeRawBufferPointer($0)) }
    #expect(found == time, "\(text)")
  }
}
