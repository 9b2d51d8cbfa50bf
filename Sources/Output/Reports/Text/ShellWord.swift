import Basics

package enum ShellWord {
  /// `text` as one word, quoted if necessary. Invisible characters are escaped, so that the command can be typed from
  /// paper.
  package static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.allSatisfy(isPlain) { return text }
    guard VisibleText.of(text) == text else { return escaped(text) }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// The bytes of a word, which need not be UTF-8.
  package static func quoted(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return quoted(text) }
    return "$'" + bytes.map { "\\x" + Hex.string([$0]) }.joined() + "'"
  }

  /// The name of an input. One that begins with a hyphen gets `./`, or it would be parsed as an option.
  package static func input(_ name: String) -> String {
    quoted(name.hasPrefix("-") && name != "-" ? "./" + name : name)
  }

  /// `$'…'` with the bytes in hex, as bash, zsh and ksh read it.
  private static func escaped(_ text: String) -> String {
    "$'"
      + text.unicodeScalars.map { scalar in
        if scalar == "'" || scalar == "\\" { return "\\" + String(scalar) }
        let one = String(scalar)
        if VisibleText.of(one) == one { return one }
        return one.utf8.map { "\\x" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
      }.joined() + "'"
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "_-./:,+=@%".contains(character))
  }
}
