import Basics

extension Message {
  package static func expectedHex(found: UInt8) -> Message {
    Message("expected a hex digit or white space, found \(characterName(found)); byte skipped")
  }
}
