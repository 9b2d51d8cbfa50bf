import Basics
import StreamInputs
import Testing
import Wording

@Suite("Decoders of text")
struct TextDecoderTests {
  /// A text and its decoding: bytes as hex, gaps as `<length>`, errors as `!line:column`.
  struct Case: Sendable, CustomTestStringConvertible {
    var format: TextFormat
    var name: String
    var text: String
    var expected: String
    var testDescription: String { "\(format.rawValue): \(name)" }
  }

  private static func cases(_ format: TextFormat, _ table: [(String, String, String)]) -> [Case] {
    table.map { Case(format: format, name: $0.0, text: $0.1, expected: $0.2) }
  }

  /// The plain ones are RFC 4648's.
  private static let base64 = cases(
    .base64,
    [
      ("empty", "", ""),
      ("f", "Zg==", "66"),
      ("fo", "Zm8=", "666f"),
      ("foo", "Zm9v\n", "666f6f"),
      ("foobar", "Zm9vYmFy\r\n", "666f6f626172"),
      ("white space anywhere", " Z\nm9 v\tYm\r\nFy", "666f6f626172"),
      ("the last two characters", "//++", "ffffbe"),
      ("URL-safe", "__--", "ffffbe"),
      ("URL-safe without padding", "__--Zg", "ffffbe66"),
      ("successive texts", "Zg==Zm8=\nZm9v", "66666f666f6f"),
      ("bits after the last byte", "Zh==", "66"),
      ("a byte order mark", "\u{feff}Zm9v", "666f6f"),
      ("padding in the next line", "Zg=\n=Zm9v", "66666f6f"),
      ("cut to one character", "Zm9vY", "666f6f!1:6"),
      ("cut to two characters", "Zm9vYm", "666f6f!1:7" + "62"),
      ("cut to three characters", "Zm9vYmF\n", "666f6f!1:8" + "6261"),
      ("cut within padding", "Zg=", "!1:4" + "66"),
      ("URL-safe cut to one character", "__--Y", "ffffbe!1:6"),
      ("a bad character", "Zm9vY!FyZm9v", "666f6f!1:6<3>666f6f"),
      ("two bad characters in a group", "Z!!vZm9v", "!1:2<3>666f6f"),
      ("a bad character in the last group", "Zm9vY!", "666f6f!1:6<3>"),
      ("padding at the start of a group", "Zm9v=AAAZm9v", "666f6f!1:5<3>666f6f"),
      ("a character after padding", "Zm=vZm9v", "!1:4<3>666f6f"),
      (
        "a line that lost a character", "Zm9vYmFy\nZm9vYmF\nZm9vYmFy\nZm9vYmFy\nZm9v",
        "666f6f626172" + "666f6f!2:8<3>" + "666f6f626172666f6f626172666f6f"
      ),
    ])

  private static let hex = cases(
    .hex,
    [
      ("digits of either case", "00fFaB9c\n", "00ffab9c"),
      ("empty", "", ""),
      ("blanks and tabs between bytes", " 01\t02  03 \n", "010203"),
      ("groups of any even length", "0102 030405 06\n", "010203040506"),
      ("line ends with carriage returns", "0102\r\n0304\r\n", "01020304"),
      ("a byte order mark", "\u{feff}0102", "0102"),
      ("0x before groups, as MySQL prints", "0xAB01 0x02\n0X03", "ab010203"),
      ("\\x before groups, as PostgreSQL prints", "\\xab01\n\\x02\n", "ab0102"),
      ("\\x before every byte", "\\xab\\x01\\x02", "ab0102"),
      ("an empty value of PostgreSQL", "\\x\n\\x01\n", "01"),
      ("wrapped at an odd width", "012\n345\n67\n", "01234567"),
      ("wrapped at an odd width, CRLF", "012\r\n345\r\n67", "01234567"),
      ("0x within a group is damage", "aa0x12", "aa!1:4<1>12"),
      ("a lone digit before a blank", "01 2 03", "01!1:4<1>03"),
      ("a lone digit in a group", "01 023 04", "0102!1:6<1>04"),
      ("a lone digit at a line end", "0102\n030\n0506\n", "010203!2:3<1>0506"),
      ("a first line that lost a digit", "010\n0304\n0506\n07\n", "01!1:3<1>03040506" + "07"),
      ("blanks separate even where lines do not", "012\n345\n6 7\n89a\nb", "012345!3:1<1>789a!5:1"),
      ("cut in the middle of a byte", "0102\n030", "010203!2:3"),
      ("cut, with a line end put after", "0102\n030\n", "010203!2:3"),
      ("a bad first digit takes its partner along", "01g203", "01!1:3<1>03"),
      ("a bad second digit", "010g03", "01!1:4<1>03"),
      ("a run of bad characters", "01zzzz03", "01!1:3<2>03"),
      ("an odd run of bad characters", "01zzz203", "01!1:3<2>03"),
      ("a run up to a blank", "01 z 03", "01!1:4<1>03"),
      ("a comma between bytes", "01, 02", "01!1:3<1>02"),
      ("a bad character at the end", "01z", "01!1:3<1>"),
      ("a backslash without x", "01\\02 03", "01!1:3<1>" + "!1:5<1>03"),
      ("a backslash at the end", "01\\", "01!1:3<1>"),
      ("a lone carriage return", "01\r02", "01!1:3<1>!1:5"),
    ])

  private static let xxd = cases(
    .xxd,
    [
      ("one line", "00000000: 6162 6364 0a                             abcd.\n", "616263640a"),
      ("offsets of seven digits", "0000000: 6162  ab\n0000002: 6364  cd\n", "61626364"),
      ("capitals", "0000000A: 6AFF  j.\n0000000C: 6B  k\n", "6aff6b"),
      ("bytes one by one", "00000000: 61 62 63  abc\n", "616263"),
      ("no groups", "00000000: 616263  abc\n", "616263"),
      ("no text column", "00000000: 6162\n00000002: 6364\n", "61626364"),
      ("carriage returns", "00000000: 6162  ab\r\n00000002: 6364  cd\r\n", "61626364"),
      ("a byte order mark", "\u{feff}00000000: 6162  ab\n", "6162"),
      ("empty lines", "\n00000000: 6162  ab\n  \n00000002: 63  c\n\n", "616263"),
      ("blanks stripped from the text", "00000000: 6120 2020  a\n00000004: 62  b\n", "6120202062"),
      ("text that begins with blanks", "00000000: 2020 6162    ab\n", "20206162"),
      ("blanks only, stripped", "00000000: 2020\n00000002: 61  a\n", "202061"),
      ("a first offset that is not 0", "00000100: 61  a\n00000101: 62  b\n", "6162"),
      ("decimal offsets", decimalText(20), String(repeating: "61", count: 20)),
      (
        "decimal offsets after a star",
        "00000000: 0000 0000 0000 0000 0000  ..........\n*\n00000030: 61 62 63 64 65 66 67 68 69 6a  abcdefghij\n"
          + "00000040: 61  a\n",
        String(repeating: "00", count: 30) + "6162636465666768696a61"
      ),
      ("a star", "00000000: 6162  ab\n*\n00000008: 63  c\n", "616261626162616263"),
      ("a missing line", "00000000: 6162  ab\n00000004: 6566  ef\n", "6162<2>6566"),
      (
        "lines out of order",
        "00000000: 6162  ab\n00000004: 6566  ef\n00000002: 6364  cd\n00000004: 67  g\n",
        "6162<2>6566!3:1636467"
      ),
      ("an odd group", "00000000: 6162 636 6566  abcdef\n00000006: 67  g\n", "6162!1:16<4>67"),
      ("a bad digit", "00000000: 6162 6x64 6566  abcdef\n00000006: 67  g\n", "6162!1:17<4>67"),
      ("a bad offset", "00000000: 6162  ab\n0000z002: 6364  cd\n00000004: 65  e\n", "6162!2:5<2>65"),
      ("no colon", "00000000 6162  ab\n00000002: 6364  cd\n", "!1:96364"),
      ("a text column that disagrees", "00000000: 6162 6364  abxd\n", "61626364!1:24"),
      ("a text column too long", "00000000: 6162  abc\n00000002: 63  c\n", "6162!1:1963"),
      ("little-endian output (-e)", "00000000: 64636261  abcd\n", "64636261!1:21"),
      ("a star that repeats half a line", "00000000: 6162  ab\n*\n00000005: 63  c\n", "61626162!3:1<1>63"),
      ("a star after a damaged line", "00000000: 61z2  ab\n*\n00000006: 63  c\n", "61!1:13<5>63"),
      ("a star at the start", "*\n00000006: 63  c\n", "!1:163"),
      ("a star at the end", "00000000: 6162  ab\n*\n", "6162!2:1"),
      ("cut in the offset", "00000000: 6162  ab\n000000", "6162!2:7"),
      ("cut after the offset", "00000000: 6162  ab\n00000002:", "6162!2:10"),
      ("cut in a byte", "00000000: 6162  ab\n00000002: 636", "616263!2:14"),
      ("cut after a byte", "00000000: 6162  ab\n00000002: 63", "616263!2:13"),
      ("cut in the text column", "00000000: 6162  ab\n00000002: 6364  c", "61626364!2:18"),
      ("without a last line end", "00000000: 6162  ab\n00000002: 6364  cd", "61626364"),
      (
        "a line that is too long",
        "00000000: 61  a\n" + String(repeating: "z", count: 5000) + "\n00000003: 62  b\n",
        "61!2:1<2>62"
      ),
    ])

  static let row = "61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n"
  static let rowBytes = "6162636465666768696a6b6c6d6e6f70"

  private static let hexdump = cases(
    .hexdump,
    [
      ("a line and the total", "00000000  \(row)00000010\n", rowBytes),
      (
        "a short line",
        "00000000  61 7c 00                                          |a|.|\n00000003\n",
        "617c00"
      ),
      ("no text column", "00000000  61 62\n00000002\n", "6162"),
      ("a star up to the total", "00000000  \(row)*\n00000025\n", rowBytes + rowBytes + "6162636465"),
      (
        "a star between lines", "00000000  \(row)*\n00000020  41  |A|\n00000021\n",
        rowBytes + rowBytes + "41"
      ),
      ("a missing line", "00000000  \(row)00000020  41  |A|\n00000021\n", rowBytes + "<16>41"),
      ("a missing last line", "00000000  \(row)00000017\n", rowBytes + "<7>"),
      ("a total that is too small", "00000000  \(row)0000000f\n", rowBytes + "!2:1"),
      ("no total", "00000000  \(row)", rowBytes + "!2:1"),
      ("a total without a line end after a short line", "00000000  61  |a|\n00000001", "61"),
      ("what may be a total or the next line", "00000000  \(row)00000010", rowBytes + "!2:1"),
      ("two dumps", "00000000  61  |a|\n00000001\n00000000  62  |b|\n00000001\n", "61!3:162"),
      ("a text column that disagrees", "00000000  61 62  |aB|\n00000002\n", "6162!1:20"),
      ("a text column that is not closed", "00000000  61 62  |ab\n00000002\n", "6162!1:21"),
      ("half a byte", "00000000  61 6 63  |abc|\n00000003\n", "61!1:14<2>"),
      ("cut in the text column", "00000000  61 62  |a", "6162!1:20"),
      ("cut in the hex column", "00000000  61 6", "61!1:15"),
    ])

  static func decimalText(_ count: Int) -> String {
    (0..<count).map { number in
      let digits = String(number)
      return String(repeating: "0", count: 8 - digits.count) + digits + ": 61  a\n"
    }.joined()
  }

  @Test(arguments: base64 + hex + xxd + hexdump)
  func decodes(_ example: Case) {
    #expect(example.format.decode(example.text).summary == example.expected)
  }

  @Test("a fault names the character, its code and what to expect")
  func messages() {
    let error = TextFormat.hex.decode("01\n02 zz").errors.first
    #expect(
      error?.message == Message.expectedHex(found: UInt8(ascii: "z")) && error?.fileOffset == 6)
    let unprintable = TextFormat.hex.decode([0x30, 0x31, 0xc3, 0xa9]).errors.first
    #expect(unprintable?.message == Message.expectedHex(found: 0xc3))
    let differing = TextFormat.xxd.decode("00000000: 64636261  abcd\n").errors.first
    #expect(
      differing?.message
        == Message(
          "the text column has \(characterName(UInt8(ascii: "a"))), the hex column \(characterName(UInt8(ascii: "d"))): "
            + "the text was edited, or made with xxd -e or -b, which are not read; the hex column is used"))
  }

  @Test("faults beyond the twentieth are counted, and one reports their number")
  func errorsAreBounded() {
    let decoding = TextFormat.hex.decode(String(repeating: "zz ", count: 27))
    #expect(decoding.errors.count == 21 && decoding.gaps.count == 27)
    #expect(decoding.errors.last?.message.text.contains("\(Count.of(7, "further error"))") == true)
  }

  @Test(
    "a line, and evenly wrapped hex, are one extent",
    arguments: [
      (TextFormat.base64, String(repeating: "Zm9v", count: 19), "57@0 1/3/4"),
      (
        .hex,
        Array(repeating: String(repeating: "0123456789", count: 6), count: 300).joined(
          separator: "\n"),
        "9000@0 2/30/61"
      ),
    ])
  func extents(_ format: TextFormat, _ text: String, _ expected: String) {
    var decoder = format.decoder()
    var output = DecodedText()
    let text = Array("\(text)\n".utf8)
    _ = decoder.read(text.span.bytes, from: 0, into: &output)
    let isDone = decoder.finish(into: &output)
    #expect(isDone && output.extents == [expected])
  }

  @Test("bytes are located at their first digit, repeated ones at the star")
  func positions() {
    let text = "00000000: 6162 63  abc\n*\n00000006: 64  d\n"
    #expect(TextFormat.xxd.decode(text).positions == [10, 12, 15, 23, 23, 23, 35])
  }

  @Test("a star beyond the limit becomes a gap, and the fault names the option")
  func expansionIsBounded() {
    let text = "00000000  \(Self.row)*\n40000000\n"
    let decoding = TextFormat.hexdump.decode(text, maxExpansion: 100_000)
    #expect(decoding.bytes.count == 100_016)
    #expect(decoding.gaps == [(1 << 30) - 100_016])
    #expect(decoding.errors.count == 1)
    #expect(decoding.errorPlaces == ["2:1"])
  }

  @Test("the limit is one for the whole file")
  func expansionAddsUp() {
    let text =
      "00000000: 61  a\n*\n00000005: 62  b\n*\n0000000a: 63  c\n"
    #expect(TextFormat.xxd.decode(text, maxExpansion: 6).summary == "6161616161626262!4:1<2>63")
  }

  @Test("output stays within its capacity while a star is expanded")
  func expansionIsPutOutInPieces() {
    var decoder = TextFormat.hexdump.decoder()
    var output = DecodedText()
    let text = Array("00000000  \(Self.row)*\n00100000\n".utf8)
    var index = 0
    var total = 0
    var isDone = false
    while !isDone {
      if index < text.count { index = decoder.read(text.span.bytes, from: index, into: &output) }
      isDone = index == text.count && decoder.finish(into: &output)
      #expect(output.bytes.count <= DecodedText.capacity + 4096)
      total += output.bytes.count
      output.removeAll()
    }
    #expect(total == 1 << 20)
  }

  @Test("offsets of any size neither trap nor add up to more than a stream can be")
  func hugeOffsets() {
    var text = ""
    for _ in 0..<40 {
      text += "00000000: 61  a\nffffffffffffff00: 62  b\n0fffffffffffff00: 63  c\n"
    }
    text += "123456789abcdef01: 64  d\n"
    let total = TextFormat.xxd.decode(text).gaps.reduce(0) {
      $0.addingReportingOverflow($1).partialValue
    }
    #expect(total >= 0 && total <= 1 << 60)
  }
}
