import Reports

/// Words of a command as a shell takes them.
enum ShellWord {
  /// `text` as one word, in quotes where it needs them. What cannot be seen is spelled out, so that who copies the command
  /// from paper gets the same.
  static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    guard VisibleText.exact(text) == text else { return spelledOut(text) }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// The same for the name of an input: one that begins with a hyphen would be taken for an option.
  static func input(_ name: String) -> String {
    quoted(name.hasPrefix("-") && name != "-" ? "./" + name : name)
  }

  /// As bash, zsh and ksh read it: `$'…'` with the bytes in hex.
  private static func spelledOut(_ text: String) -> String {
    "$'"
      + text.unicodeScalars.map { scalar in
        if scalar == "'" || scalar == "\\" { return "\\" + String(scalar) }
        let one = String(scalar)
        if VisibleText.exact(one) == one { return one }
        return one.utf8.map { "\\x" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
      }.joined() + "'"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./:,+=@%".utf8.contains(byte)
    }
  }
}
