import Basics
import Foundation
import TestSupport
import Testing

@Suite("JSON or not, by RFC 8259")
struct JSONTextTests {
  /// Also with other bytes around it, which must not be read.
  private static func isValue(_ bytes: [UInt8]) -> Bool {
    let alone = JSONText.isValue(0..<bytes.count, in: bytes.span.bytes)
    let around = Array("[1,\"".utf8) + bytes + Array("1}\"]".utf8)
    let within = JSONText.isValue(4..<4 + bytes.count, in: around.span.bytes)
    #expect(alone == within)
    return alone
  }

  @Test(
    "valid values",
    arguments: [
      "{}", "[]", "null", "true", "false", "\"\"", "0", "-0", "10", "1.0", "-1.5e3", "1E+9", "1e-09", "0e0",
      "0.00", " \t\r\n{} \t\r\n", "[ ]", "{ }", "[1,2]", "[ 1 , 2 ]", "{\"a\":1}",
      "{ \"a\" : 1 , \"b\" : [ ] }", "{\"a\":1,\"a\":2}", "{\"\":{}}", "[[],{},[[]],null]",
      "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\"", "\"\\uaBcD\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"",
      "\"\\ude00\\ud83d\"", "\"\\u0000\"", "\"\u{7f}\"", "\"é€😀\"", "\"\u{feff}\"", "\"\u{2028}\"",
      "{\"aps\":{\"alert\":\"Hi\",\"badge\":1,\"sound\":\"default\"}}", "1e400",
      "123456789012345678901234567890", "[1,[2,[3,{\"a\":[4]}]],5]",
    ])
  func values(_ text: String) {
    #expect(Self.isValue(Array(text.utf8)))
  }

  @Test(
    "invalid values",
    arguments: [
      "", " ", "\n", "{", "}", "[", "]", "{}{}", "{},", "{}\0", "\0{}", "[1 2]", "[1,]", "[,1]", "[,]", "{,}",
      "{\"a\":1,}", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{a:1}", "{1:1}", "{'a':1}", "{\"a\":1]", "[1}",
      "[{]}", "{[]}", "[}", "{]", "01", "-", "+1", "-01", "1.", ".5", "1.e3", "1e", "1e+", "1E-", "0x10",
      "1_000", "--1", "1 2", "NaN", "Infinity", "-Infinity", "nul", "nulll", "True", "tru", "falsee",
      "truefalse", "\"", "\"a", "a\"", "'a'", "\"\\\"", "\"\\a\"", "\"\\x41\"", "\"\\u004\"", "\"\\u004g\"",
      "\"\\u\"", "\"\\", "\"\\u00", "\"\n\"", "\"\t\"", "\"\0\"", "\"\u{1f}\"", "\u{feff}{}", "{}\u{feff}",
      "\u{a0}{}", "\u{b}1", "\u{c}1", "// {}", "{} // a", "/**/{}", "\"a\" \"b\"", "[1,2", "[[1]",
      "{\"a\":{\"b\":1}", "[\"a\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[1,", "é",
    ])
  func others(_ text: String) {
    #expect(!Self.isValue(Array(text.utf8)))
  }

  @Test(
    "bytes in a string that are no UTF-8",
    arguments: [
      [0x80], [0xe9], [0xc0, 0x80], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
      [0xf0, 0x80, 0x80, 0x80], [0xff], [0xfe, 0xff], [0xe0, 0x80, 0x80],
    ] as [[UInt8]])
  func notUTF8(_ bytes: [UInt8]) {
    #expect(!Self.isValue([0x22] + bytes + [0x22]))
    #expect(!Self.isValue([0x22] + bytes))
    #expect(!Self.isValue(bytes + Array("{}".utf8)))
  }

  @Test("UTF-16 and UTF-32 are invalid")
  func wide() {
    for text in ["{}", "[1]", "1"] {
      for encoding in [
        String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
      ] {
        #expect(!Self.isValue(Array(text.data(using: encoding) ?? Data())))
      }
    }
  }

  /// A word has 64 levels: each boundary between words is crossed in both directions.
  @Test(
    "any depth, closed as it was opened",
    arguments: [1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 192, 193, 4096, 60_000])
  func depth(_ levels: Int) {
    var generator = SeededGenerator(seed: UInt64(levels))
    let shapes: [[Bool]] = [
      Array(repeating: false, count: levels), Array(repeating: true, count: levels),
      (0..<levels).map { $0 % 2 == 0 }, (0..<levels).map { _ in generator.chance(2) },
    ]
    for shape in shapes {
      let opening = shape.map { $0 ? "{\"a\":" : "[" }.joined()
      let closing = shape.reversed().map { $0 ? "}" : "]" }
      let text = opening + "1" + closing.joined()
      #expect(Self.isValue(Array(text.utf8)))
      #expect(!Self.isValue(Array(text.utf8.dropLast())))
      #expect(!Self.isValue(Array((text + closing[0]).utf8)))
      // Any wrong bracket is detected.
      let wrong = levels > 200 ? [0, 63, 64, levels - 1] : Array(0..<levels)
      for level in wrong {
        var closing = closing
        closing[level] = closing[level] == "]" ? "}" : "]"
        #expect(!Self.isValue(Array((opening + "1" + closing.joined()).utf8)))
      }
    }
  }

  @Test("an element after each closing bracket: the boundary between words is crossed many times")
  func seesaw() {
    for levels in [63, 64, 65, 127, 128, 129] {
      let inner = Array(repeating: "{\"b\":[]}", count: 50).joined(separator: ",")
      let opening = String(repeating: "[", count: levels)
      let closing = String(repeating: "]", count: levels)
      #expect(Self.isValue(Array((opening + inner + closing).utf8)))
      #expect(!Self.isValue(Array((opening + inner + ",{\"b\":[}]" + closing).utf8)))
      #expect(!Self.isValue(Array((opening + inner + closing.dropLast() + "}").utf8)))
    }
  }

  /// Texts for which Foundation is known to differ are excluded: it refuses half surrogate pairs and more than 512
  /// levels, reads UTF-16 and UTF-32, and skips a byte order mark.
  private static func isDisputed(_ text: [UInt8]) -> Bool {
    let text = String(decoding: text, as: UTF8.self)
    if text.contains("\0") || text.hasPrefix("\u{feff}") { return true }
    // It accepts a trailing comma, and refuses numbers outside the range of Double.
    return text.contains(/,[ \t\r\n]*[\]}]/) || text.contains(/[eE][+-]?[0-9]{3}/)
  }

  @Test("agrees with Foundation, on generated and damaged texts")
  func asFoundation() {
    var generator = SeededGenerator(seed: 8259)
    var valid = 0
    for _ in 0..<20_000 {
      var text = Self.draw(&generator, depth: 0)
      for _ in 0..<generator.pick([0, 1, 1, 2]) { Self.damage(&text, &generator) }
      if Self.isDisputed(text) { continue }
      let isJSON = (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
      #expect(Self.isValue(text) == isJSON, "\(String(decoding: text, as: UTF8.self))")
      valid += isJSON ? 1 : 0
    }
    #expect((5000...15_000).contains(valid))
  }

  private static func draw(_ generator: inout SeededGenerator, depth: Int) -> [UInt8] {
    let space = generator.pick(["", "", "", " ", "\n\t"])
    func parts(_ part: () -> [UInt8]) -> [UInt8] {
      Array((0..<generator.pick(0...4)).map { _ in part() }.joined(separator: [0x2c]))
    }
    let text: [UInt8]
    switch generator.pick(depth > 4 ? 0...4 : 0...8) {
    case 0: text = Array(generator.pick(["null", "true", "false"]).utf8)
    case 1, 2: text = number(&generator)
    case 3, 4: text = string(&generator)
    case 5, 6: text = [0x5b] + parts { draw(&generator, depth: depth + 1) } + [0x5d]
    default:
      text = [0x7b] + parts { string(&generator) + [0x3a] + draw(&generator, depth: depth + 1) } + [0x7d]
    }
    return Array(space.utf8) + text + Array(space.utf8)
  }

  private static func number(_ generator: inout SeededGenerator) -> [UInt8] {
    let sign = generator.pick(["", "", "-"])
    let whole = generator.pick(["0", "7", "10", "1234567"])
    let fraction = generator.pick(["", "", ".0", ".25"])
    return Array((sign + whole + fraction + generator.pick(["", "", "e1", "E+2", "e-07"])).utf8)
  }

  private static func string(_ generator: inout SeededGenerator) -> [UInt8] {
    let parts = ["a", "aps", " ", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\ud83d\\ude00"]
    return [0x22] + (0..<generator.pick(0...4)).flatMap { _ in Array(generator.pick(parts).utf8) } + [0x22]
  }

  /// Changes, removes or adds a byte; never within a surrogate pair, which would leave half of it.
  private static func damage(_ text: inout [UInt8], _ generator: inout SeededGenerator) {
    guard !text.isEmpty, !text.contains(UInt8(ascii: "\\")) else { return }
    let index = generator.pick(0...(text.count - 1))
    let byte = generator.pick(Array("{}[],:\" \\0-.eEtfn\u{1f}\u{7f}é".utf8) + [0xff, 0xc0])
    switch generator.pick(0...2) {
    case 0: text[index] = byte
    case 1: text.remove(at: index)
    default: text.insert(byte, at: index)
    }
  }
}
