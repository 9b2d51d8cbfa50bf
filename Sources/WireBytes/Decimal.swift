/// Decimal digits of unsigned numbers.
package enum Decimal {
  /// No 64-bit number has more digits.
  @inlinable package static var maxDigits: Int { 20 }

  /// Writes `number` at `position` of `target` and returns how many bytes it took, 1 to 20.
  @inlinable @inline(__always)
  package static func encode(_ number: UInt64, into target: inout MutableRawSpan, at position: Int) -> Int {
    let count = digitCount(number)
    var rest = number
    var end = position &+ count
    while rest >= 100 {
      let quotient = rest / 100
      end &-= 2
      target.storeBytes(of: pair(rest &- quotient &* 100), toByteOffset: end, as: UInt16.self)
      rest = quotient
    }
    if rest >= 10 {
      target.storeBytes(of: pair(rest), toByteOffset: end &- 2, as: UInt16.self)
    } else {
      target.storeBytes(of: UInt8(truncatingIfNeeded: rest) &+ 0x30, toByteOffset: end &- 1, as: UInt8.self)
    }
    return count
  }

  /// Two ASCII digits of a number below 100, in memory order.
  @inlinable @inline(__always)
  static func pair(_ number: UInt64) -> UInt16 {
    let tens = (number &* 103) &>> 10
    return UInt16(truncatingIfNeeded: tens | (number &- tens &* 10) &<< 8 | 0x3030).littleEndian
  }

  @inlinable @inline(__always)
  static func digitCount(_ number: UInt64) -> Int {
    var count = 1
    var bound: UInt64 = 10
    while number >= bound {
      count &+= 1
      if count == maxDigits { break }
      bound &*= 10
    }
    return count
  }
}
