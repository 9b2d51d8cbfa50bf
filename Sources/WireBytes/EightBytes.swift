/// Eight bytes of a text in one register: tells in a few instructions whether any is special. The first byte is the
/// lowest.
public struct EightBytes {
  public let word: UInt64

  @inlinable @inline(__always)
  public init(_ bytes: UnsafeRawPointer) {
    word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Marks are the highest bits of bytes. After the first one, others may be wrong: a subtraction borrows.
  @inlinable @inline(__always)
  public func marks(of byte: UInt8) -> UInt64 {
    let difference = word ^ (Self.ones &* UInt64(byte))
    return (difference &- Self.ones) & ~difference & Self.highBits
  }

  /// The bytes below `limit`, at most 0x80.
  @inlinable @inline(__always)
  public func marks(below limit: UInt8) -> UInt64 {
    (word &- Self.ones &* UInt64(limit)) & ~word & Self.highBits
  }

  /// The bytes of 0x80 and above.
  @inlinable @inline(__always)
  public var marksOfHigh: UInt64 { word & Self.highBits }

  /// How many bytes are before the first mark; 8 where there is none.
  @inlinable @inline(__always)
  public static func count(before marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }

  @inlinable @inline(__always)
  public static var ones: UInt64 { 0x0101_0101_0101_0101 }
  @inlinable @inline(__always)
  public static var highBits: UInt64 { 0x8080_8080_8080_8080 }
}
