/// Writes times, from tables: the times of a dump lie on few days, and a day has few minutes. Finding a date
/// costs more than all the rest.
public struct TimeTexts: Sendable {
  /// A day in 16 bytes, so that looking it up costs one load: its text up to the `T` in eleven of them, and
  /// the day itself, in days since 1970-01-01, in the upper half of the second word.
  @usableFromInline typealias Day = SIMD2<UInt64>

  /// A day belongs into one place only, by the lowest bits of its number.
  @usableFromInline var days: [Day]
  /// `09:30:`: the minutes of a day, in the lower six bytes each.
  @usableFromInline let minutes: [UInt64]
  /// `00Z`: the seconds of a minute, in the lower three bytes each.
  @usableFromInline let seconds: [UInt32]

  /// - Parameter capacity: how many days are remembered, a power of two; by default eleven years, in 64 KiB.
  public init(capacity: Int = 4096) {
    // Day 0 belongs into place 0; in the others it is a day that is never asked for there.
    days = [Day](repeating: Self.day(0), count: capacity)
    let colon: UInt64 = 0x3a
    minutes = (0..<1440).map { minute in
      Self.pair(minute / 60) | colon << 16 | Self.pair(minute % 60) << 24 | colon << 40
    }
    let letterZ: UInt32 = 0x5a
    seconds = (0..<60).map { UInt32(Self.pair($0)) | letterZ << 16 }
  }

  /// Writes `time`, seconds since 1970, as 20 bytes, `2013-05-01T09:30:00Z`, at `position` of `target`, which
  /// must have room for a byte more.
  @inlinable @inline(__always)
  public mutating func write(_ time: UInt32, into target: inout MutableRawSpan, at position: Int) {
    let number = time / UTCTime.secondsPerDay
    let place = Int(number) & (days.count &- 1)
    var day = days[place]
    if day.y &>> 32 != UInt64(number) {
      day = Self.day(number)
      days[place] = day
    }
    let ofDay = time &- number &* UTCTime.secondsPerDay
    let minute = ofDay / 60
    target.storeBytes(of: day.x.littleEndian, toUncheckedByteOffset: position, as: UInt64.self)
    let rest = UInt32(truncatingIfNeeded: day.y).littleEndian
    target.storeBytes(of: rest, toUncheckedByteOffset: position &+ 8, as: UInt32.self)
    target.storeBytes(
      of: minutes[Int(minute)].littleEndian, toUncheckedByteOffset: position &+ 11, as: UInt64.self)
    target.storeBytes(
      of: seconds[Int(ofDay &- minute &* 60)].littleEndian, toUncheckedByteOffset: position &+ 17,
      as: UInt32.self)
  }

  /// Two decimal digits of a number below 100, the tens in the low byte.
  private static func pair(_ number: UInt32) -> UInt64 {
    UInt64(number / 10 | (number % 10) << 8) | 0x3030
  }

  @usableFromInline
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
