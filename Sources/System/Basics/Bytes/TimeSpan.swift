/// Human-readable durations.
package enum TimeSpan {
  /// In the two largest units, rounded down: `2 d 3 h`, `41 s 500 ms`, `0 ms`; `-` is before a negative one.
  package static func text(milliseconds: Int) -> String {
    let units = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)]
    let first = units.firstIndex { $0.1 <= milliseconds.magnitude } ?? units.count - 1
    var rest = Int(clamping: milliseconds.magnitude)
    var parts: [String] = []
    for (name, length) in units[first...].prefix(2) where rest >= length || parts.isEmpty {
      parts.append("\(rest / length) \(name)")
      rest %= length
    }
    return (milliseconds < 0 ? "-" : "") + parts.joined(separator: " ")
  }

  private static let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

  /// Parses `90s`, `15m`, `12h`, `7d`, `2w` or a number of seconds; nil for any other text, and above 32 bits of
  /// seconds.
  package static func parse(_ text: String) -> UInt32? {
    let digits = text.prefix { ("0"..."9").contains($0) }
    let suffix = text[digits.endIndex...]
    guard let number = UInt64(digits), suffix.count <= 1 else { return nil }
    let unit = suffix.isEmpty ? 1 : units[suffix[suffix.startIndex]]
    guard let unit else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow ? nil : UInt32(exactly: seconds)
  }
}
