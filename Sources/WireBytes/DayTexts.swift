/// Writes times, and remembers the texts of days: the times of a dump lie on few days, and finding a day's
/// date costs more than all the rest.
package struct DayTexts: Sendable {
  /// `1970-01-` and `1-01T`: a day's eleven bytes in two words of eight, the second of which begins at byte
  /// 3 and overlaps the first.
  @usableFromInline typealias Words = SIMD2<UInt64>

  /// The day that each place holds, in days since 1970-01-01; a day belongs into one place only.
  @usableFromInline var days: [UInt32]
  @usableFromInline var words: [Words]

  /// - Parameter capacity: how many days are remembered, a power of two; by default eleven years, in 80 KiB.
  @inlinable
  package init(capacity: Int = 4096) {
    // Each place begins with a day that belongs into place 0; there it is right.
    days = [UInt32](repeating: 0, count: capacity)
    words = [Words](repeating: Self.words(ofDay: 0), count: capacity)
  }

  /// Writes `seconds` as 20 bytes, `2013-05-01T09:30:00Z`, at `position` of `target`, which must have room for
  /// them.
  @inlinable @inline(__always)
  package mutating func write(_ seconds: UInt32, into target: inout MutableRawSpan, at position: Int) {
    let day = seconds / UTCTime.secondsPerDay
    let place = Int(day) & (days.count &- 1)
    if days[place] != day {
      days[place] = day
      words[place] = Self.words(ofDay: day)
    }
    let date = words[place]
    let ofDay = seconds &- day &* UTCTime.secondsPerDay
    let minutes = ofDay / 60
    let hour = minutes / 60
    // "HH:MM:SS" in one word: two digits each, a colon at bytes 2 and 5 from 0.
    let clock =
      Self.pair(hour) | 0x3a << 16 | Self.pair(minutes &- hour &* 60) << 24 | 0x3a << 40
      | Self.pair(ofDay &- minutes &* 60) << 48
    target.storeBytes(of: date.x, toByteOffset: position, as: UInt64.self)
    target.storeBytes(of: date.y, toByteOffset: position &+ 3, as: UInt64.self)
    target.storeBytes(of: clock.littleEndian, toByteOffset: position &+ 11, as: UInt64.self)
    target.storeBytes(of: UInt8(ascii: "Z"), toByteOffset: position &+ 19, as: UInt8.self)
  }

  /// Two decimal digits of a number below 100, the tens in the low byte.
  @inlinable @inline(__always)
  static func pair(_ number: UInt32) -> UInt64 {
    let tens = (number &* 103) &>> 10
    return UInt64(tens | ((number &- tens &* 10) &<< 8)) | 0x3030
  }

  @inlinable
  static func words(ofDay day: UInt32) -> Words {
    let date = CivilDate(daysSince1970: day)
    let year = UInt32(truncatingIfNeeded: date.year)
    let hyphen: UInt64 = 0x2d
    let head =
      pair(year / 100) | pair(year % 100) << 16 | hyphen << 32
      | pair(UInt32(truncatingIfNeeded: date.month)) << 40 | hyphen << 56
    let tail = head >> 24 | pair(UInt32(truncatingIfNeeded: date.day)) << 40 | 0x54 << 56  // "T"
    return Words(head.littleEndian, tail.littleEndian)
  }
}
