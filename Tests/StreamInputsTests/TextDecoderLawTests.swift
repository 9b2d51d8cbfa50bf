import Basics
import PacketCapture
import StreamInputs
import TestSupport
import Testing

/// Laws of all text decoders.
@Suite("Laws of the text decoders")
struct TextDecoderLawTests {
  /// A dump of `bytes`, written by the tests themselves so that no tool is needed.
  static func text(of bytes: [UInt8], as format: TextFormat) -> [UInt8] {
    switch format {
    case .hex: wrapped(Array(Hex.string(bytes).utf8), at: 60)
    case .base64: wrapped(base64(bytes), at: 76)
    case .xxd, .hexdump: Array(offsetText(of: bytes, isXxd: format == .xxd).utf8)
    }
  }

  private static func wrapped(_ text: [UInt8], at width: Int) -> [UInt8] {
    stride(from: 0, to: text.count, by: width).flatMap { text[$0..<min($0 + width, text.count)] + [0x0a] }
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return stride(from: 0, to: bytes.count, by: 3).flatMap { start in
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      let characters = (0...group.count).map { alphabet[bits >> (18 - 6 * $0) & 63] }
      return characters + [UInt8](repeating: 0x3d, count: 3 - group.count)
    }
  }

  /// Lines of 16 bytes; a run of equal ones is a `*`, which both tools know in one form or another.
  private static func offsetText(of bytes: [UInt8], isXxd: Bool) -> String {
    func eightDigits(_ number: Int) -> String { String(String(number + 1 << 32, radix: 16).dropFirst()) }
    var text = ""
    var before: ArraySlice<UInt8> = []
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let row = bytes[start..<min(start + 16, bytes.count)]
      defer { before = row }
      if row.count == 16, before.elementsEqual(row), start + 16 < bytes.count {
        if !text.hasSuffix("*\n") { text += "*\n" }
        continue
      }
      let shown = String(row.map { (0x20...0x7e).contains($0) ? Character(Unicode.Scalar($0)) : "." })
      let pairs = row.map { Hex.string([$0]) }
      if isXxd {
        text += eightDigits(start) + ": " + pairs.joined(separator: " ") + "  " + shown + "\n"
      } else {
        let halves = pairs.prefix(8).joined(separator: " ") + "  " + pairs.dropFirst(8).joined(separator: " ")
        text += eightDigits(start) + "  " + halves + "  |" + shown + "|\n"
      }
    }
    return isXxd ? text : text + eightDigits(bytes.count) + "\n"
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
