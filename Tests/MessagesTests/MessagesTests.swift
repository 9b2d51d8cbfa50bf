import Basics
import Testing

/// Messages that several files report, and their words: where arguments change more than a name in them.
@Suite("Messages") struct MessagesTests {
  private static let why: Message = "the stream has only 1 tuple"
  private static let zeros: Message = "zeros instead of a record"

  private static let messages: KeyValuePairs<Message, String> = [
    .located("is wrong", line: nil, column: 2): "is wrong",
    .located("is wrong", line: 3, column: nil): "line 3: is wrong",
    .located("is wrong", line: 3, column: 2): "line 3, column 2: is wrong",
    .about("a.bin", .warning(.skipped(.unknownFormat))): "a.bin: warning: skipped: no known format",
    .outOfRange("--tokens", "6", 1...5): "--tokens is 6: give 1 to 5",
    .tooSmall("--record", 0, least: 1): "--record is 0: give 1 or more",
    .noSuchZone("berlin", like: ["Europe/Berlin"]):
      "--time-zone: no time zone is named 'berlin'; did you mean Europe/Berlin?",
    .noSuchZone("Asia/Tokyo", like: []):
      "--time-zone: the tz database (tzdata) has no zone 'Asia/Tokyo'; a name is Europe/Berlin, or UTC",
    .inRow("id 3", of: "apnsift_changes", "is wrong"): "apnsift_changes, id 3: is wrong",
    .inRow(nil, of: "device_tokens", "is wrong"): "device_tokens: is wrong",
    .recordDiffers(why, record: 1): "record 1: \(why)",
    .recordDiffers(why, record: 1, reader: "node"): "node, record 1: \(why)",
    .recordDiffers(why, record: 1, reader: "node", chunkSize: 1): "node, chunks of 1 byte, record 1: \(why)",
    .recordDiffers(why, record: 0, reader: "java", chunkSize: 2): "java, chunks of 2 bytes, record 0: \(why)",
    .emptyTokenReported(at: 38): "the tuple at offset 38 has an empty token and must not be reported",
    .emptyTokenReported(at: 38, token: 1):
      "the tuple at offset 38 has an empty token and must not be reported: its token consists of the 1 byte after it",
    .packet(7): "packet 7",
    .packet(7, original: 9): "packet 7",
    .packet(nil, original: 9): "original packet 9",
    .packet(nil): "a packet without a number",
    .truncatedPacket(.packet(7), missing: 1, byFileEnd: true):
      "packet 7 is truncated by 1 byte: the file ends within it",
    .truncatedPacket(.packet(7), missing: 134, byFileEnd: false):
      "packet 7 is truncated by 134 bytes: capture with a larger snap length (tcpdump -s 0)",
    .lateBytesBeforeBeginning(1, of: .packet(9)):
      "1 byte of packet 9 arrived before the beginning of the stream: not used",
    .damage(zeros, afterPacket: 3): "after packet 3: \(zeros)",
    .damage(zeros, afterPacket: 0): "before the first packet: \(zeros)",
    .expectedBase64(found: UInt8(ascii: "!"), isPadded: false):
      #"expected a base64 character, found 0x21 ("!"); the 3 bytes of its group are skipped"#,
    .expectedBase64(found: 0x7f, isPadded: true):
      #"expected "=", found 0x7f; the 3 bytes of its group are skipped"#,
    .textEndsWithinGroup(characters: 3, isCertain: false):
      "the text ends after 3 of 4 characters of a base64 group: it may be truncated; its bytes are used",
    .textEndsWithinGroup(characters: 2, isCertain: true):
      "the text ends after 2 of 4 characters of a base64 group: it is truncated; its bytes are used",
  ]

  @Test("words, numbers and plurals", arguments: Array(messages))
  func words(_ message: Message, _ text: String) {
    #expect(message.text == text)
  }
}
