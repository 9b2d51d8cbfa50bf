import PacketCapture
import WireBytes

/// Tokens as NSData prints them, `<` 8 hex digits 8 times with spaces `>`, in lines of logs that have a time.
enum LogTokens {
  struct Found {
    var time: UInt32
    /// Index of the first character of the record: of the time or of the token.
    var start: Int
    /// Index of the token's first digit.
    var token: Int
    /// Index after the token.
    var end: Int
  }

  enum Verdict {
    case found(Found)
    case none
    /// It depends on this number of bytes from the index on.
    case undecided(Int)
  }

  /// Bytes of a line before and after the token in which a time is searched.
  static let reach = 512
  private static let groups = 8
  private static let groupDigits = 8
  static let groupStride = groupDigits + 1
  /// Characters between the brackets.
  private static let length = groups * groupStride - 1

  /// The index of the bracket of a token whose text is at `index`; nil if there is none from `floor` on.
  static func bracket(before index: Int, from floor: Int, in window: UnsafeRawBufferPointer) -> Int? {
    var bracket = index
    while bracket >= max(floor, index &- length &- 1) {
      let byte = window[bracket]
      if byte == UInt8(ascii: "<") { return bracket }
      guard byte == UInt8(ascii: " ") || TextAlphabet.hex[Int(byte)] < 16 else { return nil }
      bracket &-= 1
    }
    return nil
  }

  /// The record of the line with the bracket at `bracket`.
  static func record(
    at bracket: Int, from floor: Int, in window: UnsafeRawBufferPointer, isLast: Bool
  ) -> Verdict {
    let needed = length &+ 2 &+ reach
    guard isLast || window.count &- bracket >= needed else { return .undecided(needed) }
    let token = bracket &+ 1
    let end = token &+ length
    guard end < window.count, window[end] == UInt8(ascii: ">") else { return .none }
    for index in 0..<length {
      let byte = window[token &+ index]
      let isSpace = index % groupStride == groupDigits
      guard isSpace ? byte == UInt8(ascii: " ") : TextAlphabet.hex[Int(byte)] < 16 else { return .none }
    }
    let line = line(around: bracket, from: floor, in: window)
    for index in line where index < bracket || index > end {
      if let time = LineTime.time(at: index, to: line.upperBound, in: window) {
        return .found(Found(time: time, start: min(index, token), token: token, end: end &+ 1))
      }
    }
    return .none
  }

  private static func line(
    around index: Int, from floor: Int, in window: UnsafeRawBufferPointer
  ) -> Range<Int> {
    var first = index
    while first > max(floor, index &- reach), window[first &- 1] != 10 { first &-= 1 }
    var end = index
    while end < min(window.count, index &+ length &+ 2 &+ reach), window[end] != 10 { end &+= 1 }
    return first..<end
  }

  /// The tuple of a record, as the server would have sent it.
  static func tuple(_ found: Found, in window: UnsafeRawBufferPointer) -> [UInt8] {
    var tuple: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: found.time &>> UInt32(24 &- 8 &* $0)) }
    tuple += [0, UInt8(groups * groupDigits / 2)]
    for group in 0..<groups {
      for byte in 0..<groupDigits / 2 {
        let index = found.token &+ group &* groupStride &+ 2 &* byte
        tuple.append(
          TextAlphabet.hex[Int(window[index])] << 4 | TextAlphabet.hex[Int(window[index &+ 1])])
      }
    }
    return tuple
  }
}

/// Times in lines of logs: `2014-05-06 07:08:09` with `T`, fraction and offset as in RFC 3339, `06/May/2014:07:08:09 +0000`,
/// and ten digits of seconds since 1970. Without an offset they are UTC.
enum LineTime {
  private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

  /// The time whose first character is at `index`; nil if none begins there.
  static func time(at index: Int, to end: Int, in window: UnsafeRawBufferPointer) -> UInt32? {
    guard isDigit(index, end, window), index == 0 || !isDigit(index &- 1, end, window) else { return nil }
    let text = Characters(window: window, end: end)
    if let seconds = text.number(index, 10), !isDigit(index &+ 10, end, window) {
      return UInt32(exactly: seconds)
    }
    if let year = text.number(index, 4), text.has("-", index &+ 4), let month = text.number(index &+ 5, 2),
      text.has("-", index &+ 7), let day = text.number(index &+ 8, 2),
      text.has("T", index &+ 10) || text.has(" ", index &+ 10)
    {
      return seconds(CivilDate(year: year, month: month, day: day), index &+ 11, text)
    }
    if let day = text.number(index, 2), text.has("/", index &+ 2), let month = month(index &+ 3, text),
      text.has("/", index &+ 6), let year = text.number(index &+ 7, 4), text.has(":", index &+ 11)
    {
      return seconds(CivilDate(year: year, month: month, day: day), index &+ 12, text)
    }
    return nil
  }

  private struct Characters {
    let window: UnsafeRawBufferPointer
    let end: Int

    func has(_ character: Unicode.Scalar, _ index: Int) -> Bool {
      index < end && window[index] == UInt8(ascii: character)
    }

    func number(_ index: Int, _ count: Int) -> Int? {
      guard index &+ count <= end else { return nil }
      var value = 0
      for digit in index..<index &+ count {
        guard LineTime.isDigit(digit, end, window) else { return nil }
        value = 10 &* value &+ Int(window[digit] &- UInt8(ascii: "0"))
      }
      return value
    }
  }

  private static func isDigit(_ index: Int, _ end: Int, _ window: UnsafeRawBufferPointer) -> Bool {
    index < end && window[index] &- UInt8(ascii: "0") < 10
  }

  private static func month(_ index: Int, _ text: Characters) -> Int? {
    guard index &+ 3 <= text.end else { return nil }
    return (0..<12).first { month in
      (0..<3).allSatisfy { text.window[index &+ $0] == months[3 &* month &+ $0] }
    }.map { $0 &+ 1 }
  }

  /// The time of day at `index`, on `date`, and its offset if there is one.
  private static func seconds(_ date: CivilDate, _ index: Int, _ text: Characters) -> UInt32? {
    guard date.exists, let hour = text.number(index, 2), text.has(":", index &+ 2),
      let minute = text.number(index &+ 3, 2), text.has(":", index &+ 5),
      let second = text.number(index &+ 6, 2), hour < 24, minute < 60, second <= 60
    else { return nil }
    var next = index &+ 8
    if text.has(".", next) || text.has(",", next) {
      next &+= 1
      while isDigit(next, text.end, text.window) { next &+= 1 }
    }
    if text.has(" ", next) { next &+= 1 }
    let seconds = ((date.daysSince1970 &* 24 &+ hour) &* 60 &+ minute) &* 60 &+ second
    return UInt32(exactly: seconds &- 60 &* (offset(next, text) ?? 0))
  }

  /// Minutes east of UTC: `+02:00` or `+0200`.
  private static func offset(_ index: Int, _ text: Characters) -> Int? {
    guard text.has("+", index) || text.has("-", index), let hours = text.number(index &+ 1, 2) else {
      return nil
    }
    let minutes = text.number(index &+ (text.has(":", index &+ 3) ? 4 : 3), 2)
    guard let minutes, hours < 24, minutes < 60 else { return nil }
    return (text.has("-", index) ? -1 : 1) &* (60 &* hours &+ minutes)
  }
}
