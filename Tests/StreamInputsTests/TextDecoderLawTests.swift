import Basics
import StreamInputs
import TestSupport
import Testing

/// Laws of all text decoders.
@Suite("Laws of the text decoders")
struct TextDecoderLawTests {
  /// A dump of `bytes`, written by the tests themselves so that no tool is needed.
  static func text(of bytes: [UInt8], as format: TextFormat) -> [UInt8] {
    let layouts: [TextFormat: DumpText] = [.base64: .base64, .xxd: .xxd, .hexdump: .hexdump]
    return layouts[format, default: .wrappedHex].text(of: bytes).text
  }

  /// Replaces about one byte in `every`.
  static func damaged(_ text: [UInt8], every: Int, using generator: inout SeededGenerator) -> [UInt8] {
    let others = Array("0f=|*: \n\r\\xgZ-\u{e9}".utf8) + [0, 0xff]
    return text.map { byte in
      Int.random(in: 0..<every, using: &generator) == 0
        ? others.randomElement(using: &generator) ?? byte : byte
    }
  }

  @Test("a whole text gives the bytes it was made of", arguments: TextFormat.allCases)
  func roundTrip(_ format: TextFormat) {
    let bytes = dumpedBytes()
    let decoding = format.decode(Self.text(of: bytes, as: format))
    #expect(decoding.bytes == bytes)
    #expect(decoding.errors.isEmpty && decoding.gaps.isEmpty)
  }

  @Test("how the text was cut into blocks never shows", arguments: TextFormat.allCases, [true, false])
  func chunkLaw(_ format: TextFormat, isDamaged: Bool) {
    var generator = SeededGenerator(seed: 7)
    var text = Self.text(of: Array(dumpedBytes().prefix(1400)), as: format)
    if isDamaged { text = Self.damaged(text, every: 300, using: &generator) }
    let whole = format.decode(text)
    for size in 1...80 {
      #expect(format.decode(text, blockSize: { size }) == whole, "blocks of \(size)")
    }
    for _ in 0..<40 {
      let random = format.decode(text) { Int.random(in: 1...500, using: &generator) }
      #expect(random == whole)
    }
  }

  @Test("the law holds if the output repeatedly becomes full", arguments: TextFormat.allCases)
  func chunkLawOfLongTexts(_ format: TextFormat) {
    var generator = SeededGenerator(seed: 8)
    let bytes = generator.bytes(20_000) + [UInt8](repeating: 9, count: 70_000) + generator.bytes(10_000)
    let text = Self.damaged(Self.text(of: bytes, as: format), every: 9_000, using: &generator)
    let whole = format.decode(text, blockSize: { text.count })
    for size in [1, 4096, 65_536] {
      #expect(format.decode(text, blockSize: { size }) == whole, "blocks of \(size)")
    }
    let random = format.decode(text) { Int.random(in: 1...9000, using: &generator) }
    #expect(random == whole)
  }

  @Test(
    "the digits of every byte are at its position", arguments: [TextFormat.hex, .xxd, .hexdump])
  func positionsOfHex(_ format: TextFormat) {
    let text = Self.text(of: dumpedBytes(), as: format)
    for case .byte(let byte, let position) in format.decode(text).events where text[position] != 0x2a {
      #expect(Hex.bytes(String(decoding: text[position...(position + 1)], as: UTF8.self)) == [byte])
    }
  }

  @Test("byte i of a base64 group is at its character i")
  func positionsOfBase64() {
    let text = Self.text(of: dumpedBytes(), as: .base64)
    let characters = text.indices.filter { text[$0] != 0x0a }
    let expected = (0..<dumpedBytes().count).map { characters[$0 / 3 * 4 + $0 % 3] }
    #expect(TextFormat.base64.decode(text).positions == expected)
  }

  @Test(
    "a text truncated anywhere gives a prefix, and a fault if the cut is visible",
    arguments: TextFormat.allCases)
  func truncation(_ format: TextFormat) {
    let bytes: [UInt8] =
      Array(dumpedBytes().prefix(40)) + [UInt8](repeating: 0, count: 100) + [1, 2, 3, 4, 5, 6, 7]
    let text = Self.text(of: bytes, as: format)
    for length in 0..<text.count {
      let decoding = format.decode(Array(text.prefix(length)))
      #expect(bytes.starts(with: decoding.bytes), "cut at \(length)")
      #expect(decoding.gaps.isEmpty, "cut at \(length)")
      if decoding.bytes.count < bytes.count, !Self.isInvisible(text, cutAt: length, format) {
        #expect(!decoding.errors.isEmpty, "cut at \(length)")
      }
    }
  }

  /// Whether a text that ends at `length` is whole in itself: between bytes, groups or lines.
  private static func isInvisible(_ text: [UInt8], cutAt length: Int, _ format: TextFormat) -> Bool {
    let characters = text.prefix(length).count { $0 != 0x0a }
    return switch format {
    case .hex: characters % 2 == 0
    case .base64: characters % 4 == 0
    case .xxd:
      length == 0 || (text[length - 1] == 0x0a && text[length - 2] != 0x2a)
        || text[length] == 0x0a && text[length - 1] != 0x2a
    case .hexdump: length == 0
    }
  }

  @Test(
    "single damaged characters: it ends, bytes are accounted for, nothing grows",
    arguments: TextFormat.allCases)
  func corruption(_ format: TextFormat) {
    var generator = SeededGenerator(seed: 3)
    let bytes = Array(dumpedBytes().prefix(60)) + [UInt8](repeating: 0, count: 80) + [1, 2, 3]
    let text = Self.text(of: bytes, as: format)
    for index in text.indices {
      for byte in [0x00, 0x20, 0x0a, 0x2a, 0x30, 0x3d, 0x7c, UInt8.random(in: 0...255, using: &generator)] {
        var damaged = text
        damaged[index] = byte
        let decoding = format.decode(damaged, maxExpansion: 1 << 16)
        #expect(decoding.bytes.count <= text.count + 1 << 16)
        #expect(damaged == text || decoding.bytes == bytes || isTold(decoding, format, byte))
      }
    }
  }

  /// Whether damage that changed the bytes shows; a digit for a digit cannot, where nothing checks it.
  private func isTold(_ decoding: Decoding, _ format: TextFormat, _ byte: UInt8) -> Bool {
    if !decoding.errors.isEmpty || !decoding.gaps.isEmpty { return true }
    return switch format {
    case .hex: Hex.value(ofDigit: byte) != nil
    case .base64: true
    case .xxd, .hexdump: byte == 0x2a || Hex.value(ofDigit: byte) != nil
    }
  }

  @Test("any noise is read to its end", arguments: TextFormat.allCases)
  func noise(_ format: TextFormat) {
    var generator = SeededGenerator(seed: 5)
    let alphabet = Array("0123456789abcdef:|* \n\r\\x=Zz-_".utf8)
    for _ in 0..<300 {
      let length = Int.random(in: 0..<400, using: &generator)
      let text = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      let decoding = format.decode(text, maxExpansion: 1 << 16)
      #expect(decoding == format.decode(text, maxExpansion: 1 << 16, blockSize: { 3 }))
    }
  }
}
