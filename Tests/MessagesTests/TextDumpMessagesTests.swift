import Basics
import Testing

@Test("Messages about text dumps", arguments: Golden.textDumps)
func textDumpMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages about streams that other tools exported", arguments: Golden.streamExports)
func streamExportMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let textDumps: [Golden] = [
    Golden(
      .textEndsWithinByte,
      "the text ends after one hex digit of two: it is truncated; the bytes before it are used"),
    Golden(
      .dumpEndsWithRepeat,
      "the text ends after this *, so its number of repetitions is unknown: "
        + "the text is truncated; the bytes before the end are used"),
    Golden(
      .dumpWithoutTotal,
      "the last line, with the total size, is missing: "
        + "the text is truncated; the bytes before the end are used"),
    Golden(
      .dumpEndsWithinText,
      "the last line has no line end and an incomplete text column: "
        + "the text is truncated; the bytes before the end are used"),
    Golden(
      .dumpEndsWithinHex,
      "the last line has no line end and ends within its hex digits: "
        + "the text is truncated; the bytes before the end are used"),
    Golden(
      .dumpEndsWithinOffset,
      "the last line has no line end and ends within its offset: "
        + "the text is truncated; the bytes before the end are used"),
    Golden(
      .dumpMayEndWithinLine,
      "the last line has no line end and may be incomplete: "
        + "the text is truncated; the bytes before the end are used"),
    Golden(
      .expectedDumpDigit(found: UInt8(ascii: "g")),
      #"expected a hex digit, found 0x67 ("g"); the rest of the line is skipped"#),
    Golden(
      .expectedDumpDigit(found: nil),
      "expected a hex digit, found the end of the line; the rest of the line is skipped"),
    Golden(
      .oddGroup(digits: 3),
      "expected two hex digits per byte, found a group of 3; the rest of the line is skipped"),
    Golden(
      .expectedOffset(found: 0xc3),
      "expected an offset at the start of the line, found 0xc3; line skipped"),
    Golden(
      .expectedOffset(found: nil),
      "expected an offset at the start of the line, found the end of the line; line skipped"),
    Golden(
      .offsetTooLarge,
      "expected an offset at the start of the line, found a number of more than 64 bits; line skipped"),
    Golden(
      .textColumnDiffers(UInt8(ascii: "B"), hex: UInt8(ascii: "b"), cause: "the text was edited"),
      #"the text column has 0x42 ("B"), the hex column 0x62 ("b"): the text was edited; "#
        + "the hex column is used"),
    Golden(
      .textColumnDiffers(
        nil, hex: 7, cause: "the text was edited, or made with xxd -e or -b, which are not read"),
      "the text column has nothing, the hex column 0x07: the text was edited, or made with xxd -e or -b, "
        + "which are not read; the hex column is used"),
    Golden(
      .textColumnDiffers(UInt8(ascii: " "), hex: nil, cause: "the text was edited"),
      #"the text column has 0x20 (" "), the hex column nothing: the text was edited; "#
        + "the hex column is used"),
    Golden(
      .expectedHex(found: UInt8(ascii: "z")),
      #"expected a hex digit or white space, found 0x7a ("z"); byte skipped"#),
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
  ]

  static let streamExports: [Golden] = [
    Golden(
      .noStream(inFormOf: "a log of socat"),
      "contains no stream in the form of a log of socat; use --from auto to detect the format"),
    Golden(
      .expectedHexDigit(found: UInt8(ascii: "x")),
      #"expected a hex digit, found 0x78 ("x"); byte skipped"#),
    Golden(
      .expectedHexPair(characters: 1, first: UInt8(ascii: "6"), bytes: 1),
      #"expected two hex digits, found 1 characters, the first 0x36 ("6"); 1 byte skipped"#),
    Golden(
      .expectedHexPair(characters: 4, first: UInt8(ascii: "x"), bytes: 2),
      #"expected two hex digits, found 4 characters, the first 0x78 ("x"); 2 bytes skipped"#),
    Golden(.expectedPeerKey, #"expected "peer:", "host:", "port:" or "packets:""#),
    Golden(
      .expectedPacketKey, #"expected "packet:", "peer:", "timestamp:" or "data:"; line skipped"#),
    Golden(.expectedArray, #"expected "char peer0_0[] = {"; line skipped"#),
    Golden(
      .expectedArrayByte(found: UInt8(ascii: "g")),
      #"expected a byte as 0x and two hex digits, found 0x67 ("g"); byte skipped"#),
    Golden(
      .expectedArrayByte(found: nil),
      "expected a byte as 0x and two hex digits, found end of the value; byte skipped"),
    Golden(
      .expectedSocatLine,
      #"expected a line of socat's log: ">" or "<" with time and length, bytes in hex, or a message; "#
        + "line skipped"),
  ]
}
