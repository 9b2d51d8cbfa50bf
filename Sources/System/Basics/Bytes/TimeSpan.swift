/// Human-readable durations.
package enum TimeSpan {
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
