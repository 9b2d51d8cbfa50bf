/// Inputs, and what is wrong with them.
extension Message {
  // MARK: - Files

  package static let unknownFormat = Message("no known format")

  package static func noMember(_ name: String) -> Message {
    Message("has no file of the name \(name): inspect the archive to see the names")
  }

  package static func archive(_ format: String) -> Message { Message("a \(format) archive") }

  package static let compressedData: Message = "compressed data"

  package static func searchedOnlyAsStored(_ kind: Message) -> Message {
    "\(kind): searched as it is stored; compressed, encrypted or otherwise encoded content was not"
  }

  /// - Parameters:
  ///   - file: the library's.
  ///   - package: the one of Debian that has it.
  package static func noLibrary(_ file: String, package: String, elsewhere: String) -> Message {
    Message("\(file) is missing or cannot be loaded; install \(package) (elsewhere: \(elsewhere))")
  }

  /// Reasons of libraries.
  package static func libraryOutOfMemory(_ library: String) -> Message {
    Message("\(library) is out of memory; free some and try again")
  }

  // MARK: - Captures

  /// The name of a packet.
  /// - Parameters:
  ///   - number: its number in the file, from 1; nil in an export without packets.
  ///   - original: its number in the capture that the file was made from.
  package static func packet(_ number: Int?, original: Int? = nil) -> Message {
    if let number { return Message("packet \(number)") }
    return Message(original.map { "original packet \($0)" } ?? "a packet without a number")
  }

  package static func truncatedPacket(_ packet: Message, missing: Int, byFileEnd: Bool) -> Message {
    let cause = byFileEnd ? "the file ends within it" : "capture with a larger snap length (tcpdump -s 0)"
    return Message("\(packet) is truncated by \(Count.of(missing, "byte")): \(cause)")
  }

  package static func lateBytesBeforeBeginning(_ count: Int, of packet: Message) -> Message {
    Message("\(Count.of(count, "byte")) of \(packet) arrived before the beginning of the stream: not used")
  }

  /// - Parameter number: of the last packet before the damage, from 1; 0 if there is none.
  package static func damage(_ cause: Message, afterPacket number: Int) -> Message {
    Message("\(number == 0 ? "before the first packet" : "after packet \(number)"): \(cause)")
  }

  package static func tooManyPending(limit: Int) -> Message {
    "more than \(limit) requests are waiting for a response (--max-pending): "
      + "the outcome of the oldest, from here on, is unknown"
  }

  package static func pendingMemory(limit: Int) -> Message {
    "requests that are waiting for a response need more than \(Count.of(limit, "byte")) (--memory): "
      + "the oldest, from here on, and their responses are separate records"
  }

  // MARK: - Texts

  package static func expectedBase64(found: UInt8, isPadded: Bool) -> Message {
    let expected = isPadded ? "\"=\"" : "a base64 character"
    return "expected \(expected), found \(characterName(found)); the 3 bytes of its group are skipped"
  }

  /// - Parameter isCertain: whether the text is known to be longer.
  package static func textEndsWithinGroup(characters: Int, isCertain: Bool) -> Message {
    "the text ends after \(characters) of 4 characters of a base64 group: it "
      + "\(isCertain ? "is" : "may be") truncated; its bytes are used"
  }

  package static func yamlTooManyAliases(limit: Int) -> Message {
    Message("more than \(limit) aliases or directives; write them out")
  }
}

/// A character for a message: its code, and itself if printable: `0x67 ("g")`.
package func characterName(_ character: UInt8) -> String {
  let code = "0x" + Hex.string([character])
  return (0x20...0x7e).contains(character) ? "\(code) (\"\(Unicode.Scalar(character))\")" : code
}
