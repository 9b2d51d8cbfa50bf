import Basics
import Foundation
import PacketCapture
import StreamInputs
import TestSupport
import Testing

/// Tokens are planted in forms that Foundation writes, and searched for by a plain reading of each byte.
@Suite("Search for tokens")
struct TokenSearchTests {
  private struct Hit: Hashable, CustomStringConvertible {
    var offset: Int
    var length: Int
    var token: String
    var form: String

    var description: String { "\(offset)+\(length) \(form) \(token.prefix(8))" }
  }

  private final class Log: SearchLog {
    let tokens: SearchedTokens
    var hits: [Hit] = []
    var errors: [InputError] = []

    init(_ tokens: SearchedTokens) { self.tokens = tokens }

    func found(_ hits: [SearchHit], in source: String, encoding: String?) {
      self.hits += hits.map {
        Hit(
          offset: $0.offset, length: $0.length, token: tokens.text($0.token).digits,
          form: $0.spelling.rawValue)
      }
    }

    func read(_ input: Input, _ errors: [InputError]) { self.errors += errors }
    func skipped(_ input: Input, _ reason: Message) {}
    func searchedAsStored(_ input: Input, _ kind: Message) {}
    func progress(_ done: Int) {}
  }

  private func search(_ bytes: [UInt8], for texts: [String]) throws -> [Hit] {
    let tokens = try SearchedTokens(texts.map { try SearchedToken($0.utf8) })
    let log = Log(tokens)
    let files = TemporaryFiles()
    let input = Input(try files.write(bytes))
    _ = try InputSearch(TokenMatcher(tokens), limits: ReadingOptions().archives, log: log).search(input)
    #expect(log.errors == [])
    return log.hits
  }

  // MARK: - A plain reading

  private static let base64Digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func bits(_ values: [Int], _ width: Int) -> [Bool] {
    values.flatMap { value in (0..<width).map { value >> (width - 1 - $0) & 1 == 1 } }
  }

  /// The hits at `offset`, in the order of forms.
  private func plainHits(of token: String, in bytes: ArraySlice<UInt8>, at offset: Int) -> [Hit] {
    let digits = token.compactMap(\.hexDigitValue)
    let wanted = Self.bits(digits, 4)
    var hits: [Hit] = []
    func add(_ length: Int, _ form: String) {
      hits.append(Hit(offset: offset, length: length, token: token, form: form))
    }
    let width = (digits.count + 1) / 2
    if bytes.count >= width, Self.bits(bytes.prefix(width).map { Int($0) }, 8).starts(with: wanted) {
      add(width, "bytes")
    }
    // As text, in which one space may follow each eight digits.
    var (read, length, isAfterSpace) = (0, 0, true)
    for byte in bytes where read < digits.count {
      if byte == UInt8(ascii: " "), !isAfterSpace, read % 8 == 0 {
        (length, isAfterSpace) = (length + 1, true)
      } else if Character(Unicode.Scalar(byte)).hexDigitValue == digits[read], byte < 0x80 {
        (read, length, isAfterSpace) = (read + 1, length + 1, false)
      } else {
        break
      }
    }
    if read == digits.count { add(length, length > read ? "description" : "hex") }
    for before in 0..<3 {
      let count = (8 * before + wanted.count + 5) / 6 - 8 * before / 6
      let text = bytes.prefix(count).map { byte in
        Self.base64Digits.firstIndex(of: byte == 0x2d ? 0x2b : byte == 0x5f ? 0x2f : byte) ?? -1
      }
      let foreign = 8 * before % 6
      if text.count == count, !text.contains(-1),
        Self.bits(text, 6).dropFirst(foreign).starts(with: wanted)
      {
        add(count, "base64")
      }
    }
    return hits
  }

  private func plainHits(of tokens: [String], in bytes: [UInt8]) -> Set<Hit> {
    Set(
      bytes.indices.flatMap { offset in
        tokens.flatMap { plainHits(of: $0, in: bytes[offset...], at: offset) }
      })
  }

  // MARK: - Planted forms

  private static func groups(_ text: String) -> String {
    stride(from: 0, to: text.count, by: 8).map { String(text.dropFirst($0).prefix(8)) }
      .joined(separator: " ")
  }

  private static func spelt(_ token: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    let hex = TestHex.text(token)
    let mixed = String(hex.map { generator.chance(2) ? Character($0.uppercased()) : $0 })
    let around = generator.bytes(generator.pick(0...4)) + token + generator.bytes(generator.pick(0...4))
    let base64 = Data(around).base64EncodedString()
    let ofURLs = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    let text = generator.pick([
      hex, hex.uppercased(), mixed, "<\(groups(hex))>", groups(mixed), base64, ofURLs,
      Data(token).base64EncodedString(),
    ])
    return generator.chance(5) ? token : Array(text.utf8)
  }

  /// Bytes of one kind, in which a token may be found only by a mistake.
  private static func noise(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let alphabet = generator.pick([
      Array(0...255), Array("0123456789abcdef".utf8), Array("0123456789ABCDEF \n<>".utf8), base64Digits, [0],
    ])
    return (0..<count).map { _ in generator.pick(alphabet) }
  }

  @Test("all forms at all offsets, as a plain reading finds them", arguments: 0..<200)
  func forms(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let tokens = [32, 32, 16, 100].map { generator.bytes($0) }
    // Prefixes, one of them of a token that is searched for, and a token that is the beginning of another.
    let lengths = [8, 9, 11, 16, 31, 33]
    var texts = tokens.map { TestHex.text($0) }
    texts += lengths.map { String(TestHex.text(tokens[generator.pick(0...1)]).prefix($0)) }
    texts.append(String(TestHex.text(tokens[3]).prefix(40)))
    var bytes: [UInt8] = []
    for _ in 0..<12 {
      bytes += Self.noise(generator.pick(0...40), &generator)
      let spelt = Self.spelt(generator.pick(tokens), &generator)
      // Some are cut, or have a wrong byte.
      bytes += generator.chance(4) ? Array(spelt.prefix(generator.pick(0...spelt.count))) : spelt
      if generator.chance(4) { bytes[generator.pick(0...bytes.count - 1)] ^= 1 }
    }
    let expected = plainHits(of: Array(Set(texts)), in: bytes)
    let found = try search(bytes, for: texts)
    #expect(Set(found) == expected)
    #expect(found.count == expected.count && found.map(\.offset) == found.map(\.offset).sorted())
  }

  @Test("tokens that the ends of blocks cut", arguments: 0..<4)
  func blocks(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let token = generator.bytes(32)
    let hex = TestHex.text(token)
    let forms: [(form: String, text: [UInt8])] = [
      ("bytes", token), ("hex", Array(hex.utf8)), ("description", Array(Self.groups(hex).utf8)),
      ("base64", Array(Data(token).base64EncodedString().utf8)),
    ]
    var bytes: [UInt8] = []
    var expected: [Hit] = []
    while bytes.count < 600_000 {
      let (form, text) = generator.pick(forms)
      // The last of 44 characters is padding.
      let length = form == "base64" ? 43 : text.count
      expected.append(Hit(offset: bytes.count, length: length, token: hex, form: form))
      bytes += text + generator.bytes(generator.pick(1...9)).map { 0x80 | $0 }
    }
    #expect(try search(bytes, for: [hex]) == expected)
    let prefix = String(hex.prefix(8))
    #expect(try search(bytes, for: [prefix]).map(\.offset) == expected.map(\.offset))
  }

  @Test("the same digits over and over are found at every offset")
  func repeated() throws {
    // Bytes that are no text, hex digits, other text, and letters of base64.
    for byte in [0x00, 0x20, 0x33, 0x3e, 0x41, 0x5a, 0xff] as [UInt8] {
      let digits = String(repeating: TestHex.text([byte]), count: 32)
      let bytes = [UInt8](repeating: byte, count: 100)
      let found = try search(bytes, for: [String(digits.prefix(8)), digits]).filter { $0.form == "bytes" }
      #expect(found.filter { $0.token.count == 8 }.map(\.offset) == Array(0...96))
      #expect(found.filter { $0.token.count == 64 }.map(\.offset) == Array(0...68))
    }
  }

  @Test("many tokens with the same beginning")
  func alike() throws {
    let beginning = [UInt8](repeating: 0xab, count: 20)
    let tokens = (0..<3000).map { beginning + [UInt8($0 >> 8), UInt8($0 & 0xff)] + beginning.prefix(10) }
    let chosen = [17, 2999, 255]
    let bytes = chosen.flatMap { [7] + tokens[$0] } + beginning
    let found = try search(bytes, for: tokens.map { TestHex.text($0) })
    #expect(found.map(\.token) == chosen.map { TestHex.text(tokens[$0]) })
  }

  @Test(
    "texts that are no token, and the column of the first wrong byte",
    arguments: [
      ("740f470", 1), ("  740f470", 3), ("", 1), ("740f4707g1", 9), ("<740f4707 bebcf7x", 17), ("hello", 1),
      (String(repeating: "a", count: 1025), 1), ("AQIDBA==", 2),
    ])
  func wrong(_ text: String, _ column: Int) throws {
    let error = #expect(throws: InputError.self) { try SearchedToken(text.utf8) }
    #expect(error?.column == column, "\(text): \(String(describing: error?.message))")
  }

  @Test(
    "forms of one token",
    arguments: [
      "740f4707bebcf74f", "740F4707BEBCF74F", " 740f4707bebcf74f\t", "<740f4707 bebcf74f>",
      "0x740f4707bebcf74f",
      #"\x740f4707bebcf74f"#,
    ])
  func accepted(_ text: String) throws {
    let token = try SearchedToken(text.utf8)
    #expect(SearchedTokens([token, token]).count == 1)
    #expect(SearchedTokens([token]).text(0).digits == "740f4707bebcf74f")
    #expect(!SearchedTokens([token]).text(0).isWhole)
  }
}
