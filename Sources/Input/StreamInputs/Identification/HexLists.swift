/// Text files that look like hex dumps and are none: lists of checksums, and of tokens without times.
enum HexLists {
  private static let tokenDigits = 64
  /// Digits of MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512.
  private static let checksumDigits: Set<Int> = [32, 40, 56, 64, 96, 128]
  /// Fewer lines of tokens may be a dump in lines of 32 bytes.
  private static let fewestTokens = 2

  /// Whether every line has a checksum and a name: as `sha256sum` and its like write them, or in BSD form.
  static func isChecksums(_ head: TextHead) -> Bool {
    isList(head, fewest: 1) { isChecksum($0) || isBSDChecksum($0) }
  }

  /// Whether every line is one token of 32 bytes, perhaps in quotes or angle brackets, or followed by a comma.
  static func isTokens(_ head: TextHead) -> Bool {
    isList(head, fewest: fewestTokens) { line in
      let digits = line.filter { !" \t\"'<>,;[]".utf8.contains($0) }
      return digits.count == tokenDigits && digits.allSatisfy { TextAlphabet.hex[Int($0)] < 16 }
    }
  }

  /// Whether every line is a token of 32 bytes and a number of seconds or milliseconds since 1970.
  static func isTimedTokens(_ head: TextHead) -> Bool {
    isList(head, fewest: 1) { line in
      let words = line.split { " \t,;|\"'".utf8.contains($0) }
      let hex = words.count { $0.count == tokenDigits && $0.allSatisfy { TextAlphabet.hex[Int($0)] < 16 } }
      let times = words.count { [10, 13].contains($0.count) && $0.allSatisfy { 0x30...0x39 ~= $0 } }
      return words.count == 2 && hex == 1 && times == 1
    }
  }

  /// Comments and lone brackets do not count.
  private static func isList(_ head: TextHead, fewest: Int, _ isEntry: (ArraySlice<UInt8>) -> Bool) -> Bool {
    var count = 0
    for line in head.wholeLines {
      let line = line.drop { ASCII.isWhiteSpace($0) }
      if line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";") { continue }
      if line.count == 1, "[]{}".utf8.contains(line[line.startIndex]) { continue }
      guard isEntry(line) else { return false }
      count += 1
    }
    return count >= fewest
  }

  /// `HEX  NAME`, `HEX *NAME`, and with a backslash before it if the name has escapes.
  private static func isChecksum(_ line: ArraySlice<UInt8>) -> Bool {
    let line = line.first == UInt8(ascii: "\\") ? line.dropFirst() : line
    let digits = line.prefix { TextAlphabet.hex[Int($0)] < 16 }
    let rest = line.dropFirst(digits.count)
    guard checksumDigits.contains(digits.count), let first = rest.first, ASCII.isWhiteSpace(first) else {
      return false
    }
    // Not more hex, as in a dump with columns.
    let name = rest.drop { ASCII.isWhiteSpace($0) || $0 == UInt8(ascii: "*") }
    return name.contains { TextAlphabet.hex[Int($0)] == TextAlphabet.foreign }
  }

  /// `SHA256 (NAME) = HEX`.
  private static func isBSDChecksum(_ line: ArraySlice<UInt8>) -> Bool {
    let digits = line.reversed().prefix { TextAlphabet.hex[Int($0)] < 16 }
    return checksumDigits.contains(digits.count)
      && line.dropLast(digits.count).suffix(4).elementsEqual(") = ".utf8) && line.contains(UInt8(ascii: "("))
  }
}
