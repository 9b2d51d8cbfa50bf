import Basics
import TestSupport
import Testing

@Suite("Tokens in every form")
struct TokenTextTests {
  /// SHA-256 of "1/0".
  private static let digits = "18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0"
  private static let token = Hex.bytes(digits) ?? []
  private static let groups = "18d6e1ca c2a8adaf 25577cca 14db7753 507f4f03 a288124c e9fe2d60 babd7bb0"
  private static let base64 = "GNbhysKora8lV3zKFNt3U1B/TwOiiBJM6f4tYLq9e7A="

  static let forms: [(form: String, text: String)] = [
    ("hex", digits),
    ("upper case", digits.uppercased()),
    ("groups", groups),
    ("bytes", token.map { Hex.string([$0]) }.joined(separator: " ")),
    ("two lines", "18d6e1cac2a8adaf25577cca14db7753\r\n507f4f03a288124ce9fe2d60babd7bb0\n"),
    ("blanks around", " \t\(digits) "),
    ("NSData", "<\(groups)>"),
    ("NSData without blanks", "<\(digits)>"),
    ("NSData with blanks around", " < \(groups) > "),
    ("bytea", "\\x\(digits)"),
    ("bytea in COPY's text form", "\\\\x\(digits)"),
    ("MySQL, SQL Server", "0x\(digits.uppercased())"),
    ("0X", "0X\(digits)"),
    ("SQL dump", "X'\(digits.uppercased())'"),
    ("SQLite dump", "x'\(digits)'"),
    ("NSData in a URL", "%3C\(groups.split(separator: " ").joined(separator: "%20"))%3E"),
    ("NSData in a form of a page", "%3c\(groups.split(separator: " ").joined(separator: "+"))%3e"),
    ("base64", base64),
    ("base64 without padding", String(base64.dropLast())),
    ("base64url", "GNbhysKora8lV3zKFNt3U1B_TwOiiBJM6f4tYLq9e7A"),
    ("base64 with blanks around", " \(base64)\r\n"),
  ]

  @Test("one token in every form", arguments: forms)
  func reads(_ form: String, _ text: String) {
    #expect(TokenText.bytes(text) == Self.token)
  }

  static let others: [(reason: String, text: String)] = [
    ("empty", ""), ("blanks", " \t\n"), ("empty NSData", "<>"), ("no digits", "\\x"), ("0x alone", "0x"),
    ("odd", String(digits.dropLast())), ("odd in NSData", "<\(digits.dropLast())>"), ("odd group", "abc d"),
    ("opened only", "<\(digits)"), ("closed only", "\(digits)>"), ("X without quote", "X'\(digits)"),
    ("no digit", "\(digits.dropLast())g"), ("dashes", "18-d6-e1-ca"), ("two forms", "0x<\(digits)>"),
    ("full width digits", "ａｂ"),
    ("cut by a newer NSData", "{length = 32, bytes = 0x18d6e1ca c2a8 ... 7bb0 }"),
    ("31 bytes in base64", "GNbhysKora8lV3zKFNt3U1B/TwOiiBJM6f4tYLq9ew=="),
    ("101 bytes in base64", String(repeating: "GNbh", count: 33) + "GNY="),
    ("truncated base64", String(base64.dropLast(3))), ("wrong padding", base64 + "="),
    ("base64 with a blank", "GNbhysKora8lV3zK FNt3U1B/TwOiiBJM6f4tYLq9e7A="),
    ("FCM", "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1"),
    ("GCM", "APA91b" + String(repeating: "Gx7_kQ-2", count: 17) + "aa"),
    ("UUID", "550e8400-e29b-41d4-a716-446655440000"),
    ("UUID with a prefix", "device-550E8400-E29B-41D4-A716-446655440000"),
    ("a long name", "com-example-mail-service-token-of-the-device"),
  ]

  @Test("what is no token", arguments: others)
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
