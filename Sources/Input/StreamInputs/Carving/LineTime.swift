import Basics

/// A time in a line of text: a `WrittenTime`, or ten digits of seconds or thirteen of milliseconds since 1970.
struct LineTime {
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
    func isDigit(_ index: Int) -> Bool { index < end && window[index] &- UInt8(ascii: "0") < 10 }
    guard isDigit(index), index == 0 || !isDigit(index &- 1) else { return nil }
    var (digits, number) = (0, UInt64(0))
    while digits < 14, isDigit(index &+ digits) {
      number = 10 &* number &+ UInt64(window[index &+ digits] &- UInt8(ascii: "0"))
      digits &+= 1
    }
    if digits == 10 || digits == 13 {
      guard let seconds = UInt32(exactly: digits == 10 ? number : number / 1000) else { return nil }
      (self.seconds, self.end, isNumber) = (seconds, index &+ digits, true)
      return
    }
    guard let time = WrittenTime(in: window, at: index, to: end, zone: zone), time.milliseconds >= 0,
      let seconds = UInt32(exactly: time.milliseconds / 1000)
    else { return nil }
    (self.seconds, self.end, hasZone) = (seconds, time.end, time.hasZone)
  }

  func header(tokenLength: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds &>> $0) }
      + [UInt8(truncatingIfNeeded: tokenLength &>> 8), UInt8(truncatingIfNeeded: tokenLength)]
  }
}
