/// Eight bytes of a text in one register: tells in a few instructions whether any is special. The first byte is the
/// lowest.
package struct EightBytes {
  package let word: UInt64

  @inline(__always)
  package init(_ bytes: UnsafeRawPointer) {
    word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Marks are the highest bits of bytes. Behind the first one, others may be wrong: a subtraction borrows.
  @inline(__always)
  package func marks(of byte: UInt8) -> UInt64 {
    let difference = word ^ (Self.ones &* UInt64(byte))
    return (difference &- Self.ones) & ~difference & Self.highBits
  }

  /// The bytes below `limit`, at most 0x80.
  @inline(__always)
  package func marks(below limit: UInt8) -> UInt64 {
    (word &- Self.ones &* UInt64(limit)) & ~word & Self.highBits
  }

  /// The bytes of 0x80 and above.
  @inline(__always)
  package var marksOfHigh: UInt64 { word & Self.highBits }

  /// How many bytes are before the first mark; 8 where there is none.
  @inline(__always)
  package static func count(before marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }
}
