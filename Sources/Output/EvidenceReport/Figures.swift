import Basics

/// Formats numbers for the page.
package enum Figures {
  /// `1,234,567`.
  package static func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  static func plural(_ noun: String) -> String { noun + (noun.hasSuffix("sh") ? "es" : "s") }

  /// `1 byte`, `1,234 bytes`.
  /// - Parameter plural: needed unless it is the noun with an s.
  package static func count(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(grouped(count)) \(plural ?? noun + "s")"
  }

  /// `5 of 12 are listed`, `1 of 12 is listed`, `None of 12 is listed`.
  /// - Parameters:
  ///   - verb: a participle for the part.
  ///   - noun: for the whole, if any.
  package static func part(_ part: Int, of whole: Int, _ verb: String, noun: String? = nil) -> String {
    let all = noun.map { count(whole, $0) } ?? grouped(whole)
    return "\(part == 0 ? "None" : grouped(part)) of \(all) \(part > 1 ? "are" : "is") \(verb)"
  }

  /// A share with one decimal, `0.4 %`. Only nothing is 0 %, and only the whole is 100 %.
  package static func percent(_ part: Int, of whole: Int) -> String {
    guard whole > 0, part > 0 else { return "0 %" }
    if part >= whole { return "100 %" }
    let tenths = Int((Double(part) / Double(whole) * 1000).rounded())
    if tenths == 0 { return "less than 0.1 %" }
    if tenths >= 1000 { return "more than 99.9 %" }
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }

  /// `4,000 bytes (3.91 KiB)`.
  package static func size(_ bytes: Int) -> String {
    bytes < 1024 ? count(bytes, "byte") : "\(grouped(bytes)) bytes (\(ByteSize.text(bytes)))"
  }

  /// A saturating count: the largest number means that or more.
  package static func atMost(_ count: UInt32) -> String {
    grouped(Int(count)) + (count == .max ? " or more" : "")
  }

  /// `2013-05-01 09:30:00 UTC (2013-05-01T11:30:00+02:00)`.
  /// - Parameter clock: for the local time, which follows; nil without it.
  package static func time(_ seconds: UInt32, _ clock: LocalClock? = nil) -> String {
    let text = UTCTime.text(seconds)
    let local = clock.map { " (\($0.text(seconds)))" } ?? ""
    return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + " UTC" + local
  }
}
