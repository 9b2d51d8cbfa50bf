import Basics
import StreamInputs
import TestSupport
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

  private static let row = "61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n"
  private static let rowBytes = "6162636465666768696a6b6c6d6e6f70"

  /// The plain texts of base64 are RFC 4648's. In the file, ROW is the row above, BYTES its bytes, and LONG a long word.
  private static let cases = [TextFormat.base64, .hex, .xxd, .hexdump].flatMap { format in
    let rows: [(String, String, String)] = Fixtures.rows(format.rawValue, in: "text-dumps")
    return rows.map { name, text, expected in
      let whole = text.replacing("ROW", with: row).replacing(
        "LONG", with: String(repeating: "z", count: 5000))
      return Case(
        format: format, name: name, text: whole, expected: expected.replacing("BYTES", with: rowBytes))
    }
  }

  @Test(arguments: cases)
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
