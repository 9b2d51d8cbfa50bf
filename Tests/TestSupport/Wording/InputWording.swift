import Basics

/// Of inputs and what is read of them.
extension Message {
  /// - Parameters:
  ///   - count: number of lines with status 410.
  ///   - line: number of the first of them, from 1.
  package static func logTimes(_ count: Int, first line: Int, areDoubtful: Bool) -> Message {
    Message(
      "the timestamp of \(Count.of(count, "line")) with status 410 (the first is line \(line)) "
        + (areDoubtful ? "may be the log time: " : "seems to be the log time, and is not taken: ")
        + "--map timestamp=NAME names the time of the invalidation")
  }

  package static let empty = Message("is empty")

  /// A file of a format that is not read.
  package static func foreign(_ kind: Message, remedy: Message) -> Message {
    Message("is \(kind): \(remedy)")
  }

  package static func compressedTruncated(_ compression: String, at offset: Int) -> Message {
    compressed(
      compression,
      "is truncated at offset \(offset) of the compressed file, its end: the content before it is used; "
        + "get the whole file")
  }

  package static func compressedWithOtherData(_ compression: String, from offset: Int) -> Message {
    compressed(
      compression,
      "is followed by other data from offset \(offset) of the compressed file on, which is not read; "
        + "save that as a separate file")
  }

  private static func compressed(_ compression: String, _ problem: String) -> Message {
    Message("the \(compression)-compressed data \(problem)")
  }

  /// - Parameter limit: in bytes.
  package static func lineTooLong(limit: Int) -> Message {
    Message("the line is longer than \(ByteSize.text(limit)); expected one entry per line")
  }

  package static func expectedHex(found: UInt8) -> Message {
    Message("expected a hex digit or white space, found \(characterName(found)); byte skipped")
  }

  /// - Parameter random: the client's random number in hex; nil if its hello was not captured.
  package static func noKey(forClientRandom random: String?) -> Message {
    guard let random else {
      return Message(
        "no key fits, and the client's hello, which would name it, was not captured: give the key log of this "
          + "connection with --keys")
    }
    return Message(
      "no key for client random \(random): give the key log that has it, or the session of "
        + "openssl s_client, with --keys")
  }

  /// - Parameter others: at most five.
  package static func noPushOfApp(_ app: String, but others: [String]) -> Message {
    Message(
      "no push with an invalid token is of the app \(app): the topics name \(others.joined(separator: ", ")); "
        + "--app names the app of the tokens")
  }

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
