import PacketCapture
import StreamInputs
import Testing

@Suite("Base64")
struct Base64DecoderTests {
  /// Expected: bytes as hex, gaps as `<length>`, errors as `!line:column`. The plain ones are RFC 4648's.
  static let cases: [TextCase] = [
    TextCase(name: "empty", text: "", expected: ""),
    TextCase(name: "f", text: "Zg==", expected: "66"),
    TextCase(name: "fo", text: "Zm8=", expected: "666f"),
    TextCase(name: "foo", text: "Zm9v\n", expected: "666f6f"),
    TextCase(name: "foobar", text: "Zm9vYmFy\r\n", expected: "666f6f626172"),
    TextCase(name: "white space anywhere", text: " Z\nm9 v\tYm\r\nFy", expected: "666f6f626172"),
    TextCase(name: "the last two characters", text: "//++", expected: "ffffbe"),
    TextCase(name: "URL-safe", text: "__--", expected: "ffffbe"),
    TextCase(name: "URL-safe without padding", text: "__--Zg", expected: "ffffbe66"),
    TextCase(name: "successive texts", text: "Zg==Zm8=\nZm9v", expected: "66666f666f6f"),
    TextCase(name: "bits after the last byte", text: "Zh==", expected: "66"),
    TextCase(name: "a byte order mark", text: "\u{feff}Zm9v", expected: "666f6f"),
    TextCase(name: "padding in the next line", text: "Zg=\n=Zm9v", expected: "66666f6f"),
    TextCase(name: "cut to one character", text: "Zm9vY", expected: "666f6f!1:6"),
    TextCase(name: "cut to two characters", text: "Zm9vYm", expected: "666f6f!1:7" + "62"),
    TextCase(name: "cut to three characters", text: "Zm9vYmF\n", expected: "666f6f!1:8" + "6261"),
    TextCase(name: "cut within padding", text: "Zg=", expected: "!1:4" + "66"),
    TextCase(name: "URL-safe cut to one character", text: "__--Y", expected: "ffffbe!1:6"),
    TextCase(name: "a bad character", text: "Zm9vY!FyZm9v", expected: "666f6f!1:6<3>666f6f"),
    TextCase(name: "two bad characters in a group", text: "Z!!vZm9v", expected: "!1:2<3>666f6f"),
    TextCase(name: "a bad character in the last group", text: "Zm9vY!", expected: "666f6f!1:6<3>"),
    TextCase(name: "padding at the start of a group", text: "Zm9v=AAAZm9v", expected: "666f6f!1:5<3>666f6f"),
    TextCase(name: "a character after padding", text: "Zm=vZm9v", expected: "!1:4<3>666f6f"),
    TextCase(
      name: "a line that lost a character", text: "Zm9vYmFy\nZm9vYmF\nZm9vYmFy\nZm9vYmFy\nZm9v",
      expected: "666f6f626172" + "666f6f!2:8<3>" + "666f6f626172666f6f626172666f6f"),
  ]

  @Test(arguments: cases)
  func decodes(_ example: TextCase) {
    #expect(TextFormat.base64.decode(example.text).summary == example.expected)
  }

  @Test("byte i of a group is at its character i")
  func positions() {
    #expect(TextFormat.base64.decode("Zm9v\nYm Fy").positions == [0, 1, 2, 5, 6, 8])
  }

  @Test("a line is one extent")
  func lineIsOneStretch() {
    var decoder = TextFormat.base64.decoder()
    var output = DecodedText()
    let text = Array((String(repeating: "Zm9v", count: 19) + "\n").utf8)
    _ = decoder.read(text.span.bytes, from: 0, into: &output)
    let isDone = decoder.finish(into: &output)
    #expect(isDone)
    #expect(
      output.extents == [
        "57@0 1/3/4"
      ])
  }
}
