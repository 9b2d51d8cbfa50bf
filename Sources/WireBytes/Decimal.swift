/// Writes unsigned numbers as decimal digits, four at a time from a table: a column of offsets or times is
/// written faster than by any arithmetic on single digits.
public struct Decimal: Sendable {
  /// No 64-bit number has more digits.
  @inlinable public static var maxDigits: Int { 20 }

  /// The ASCII digits of each number below 10,000, the first in the lowest byte; 40 KB.
  @usableFromInline let quads: [UInt32]

  public init() {
    quads = (0..<10_000).map { number in
      var text: UInt32 = 0
      for power in [1, 10, 100, 1000] {
        text = text << 8 | UInt32(UInt8(ascii: "0")) + UInt32(number / power % 10)
      }
      return text
    }
  }

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

  /// Writes `number` at `position` of `target`, which must have room for `maxDigits` and 4 bytes more, and
  /// returns how many bytes it took, 1 to 20. What stands behind them may be overwritten.
  @inlinable @inline(__always)
  public func encode(
    _ number: UInt64, width: inout Width, into target: inout MutableRawSpan, at position: Int
  ) -> Int {
    let count = width.digits(of: number)
    if count <= 8 {
      let high = number / 10_000
      if count <= 4 {
        store(number, leading: count, into: &target, at: position)
      } else {
        store(high, leading: count &- 4, into: &target, at: position)
        store(number &- high &* 10_000, into: &target, at: position &+ count &- 4)
      }
    } else if count <= 12 {
      let highest = number / 100_000_000
      store(highest, leading: count &- 8, into: &target, at: position)
      storeEight(number &- highest &* 100_000_000, into: &target, at: position &+ count &- 8)
    } else {
      encodeLong(number, count: count, into: &target, at: position)
    }
    return count
  }

  /// The same for numbers of more than twelve digits, which are rare.
  @usableFromInline @inline(never)
  func encodeLong(_ number: UInt64, count: Int, into target: inout MutableRawSpan, at position: Int) {
    var rest = number
    var end = position + count
    while end > position {
      end -= 1
      let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      target.storeBytes(of: digit, toUncheckedByteOffset: end, as: UInt8.self)
      rest /= 10
    }
  }

  @inlinable @inline(__always)
  func storeEight(_ number: UInt64, into target: inout MutableRawSpan, at position: Int) {
    let high = number / 10_000
    store(high, into: &target, at: position)
    store(number &- high &* 10_000, into: &target, at: position &+ 4)
  }

  /// Writes the four digits of a number below 10,000.
  @inlinable @inline(__always)
  func store(_ number: UInt64, into target: inout MutableRawSpan, at position: Int) {
    let text = quads[Int(truncatingIfNeeded: number)].littleEndian
    target.storeBytes(of: text, toUncheckedByteOffset: position, as: UInt32.self)
  }

  /// Writes the last `count` (1 to 4) digits of a number of at most as many.
  @inlinable @inline(__always)
  func store(_ number: UInt64, leading count: Int, into target: inout MutableRawSpan, at position: Int) {
    let text = quads[Int(truncatingIfNeeded: number)] &>> UInt32(truncatingIfNeeded: 8 &* (4 &- count))
    target.storeBytes(of: text.littleEndian, toUncheckedByteOffset: position, as: UInt32.self)
  }
}
