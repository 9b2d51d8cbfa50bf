import Basics
import TestSupport
import Testing

/// Compared with the standard library.
@Suite("UTF-8 or not")
struct UTF8TextTests {
  private static func isRight(_ bytes: [UInt8]) -> Bool {
    let expected = String(validating: bytes, as: UTF8.self)
    let around = [0xc3] + bytes + [0xa9]
    guard UTF8Text.isValid(0..<bytes.count, in: bytes.span.bytes) == (expected != nil),
      UTF8Text.isValid(1..<1 + bytes.count, in: around.span.bytes) == (expected != nil)
    else { return false }
    // The length of the first character, if it is valid.
    let length = UTF8Text.characterLength(at: 0, before: bytes.count, in: bytes.span.bytes)
    let lengths = (1...4).filter {
      $0 <= bytes.count
        && String(validating: bytes[..<$0], as: UTF8.self).map { $0.unicodeScalars.count == 1 } == true
    }
    return length == lengths.first ?? 0
  }

  @Test("every sequence of one and of two bytes")
  func short() {
    for first in UInt8.min...UInt8.max {
      #expect(Self.isRight([first]))
      let wrong = (UInt8.min...UInt8.max).first { !Self.isRight([first, $0]) }
      #expect(wrong == nil, "after \(first)")
    }
  }

  @Test("sequences of three and four bytes, with the bytes next to each limit")
  func long() {
    let leads: [UInt8] = [
      0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1,
      0xf3, 0xf4, 0xf5, 0xf8, 0xff,
    ]
    let others: [UInt8] = [0x00, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xff]
    for lead in leads {
      for second in others {
        for third in others {
          #expect(Self.isRight([lead, second, third]))
          let wrong = others.first { !Self.isRight([lead, second, third, $0]) }
          #expect(wrong == nil, "after \([lead, second, third])")
        }
      }
    }
  }

  @Test("random sequences, most of them nearly valid")
  func drawn() {
    var generator = SeededGenerator(seed: 3629)
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<generator.pick(0...5) {
        let scalar = Unicode.Scalar(
          UInt32(generator.pick([0x7f, 0x7ff, 0x800, 0xffff, 0x10ffff, generator.pick(0...0x10ffff)])))
        bytes += Array(String(scalar ?? "x").utf8)
      }
      if !bytes.isEmpty, generator.chance(2) {
        let index = generator.pick(0...(bytes.count - 1))
        if generator.chance(2) {
          bytes[index] ^= 1 << UInt8(generator.pick(0...7))
        } else {
          bytes.remove(at: index)
        }
      }
      #expect(Self.isRight(bytes))
    }
  }

  @Test("an empty range is valid, and has no character")
  func empty() {
    let bytes: [UInt8] = [0x41]
    let isValid = UTF8Text.isValid(1..<1, in: bytes.span.bytes)
    let length = UTF8Text.characterLength(at: 1, before: 1, in: bytes.span.bytes)
    #expect(isValid && length == 0)
  }
}
