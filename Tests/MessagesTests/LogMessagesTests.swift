import Messages
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
      .moreMalformedLines(1, after: 1000), "1 more line with errors; only 1000 are listed"),
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
    Golden(.wrongColumnCount(1, expected: 6), "1 column, but the header has 6"),
    Golden(.textAfterClosingQuote, "text after a closing quote; expected a delimiter or the end of the line"),
    Golden(.quoteIsNotClosed, "a quote is not closed"),
    Golden(
      .lateLineTime,
      "timestamp is the log time, and earlier lines with status 410 have no time of the invalidation: theirs is wrong; "
        + "give the right member with --map timestamp=NAME"),
    Golden(
      .twoValuesInLine("\"410\""), "two values for one field, the second is \"410\"; select one with --map"
    ),
    Golden(.logLineTooLong(limit: 65_536), "longer than 65536 bytes"),
    Golden(.mappingIsNoPair("token"), "--map has 'token': write NAME=COLUMN, such as token=device"),
    Golden(
      .mappingOfUnknownField("tokn", known: ["token", "status"]),
      "--map has the unknown field 'tokn': known fields are token, status"),
    Golden(.mappedTwice("token"), "--map has 'token' twice"),
    Golden(
      .mappedPathIsInvalid("a..b", deepest: 4),
      "--map has 'a..b': write a name, or up to 4 names with dots, such as response.status"),
  ]
}
