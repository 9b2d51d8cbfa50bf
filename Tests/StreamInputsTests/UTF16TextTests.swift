import TestSupport
import Testing

/// Expected texts are those that were encoded.
@Suite("Text in UTF-16")
struct UTF16TextTests {
  /// Lines of ASCII with some characters of two, three and four bytes.
  private static func text(_ seed: UInt64, characters: Int) -> String {
    var generator = SeededGenerator(seed: seed)
    let others: [Character] = ["é", "д", "€", "\u{1f4f1}", "\u{10ffff}", "\u{fffd}"]
    let line = String(repeating: "0123456789abcdef ", count: 40) + "\n"
    return line
      + String(
        (0..<characters).map { _ in
          Int.random(in: 0..<8, using: &generator) == 0 ? others.randomElement(using: &generator) ?? "x" : "x"
        })
  }

  private static func encoded(_ text: String, isBigEndian: Bool, isMarked: Bool) -> [UInt8] {
    ((isMarked ? [0xfeff] : []) + Array(text.utf16)).flatMap {
      isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xff)] : [UInt8($0 & 0xff), UInt8($0 >> 8)]
    }
  }

  @Test(
    "in both byte orders, with and without a mark, around the borders of blocks", arguments: [false, true],
    [false, true])
  func orders(_ isBigEndian: Bool, _ isMarked: Bool) throws {
    for (seed, characters) in [0, 1, 7_000, 15_700, 15_701, 15_702, 40_000].enumerated() {
      let text = Self.text(UInt64(seed), characters: characters)
      let bytes = Self.encoded(text, isBigEndian: isBigEndian, isMarked: isMarked)
      for blockLength in [1000, 262_144] {
        let reading = try FileReading(bytes, blockLength: blockLength)
        #expect(reading.isWhole(Array(text.utf8), nil), "\(seed) \(blockLength)")
        #expect(reading.bytesRead == bytes.count)
      }
    }
  }

  @Test(
    "bytes that are none are read as they are",
    arguments: [
      [0xff, 0xfe, 0x01, 0x02], Array(repeating: 0, count: 600),
      [0, 0x20] + Array(repeating: UInt8(0x80), count: 600),
    ] as [[UInt8]])
  func others(_ bytes: [UInt8]) throws {
    #expect(try FileReading(bytes).bytes == bytes)
  }
}
