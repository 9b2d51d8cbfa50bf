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
      .moreMalformedLines(1, after: 1000), "1 more line with errors, after the 1000 findings that are listed"),
    Golden(
      .unrelatedLines(2, bytes: 9, first: 4),
      "2 lines (9 bytes) without the answer to a push; the first is line 4"),
    Golden(.lineIsNotJSON(expected: "a value", found: "x"), "not JSON: expected a value, found \"x\""),
    Golden(
      .lineIsNotJSON(expected: "a closing quote", found: nil),
      "not JSON: expected a closing quote, found the end of the line"),
    Golden(
      .tokenIsNoText("\"17\""),
      "the token is \"17\"; expected a text (--map token=NAME names another member)"),
    Golden(
      .statusIsNoStatus("\"gone\""),
      "the status is \"gone\"; expected a number from 100 to 599 (--map status=NAME names another member)"),
    Golden(
      .reasonIsNoText("\"5\""),
      "the reason is \"5\"; expected a text (--map reason=NAME names another member)"),
    Golden(
      .timeIsNoTime("\"soon\""),
      "the timestamp is \"soon\"; expected seconds or milliseconds since 1970, or a time with its offset such as "
        + "2026-05-01T09:30:00Z"),
    Golden(.wrongColumnCount(1, expected: 6), "1 column, but the header has 6"),
    Golden(.textAfterClosingQuote, "text after a closing quote; expected a delimiter or the end"),
    Golden(.quoteIsNotClosed, "a quote that is not closed"),
    Golden(
      .twoValuesInLine("\"410\""), "\"410\" is a second value of the same kind; name the right one with --map"
    ),
    Golden(.logLineTooLong(limit: 65_536), "longer than 65536 bytes"),
    Golden(.mappingIsNoPair("token"), "--map has 'token': write NAME=COLUMN, such as token=device"),
    Golden(
      .mappingOfUnknownField("tokn", known: ["token", "status"]),
      "--map has 'tokn': its names are token, status"),
    Golden(.mappedTwice("token"), "--map has 'token' twice"),
    Golden(
      .mappedPathIsInvalid("a..b", deepest: 4),
      "--map has 'a..b': write a name, or up to 4 names with points, such as response.status"),
  ]
}
