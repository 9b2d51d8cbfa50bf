import Messages
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
      .furtherErrors(1), "1 further error in this text; check that its format is right (--from)"),
    Golden(
      .furtherErrors(7), "7 further errors in this text; check that its format is right (--from)"),
    Golden(
      .textEndsWithinByte,
      "the text ends after one hex digit of two: it is truncated; the bytes before it are used"),
    Golden(
      .notADumpLine(limit: 4096),
      "the line is longer than 4096 bytes, so it is not part of a hex dump; skipped"),
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
      .textColumnDiffers(UInt8(ascii: "B"), hex: UInt8(ascii: "b"), cause: .textWasEdited),
      #"the text column has 0x42 ("B"), the hex column 0x62 ("b"): the text was edited; "#
        + "the hex column is used"),
    Golden(
      .textColumnDiffers(nil, hex: 7, cause: .textWasEditedOrOtherXxd),
      "the text column has nothing, the hex column 0x07: the text was edited, or made with xxd -e or -b, "
        + "which are not read; the hex column is used"),
    Golden(
      .textColumnDiffers(UInt8(ascii: " "), hex: nil, cause: .textWasEdited),
      #"the text column has 0x20 (" "), the hex column nothing: the text was edited; "#
        + "the hex column is used"),
    Golden(.textWasEdited, "the text was edited"),
    Golden(
      .textWasEditedOrOtherXxd, "the text was edited, or made with xxd -e or -b, which are not read"),
    Golden(
      .repeatWithoutLine,
      "this * repeats the line before it, which is missing: the text is incomplete"),
    Golden(
      .offsetOutOfOrder("0x10", after: "0x20"),
      "the offset 0x10 does not continue the line before, which ends at 0x20: "
        + "the lines are out of order, or an offset is damaged; the bytes are used in file order"),
    Golden(
      .repeatsTooMuch(bytes: 2000, limit: 100),
      "this * repeats 2000 bytes, which exceeds the limit of 100 for the whole text: "
        + "the rest is skipped; raise --max-expansion"),
    Golden(
      .repeatsUnevenly(bytes: 20, ofLine: 16),
      "the * before this line repeats 20 bytes, which is not a multiple of the line's 16: "
        + "a line is missing, or an offset is damaged"),
    Golden(
      .loneDigit, "a hex digit without a second one: one digit is missing here; byte skipped"),
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
    Golden(
      .lineEndsWithinGroup(characters: 1),
      "the line ends after 1 of 4 characters of a base64 group; its 3 bytes are skipped"),
    Golden(
      .lineEndsUnlikeOthers,
      "the line ends within a group of 4 characters, unlike the others: "
        + "characters were lost or inserted; bytes before this position may be wrong"),
  ]

  static let streamExports: [Golden] = [
    Golden(
      .noStream(inFormOf: "a log of socat"),
      "contains no stream in the form of a log of socat; use --from auto to detect the format"),
    Golden(
      .tooManyOpenConnections(limit: 16_384),
      "limit of 16384 open connections reached: "
        + "the oldest is closed, and later data of it begins another stream"),
    Golden(
      .segmentsMissing(before: 5, expected: 3, node: 1),
      "expected segment 3 of node 1, found 5: an unknown number of bytes is missing"),
    Golden(
      .expectedHexDigit(found: UInt8(ascii: "x")),
      #"expected a hex digit, found 0x78 ("x"); byte skipped"#),
    Golden(.lineEndsWithinByte, "the line ends after one hex digit of two; byte skipped"),
    Golden(
      .expectedHexPair(characters: 1, first: UInt8(ascii: "6"), bytes: 1),
      #"expected two hex digits, found 1 characters, the first 0x36 ("6"); 1 byte skipped"#),
    Golden(
      .expectedHexPair(characters: 4, first: UInt8(ascii: "x"), bytes: 2),
      #"expected two hex digits, found 4 characters, the first 0x78 ("x"); 2 bytes skipped"#),
    Golden(
      .hexAndTextDiffer, "hex digits and text column differ: one of them is damaged; the digits are used"),
    Golden(
      .followedHeaderTruncated, "the text ends within the header of a stream: it is truncated"),
    Golden(
      .followedFrameTruncated,
      "the line of = signs at the end of the stream is missing: the text is truncated; its bytes are used"),
    Golden(
      .followedInOtherForm,
      "the stream is not in raw or hex form, so its bytes are not known; "
        + "export it with tshark -z follow,tcp,raw,N"),
    Golden(
      .expectedFollowedOffset, "expected an offset of 8 hex digits and two blanks; line skipped"),
    Golden(
      .followedOffsetGoesBack(by: 16),
      "the offset goes back by 16: lines are out of order or repeated; their bytes are used in file order"),
    Golden(.peersTruncated, "the text ends within the list of peers: it is truncated"),
    Golden(.expectedFollowedKey, "expected a YAML key; line skipped"),
    Golden(.expectedPeerKey, #"expected "peer:", "host:", "port:" or "packets:""#),
    Golden(
      .expectedPacketKey, #"expected "packet:", "peer:", "timestamp:" or "data:"; line skipped"#),
    Golden(.packetWithoutNumber, "a packet without a number"),
    Golden(
      .packetWithoutPeer,
      "data of a packet without a peer; skipped, so an unknown number of bytes is missing"),
    Golden(
      .arrayTruncated,
      "the text ends within an array: it is truncated; the bytes before the end are used"),
    Golden(.textAfterArray, "unexpected text after an array; ignored"),
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
    Golden(.socatBlockTooLong, "the line has more bytes than its block; they are skipped"),
    Golden(
      .socatBlockTooShort(by: 1),
      "the block is 1 byte shorter than its length: lines are missing from the log, or it is truncated"),
    Golden(
      .socatBlockTooShort(by: 2),
      "the block is 2 bytes shorter than its length: lines are missing from the log, or it is truncated"),
    Golden(
      .socatOffsetGoesBack(by: 2),
      "the offset goes back by 2: blocks are out of order, or from several connections; "
        + "their bytes are used in the order of the log"),
    Golden(
      .recordTruncated,
      "the text ends within a record: it is truncated; the bytes before the end are used"),
    Golden(
      .notDecrypted,
      "application data was not decrypted; give ssldump the key with -k or -l, and -d"),
    Golden(.expectedRecordEnd, "expected hex pairs or the end of the record"),
  ]
}
