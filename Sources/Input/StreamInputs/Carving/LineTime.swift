import Basics

/// The clock of times without a zone: from seconds that it shows since 1970-01-01 00:00:00 to UNIX seconds.
package typealias LogZone = @Sendable (_ local: Int64) -> Int64

/// A time in a line of text: `2014-05-06 07:08:09` with `T`, fraction and zone as in RFC 3339, `06/May/2014:07:08:09 +0000`,
/// or ten digits of seconds or thirteen of milliseconds since 1970. Without a zone it is of the one given, or else UTC.
struct LineTime {
  private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

  /// Since 1970.
  private(set) var seconds: UInt32
  /// Index after it.
  private(set) var end: Int
  /// Whether it has a zone, or one was given.
  private(set) var hasZone = true
  /// Whether it is a number alone, which may be anything.
  private(set) var isNumber = false

  /// Nil if no time begins at `index`.
  init?(at index: Int, to end: Int, in window: UnsafeRawBufferPointer, zone: LogZone?) {
    let text = Characters(window: window, end: end)
    guard text.isDigit(index), index == 0 || !text.isDigit(index &- 1) else { return nil }
    if let (number, end) = text.secondsSince1970(index) {
      (seconds, self.end, isNumber) = (number, end, true)
      return
    }
    guard let (date, clock) = text.date(index), date.exists, var (local, next) = text.timeOfDay(clock) else {
      return nil
    }
    local &+= date.daysSince1970 &* 86_400
    let offset = text.offset(next)
    hasZone = offset != nil || zone != nil
    next = offset?.end ?? next
    let moment =
      offset.map { Int64(local &- $0.seconds) } ?? (local < 0 ? -1 : zone?(Int64(local)) ?? Int64(local))
    guard let seconds = UInt32(exactly: moment) else { return nil }
    (self.seconds, self.end) = (seconds, next)
  }

  /// The head of a tuple with this time.
  func header(tokenLength: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds &>> $0) }
      + [UInt8(truncatingIfNeeded: tokenLength &>> 8), UInt8(truncatingIfNeeded: tokenLength)]
  }

  private struct Characters {
    let window: UnsafeRawBufferPointer
    let end: Int

    func has(_ character: Unicode.Scalar, _ index: Int) -> Bool {
      index < end && window[index] == UInt8(ascii: character)
    }

    func isDigit(_ index: Int) -> Bool { index < end && window[index] &- UInt8(ascii: "0") < 10 }

    func number(_ index: Int, _ count: Int) -> Int? {
      guard index &+ count <= end else { return nil }
      var value = 0
      for digit in index..<index &+ count {
        guard isDigit(digit) else { return nil }
        value = 10 &* value &+ Int(window[digit] &- UInt8(ascii: "0"))
      }
      return value
    }

    /// Ten digits of seconds, or thirteen of milliseconds.
    func secondsSince1970(_ index: Int) -> (UInt32, Int)? {
      for (digits, scale) in [(10, 1), (13, 1000)] where !isDigit(index &+ digits) {
        guard let value = number(index, digits), let seconds = UInt32(exactly: value / scale) else {
          continue
        }
        return (seconds, index &+ digits)
      }
      return nil
    }

    /// A date, and the index of the time of day after it.
    func date(_ index: Int) -> (CivilDate, Int)? {
      if let year = number(index, 4), has("-", index &+ 4), let month = number(index &+ 5, 2),
        has("-", index &+ 7), let day = number(index &+ 8, 2), has("T", index &+ 10) || has(" ", index &+ 10)
      {
        return (CivilDate(year: year, month: month, day: day), index &+ 11)
      }
      if let day = number(index, 2), has("/", index &+ 2), let month = month(index &+ 3),
        has("/", index &+ 6), let year = number(index &+ 7, 4), has(":", index &+ 11)
      {
        return (CivilDate(year: year, month: month, day: day), index &+ 12)
      }
      return nil
    }

    private func month(_ index: Int) -> Int? {
      guard index &+ 3 <= end else { return nil }
      return (0..<12).first { month in
        (0..<3).allSatisfy { window[index &+ $0] == LineTime.months[3 &* month &+ $0] }
      }.map { $0 &+ 1 }
    }

    /// Seconds of the day, and the index after them and a fraction.
    func timeOfDay(_ index: Int) -> (Int, Int)? {
      guard let hour = number(index, 2), has(":", index &+ 2), let minute = number(index &+ 3, 2),
        has(":", index &+ 5), let second = number(index &+ 6, 2), hour < 24, minute < 60, second <= 60
      else { return nil }
      var next = index &+ 8
      if has(".", next) || has(",", next), isDigit(next &+ 1) {
        next &+= 1
        while isDigit(next) { next &+= 1 }
      }
      return ((hour &* 60 &+ minute) &* 60 &+ second, next)
    }

    /// Seconds east of UTC, also after a blank, and the index after them: `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`.
    func offset(_ index: Int) -> (seconds: Int, end: Int)? {
      let start = has(" ", index) ? index &+ 1 : index
      for name: StaticString in ["Z", "z", "UTC", "GMT"] where isWord(name, start) {
        return (0, start &+ name.utf8CodeUnitCount)
      }
      guard has("+", start) || has("-", start), let hours = number(start &+ 1, 2), hours < 24 else {
        return nil
      }
      let sign = has("-", start) ? -60 : 60
      let next = has(":", start &+ 3) ? start &+ 4 : start &+ 3
      if let minutes = number(next, 2), minutes < 60, !isDigit(next &+ 2) {
        return (sign &* (60 &* hours &+ minutes), next &+ 2)
      }
      return isDigit(start &+ 3) ? nil : (sign &* 60 &* hours, start &+ 3)
    }

    private func isWord(_ word: StaticString, _ index: Int) -> Bool {
      let after = index &+ word.utf8CodeUnitCount
      guard after <= end, after == end || (window[after] | 0x20) &- UInt8(ascii: "a") >= 26 else {
        return false
      }
      return (0..<word.utf8CodeUnitCount).allSatisfy { window[index &+ $0] == word.utf8Start[$0] }
    }
  }
}
