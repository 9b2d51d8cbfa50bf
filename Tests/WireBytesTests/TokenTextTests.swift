import Basics
import TestSupport
import Testing

@Suite("Tokens in every form")
struct TokenTextTests {
  /// SHA-256 of "1/0".
  private static let digits = "18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0"
  private static let token = Hex.bytes(digits) ?? []

  @Test(
    "one token in every form", arguments: Fixtures.rows("one token", in: "token-texts") as [(String, String)])
  func reads(_ form: String, _ text: String) {
    #expect(TokenText.bytes(text) == Self.token)
  }

  @Test("what is no token", arguments: Fixtures.rows("no token", in: "token-texts") as [(String, String)])
  func refuses(_ reason: String, _ text: String) {
    #expect(TokenText.bytes(text) == nil)
  }

  @Test("100 bytes are the most of base64, and two changes of case the fewest")
  func limits() {
    #expect(TokenText.bytes(String(repeating: "GNbh", count: 33) + "GA==")?.count == 100)
    #expect(TokenText.bytes("A" + String(repeating: "c", count: 42)) == nil)
    #expect(TokenText.bytes("aB" + String(repeating: "c", count: 41))?.count == 32)
  }

  /// The forms of random bytes.
  private func spellings(_ bytes: [UInt8]) -> [String] {
    let pairs = bytes.map { Hex.string([$0]) }
    let digits = pairs.joined()
    let base64 = bytes.count >= 32 ? [Base64.text(of: bytes)] : []
    return base64 + base64.map { $0.filter { $0 != "=" } }
      + [
        digits, digits.uppercased(), pairs.joined(separator: " "), "<\(digits)>", "\\x\(digits)",
        "0x\(digits)",
        "X'\(digits)'", "%3C\(pairs.joined(separator: "%20"))%3E",
      ]
  }

  @Test("random bytes of any length in every form decode to themselves, in the room that is documented")
  func everyForm() {
    var generator = SeededGenerator(seed: 11)
    for length in 1...100 {
      let bytes = generator.bytes(length)
      for text in spellings(bytes) {
        let room = text.utf8.count * 3 / 4
        var target = [UInt8](repeating: 0x2e, count: room + 1)
        let input = Array(text.utf8)
        let count = input.withUnsafeBytes { input in
          target.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.flatMap { TokenText.decode(input, to: $0) }
          }
        }
        #expect(count.map { Array(target[..<$0]) } == bytes, "\(text)")
        #expect(target[room] == 0x2e)
      }
    }
  }

  private static let words = [
    "token", "device", "mail", "push", "invalid", "unregistered", "iPhone", "Feedback", "service", "of",
    "the", "example", "production", "sandbox", "NULL", "none", "row", "2013", "0815", "x", "user_id",
  ]

  @Test("words never decode", arguments: [" ", "-", "_", ""])
  func words(_ separator: String) {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<2000 {
      let words = (0..<generator.pick(1...20)).map { _ in generator.pick(Self.words) } + ["user"]
      let text = words.joined(separator: separator).lowercased()
      #expect(TokenText.bytes(text) == nil, "\(text)")
    }
  }

  @Test("no bytes end the process")
  func anyBytes() {
    var generator = SeededGenerator(seed: 13)
    let alphabet = Array("0aFx<>%23CE'X\\ +=-_Gg\n\u{ff}".utf8)
    for _ in 0..<20_000 {
      let text = (0..<generator.pick(0...60)).map { _ in generator.pick(alphabet) }
      var bytes: [UInt8] = []
      let isToken = text.withUnsafeBytes { bytes.replace(with: $0, by: TokenText.decode) }
      #expect(isToken != bytes.isEmpty)
    }
  }
}
