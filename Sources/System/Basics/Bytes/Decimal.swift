/// Writes unsigned numbers as decimal digits, four at a time from a table, which is faster than one digit at a time
/// for columns of offsets or times.
public struct Decimal: @unchecked Sendable {
  /// Digits of the largest 64-bit number.
  @inlinable public static var maxDigits: Int { 20 }

  /// The ASCII digits of each number below 10,000, the first digit in the lowest byte: 40 KB, written once and never
  /// freed. Unlike an array, a pointer needs no reference counting.
  @usableFromInline let quads: UnsafePointer<UInt32>

  @inlinable public static var hundredMillion: UInt64 { 100_000_000 }

  /// Shared, because filling the table takes longer than writing a thousand numbers.
  public static let shared = Decimal()

  private init() {
    let table = UnsafeMutablePointer<UInt32>.allocate(capacity: 10_000)
    for number in 0..<10_000 {
      var text: UInt32 = 0
      for power in [1, 10, 100, 1000] {
        text = text << 8 | UInt32(UInt8(ascii: "0")) + UInt32(number / power % 10)
      }
      (table + number).initialize(to: text)
    }
    quads = UnsafePointer(table)
  }

  /// The number of digits of `number`, 1 to 20, and the range of all numbers with that number of digits.
  public static func width(of number: UInt64) -> (digits: Int, range: ClosedRange<UInt64>) {
    var digits = 1
    var smallest: UInt64 = 0
    var largest: UInt64 = 9
    while number > largest {
      digits += 1
      smallest = largest + 1
      let (tens, overflow) = largest.multipliedReportingOverflow(by: 10)
      largest = overflow || digits == maxDigits ? .max : tens + 9
    }
    return (digits, smallest...largest)
  }

  /// Writes all digits of `number` to `target`; returns how many. Up to 7 bytes after them are overwritten.
  @inlinable
  public func write(_ number: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    if number < Self.hundredMillion { return writeShort(number, to: target) }
    let (high, low) = number.quotientAndRemainder(dividingBy: Self.hundredMillion)
    let width = write(high, to: target)
    storeEight(low, to: target + width)
    return width &+ 8
  }

  /// The same for up to eight digits.
  @inlinable @inline(__always)
  public func writeShort(_ number: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    let high = number / 10_000
    let low = UInt64(quads[Int(truncatingIfNeeded: number &- high &* 10_000)]) &<< 32
    let text = UInt64(quads[Int(truncatingIfNeeded: high)]) | low
    // The first digit that is not zero; of zero, the last one.
    let zeros = ((text ^ 0x3030_3030_3030_3030) | 1 &<< 56).trailingZeroBitCount & 56
    target.storeBytes(of: (text &>> UInt64(zeros)).littleEndian, as: UInt64.self)
    return 8 &- zeros &>> 3
  }

  /// Writes the last `width` digits of `number` to `target`, which must not have more; fewer get zeros before them.
  @inlinable @inline(__always)
  public func write(_ number: UInt64, width: Int, to target: UnsafeMutableRawPointer) {
    if width <= 4 {
      store(number, leading: width, to: target)
    } else if width <= 8 {
      let high = number / 10_000
      store(high, leading: width &- 4, to: target)
      store(number &- high &* 10_000, to: target + (width &- 4))
    } else if width <= 12 {
      let high = number / 100_000_000
      store(high, leading: width &- 8, to: target)
      storeEight(number &- high &* 100_000_000, to: target + (width &- 8))
    } else {
      writeLong(number, width: width, to: target)
    }
  }

  /// The same for up to eight digits, in one word: zeros follow the digits, so what is after them is written later.
  @inlinable @inline(__always)
  public func writeInWord(_ number: UInt64, width: Int, to target: UnsafeMutableRawPointer) {
    let high = number / 10_000
    let text =
      UInt64(quads[Int(truncatingIfNeeded: high)])
      | UInt64(quads[Int(truncatingIfNeeded: number &- high &* 10_000)]) &<< 32
    target.storeBytes(
      of: (text &>> UInt64(truncatingIfNeeded: 64 &- 8 &* width)).littleEndian, as: UInt64.self)
  }

  /// The same for a number below 10,000, in half a word.
  @inlinable @inline(__always)
  public func writeInHalfWord(_ number: UInt64, width: Int, to target: UnsafeMutableRawPointer) {
    let text = quads[Int(truncatingIfNeeded: number)]
    target.storeBytes(
      of: (text &>> UInt32(truncatingIfNeeded: 32 &- 8 &* width)).littleEndian, as: UInt32.self)
  }

  /// Writes `count` numbers, each `step` (below 10,000) more than the one before, `distance` bytes apart. All have `width`
  /// digits, at most twelve. Up to 7 bytes after a number are overwritten.
  @inlinable
  public func writeRising(
    from first: UInt64, by step: UInt64, count: Int, width: Int, to target: UnsafeMutableRawPointer,
    distance: Int
  ) {
    // The last four digits change with each number, the others seldom.
    var (high, low) = first.quotientAndRemainder(dividingBy: 10_000)
    let leading = max(0, width &- 8)
    var (target, left) = (target, count)
    while left > 0 {
      let many = min(left, Int(truncatingIfNeeded: (9_999 &- low) / max(1, step)) &+ 1)
      if leading > 0 {
        for index in 0..<many {
          writeInHalfWord(high / 10_000, width: leading, to: target + index &* distance)
        }
      }
      writeLastDigits(high % 10_000, low, by: step, many, width &- leading, to: target + leading, distance)
      left &-= many
      target += many &* distance
      low &+= UInt64(truncatingIfNeeded: many) &* step
      (high, low) = (high &+ low / 10_000, low % 10_000)
    }
  }

  @inlinable @inline(__always)
  func writeLastDigits(
    _ high: UInt64, _ first: UInt64, by step: UInt64, _ count: Int, _ width: Int,
    to target: UnsafeMutableRawPointer, _ distance: Int
  ) {
    let text = UInt64(quads[Int(truncatingIfNeeded: high)])
    let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* width)
    var (low, target) = (quads + Int(truncatingIfNeeded: first), target)
    for _ in 0..<count {
      let word = (text | UInt64(low.pointee) &<< 32) &>> shift
      target.storeBytes(of: word.littleEndian, as: UInt64.self)
      low += Int(truncatingIfNeeded: step)
      target += distance
    }
  }

  /// `write` for numbers of more than twelve digits, which are rare.
  @usableFromInline @inline(never)
  func writeLong(_ number: UInt64, width: Int, to target: UnsafeMutableRawPointer) {
    let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
    write(high, width: width &- 8, to: target)
    storeEight(low, to: target + (width &- 8))
  }

  @inlinable @inline(__always)
  func storeEight(_ number: UInt64, to target: UnsafeMutableRawPointer) {
    let high = number / 10_000
    store(high, to: target)
    store(number &- high &* 10_000, to: target + 4)
  }

  /// Writes the four digits of a number below 10,000.
  @inlinable @inline(__always)
  func store(_ number: UInt64, to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: quads[Int(truncatingIfNeeded: number)].littleEndian, as: UInt32.self)
  }

  /// Writes a number below 10,000 with its last `count` (1 to 4) digits. It must not have more.
  @inlinable @inline(__always)
  func store(_ number: UInt64, leading count: Int, to target: UnsafeMutableRawPointer) {
    let text =
      quads[Int(truncatingIfNeeded: number)].littleEndian &>> UInt32(truncatingIfNeeded: 8 &* (4 &- count))
    if count == 4 { return target.storeBytes(of: text, as: UInt32.self) }
    if count & 1 != 0 { target.storeBytes(of: UInt8(truncatingIfNeeded: text), as: UInt8.self) }
    guard count & 2 != 0 else { return }
    let rest = text &>> UInt32(truncatingIfNeeded: 8 &* (count & 1))
    target.storeBytes(of: UInt16(truncatingIfNeeded: rest), toByteOffset: count & 1, as: UInt16.self)
  }
}
