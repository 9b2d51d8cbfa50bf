import Basics
import PacketCapture
import StreamInputs
import Testing
import Wording

@Suite("Plain hex")
struct PlainHexDecoderTests {
  /// Expected: bytes as hex, gaps as `<length>`, errors as `!line:column`.
  static let cases: [TextCase] = [
    TextCase(name: "digits of either case", text: "00fFaB9c\n", expected: "00ffab9c"),
    TextCase(name: "empty", text: "", expected: ""),
    TextCase(name: "blanks and tabs between bytes", text: " 01\t02  03 \n", expected: "010203"),
    TextCase(name: "groups of any even length", text: "0102 030405 06\n", expected: "010203040506"),
    TextCase(name: "line ends with carriage returns", text: "0102\r\n0304\r\n", expected: "01020304"),
    TextCase(name: "a byte order mark", text: "\u{feff}0102", expected: "0102"),
    TextCase(name: "0x before groups, as MySQL prints", text: "0xAB01 0x02\n0X03", expected: "ab010203"),
    TextCase(name: "\\x before groups, as PostgreSQL prints", text: "\\xab01\n\\x02\n", expected: "ab0102"),
    TextCase(name: "\\x before every byte", text: "\\xab\\x01\\x02", expected: "ab0102"),
    TextCase(name: "an empty value of PostgreSQL", text: "\\x\n\\x01\n", expected: "01"),
    TextCase(name: "wrapped at an odd width", text: "012\n345\n67\n", expected: "01234567"),
    TextCase(name: "wrapped at an odd width, CRLF", text: "012\r\n345\r\n67", expected: "01234567"),
    TextCase(name: "0x within a group is damage", text: "aa0x12", expected: "aa!1:4<1>12"),
    TextCase(name: "a lone digit before a blank", text: "01 2 03", expected: "01!1:4<1>03"),
    TextCase(name: "a lone digit in a group", text: "01 023 04", expected: "0102!1:6<1>04"),
    TextCase(name: "a lone digit at a line end", text: "0102\n030\n0506\n", expected: "010203!2:3<1>0506"),
    TextCase(
      name: "a first line that lost a digit", text: "010\n0304\n0506\n07\n",
      expected: "01!1:3<1>03040506" + "07"),
    TextCase(
      name: "blanks separate even where lines do not", text: "012\n345\n6 7\n89a\nb",
      expected: "012345!3:1<1>789a!5:1"),
    TextCase(name: "cut in the middle of a byte", text: "0102\n030", expected: "010203!2:3"),
    TextCase(name: "cut, with a line end put after", text: "0102\n030\n", expected: "010203!2:3"),
    TextCase(name: "a bad first digit takes its partner along", text: "01g203", expected: "01!1:3<1>03"),
    TextCase(name: "a bad second digit", text: "010g03", expected: "01!1:4<1>03"),
    TextCase(name: "a run of bad characters", text: "01zzzz03", expected: "01!1:3<2>03"),
    TextCase(name: "an odd run of bad characters", text: "01zzz203", expected: "01!1:3<2>03"),
    TextCase(name: "a run up to a blank", text: "01 z 03", expected: "01!1:4<1>03"),
    TextCase(name: "a comma between bytes", text: "01, 02", expected: "01!1:3<1>02"),
    TextCase(name: "a bad character at the end", text: "01z", expected: "01!1:3<1>"),
    TextCase(name: "a backslash without x", text: "01\\02 03", expected: "01!1:3<1>" + "!1:5<1>03"),
    TextCase(name: "a backslash at the end", text: "01\\", expected: "01!1:3<1>"),
    TextCase(name: "a lone carriage return", text: "01\r02", expected: "01!1:3<1>!1:5"),
  ]

  @Test(arguments: cases)
  func decodes(_ example: TextCase) {
    #expect(TextFormat.hex.decode(example.text).summary == example.expected)
  }

  @Test("a fault names the character, its code and what to expect")
  func messageNamesTheCharacter() {
    let errors = TextFormat.hex.decode("01\n02 zz").errors
    #expect(errors.count == 1)
    #expect(errors.first?.message == Message.expectedHex(found: UInt8(ascii: "z")))
    #expect(errors.first?.fileOffset == 6)
    #expect(errors.first?.line == 2 && errors.first?.column == 4)
  }

  @Test("an unprintable character is named by its code alone")
  func unprintableCharacter() {
    let errors = TextFormat.hex.decode([0x30, 0x31, 0xc3, 0xa9]).errors
    #expect(errors.first?.message == Message.expectedHex(found: 0xc3))
  }

  @Test("faults beyond the twentieth are counted, and one reports their number")
  func errorsAreBounded() {
    let decoding = TextFormat.hex.decode(String(repeating: "zz ", count: 27))
    #expect(decoding.errors.count == 21)
    #expect(
      decoding.errors.last?.message
        == Message("\(Count.of(7, "further error")) in this text; check that its format is right (--from)"))
    #expect(decoding.gaps.count == 27)
  }

  @Test("evenly wrapped hex is one extent, however many lines")
  func evenTextIsOneStretch() {
    var decoder = TextFormat.hex.decoder()
    var output = DecodedText()
    let text = Array((String(repeating: "0123456789", count: 6) + "\n").utf8)
    for _ in 0..<300 { _ = decoder.read(text.span.bytes, from: 0, into: &output) }
    let isDone = decoder.finish(into: &output)
    #expect(isDone)
    #expect(
      output.extents == [
        "9000@0 2/30/61"
      ])
  }
}
