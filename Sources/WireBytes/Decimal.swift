/// Decimal digits of unsigned numbers.
public enum Decimal {
  /// No 64-bit number has more digits.
  @inlinable public static var maxDigits: Int { 20 }

  /// How many digits numbers have; it remembers the last answer, because a column's numbers are mostly of
  /// one length.
  public struct Width: Sendable {
    /// The numbers of `count` digits: at least `low`, at most `high`.
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 9
    @usableFromInline var count = 1

    @inlinable
    public init() {}

    @inlinable @inline(__always)
    mutating func digits(of number: UInt64) -> Int {
      if number < low || number > high { find(number) }
      return count
    }

    @inlinable @inline(never)
    mutating func find(_ number: UInt64) {
      (low, high, count) = (0, 9, 1)
      while number > high {
        low = high &+ 1
        let (longer, overflow) = high.multipliedReportingOverflow(by: 10)
        high = overflow || longer > .max - 9 ? .max : longer + 9
        count += 1
      }
    }
  }

  /// 10 to the power of 8: as many digits are made at once.
  @inlinable static var eightDigits: UInt64 { 100_000_000 }

  /// Writes `number` at `position` of `target`, which must have room for `maxDigits` and 8 bytes more, and
  /// returns how many bytes it took, 1 to 20. What stands behind them may be overwritten. Kept out of line:
  /// inlined into a loop over columns it is worked out ahead for all lengths, also where no column wants it.
  @inline(never)
  public static func encode(
    _ number: UInt64, width: inout Width, into target: inout MutableRawSpan, at position: Int
  ) -> Int {
    let count = width.digits(of: number)
    if count <= 8 {
      store(number, count: count, into: &target, at: position)
      return count
    }
    let high = number / eightDigits
    if count <= 10 {
      // Offsets below ten thousand million, and the times of the protocol.
      let text = pair(high) &>> UInt16(truncatingIfNeeded: 8 &* (10 &- count))
      target.storeBytes(of: text.littleEndian, toUncheckedByteOffset: position, as: UInt16.self)
    } else if count <= 16 {
      store(high, count: count &- 8, into: &target, at: position)
    } else {
      let highest = high / eightDigits
      store(highest, count: count &- 16, into: &target, at: position)
      store(high &- highest &* eightDigits, count: 8, into: &target, at: position &+ count &- 16)
    }
    store(number &- high &* eightDigits, count: 8, into: &target, at: position &+ count &- 8)
    return count
  }

  /// Two ASCII digits of a number below 100, the first in the lower byte.
  @inlinable @inline(__always)
  static func pair(_ number: UInt64) -> UInt16 {
    let tens = (number &* 103) &>> 10
    return UInt16(truncatingIfNeeded: tens | (number &- tens &* 10) &<< 8 | 0x3030)
  }

  /// Writes the last `count` (1 to 8) digits of a number of at most eight.
  @inlinable @inline(__always)
  static func store(_ number: UInt64, count: Int, into target: inout MutableRawSpan, at position: Int) {
    let text = digits(of: number) &>> UInt64(truncatingIfNeeded: 8 &* (8 &- count))
    target.storeBytes(of: text.littleEndian, toUncheckedByteOffset: position, as: UInt64.self)
  }

  /// The eight ASCII digits of a number below 10 to the power of 8, the first in the lowest byte.
  ///
  /// The number is halved into lanes of four, two and one digit, all lanes of a step in one multiplication:
  /// 10486 / 2^20 is a hundredth for numbers below 10,000, and 103 / 2^10 a tenth for those below 100.
  @inlinable @inline(__always)
  static func digits(of number: UInt64) -> UInt64 {
    let upperFour = number / 10_000
    let fours = upperFour | (number &- upperFour &* 10_000) &<< 32
    let upperTwos = (fours &* 10_486) &>> 20 & 0x0000_007f_0000_007f
    let twos = upperTwos | (fours &- upperTwos &* 100) &<< 16
    let upperOnes = (twos &* 103) &>> 10 & 0x000f_000f_000f_000f
    return upperOnes | (twos &- upperOnes &* 10) &<< 8 | 0x3030_3030_3030_3030
  }
}
