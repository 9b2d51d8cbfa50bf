import WireBytes

/// Mapping files. Texts of a file are arguments: the caller shortens them.
extension Message {
  // MARK: - Options

  package static let tableWithoutTokenColumn = Message(
    "--table and --token-column go together: give both, or neither")

  package static func notATrialTable(_ table: String, tokenColumn: String) -> Message {
    Message(
      "--table \(table) --token-column \(tokenColumn): expected TABLE or SCHEMA.TABLE and the name of a column; "
        + "describe names with dots or blanks in a file for --mapping")
  }

  // MARK: - The file

  package static func mappingTooLong(_ name: String, limit: Int) -> Message {
    Message(
      "\(name): expected a mapping of at most \(ByteSize.text(limit)), found more; name the file that maps a table"
    )
  }

  // MARK: - Its values

  package static func journalIsTheStore(_ journal: String) -> Message {
    Message("expected another file than the store for journal, found '\(journal)'; write sqlite:PATH")
  }

  package static func unknownAction(_ action: String) -> Message {
    Message("expected one of mark, flag, delete for action, found '\(action)'; choose one of them")
  }

  package static func superfluousKey(_ key: String, action: String) -> Message {
    Message("expected no \(key) with action \(action); remove it or correct the action")
  }

  package static func notATable(_ found: String, example: String) -> Message {
    Message(
      "expected TABLE or SCHEMA.TABLE, found '\(found)'; write names with dots or blanks as \(example)")
  }

  package static func unknownZone(_ zone: String) -> Message {
    Message(
      "expected a time zone that this machine's tz database has, such as Europe/Berlin or UTC, found '\(zone)'; "
        + "correct it, or install the database (package tzdata)")
  }

  package static func unknownValue(_ value: String, of key: String, known: [String], nearest: String)
    -> Message
  {
    Message(
      "expected one of \(known.joined(separator: ", ")) for \(key), found '\(value)'; the nearest is \(nearest)"
    )
  }
}
