import Basics
import StreamInputs
import TestSupport
import Testing

@Suite("Text recognised by its content")
struct TextProbeTests {
  static let token = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"
  static let tuple = "518096100020" + token

  /// With TUPLE and TOKEN for those above.
  @Test(arguments: Fixtures.rows("recognised", in: "text-dumps") as [(String, String, TextFormat?)])
  func recognises(_ name: String, _ text: String, _ expected: TextFormat?) {
    let text = text.replacing("TUPLE", with: Self.tuple).replacing("TOKEN", with: Self.token)
    #expect(TextFormat.recognised(Array(text.utf8)) == expected)
  }

  @Test("binary data are no text")
  func binary() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      #expect(TextFormat.recognised(generator.bytes(200)) == nil)
    }
    let tuples = Hex.bytes(String(repeating: Self.tuple, count: 20)) ?? []
    #expect(TextFormat.recognised(tuples) == nil)
    #expect(TextFormat.recognised(Array(Self.tuple.utf8) + [0]) == nil)
  }

  @Test("a head that is cut anywhere is recognised", arguments: TextFormat.allCases)
  func cutHeads(_ format: TextFormat) {
    let text = TextDecoderLawTests.text(of: dumpedBytes(), as: format)
    for length in 200..<700 {
      #expect(TextFormat.recognised(Array(text.prefix(length)), isWhole: false) == format, "cut at \(length)")
    }
  }
}
