/// Decodes a device token from the forms in which programs write one (docs/spec/text-lines.md).
package enum TokenText {
  /// The forms, for messages and help.
  package static let forms = #"hex, <…>, \x…, 0x…, X'…', %3C…%3E or base64"#

  /// Characters around hex digits: NSData, bytea, the same with the backslash escaped, literals of SQL, and NSData in
  /// a URL.
  private static let marks = [
    (opening: "<", closing: ">"), ("\\x", ""), ("\\\\x", ""), ("0x", ""), ("0X", ""), ("X'", "'"),
    ("x'", "'"), ("%3C", "%3E"), ("%3c", "%3e"),
  ]

  /// The bytes of a token in base64: fewer may be a word, more are an id of Android.
  private static let base64Lengths = 32...100

  package static func bytes(_ text: String) -> [UInt8]? {
    var (text, bytes) = (text, [UInt8]())
    return text.withUTF8 { bytes.replace(with: UnsafeRawBufferPointer($0), by: decode) } ? bytes : nil
  }

  /// Decodes `text` to `target`, which must have room for three quarters of its length: hex makes half the number of bytes,
  /// base64 three quarters. Returns the number of bytes, from 1; nil if it is no token.
  package static func decode(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int? {
    if let count = hex(text, to: target) { return count }
    let text = trimmed(text)
    guard changesCase(text), let count = Base64.decode(text, to: target), base64Lengths ~= count else {
      return nil
    }
    return count
  }

  /// The same of hex alone, to `target` with room for half the length of `text`.
  package static func hex(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int? {
    // Plain hex first: tokens of logs are a hot path.
    Hex.decode(text, to: target) ?? groups(unmarked(trimmed(text)), to: target)
  }

  /// Groups of hex digits, each of whole bytes.
  private static func groups(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int? {
    var (index, count) = (0, 0)
    while index < text.count {
      if let length = blank(in: text, at: index) {
        index &+= length
        continue
      }
      let end = text[index...].firstIndex { Hex.value(ofDigit: $0) == nil } ?? text.count
      let group = UnsafeRawBufferPointer(rebasing: text[index..<end])
      guard let length = Hex.decode(group, to: target + count) else { return nil }
      index = end
      count &+= length
    }
    return count > 0 ? count : nil
  }

  /// The length of the blank at `index`, which URLs and forms of web pages have as `%20` or `+`.
  private static func blank(in text: UnsafeRawBufferPointer, at index: Int) -> Int? {
    if isSpace(text[index]) || text[index] == UInt8(ascii: "+") { return 1 }
    return text[index...].starts(with: "%20".utf8) ? 3 : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || UInt8(ascii: "\t")...UInt8(ascii: "\r") ~= byte
  }

  private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let first = text.firstIndex(where: { !isSpace($0) }),
      let last = text.lastIndex(where: { !isSpace($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: text[first...last])
  }

  private static func unmarked(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    for (opening, closing) in marks where text.starts(with: opening.utf8) {
      let rest = text.dropFirst(opening.utf8.count)
      guard rest.suffix(closing.utf8.count).elementsEqual(closing.utf8) else { continue }
      return UnsafeRawBufferPointer(rebasing: rest.dropLast(closing.utf8.count))
    }
    return text
  }

  /// Whether two pairs of neighbours or more are letters of different case. Words, names and UUIDs have none or one;
  /// base64 of 32 random bytes has fewer than two once in 170,000 times.
  private static func changesCase(_ text: UnsafeRawBufferPointer) -> Bool {
    let isLetter = { (byte: UInt8) in (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    return zip(text, text.dropFirst()).count { isLetter($0) && isLetter($1) && ($0 ^ $1) & 0x20 != 0 } > 1
  }
}
