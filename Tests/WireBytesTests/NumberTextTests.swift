import Basics
import TestSupport
import Testing

@Suite("Numbers and bytes as text")
struct NumberTextTests {
  /// The digits that are written between full stops.
  private func decimal(_ number: UInt64) -> String {
    let (width, range) = Decimal.width(of: number)
    #expect(range.contains(number))
    var bytes = [UInt8](repeating: 0x2e, count: width + 2)
    bytes.withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { Decimal.shared.write(number, width: width, to: start + 1) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("decimal digits, at every power of ten and next to it")
  func decimals() {
    let powers = sequence(first: UInt64(1)) { $0 <= .max / 10 ? 10 * $0 : nil }
    var generator = SeededGenerator(seed: 2)
    var numbers = Array(0..<1100) + [.max, .max - 1, UInt64(UInt32.max)]
    numbers += powers.flatMap { [$0 - 1, $0, $0 + 1] }
    for shift in 0..<64 { numbers.append(generator.next() >> UInt64(shift)) }
    for number in numbers { #expect(decimal(number) == ".\(number).") }
  }

  @Test("hex digits of 0 to 100 bytes, at any index, in both cases")
  func hex() {
    var generator = SeededGenerator(seed: 3)
    for count in 0...100 {
      let source = generator.bytes(count + 5)
      let digits = source[3..<(3 + count)].map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
      for (letterCase, expected) in [(Hex.LetterCase.lower, digits), (.upper, digits.uppercased())] {
        var target = [UInt8](repeating: 0x2e, count: 2 * count + 4)
        target.withUnsafeMutableBytes { buffer in
          guard let start = buffer.baseAddress else { return }
          Hex.encode(source.span.bytes, from: 3, count: count, to: start + 2, letterCase: letterCase)
        }
        #expect(String(decoding: target, as: UTF8.self) == "..\(expected)..")
        #expect(Hex.string(source[3..<(3 + count)], letterCase: letterCase) == expected)
        #expect(Hex.bytes(expected) == Array(source[3..<(3 + count)]))
      }
    }
  }

  @Test("hex digits of every byte")
  func everyByte() {
    let all = Array(UInt8.min...UInt8.max)
    let expected = all.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(Hex.string(all) == expected)
    for byte in all {
      let character = Character(Unicode.Scalar(byte))
      #expect(Hex.value(ofDigit: byte).map(Int.init) == (byte < 0x80 ? character.hexDigitValue : nil))
    }
  }

  @Test("invalid hex", arguments: ["0", "abc", "0g", "0x", " 00", "00 ", "0-", "०0", "ａａ"])
  func noHex(_ text: String) {
    #expect(Hex.bytes(text) == nil)
  }

  @Test(
    "sizes as people write them", arguments: Fixtures.rows("sizes", in: "number-texts") as [(String, Int?)])
  func sizes(_ text: String, _ bytes: Int?) {
    #expect(ByteSize.parse(text) == bytes)
  }

  @Test(
    "sizes as reports say them",
    arguments: Fixtures.rows("texts of sizes", in: "number-texts") as [(Int, String)])
  func sizeTexts(_ bytes: Int, _ text: String) {
    #expect(ByteSize.text(bytes) == text)
  }

  @Test(
    "durations are in the two largest units",
    arguments: Fixtures.rows("texts of durations", in: "number-texts") as [(Int, String)])
  func durations(_ milliseconds: Int, _ text: String) {
    #expect(TimeSpan.text(milliseconds: milliseconds) == text)
  }

  @Test("big-endian integers at every offset")
  func bigEndian() {
    let bytes: [UInt8] = [0x80, 1, 2, 3, 0xff, 5, 6]
    let span = bytes.span.bytes
    for offset in 0...3 {
      let expected = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
      #expect(span.bigEndianUInt32(at: offset) == expected)
      #expect(span.uncheckedBigEndianUInt32(at: offset) == expected)
      #expect(span.bigEndianUInt16(at: offset) == UInt16(expected >> 16))
      #expect(span.uncheckedBigEndianUInt16(at: offset) == UInt16(expected >> 16))
      #expect(span.byte(at: offset) == bytes[offset] && span.uncheckedByte(at: offset) == bytes[offset])
    }
  }
}
