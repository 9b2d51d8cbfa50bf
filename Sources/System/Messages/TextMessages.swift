import WireBytes

// MARK: - JSON

extension Message {
  /// - Parameter found: nil at the end.
  package static func jsonExpected(_ expected: String, found: UInt8?) -> Message {
    let found = found.map { "the byte 0x" + String($0, radix: 16) } ?? "the end"
    return Message("expected \(expected), found \(found)")
  }
}

// MARK: - YAML

extension Message {
  package static func yamlNotUTF8(byte: UInt8) -> Message {
    Message("the byte 0x\(Hex.string([byte])) is not UTF-8; save the file as UTF-8")
  }

  package static func yamlControlCharacter(_ bytes: [UInt8]) -> Message {
    Message("control character 0x\(Hex.string(bytes)); remove it")
  }

  package static func yamlTooManyAliases(limit: Int) -> Message {
    Message("more than \(limit) aliases or directives; write them out")
  }

  /// - Parameter problem: as the parser words it.
  package static func notYAML(_ problem: String) -> Message {
    Message("cannot be read as YAML: \(problem) (texts with special characters need quotes)")
  }

  package static let yamlTooDeep = notYAML("nested too deeply")

  package static func yamlDuplicateKey(_ key: String) -> Message {
    Message("duplicate key '\(key)'; remove one of the two")
  }

  package static func yamlWithoutValue(_ key: String) -> Message {
    Message("\(key) has no value; write one, or remove the key")
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

  package static func yamlUnknownKey(_ key: String, nearest: String, keys: [String]) -> Message {
    Message("unknown key '\(key)'; did you mean \(nearest)? Keys: \(keys.joined(separator: ", "))")
  }

  package static func yamlMissingKey(_ key: String, example: String) -> Message {
    Message("\(key) is missing; write \(example)")
  }

  package static func yamlForbiddenCharacter(in key: String) -> Message {
    Message("\(key) has a zero byte or a byte order mark; remove it")
  }
}
