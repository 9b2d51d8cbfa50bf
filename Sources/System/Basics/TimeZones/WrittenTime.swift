/// The clock of times without a zone: from seconds that it shows since 1970-01-01 00:00:00 to the first and the last UNIX
/// seconds at which it shows them.
package typealias LogZone = @Sendable (_ local: Int64) -> ClosedRange<Int64>

/// A date and a time of day as programs write them:
///
/// - `2014-05-06T07:08:09` of RFC 3339, with a blank for the `T` or slashes in the date;
/// - `06/May/2014:07:08:09` of access logs;
/// - `Tue May 06 07:08:09 UTC 2014` of java.util.Date and ctime(3), there without a zone;
/// - `Tue, 06 May 2014 07:08:09` of RFC 1123.
///
/// A fraction may follow, and an offset from UTC, also after a blank: `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`. Other
/// names of zones are not known: several zones share one.
package struct WrittenTime {
  /// Since 1970, rounded down; negative before.
  package private(set) var milliseconds: Int64
  /// Index after it.
  package private(set) var end: Int
  /// Whether it has a zone, or one was given. Without one it is taken for UTC.
  package private(set) var hasZone: Bool
  /// Whether the clock of the zone that was given shows it once, not twice: `milliseconds` is the first.
  package private(set) var isOnly = true
  /// Whether it is in the year 1: Go's zero time.
  package private(set) var isZero: Bool

  /// Nil if none begins at `index`.
  package init?(in text: UnsafeRawBufferPointer, at index: Int = 0, to end: Int, zone: LogZone?) {
    var reader = Reader(text: text, index: index, end: end)
    guard let found = reader.dateAndTime() else { return nil }
    let local = Int64(found.date.daysSince1970 &* 86_400 &+ found.second)
    hasZone = found.offset != nil || zone != nil
    // Before 1970 no zone has rules.
    let moments = found.offset == nil && local >= 0 ? zone?(local) : nil
    if let moments { isOnly = moments.lowerBound == moments.upperBound }
    let seconds = found.offset.map { local &- Int64($0) } ?? moments?.lowerBound ?? local
    // Leap seconds end a UTC day (RFC 3339, section 5.7).
    if found.isLeap, hasZone, seconds % 86_400 != 0 { return nil }
    (milliseconds, self.end) = (seconds &* 1000 &+ Int64(found.fraction), reader.index)
    isZero = found.date.year == 1
  }

  private struct Found {
    var date: CivilDate
    /// Of the day.
    var second = 0
    /// Milliseconds.
    var fraction = 0
    /// Seconds east of UTC.
    var offset: Int?
    var isLeap = false
  }

  private struct Reader {
    private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

    let text: UnsafeRawBufferPointer
    var index: Int
    let end: Int

    private var byte: UInt8 { index < end ? text[index] : 0 }
    private var isDigit: Bool { byte &- UInt8(ascii: "0") < 10 }

    mutating func dateAndTime() -> Found? {
      guard isDigit else { return dateOfWords() }
      guard let date = date() else { return nil }
      return timeOfDay(of: date)
    }

    private mutating func date() -> CivilDate? {
      let start = index
      if let year = number(4), let mark = mark("-/"), let month = number(2), skip(mark), let day = number(2),
        mark == UInt8(ascii: "-") && self.mark("Tt") != nil || skip(UInt8(ascii: " "))
      {
        return CivilDate(year: year, month: month, day: day)
      }
      index = start
      guard let day = number(2), let mark = mark("/ "), let month = month(), skip(mark), let year = number(4),
        skip(mark == UInt8(ascii: "/") ? UInt8(ascii: ":") : mark)
      else { return nil }
      return CivilDate(year: year, month: month, day: day)
    }

    /// With the name of a day before it.
    private mutating func dateOfWords() -> Found? {
      index &+= 3
      if skip(UInt8(ascii: ",")) {
        guard skip(UInt8(ascii: " ")), isDigit, let date = date() else { return nil }
        return timeOfDay(of: date)
      }
      guard skip(UInt8(ascii: " ")), let month = month(), skip(UInt8(ascii: " ")) else { return nil }
      // ctime(3) writes a blank for the first digit.
      guard let day = skip(UInt8(ascii: " ")) ? number(1) : number(2), skip(UInt8(ascii: " ")),
        var found = timeOfDay(of: CivilDate(year: 0, month: month, day: day)), skip(UInt8(ascii: " "))
      else { return nil }
      if !isDigit {
        while byte > 0x20 { index &+= 1 }
        guard skip(UInt8(ascii: " ")) else { return nil }
      }
      guard let year = number(4) else { return nil }
      found.date.year = year
      return found.date.exists ? found : nil
    }

    private mutating func timeOfDay(of date: CivilDate) -> Found? {
      guard date.exists, let hour = number(2), skip(UInt8(ascii: ":")), let minute = number(2),
        skip(UInt8(ascii: ":")), let second = number(2), hour < 24, minute < 60, second <= 60
      else { return nil }
      var found = Found(date: date, second: (hour &* 60 &+ minute) &* 60 &+ second, isLeap: second == 60)
      found.fraction = fraction()
      found.offset = offset()
      return found
    }

    /// Milliseconds; 0 without a fraction.
    private mutating func fraction() -> Int {
      let start = index
      guard mark(".,") != nil, isDigit else {
        index = start
        return 0
      }
      var (value, scale) = (0, 100)
      while isDigit {
        value &+= Int(byte &- UInt8(ascii: "0")) &* scale
        scale /= 10
        index &+= 1
      }
      return value
    }

    /// Seconds east of UTC; nil, and nothing is read, without an offset.
    private mutating func offset() -> Int? {
      let start = index
      _ = skip(UInt8(ascii: " "))
      if ["UTC", "GMT", "Z", "z"].contains(where: { word($0) }) { return 0 }
      let sign = skip(UInt8(ascii: "+")) ? 1 : skip(UInt8(ascii: "-")) ? -1 : 0
      guard sign != 0, let hours = number(2), hours < 24 else {
        index = start
        return nil
      }
      var minutes = 0
      let mark = index
      _ = skip(UInt8(ascii: ":"))
      if let found = number(2), found < 60, !isDigit {
        minutes = found
      } else {
        index = mark
        guard !isDigit else {
          index = start
          return nil
        }
      }
      // Go writes both.
      let after = index
      if !skip(UInt8(ascii: " ")) || !word("UTC") { index = after }
      return sign &* (60 &* hours &+ minutes) &* 60
    }

    private mutating func number(_ count: Int) -> Int? {
      var value = 0
      for _ in 0..<count {
        guard isDigit else { return nil }
        value = 10 &* value &+ Int(byte &- UInt8(ascii: "0"))
        index &+= 1
      }
      return value
    }

    private mutating func month() -> Int? {
      guard index &+ 3 <= end else { return nil }
      let number = (0..<12).first { month in
        (0..<3).allSatisfy { text[index &+ $0] == Self.months[3 &* month &+ $0] }
      }
      index &+= 3
      return number.map { $0 &+ 1 }
    }

    private mutating func skip(_ mark: UInt8) -> Bool {
      guard byte == mark else { return false }
      index &+= 1
      return true
    }

    private mutating func mark(_ marks: StaticString) -> UInt8? {
      let found = byte
      for index in 0..<marks.utf8CodeUnitCount where marks.utf8Start[index] == found {
        self.index &+= 1
        return found
      }
      return nil
    }

    /// A word that no letter follows.
    private mutating func word(_ word: StaticString) -> Bool {
      let after = index &+ word.utf8CodeUnitCount
      guard after <= end, after == end || (text[after] | 0x20) &- UInt8(ascii: "a") >= 26,
        (0..<word.utf8CodeUnitCount).allSatisfy({ text[index &+ $0] == word.utf8Start[$0] })
      else { return false }
      index = after
      return true
    }
  }
}
