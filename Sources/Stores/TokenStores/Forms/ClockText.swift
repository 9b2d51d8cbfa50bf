/// A clock's microseconds as PostgreSQL writes them: `2013-05-01 09:30:00.25`.
package enum ClockText {
  private static let second: Int64 = 1_000_000

  /// - Parameter number: microseconds since the clock showed 1970-01-01 00:00:00.
  package static func text(ofMicroseconds number: Int64) -> String {
    let seconds = number.floored(by: second)
    var fraction = String(number - seconds * second)
    fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
    while fraction.hasSuffix("0") { fraction.removeLast() }
    guard let text = DateAndTime.text(seconds, separator: " ", end: "") else { return String(number) }
    return fraction.isEmpty ? text : "\(text).\(fraction)"
  }
}

extension Int64 {
  /// The quotient, rounded down.
  func floored(by unit: Int64) -> Int64 { self / unit - (self % unit < 0 ? 1 : 0) }
}
