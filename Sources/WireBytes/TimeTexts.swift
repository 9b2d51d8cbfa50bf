/// Writes times, from tables: the times of a dump lie on few days, and a day has few minutes. Finding a date
/// costs more than all the rest.
public struct TimeTexts: ~Copyable {
  /// A day in 16 bytes, so that finding it costs one load: `2013-05-` in eight of them, `01T` in three, and in the
  /// upper half of the second word the day itself, in days since 1970-01-01.
  @usableFromInline typealias Day = SIMD2<UInt64>

  /// Each day has one slot, by the lowest bits of its number. In memory of its own: an array would be asked at each
  /// time whether anybody else uses it.
  @usableFromInline let days: UnsafeMutablePointer<Day>
  @usableFromInline let mask: Int
  /// `09:30` in the upper five bytes: the minutes of a day.
  @usableFromInline let minutes: UnsafeMutablePointer<UInt64>
  /// `:00Z`: the seconds of a minute.
  @usableFromInline let seconds: UnsafeMutablePointer<UInt32>

  /// - Parameter capacity: how many days are remembered, a power of two; by default eleven years, in 64 KiB.
  public init(capacity: Int = 4096) {
    days = .allocate(capacity: capacity)
    mask = capacity - 1
    // Day 0 belongs into slot 0; in the others it is a day that is never asked for there.
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
    target.storeBytes(
      of: seconds[Int(ofDay &- minute &* 60)].littleEndian, toByteOffset: 16, as: UInt32.self)
  }

  /// Two decimal digits of a number below 100, the tens in the low byte.
  private static func pair(_ number: UInt32) -> UInt64 {
    UInt64(number / 10 | (number % 10) << 8) | 0x3030
  }

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
