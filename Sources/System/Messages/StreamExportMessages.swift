import WireBytes

// MARK: - Streams that other tools exported

extension Message {
  /// - Parameter form: a phrase, such as `a log of socat`.
  package static func noStream(inFormOf form: String) -> Message {
    Message("contains no stream in the form of \(form); use --from auto to detect the format")
  }
}

// MARK: - Hex digits

extension Message {
  package static func expectedHexDigit(found: UInt8) -> Message {
    Message("expected a hex digit, found \(characterName(found)); byte skipped")
  }

  /// - Parameter first: the first of `characters`, which replace `bytes`.
  package static func expectedHexPair(characters: Int, first: UInt8, bytes: Int) -> Message {
    Message(
      "expected two hex digits, found \(characters) characters, the first \(characterName(first)); "
        + "\(Count.of(bytes, "byte")) skipped")
  }
}

// MARK: - Streams that tshark or Wireshark followed

extension Message {
  package static let expectedPeerKey = Message(#"expected "peer:", "host:", "port:" or "packets:""#)
  package static let expectedPacketKey =
    Message(#"expected "packet:", "peer:", "timestamp:" or "data:"; line skipped"#)
  package static let expectedArray = Message(#"expected "char peer0_0[] = {"; line skipped"#)

  /// - Parameter found: nil at the end of the value.
  package static func expectedArrayByte(found: UInt8?) -> Message {
    let found = found.map(characterName) ?? "end of the value"
    return Message("expected a byte as 0x and two hex digits, found \(found); byte skipped")
  }
}

// MARK: - socat and ssldump

extension Message {
  package static let expectedSocatLine =
    Message(
      #"expected a line of socat's log: ">" or "<" with time and length, bytes in hex, or a message; "#
        + "line skipped")
}
