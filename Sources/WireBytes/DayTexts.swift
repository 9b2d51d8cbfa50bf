/// Writes times, and remembers the texts of days: the times of a dump lie on few days, and finding a day's
/// date costs more than all the rest.
public struct DayTexts: Sendable {
  /// A day in 16 bytes, so that looking it up costs one load: its text up to the `T` in eleven of them, and
  /// the day itself, in days since 1970-01-01, in the upper half of the second word.
  @usableFromInline typealias Entry = SIMD2<UInt64>

  /// A day belongs into one place only, by the lowest bits of its number.
  @usableFromInline var entries: [Entry]

  /// - Parameter capacity: how many days are remembered, a power of two; by default eleven years, in 64 KiB.
  @inlinable
  public init(capacity: Int = 4096) {
    // Day 0 belongs into place 0; in the others it is a day that is never asked for there.
    entries = [Entry](repeating: Self.entry(ofDay: 0), count: capacity)
  }

  /// Writes `seconds` as 20 bytes, `2013-05-01T09:30:00Z`, at `position` of `target`, which must have room for
  /// them.
  @inlinable @inline(__always)
  public mutating func write(_ seconds: UInt32, into target: inout MutableRawSpan, at position: Int) {
    let day = seconds / UTCTime.secondsPerDay
    let place = Int(day) & (entries.count &- 1)
    var entry = entries[place]
    if entry.y &>> 32 != UInt64(day) {
      entry = Self.entry(ofDay: day)
      entries[place] = entry
    }
    let ofDay = seconds &- day &* UTCTime.secondsPerDay
    let minutes = ofDay / 60
    let hour = minutes / 60
    // "HH:MM:SS" in one word: two digits each, a colon at bytes 2 and 5 from 0.
    let clock =
      Self.pair(hour) | 0x3a << 16 | Self.pair(minutes &- hour &* 60) << 24 | 0x3a << 40
      | Self.pair(ofDay &- minutes &* 60) << 48
    target.storeBytes(of: entry.x.littleEndian, toUncheckedByteOffset: position, as: UInt64.self)
    let rest = UInt32(truncatingIfNeeded: entry.y).littleEndian
    target.storeBytes(of: rest, toUncheckedByteOffset: position &+ 8, as: UInt32.self)
    target.storeBytes(of: clock.littleEndian, toUncheckedByteOffset: position &+ 11, as: UInt64.self)
    target.storeBytes(of: UInt8(ascii: "Z"), toUncheckedByteOffset: position &+ 19, as: UInt8.self)
  }

  /// Two decimal digits of a number below 100, the tens in the low byte.
  @inlinable @inline(__always)
  static func pair(_ number: UInt32) -> UInt64 {
    let tens = (number &* 103) &>> 10
    return UInt64(tens | ((number &- tens &* 10) &<< 8)) | 0x3030
  }

  @inlinable
  static func entry(ofDay day: UInt32) -> Entry {
    let date = CivilDate(daysSince1970: day)
    let year = UInt32(truncatingIfNeeded: date.year)
    let hyphen: UInt64 = 0x2d
    let yearAndMonth =
      pair(year / 100) | pair(year % 100) << 16 | hyphen << 32
      | pair(UInt32(truncatingIfNeeded: date.month)) << 40 | hyphen << 56
    let letterT: UInt64 = 0x54
    let dayOfMonth = pair(UInt32(truncatingIfNeeded: date.day)) | letterT << 16
    return Entry(yearAndMonth, dayOfMonth | UInt64(day) << 32)
  }
}
