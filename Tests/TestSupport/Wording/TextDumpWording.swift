import Basics

extension Message {
  private static func cut(_ finding: String) -> Message {
    Message("\(finding): the text is truncated; the bytes before the end are used")
  }

  /// - Parameters:
  ///   - text: the character of the text column; nil if there is none.
  ///   - hex: the one of the hex column; nil if there is none.
  package static func textColumnDiffers(_ text: UInt8?, hex: UInt8?, cause: Message) -> Message {
    Message(
      "the text column has \(text.map(characterName) ?? "nothing"), the hex column "
        + "\(hex.map(characterName) ?? "nothing"): \(cause); the hex column is used")
  }

  package static func expectedHex(found: UInt8) -> Message {
    Message("expected a hex digit or white space, found \(characterName(found)); byte skipped")
  }
}
