import Basics
import Testing

@Test("Findings and options of providers' logs", arguments: Golden.logs)
func logMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let logs: [Golden] = [
    Golden(.malformedLine(7, count: 1, .verbatim("is wrong")), "line 7: is wrong"),
    Golden(
      .malformedLine(7, count: 3, .verbatim("is wrong")), "lines 7 to 9: is wrong (in the first of them)"),
    Golden(
      .unrelatedLines(2, bytes: 9, first: 4),
      "2 lines (9 bytes) without a push; the first is line 4"),
    Golden(.lineIsNotJSON(expected: "a value", found: "x"), "not JSON: expected a value, found \"x\""),
    Golden(
      .lineIsNotJSON(expected: "a closing quote", found: nil),
      "not JSON: expected a closing quote, found the end of the line"),
    Golden(
      .tokenIsNoText("\"17\""),
      "the token is \"17\"; expected a string (--map token=NAME selects another member)"),
    Golden(
      .statusIsNoStatus("\"gone\""),
      "the status is \"gone\"; expected a number from 100 to 599 (--map status=NAME selects another member)"),
    Golden(
      .reasonIsNoText("\"5\""),
      "the reason is \"5\"; expected a string (--map reason=NAME selects another member)"),
    Golden(
      .timeIsNoTime("\"soon\""),
      "the timestamp is \"soon\"; expected seconds or milliseconds since 1970, or a time with its offset such as "
        + "2026-05-01T09:30:00Z"),
    Golden(
      .logTimes(1, first: 7, areDoubtful: true),
      "the timestamp of 1 line with status 410 (the first is line 7) may be the log time: "
        + "--map timestamp=NAME names the time of the invalidation"),
    Golden(
      .logTimes(2, first: 7, areDoubtful: false),
      "the timestamp of 2 lines with status 410 (the first is line 7) seems to be the log time, and is not taken: "
        + "--map timestamp=NAME names the time of the invalidation"),
  ]
}
