import Basics
import Testing

@Test("Messages about inputs", arguments: Golden.input)
func inputMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let input: [Golden] = [
    Golden(.unknownFormat, "no known format"),
    Golden(
      .noLibrary("libzstd.so.1", package: "libzstd1", elsewhere: "zstd"),
      "libzstd.so.1 is missing or cannot be loaded; install libzstd1 (elsewhere: zstd)"),
    Golden(.libraryOutOfMemory("libzstd"), "libzstd is out of memory; free some and try again"),
    Golden(.packet(7), "packet 7"),
    Golden(.packet(7, original: 9), "packet 7"),
    Golden(.packet(nil, original: 9), "original packet 9"),
    Golden(.packet(nil), "a packet without a number"),
    Golden(
      .truncatedPacket(.packet(7), missing: 1, byFileEnd: true),
      "packet 7 is truncated by 1 byte: the file ends within it"),
    Golden(
      .truncatedPacket(.packet(7), missing: 134, byFileEnd: false),
      "packet 7 is truncated by 134 bytes: capture with a larger snap length (tcpdump -s 0)"),
    Golden(
      .lateBytesBeforeBeginning(1, of: .packet(9)),
      "1 byte of packet 9 arrived before the beginning of the stream: not used"),
    Golden(.damage("zeros instead of a record", afterPacket: 3), "after packet 3: zeros instead of a record"),
    Golden(
      .damage("zeros instead of a record", afterPacket: 0),
      "before the first packet: zeros instead of a record"),
    Golden(
      .tooManyPending(limit: 1_000_000),
      "more than 1000000 requests are waiting for a response (--max-pending): "
        + "the outcome of the oldest, from here on, is unknown"),
    Golden(
      .textEndsWithinByte,
      "the text ends after one hex digit of two: it is truncated; the bytes before it are used"),
    Golden(
      .expectedBase64(found: UInt8(ascii: "!"), isPadded: false),
      #"expected a base64 character, found 0x21 ("!"); the 3 bytes of its group are skipped"#),
    Golden(
      .expectedBase64(found: 0x7f, isPadded: true),
      #"expected "=", found 0x7f; the 3 bytes of its group are skipped"#),
    Golden(
      .textEndsWithinGroup(characters: 3, isCertain: false),
      "the text ends after 3 of 4 characters of a base64 group: it may be truncated; its bytes are used"),
    Golden(
      .textEndsWithinGroup(characters: 2, isCertain: true),
      "the text ends after 2 of 4 characters of a base64 group: it is truncated; its bytes are used"),
    Golden(
      .yamlTooManyAliases(limit: 10), "more than 10 aliases or directives; write them out"),
  ]
}
