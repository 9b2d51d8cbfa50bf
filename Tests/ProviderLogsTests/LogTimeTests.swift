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
      ("2023-11-14t22:13:20z", 1_700_000_000_000), ("Tue Nov 14 22:13:20 UTC 2023", 1_700_000_000_000),
      ("Tue, 14 Nov 2023 22:13:20 GMT", 1_700_000_000_000), ("14/Nov/2023:23:13:20 +0100", 1_700_000_000_000),
      ("2023/11/14 22:13:20 UTC", 1_700_000_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ] as [(String, Int64)])
  func time(_ text: String, _ milliseconds: Int64) {
    #expect(Self.read(text) == .time(milliseconds))
  }

  @Test(arguments: ["2023-11-14T22:13:20", "2023-11-14 22:13:20", "Tue Nov 14 22:13:20 CST 2023"])
  func withoutZone(_ text: String) {
    #expect(Self.read(text) == .zoneless(1_700_000_000_000))
  }

  @Test(arguments: ["", "0", "0.0", "0001-01-01T00:00:00Z"])
  func absent(_ text: String) {
    #expect(Self.read(text) == .absent)
  }

  @Test(arguments: [
    "soon", "-5", "1e300", "1700000000.", "1700000000x", "100000000000000", "99999999999999999999",
    "2023-13-14T22:13:20Z", "2023-02-29T00:00:00Z", "2023-11-14T24:00:00Z",
    "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:60Z", "2023-11-14",
    "1969-12-31T23:59:59Z",
  ])
  func invalid(_ text: String) {
    #expect(Self.read(text) == .invalid)
  }

  private static func read(_ text: String) -> LogTimes.ReadTime {
    var text = text
    return text.withUTF8 { LogTimes.milliseconds(UnsafeRawBufferPointer($0)) }
  }
}
