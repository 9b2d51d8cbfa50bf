import Basics
import Testing

@Test("Messages about registrations", arguments: Golden.csv + Golden.registrations)
func importMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  private static let long = String(repeating: "x", count: 81)
  private static let shown = String(repeating: "x", count: 80)

  static let csv: [Golden] = [
    Golden(
      .textAfterQuote,
      "expected a delimiter or the line's end after a closing quote: quotes in a field are doubled"),
    Golden(
      .recordTooLong(limit: 1 << 20),
      "the record is longer than 1.0 MiB: expected one record in each line, and a closing quote"),
    Golden(.openQuote, "the quote is not closed"),
    Golden(
      .wrongHeader(expected: ["token", "registered_at"], found: ["a", "b"]),
      "expected the header line token,registered_at, found 'a,b'"),
    Golden(
      .wrongHeader(expected: ["token"], found: [long]), "expected the header line token, found '\(shown)'"),
    Golden(
      .headerWithout("token", option: "--token-column", header: []),
      "expected a header line with the column token, found no header line: name the column with --token-column, and the separator with --delimiter"
    ),
    Golden(
      .headerWithout("token", option: "--token-column", header: ["a", "b"]),
      "expected a header line with the column token, found 'a,b': name the column with --token-column, and the separator with --delimiter"
    ),
    Golden(
      .headerWithout("token", option: "--token-column", header: [long]),
      "expected a header line with the column token, found '\(shown)': name the column with --token-column, and the separator with --delimiter"
    ),
    Golden(.wrongFieldCount(1, expected: 2), "expected 2 fields as in the header line, found 1 field"),
    Golden(.wrongFieldCount(2, expected: 1), "expected 1 field as in the header line, found 2 fields"),
    Golden(
      .wrongFieldCount(3, header: ["token", "registered_at"]),
      "expected token,registered_at, found 3 fields"),
    Golden(
      .notARegistrationTime("now"),
      "expected seconds since 1970 or a time like 2013-05-01T09:30:00Z, found 'now'"),
    Golden(
      .notARegistrationTime(long, form: "milliseconds", example: "1367400600000"),
      "expected a time from 1970 to 2106 in the form milliseconds, like 1367400600000, found '\(shown)'"),
  ]

  static let registrations: [Golden] = [
    Golden(
      .nothingRegistered("a.csv", .openQuote), "a.csv: the quote is not closed; nothing was registered"),
    Golden(
      .registrations(in: "sqlite:a", added: 1, revived: 0, raised: 0, unchanged: 0, unknown: 0),
      "1 token in sqlite:a: 1 new, 0 alive again, 0 with a later time, 0 unchanged"),
    Golden(
      .registrations(in: "sqlite:a", added: 1, revived: 2, raised: 3, unchanged: 4, unknown: 5),
      "15 tokens in sqlite:a: 1 new, 2 alive again, 3 with a later time, 4 unchanged, 5 not in the table (--insert-unknown inserts them)"
    ),
    Golden(.registered(.verbatim("1 token in a")), "registered 1 token in a"),
    Golden(.imported(.verbatim("1 token in a"), skipped: 0, untimed: 0), "imported 1 token in a"),
    Golden(
      .imported(.verbatim("1 token in a"), skipped: 1, untimed: 2),
      "imported 1 token in a; 1 invalid row skipped; 2 rows without a time skipped (--at sets one)"),
    Golden(
      .imported(.verbatim("1 token in a"), skipped: 2, untimed: 1),
      "imported 1 token in a; 2 invalid rows skipped; 1 row without a time skipped (--at sets one)"),
  ]
}
