import WireBytes

/// Recognises the output of `od` and of `hexdump` without `-C`: an offset of six or seven digits, octal or
/// hexadecimal, before words whose byte order only their maker knows. Read as plain hex it would give the
/// offsets as bytes.
enum OffsetWords {
  private static let offsetDigits = 6...7
  /// Bytes of a line.
  private static let lineLength = 16

  /// Whether `head` begins with a line at offset 0 and one that continues it.
  static func begin(_ head: [UInt8]) -> Bool {
    let lines = head.prefix(256).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count >= 2, let first = offset(of: lines[0]), let second = offset(of: lines[1]) else {
      return false
    }
    let values = [Int(second, radix: 16), Int(second, radix: 8)].compactMap { $0 }
    return Int(first, radix: 16) == 0 && values.contains { (1...lineLength).contains($0) }
  }

  /// The digits that a line begins with, if they are as many as an offset has and a blank or nothing follows.
  private static func offset(of line: ArraySlice<UInt8>) -> String? {
    let digits = line.prefix { Hex.value(ofDigit: $0) != nil }
    let next = line.dropFirst(digits.count).first
    guard offsetDigits.contains(digits.count), next.map(ASCII.isWhiteSpace) ?? true else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }
}
