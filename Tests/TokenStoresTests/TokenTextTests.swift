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
    arguments: Fixtures.rows("hex of a store", in: "token-texts") as [String])
  func hexReadsAll(_ text: String) {
    for form in TokenForm.allCases where form != .base64 { #expect(form.bytes(of: text) == Self.token) }
  }

  /// Texts of RFC 4648, section 10, and further spellings of the same bytes.
  @Test("base64", arguments: Fixtures.rows("base64 of a store", in: "token-texts") as [(String, String)])
  func base64(_ text: String, _ bytes: String) {
    #expect(TokenForm.base64.bytes(of: text) == Array(bytes.utf8))
  }

  @Test(
    "what is no token",
    arguments: Fixtures.rows("no token of a store", in: "token-texts") as [(String, String)])
  func refused(_ name: String, _ text: String) throws {
    #expect(try #require(TokenForm(rawValue: name)).bytes(of: text) == nil)
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
