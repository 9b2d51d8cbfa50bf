import ProviderLogs
import TestSupport
import Testing

/// Expected values by Python's datetime.
@Suite("docs/spec/provider-logs.md#times: times")
struct LogTimeTests {
  /// 2023-11-14T22:13:20Z is 1,700,000,000,000 milliseconds; a time without a zone is called that.
  @Test(
    "are read, with their zone or without one",
    arguments: Fixtures.rows("logs", in: "times") as [(String, String)])
  func time(_ text: String, _ time: String) {
    var text = text
    let found = text.withUTF8 { LogTimes.milliseconds(UnsafeRawBufferPointer($0)) }
    #expect("\(found)" == time)
  }
}
