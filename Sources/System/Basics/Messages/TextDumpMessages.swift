/// A character for a message: its code, and itself if printable: `0x67 ("g")`.
func characterName(_ character: UInt8) -> String {
  let code = "0x" + Hex.string([character])
  return (0x20...0x7e).contains(character) ? "\(code) (\"\(Unicode.Scalar(character))\")" : code
}

// MARK: - Any text

extension Message {
  package static let textEndsWithinByte =
    Message("the text ends after one hex digit of two: it is truncated; the bytes before it are used")

  // MARK: - Hex with offsets

  package static let dumpEndsWithRepeat =
    cut("the text ends after this *, so its number of repetitions is unknown")
  package static let dumpWithoutTotal = cut("the last line, with the total size, is missing")
  package static let dumpEndsWithinText = cut("the last line has no line end and an incomplete text column")
  package static let dumpEndsWithinHex = cut("the last line has no line end and ends within its hex digits")
  package static let dumpEndsWithinOffset = cut("the last line has no line end and ends within its offset")
  package static let dumpMayEndWithinLine = cut("the last line has no line end and may be incomplete")

  private static func cut(_ finding: String) -> Message {
    Message("\(finding): the text is truncated; the bytes before the end are used")
  }

  /// - Parameter found: nil at the end of the line.
  package static func expectedDumpDigit(found: UInt8?) -> Message {
    let found = found.map(characterName) ?? "the end of the line"
    return Message("expected a hex digit, found \(found); the rest of the line is skipped")
  }

  /// A group of an odd number of digits.
  package static func oddGroup(digits: Int) -> Message {
    Message(
      "expected two hex digits per byte, found a group of \(digits); the rest of the line is skipped")
  }

  /// - Parameter found: nil at the end of the line.
  package static func expectedOffset(found: UInt8?) -> Message {
    expectedOffset(found.map(characterName) ?? "the end of the line")
  }

  package static let offsetTooLarge = expectedOffset("a number of more than 64 bits")

  private static func expectedOffset(_ found: String) -> Message {
    Message("expected an offset at the start of the line, found \(found); line skipped")
  }

  /// - Parameters:
  ///   - text: the character of the text column; nil if there is none.
  ///   - hex: the one of the hex column; nil if there is none.
  package static func textColumnDiffers(_ text: UInt8?, hex: UInt8?, cause: Message) -> Message {
    Message(
      "the text column has \(text.map(characterName) ?? "nothing"), the hex column "
        + "\(hex.map(characterName) ?? "nothing"): \(cause); the hex column is used")
  }

  // MARK: - Plain hex and base64

  package static func expectedHex(found: UInt8) -> Message {
    Message("expected a hex digit or white space, found \(characterName(found)); byte skipped")
  }

  /// - Parameter isPadded: whether padding has begun.
  package static func expectedBase64(found: UInt8, isPadded: Bool) -> Message {
    let expected = isPadded ? "\"=\"" : "a base64 character"
    return Message(
      "expected \(expected), found \(characterName(found)); the 3 bytes of its group are skipped")
  }

  /// - Parameter isCertain: whether the text is known to be longer.
  package static func textEndsWithinGroup(characters: Int, isCertain: Bool) -> Message {
    Message(
      "the text ends after \(characters) of 4 characters of a base64 group: it "
        + "\(isCertain ? "is" : "may be") truncated; its bytes are used")
  }

  // MARK: - Streams that other tools exported

  /// - Parameter form: a phrase, such as `a log of socat`.
  package static func noStream(inFormOf form: String) -> Message {
    Message("contains no stream in the form of \(form); use --from auto to detect the format")
  }

  // MARK: - Hex digits

  package static func expectedHexDigit(found: UInt8) -> Message {
    Message("expected a hex digit, found \(characterName(found)); byte skipped")
  }

  /// - Parameter first: the first of `characters`, which replace `bytes`.
  package static func expectedHexPair(characters: Int, first: UInt8, bytes: Int) -> Message {
    Message(
      "expected two hex digits, found \(characters) characters, the first \(characterName(first)); "
        + "\(Count.of(bytes, "byte")) skipped")
  }

  // MARK: - Streams that tshark or Wireshark followed

  package static let expectedPeerKey = Message(#"expected "peer:", "host:", "port:" or "packets:""#)
  package static let expectedPacketKey =
    Message(#"expected "packet:", "peer:", "timestamp:" or "data:"; line skipped"#)
  package static let expectedArray = Message(#"expected "char peer0_0[] = {"; line skipped"#)

  /// - Parameter found: nil at the end of the value.
  package static func expectedArrayByte(found: UInt8?) -> Message {
    let found = found.map(characterName) ?? "end of the value"
    return Message("expected a byte as 0x and two hex digits, found \(found); byte skipped")
  }

  // MARK: - Tables of feedback

  // MARK: - socat and ssldump

  package static let expectedSocatLine =
    Message(
      #"expected a line of socat's log: ">" or "<" with time and length, bytes in hex, or a message; "#
        + "line skipped")
}
