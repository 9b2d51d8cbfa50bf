/// Makes untrusted text, such as file names, safe to print.
package enum VisibleText {
  /// `text` with control characters, line separators and changes of direction escaped (`\\n`, `\\x1b`, `\\u{202e}`),
  /// so that it stays on one line, sends no commands to a terminal, and is read in the order of its characters.
  package static func of(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case _ where isControl(scalar):
        scalar.value < 256 ? "\\x" + digits(scalar, 2) : "\\u{\(digits(scalar, 4))}"
      default: String(scalar)
      }
    }.joined()
  }

  private static func digits(_ scalar: Unicode.Scalar, _ count: Int) -> String {
    let digits = String(scalar.value, radix: 16)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

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
        let isColour = part.first == "[" && part.dropFirst().first { !isParameter($0) } == "m"
        return (isColour ? "\u{1b}" : "\\x1b") + of(String(part))
      }.joined()
  }

  /// Whether it is a digit of a parameter, or between two.
  private static func isParameter(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || scalar == ";"
  }

  /// The index after the last character in UTF-8 that is not cut off.
  package static func endOfWholeCharacters(_ bytes: [UInt8]) -> Int {
    guard let lead = bytes.suffix(3).lastIndex(where: { $0 >= 0xc0 }) else { return bytes.count }
    let length = bytes[lead] >= 0xf0 ? 4 : bytes[lead] >= 0xe0 ? 3 : 2
    return lead + length <= bytes.count ? bytes.count : lead
  }

  /// The same, and with invisible characters, unusual spaces and direction marks escaped (`\\u{202e}`), so that
  /// different texts look different.
  package static func exact(_ text: String) -> String {
    let text = of(text)
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    return text.unicodeScalars.map { scalar in
      isHidden(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
  }

  /// The same, with U+FFFD instead of the noncharacters U+FFFE and U+FFFF, which neither XML 1.0 nor YAML allows.
  package static func printable(_ text: String) -> String {
    let text = of(text)
    guard text.unicodeScalars.contains(where: isNoCharacter) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(isNoCharacter(scalar) ? "\u{fffd}" : scalar) }
    return String(scalars)
  }

  private static func isNoCharacter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{fffe}" || scalar == "\u{ffff}"
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return false }
    switch scalar.properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned, .surrogate:
      return true
    default:
      return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isBidiControl
    }
  }
}
