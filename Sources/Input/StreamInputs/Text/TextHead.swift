/// The beginning of a text, which shows its format: its lines, and how often it has each character.
package struct TextHead {
  let bytes: [UInt8]
  /// Whether the text has no more.
  let isWhole: Bool
  /// Whether it has only bytes that occur in text.
  let isText: Bool
  /// The lines that are not empty, without white space at their ends; and those not cut by the end of the head.
  let lines: [ArraySlice<UInt8>]
  let wholeLines: ArraySlice<ArraySlice<UInt8>>
  private var counts = [Int](repeating: 0, count: 256)
  /// Numbers of `\x`, and of `0x` at the start of a group: they are before digits, and none of them.
  private var (escapes, prefixes) = (0, 0)

  package init(_ bytes: [UInt8], isWhole: Bool) {
    let text = bytes.span.bytes
    let body = bytes.dropFirst(text.beginsWithByteOrderMark ? 3 : 0)
    let lines = body.split(separator: ASCII.newline).compactMap { line in
      line.lastIndex { !ASCII.isWhiteSpace($0) }.map { line[...$0] }
    }
    let end = isWhole ? bytes.count : bytes.lastIndex(of: ASCII.newline) ?? 0
    (self.bytes, self.isWhole, self.lines) = (bytes, isWhole, lines)
    isText = !text.hasControlCharacters
    wholeLines = lines.prefix { $0.endIndex <= end }
    for byte in body { counts[Int(byte)] += 1 }
    for index in body.indices.dropFirst() where bytes[index] | 0x20 == UInt8(ascii: "x") {
      let isGroupStart = index == 1 || " \t\r\n:,;-".utf8.contains(bytes[index - 2])
      if bytes[index - 1] == UInt8(ascii: "\\") { escapes += 1 }
      if bytes[index - 1] == UInt8(ascii: "0"), isGroupStart { prefixes += 1 }
    }
  }

  func count(_ isOfKind: (UInt8) -> Bool) -> Int {
    (UInt8.min...UInt8.max).reduce(0) { isOfKind($1) ? $0 + counts[Int($1)] : $0 }
  }

  /// Whether its lines end in carriage returns alone.
  var hasReturnsAlone: Bool { counts[Int(ASCII.newline)] == 0 && counts[Int(ASCII.carriageReturn)] > 1 }

  /// The most common number of characters other than white space in a line, if more than half of them have it. One
  /// damaged line does not change it. The last line does not count, as it may be shorter.
  var commonLineWidth: Int? {
    let widths = lines.dropLast().map { $0.count { !ASCII.isWhiteSpace($0) } }.sorted()
    guard !widths.isEmpty else { return nil }
    let median = widths[widths.count / 2]
    return widths.count { $0 == median } * 2 > widths.count ? median : nil
  }

  // MARK: - Hex

  /// Minimum number of digits per other character for it to count as damage: for a letter or a byte outside ASCII,
  /// which may replace a digit; and for punctuation, which other formats use (a CSV line of a time and a 64-digit
  /// token has a comma in 75 characters).
  private static let digitsPerLetter = 24
  private static let digitsPerMark = 256
  /// A separator is in groups of at most this many digits, and in lines this often: dates, times, addresses of networks
  /// and UUIDs have fewer.
  private static let digitsPerSeparator = 4
  private static let separatorsPerLine = 7

  private var hexDigits: Int { count { Digits.hex[Int($0)] != Digits.isInvalid } - prefixes }

  /// The mark that separates the bytes of hex; nil if there is none.
  var separator: UInt8? {
    ":,;-".utf8.max { counts[Int($0)] < counts[Int($1)] }.flatMap { mark in
      let found = counts[Int(mark)]
      let isRegular =
        found >= Self.separatorsPerLine * max(1, lines.count - 1)
        && found * Self.digitsPerSeparator >= hexDigits
      return isRegular ? mark : nil
    }
  }

  /// Whether it is plain hex: at least 4 digits, and nothing else but white space, a mark between bytes, and prefixes;
  /// or at least 32 digits among few other characters, so that damaged hex text is reported as such, and not read as
  /// raw bytes.
  package var isHex: Bool {
    guard isText else { return false }
    let others = count { Digits.hex[Int($0)] == Digits.isInvalid && !ASCII.isWhiteSpace($0) } - escapes
    let punctuation = count { (0x21...0x7e).contains($0) && !ASCII.isWordCharacter($0) } - escapes
    let letters = others - punctuation - escapes - prefixes
    let marks = punctuation - (separator.map { counts[Int($0)] } ?? 0)
    if letters + marks == 0 { return hexDigits >= 4 }
    return hexDigits >= 32 && hexDigits >= Self.digitsPerLetter * letters + Self.digitsPerMark * marks
  }

  // MARK: - Base64

  /// Minimum length of a single line whose length is not a multiple of 4, as its end may be cut.
  private static let shortestOddLine = 40
  /// Minimum number of base64 characters per other character for it to count as damage.
  private static let charactersPerDamage = 256
  /// One in this number of lines may have another length than the rest, such as one that lost a character.
  private static let linesPerOddLine = 8

  /// Whether it is base64: at least 8 characters of one of its alphabets and hardly any other, no blanks within lines,
  /// and lines of one length that is a multiple of 4. The last line may be shorter, and so may one that ends in
  /// padding.
  ///
  /// Upper-case letters, lower-case letters, and digits or marks must all occur, so that a list of words is not
  /// detected as base64. The shortest dump, a tuple of 38 bytes with a random token, lacks one of them in less than
  /// one case of 10,000.
  package var isBase64: Bool {
    let (capitals, small) = (count { 0x41...0x5a ~= $0 }, count { 0x61...0x7a ~= $0 })
    let all = count { Digits.base64[Int($0)] & Digits.isInvalid == 0 || $0 == UInt8(ascii: "=") }
    let invalid = count { !ASCII.isWhiteSpace($0) } - all
    return isText && all >= 8 && capitals > 0 && small > 0 && all > capitals + small
      && invalid * Self.charactersPerDamage <= all && hasEvenLines
  }

  /// Whether the lines have no blanks and one length, as tools wrap them.
  private var hasEvenLines: Bool {
    let lines = lines.map { $0.drop(while: ASCII.isBlank) }
    let haveBlanks = lines.contains { $0.contains(where: ASCII.isBlank) }
    guard let last = lines.last, !haveBlanks else { return false }
    if lines.count == 1 { return last.count % 4 == 0 || last.count >= Self.shortestOddLine }
    guard let width = commonLineWidth, width % 4 == 0, last.count <= width else { return false }
    let odd = lines.dropLast().count {
      $0.count != width && !($0.last == UInt8(ascii: "=") && $0.count < width)
    }
    return odd * Self.linesPerOddLine <= lines.count
  }
}
