import Basics

extension Message {
  package static func yamlControlCharacter(_ bytes: [UInt8]) -> Message {
    Message("control character 0x\(Hex.string(bytes)); remove it")
  }

  /// - Parameter problem: as the parser words it.
  package static func notYAML(_ problem: String) -> Message {
    Message("cannot be read as YAML: \(problem) (texts with special characters need quotes)")
  }

  package static let yamlTooDeep = notYAML("nested too deeply")

  package static func yamlNotUTF8(byte: UInt8) -> Message {
    Message("the byte 0x\(Hex.string([byte])) is not UTF-8; save the file as UTF-8")
  }

  /// - Parameters:
  ///   - keys: whether a mapping is expected, or else a scalar.
  ///   - key: the key of the value; empty for the whole text.
  package static func yamlExpected(
    keys: Bool, for key: String, found: String, example: String
  ) -> Message {
    Message(
      "expected \(keys ? "keys" : "a single text")\(key.isEmpty ? "" : " for \(key)"), found \(found); "
        + "write it as in \(example)")
  }

  package static func mappingTooLong(_ name: String, limit: Int) -> Message {
    Message(
      "\(name): expected a mapping of at most \(ByteSize.text(limit)), found more; name the file that maps a table"
    )
  }

  package static func unknownZone(_ zone: String) -> Message {
    Message(
      "expected a time zone that this machine's tz database has, such as Europe/Berlin or UTC, or an offset "
        + "such as -05:00, found '\(zone)'; "
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
