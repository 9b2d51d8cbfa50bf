/// Makes untrusted text, such as file names, safe to print.
package enum VisibleText {
  /// `text` with control characters, invisible ones, unusual spaces and changes of direction escaped (`\\n`, `\\x1b`,
  /// `\\u{202e}`), so that it stays on one line, sends no commands to a terminal, is read in the order of its characters,
  /// and looks different from other texts.
  package static func of(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    return text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case _ where isHidden(scalar):
        scalar.isASCII ? (scalar.value < 16 ? "\\x0" : "\\x") + digits(scalar) : "\\u{\(digits(scalar))}"
      default: String(scalar)
      }
    }.joined()
  }

  private static func digits(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }

  /// The same for each line of `text`.
  /// - Parameter keepsColours: whether SGR sequences (ECMA-48) stay: they change the look of text, and nothing else.
  package static func ofLines(_ text: String, keepsColours: Bool = false) -> String {
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      keepsColours ? ofColoured(line) : of(String(line))
    }.joined(separator: "\n")
  }

  private static func ofColoured(_ line: Substring.UnicodeScalarView) -> String {
    let parts = line.split(separator: "\u{1b}", omittingEmptySubsequences: false)
    guard let first = parts.first else { return "" }
    return of(String(first))
      + parts.dropFirst().map { part in
        // Parameters are digits, with semicolons between them.
        let end = part.dropFirst().first { !("0"..."9").contains($0) && $0 != ";" }
        let isColour = part.first == "[" && end == "m"
        return (isColour ? "\u{1b}" : "\\x1b") + of(String(part))
      }.joined()
  }

  /// The index after the last character in UTF-8 that is not cut off.
  package static func endOfWholeCharacters(_ bytes: [UInt8]) -> Int {
    guard let lead = bytes.suffix(3).lastIndex(where: { $0 >= 0xc0 }) else { return bytes.count }
    let length = bytes[lead] >= 0xf0 ? 4 : bytes[lead] >= 0xe0 ? 3 : 2
    return lead + length <= bytes.count ? bytes.count : lead
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned,
      .surrogate:
      return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
