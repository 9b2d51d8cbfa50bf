import Basics

extension Message {
  private static func line(_ names: [String]) -> String { names.joined(separator: ",") }

  /// - Parameters:
  ///   - option: names the column.
  ///   - header: empty without a header line.
  package static func headerWithout(_ name: String, option: String, header: [String]) -> Message {
    let found = header.isEmpty ? "no header line" : "'\(line(header).prefix(80))'"
    return Message(
      "expected a header line with the column \(name), found \(found): store import takes another name with "
        + "\(option), and another separator with --delimiter")
  }

  /// How many registrations had each outcome. Those in `unknown` are not in the table.
  package static func registrations(
    in store: String, added: Int, revived: Int, raised: Int, unchanged: Int, unknown: Int
  ) -> Message {
    let all = added + revived + raised + unchanged + unknown
    return Message(
      "\(Count.of(all, "token")) in \(store): \(added) new, \(revived) alive again, "
        + "\(raised) with a later time, \(unchanged) unchanged"
        + (unknown > 0 ? ", \(unknown) not in the table (--insert-unknown inserts them)" : ""))
  }

  /// - Parameters:
  ///   - skipped: how many rows were invalid.
  ///   - untimed: how many had no time.
  package static func imported(_ registrations: Message, skipped: Int, untimed: Int) -> Message {
    Message(
      "imported \(registrations)"
        + (skipped > 0 ? "; \(Count.of(skipped, "invalid row")) skipped" : "")
        + (untimed > 0 ? "; \(Count.of(untimed, "row")) without a time skipped (--at sets one)" : ""))
  }

  package static let openQuote = Message("the quote is not closed")

  package static let textAfterQuote = Message(
    "expected a delimiter or the line's end after a closing quote: quotes in a field are doubled")

  /// - Parameter expected: the number of fields of the header line.
  package static func wrongFieldCount(_ found: Int, expected: Int) -> Message {
    Message(
      "expected \(Count.of(expected, "field")) as in the header line, found \(Count.of(found, "field"))")
  }

  package static func notARegistrationTime(_ found: String) -> Message {
    Message("expected seconds since 1970 or a time like 2013-05-01T09:30:00Z, found '\(found.prefix(80))'")
  }

  package static func notARegistrationTime(_ found: String, form: String, example: String) -> Message {
    Message(
      "expected a time from 1970 to 2106 in the form \(form), like \(example), found '\(found.prefix(80))'")
  }

  package static func registered(_ registrations: Message) -> Message {
    Message("registered \(registrations)")
  }
}
