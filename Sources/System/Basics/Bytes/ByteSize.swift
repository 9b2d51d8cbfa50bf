/// Human-readable sizes in bytes.
package enum ByteSize {
  private static let units: [(suffix: String, bytes: Int)] = [
    ("", 1), ("b", 1),
    ("k", 1 << 10), ("kib", 1 << 10), ("kb", 1000),
    ("m", 1 << 20), ("mib", 1 << 20), ("mb", 1_000_000),
    ("g", 1 << 30), ("gib", 1 << 30), ("gb", 1_000_000_000),
    ("t", 1 << 40), ("tib", 1 << 40), ("tb", 1_000_000_000_000),
  ]

  /// Parses `1GiB`, `64MiB`, `500MB`, `1G` (binary) or a number of bytes, in any case; nil for any other text.
  package static func parse(_ text: String) -> Int? {
    let digits = text.prefix { ("0"..."9").contains($0) }
    let suffix = text[digits.endIndex...].lowercased()
    guard let number = Int(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.bytes)
    return overflow ? nil : bytes
  }

  /// `bytes` with three significant digits and a binary unit: `380 B`, `36.2 MiB`.
  package static func text(_ bytes: Int) -> String {
    let names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var unit = 0
    var value = Double(bytes)
    while value >= 1023.5, unit < names.count - 1 {
      value /= 1024
      unit += 1
    }
    guard unit > 0 else { return "\(bytes) B" }
    let decimals: Double = value < 9.995 ? 100 : value < 99.95 ? 10 : 1
    let rounded = (value * decimals).rounded() / decimals
    return decimals == 1 ? "\(Int(rounded)) \(names[unit])" : "\(rounded) \(names[unit])"
  }
}
