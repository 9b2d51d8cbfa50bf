import Basics
import StreamInputs
import Testing
import Wording

@Suite("xxd and hexdump -C")
struct OffsetTextDecoderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var format: TextFormat
    var text: String
    var expected: String
    var testDescription: String { "\(format.rawValue): \(name)" }
  }

  static let xxd: [Case] = [
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
    (
      "a star", "00000000: 6162  ab\n*\n00000008: 63  c\n", "616261626162616263"
    ),
    ("a missing line", "00000000: 6162  ab\n00000004: 6566  ef\n", "6162<2>6566"),
    (
      "lines out of order", "00000000: 6162  ab\n00000004: 6566  ef\n00000002: 6364  cd\n00000004: 67  g\n",
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
      "00000000: 61  a\n" + String(repeating: "z", count: 5000) + "\n00000003: 62  b\n", "61!2:1<2>62"
    ),
  ].map { Case(name: $0.0, format: .xxd, text: $0.1, expected: $0.2) }

  static let row = "61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n"
  static let rowBytes = "6162636465666768696a6b6c6d6e6f70"

  static let hexdump: [Case] = [
    ("a line and the total", "00000000  \(row)00000010\n", rowBytes),
    (
      "a short line", "00000000  61 7c 00                                          |a|.|\n00000003\n",
      "617c00"
    ),
    ("no text column", "00000000  61 62\n00000002\n", "6162"),
    ("a star up to the total", "00000000  \(row)*\n00000025\n", rowBytes + rowBytes + "6162636465"),
    ("a star between lines", "00000000  \(row)*\n00000020  41  |A|\n00000021\n", rowBytes + rowBytes + "41"),
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
  ].map { Case(name: $0.0, format: .hexdump, text: $0.1, expected: $0.2) }

  static func decimalText(_ count: Int) -> String {
    (0..<count).map { number in
      let digits = String(number)
      return String(repeating: "0", count: 8 - digits.count) + digits + ": 61  a\n"
    }.joined()
  }

  @Test(arguments: xxd + hexdump)
  func decodes(_ example: Case) {
    #expect(example.format.decode(example.text).summary == example.expected)
  }

  @Test("the output of xxd -e is named")
  func littleEndianIsNamed() {
    let errors = TextFormat.xxd.decode("00000000: 64636261  abcd\n").errors
    #expect(
      errors.first?.message
        == Message.textColumnDiffers(
          UInt8(ascii: "a"), hex: UInt8(ascii: "d"),
          cause: "the text was edited, or made with xxd -e or -b, which are not read"))
  }

  @Test("a text column that disagrees: both sides are named")
  func disagreementNamesBoth() {
    let message = TextFormat.xxd.decode("00000000: 6162  aB\n").errors.first?.message
    #expect(
      message
        == Message.textColumnDiffers(
          UInt8(ascii: "B"), hex: UInt8(ascii: "b"),
          cause: "the text was edited, or made with xxd -e or -b, which are not read"))
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
    let repeated = (1 << 30) - 16
    #expect(
      decoding.errors.first?.message
        == Message(
          "this * repeats \(repeated) bytes, which exceeds the limit of 100000 for the whole text: the "
            + "rest is skipped; raise --max-expansion"))
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
    for _ in 0..<40 { text += "00000000: 61  a\nffffffffffffff00: 62  b\n0fffffffffffff00: 63  c\n" }
    text += "123456789abcdef01: 64  d\n"
    let total = TextFormat.xxd.decode(text).gaps.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    #expect(total >= 0 && total <= 1 << 60)
  }
}
