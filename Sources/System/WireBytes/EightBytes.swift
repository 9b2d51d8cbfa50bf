/// Eight bytes of a text in one register, to find special bytes in a few instructions. The first byte is the lowest.
public struct EightBytes {
  public let word: UInt64

  @inlinable @inline(__always)
  public init(word: UInt64) { self.word = word }

  @inlinable @inline(__always)
  public init(_ bytes: UnsafeRawPointer) { word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) }

  /// The highest bit of each byte equal to `byte`. Marks after the first may be wrong, because a subtraction borrows.
  @inlinable @inline(__always)
  public func marks(of byte: UInt8) -> UInt64 {
    let difference = word ^ (Self.ones &* UInt64(byte))
    return (difference &- Self.ones) & ~difference & Self.highBits
  }

  /// Marks of the bytes below `limit`, which is at most 0x80.
  @inlinable @inline(__always)
  public func marks(below limit: UInt8) -> UInt64 {
    (word &- Self.ones &* UInt64(limit)) & ~word & Self.highBits
  }

  /// Marks of the bytes from `low` to `high`; all bytes are below 0x80.
  @inlinable @inline(__always)
  public func marks(from low: UInt8, to high: UInt8) -> UInt64 {
    let atLeast = word &+ Self.ones &* UInt64(0x80 &- low)
    let above = word &+ Self.ones &* UInt64(0x7f &- high)
    return atLeast & ~above & Self.highBits
  }

  /// Marks of the hex digits of either case; all bytes are below 0x80.
  @inlinable @inline(__always)
  public var marksOfHexDigits: UInt64 {
    marks(from: UInt8(ascii: "0"), to: UInt8(ascii: "9"))
      | EightBytes(word: word | Self.ones &* 0x20).marks(from: UInt8(ascii: "a"), to: UInt8(ascii: "f"))
  }

  /// Marks of the bytes from 0x80.
  @inlinable @inline(__always)
  public var marksOfHigh: UInt64 { word & Self.highBits }

  /// The number of bytes before the first mark; 8 without marks.
  @inlinable @inline(__always)
  public static func count(before marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }

  @inlinable @inline(__always)
  public static var ones: UInt64 { 0x0101_0101_0101_0101 }
  @inlinable @inline(__always)
  public static var highBits: UInt64 { 0x8080_8080_8080_8080 }
}
