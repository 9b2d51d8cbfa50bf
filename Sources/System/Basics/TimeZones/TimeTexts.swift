/// Writes times with tables: the times of a dump are on few days, and computing a date takes longer than everything
/// else.
public struct TimeTexts: ~Copyable {
  /// A cached day, in 16 bytes so that reading it takes one load: `2013-05-` in eight bytes, `01T` in three, and in the
  /// upper half of the second word the number of the day, in days since 1970-01-01.
  @usableFromInline typealias Day = SIMD2<UInt64>

  /// Each day has one slot, by the lowest bits of its number. Not an array, which would check at each write whether
  /// it is shared.
  @usableFromInline let days: UnsafeMutablePointer<Day>
  @usableFromInline let mask: Int
  /// `09:30` in the upper five bytes, for each minute of a day.
  @usableFromInline let minutes: UnsafeMutablePointer<UInt64>
  /// `:00Z`, for each second of a minute.
  @usableFromInline let seconds: UnsafeMutablePointer<UInt32>
  private let decimal = Decimal.shared

  /// - Parameter capacity: number of cached days, a power of two; by default eleven years, in 64 KiB.
  public init(capacity: Int = 4096) {
    days = .allocate(capacity: capacity)
    mask = capacity - 1
    // Day 0 belongs to slot 0; in the other slots it matches no day.
    days.initialize(repeating: Self.day(0), count: capacity)
    minutes = .allocate(capacity: 1440)
    for minute in UInt32(0)..<1440 {
      (minutes + Int(minute)).initialize(
        to: Self.pair(minute / 60) << 24 | 0x3a << 40 | Self.pair(minute % 60) << 48)
    }
    seconds = .allocate(capacity: 60)
    for second in UInt32(0)..<60 {
      (seconds + Int(second)).initialize(to: 0x3a | UInt32(Self.pair(second)) << 8 | 0x5a << 24)
    }
  }

  deinit {
    days.deallocate()
    minutes.deallocate()
    seconds.deallocate()
  }

  /// Writes `time`, seconds since 1970, to `target`: 20 bytes, `2013-05-01T09:30:00Z`.
  @inlinable @inline(__always)
  public func write(_ time: UInt32, to target: UnsafeMutableRawPointer) {
    let number = time / UTCTime.secondsPerDay
    let slot = days + (Int(number) & mask)
    if slot.pointee.y &>> 32 != UInt64(number) { slot.pointee = Self.day(number) }
    let day = slot.pointee
    let ofDay = time &- number &* UTCTime.secondsPerDay
    let minute = ofDay / 60
    target.storeBytes(of: day.x.littleEndian, as: UInt64.self)
    target.storeBytes(
      of: ((day.y & 0xff_ffff) | minutes[Int(minute)]).littleEndian, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: seconds[Int(ofDay &- minute &* 60)].littleEndian, toByteOffset: 16, as: UInt32.self)
  }

  /// Writes the text of a capture time, which has one; returns its length. Most are after 1970.
  package func write(_ time: CaptureTime, to target: UnsafeMutableRawPointer) -> Int {
    guard let seconds = UInt32(exactly: time.seconds) else { return time.write(to: target) }
    write(seconds, to: target)
    let digits = min(Int(time.digits), CaptureTime.maxDigits)
    guard digits > 0 else { return UTCTime.textLength }
    let fraction = target + UTCTime.textLength
    (fraction - 1).storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
    decimal.write(time.fraction, width: digits, to: fraction)
    fraction.storeBytes(of: UInt8(ascii: "Z"), toByteOffset: digits, as: UInt8.self)
    return UTCTime.textLength + digits + 1
  }

  /// Two decimal digits of a number below 100, the tens in the low byte.
  private static func pair(_ number: UInt32) -> UInt64 { UInt64(number / 10 | (number % 10) << 8) | 0x3030 }

  @usableFromInline @inline(never)
  static func day(_ number: UInt32) -> Day {
    let date = CivilDate(daysSince1970: number)
    let year = UInt32(truncatingIfNeeded: date.year)
    let hyphen: UInt64 = 0x2d
    let yearAndMonth =
      pair(year / 100) | pair(year % 100) << 16 | hyphen << 32
      | pair(UInt32(truncatingIfNeeded: date.month)) << 40 | hyphen << 56
    let letterT: UInt64 = 0x54
    let dayOfMonth = pair(UInt32(truncatingIfNeeded: date.day)) | letterT << 16
    return Day(yearAndMonth, dayOfMonth | UInt64(number) << 32)
  }
}
