import TestSupport
import Testing
import TokenStores

@Suite("Tokens as text")
struct TokenTextTests {
  private static let token: [UInt8] = [0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0xff]

  @Test(
    "what each form writes",
    arguments: [
      (TokenForm.bytes, "0a1b2c3d4eff"), (.hex, "0a1b2c3d4eff"), (.upperHex, "0A1B2C3D4EFF"),
      (.spacedHex, "0a1b2c3d 4eff"), (.bracketedHex, "<0a1b2c3d 4eff>"), (.base64, "ChssPU7/"),
    ])
  func writes(_ form: TokenForm, _ text: String) {
    #expect(form.text(of: Self.token.span.bytes) == text)
    #expect(form.bytes(of: text) == Self.token)
  }

  @Test(
    "every form of hex reads all others, as base64 does not",
    arguments: [
      "0A1b2C3d4Eff", "<0a1b2c3d 4eff>", "0a 1b 2c 3d 4e ff", " 0a1b2c3d4eff\t", "<0A1B2C3D4EFF>",
      "\\x0a1b2c3d4eff", "0x0A1B2C3D4EFF", "X'0a1b2c3d4eff'",
    ])
  func hexReadsAll(_ text: String) {
    for form in TokenForm.allCases where form != .base64 { #expect(form.bytes(of: text) == Self.token) }
  }

  /// Texts of RFC 4648, section 10, and further spellings of the same bytes.
  @Test(
    "base64",
    arguments: [
      ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
      ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"), ("Zm9v\r\nYmFy\n", "foobar"), ("Zg=\n=", "f"),
      ("Pz8/", "???"), ("Pz8_", "???"), ("Pj4+", ">>>"), ("Pj4-", ">>>"),
    ])
  func base64(_ text: String, _ bytes: String) {
    #expect(TokenForm.base64.bytes(of: text) == Array(bytes.utf8))
  }

  @Test(
    "what is no token",
    arguments: [
      (TokenForm.hex, ""), (.hex, "<>"), (.hex, " "), (.hex, "abc"), (.hex, "0x"), (.hex, "a b"),
      (.hex, "zz"), (.hex, "ab-cd"), (.hex, "ａｂ"), (.bytes, ""), (.base64, ""), (.base64, "Z"),
      (.base64, "Zm9vY"), (.base64, "Zg="),
      (.base64, "Zg==="), (.base64, "Zm9v="), (.base64, "Zg==Zg=="), (.base64, "Zh=="), (.base64, "Zm9"),
      (.base64, "Zm 9v"), (.base64, "===="), (.base64, "\n"), (.base64, "Zm9vé"),
    ])
  func refused(_ form: TokenForm, _ text: String) {
    #expect(form.bytes(of: text) == nil)
  }

  @Test("what a form writes it reads, tokens of every length", arguments: TokenForm.allCases)
  func readsWhatItWrites(_ form: TokenForm) {
    var generator = SeededGenerator(seed: 7)
    for length in 1...100 {
      let token = (0..<length).map { _ in UInt8(generator.pick(0...255)) }
      #expect(form.bytes(of: form.text(of: token.span.bytes)) == token)
    }
  }

  @Test("no text ends the process", arguments: TokenForm.allCases)
  func anyText(_ form: TokenForm) {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<2000 {
      let bytes = (0..<generator.pick(0...20)).map { _ in UInt8(generator.pick(0...255)) }
      if let token = form.bytes(of: String(decoding: bytes, as: UTF8.self)) { #expect(!token.isEmpty) }
    }
  }
}
