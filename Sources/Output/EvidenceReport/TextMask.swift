import Basics

/// Masks text that may be a token in names, titles and remarks, in any common notation of bytes, and IP addresses. It
/// masks too much rather than leave part of a token (decision 33).
enum TextMask {
  private static let mask = "[masked]"
  /// Hex digits from which on a run may be a token. A date and a time have 14.
  private static let minDigits = 16
  /// Letters and digits from which on a word may be a token in base32 (32 bytes take 52) or in base64.
  private static let minWord = 40
  /// Letters and digits in a window of the base64 test, not counting other characters between them.
  private static let windowLength = 32
  /// Changes of kind (lower case, upper case, digit) between adjacent characters of a window that indicate base64.
  /// Base64 has 19 on average, and less than eight in fewer than one of 100,000 tokens; words, names and dates have up
  /// to seven.
  private static let minChanges = 8

  /// The text itself if nothing in it may be a token.
  static func masked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let found = hexRuns(bytes) + words(bytes) + mixedWindows(bytes) + addresses(bytes)
    let ranges = RangeSet(found.sorted { $0.lowerBound < $1.lowerBound }).ranges
    guard !ranges.isEmpty else { return text }
    var masked: [UInt8] = []
    var end = 0
    for range in ranges {
      masked += bytes[end..<range.lowerBound] + Array(mask.utf8)
      end = range.upperBound
    }
    return String(decoding: masked + bytes[end...], as: UTF8.self)
  }

  // MARK: - Hex

  /// Runs of words that consist of hex digits, with any separators, as in `09-fc`, `0x09, 0xfc`, `\x09`, `%09`, or over
  /// several lines; and hex digits within another word.
  private static func hexRuns(_ bytes: [UInt8]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var run = HexRun()
    for word in bytes.indices.split(whereSeparator: { CharacterClass(bytes[$0]) == nil }) {
      if run.append(word, of: bytes) { continue }
      if let range = run.tokenRange { runs.append(range) }
      run = HexRun()
      runs += word.split { Hex.value(ofDigit: bytes[$0]) == nil }.filter { $0.count >= minDigits }
    }
    return runs + [run.tokenRange].compactMap { $0 }
  }

  private struct HexRun {
    private var range: Range<Int>?
    private var digits = 0
    private var hasLetter = false
    /// Whether the words are separated by single punctuation marks or spaces.
    private var isPlain = true

    /// False if the word, without a leading `0x` or `x`, has characters other than hex digits.
    mutating func append(_ word: Range<Int>, of bytes: [UInt8]) -> Bool {
      let isX = { (index: Int) in index < word.upperBound && bytes[index] | 0x20 == UInt8(ascii: "x") }
      let prefix = isX(word.lowerBound) ? 1 : isX(word.lowerBound + 1) ? 2 : 0
      let number = word.dropFirst(prefix)
      guard !number.isEmpty, number.allSatisfy({ Hex.value(ofDigit: bytes[$0]) != nil }) else { return false }
      if let range {
        let gap = bytes[range.upperBound..<word.lowerBound]
        isPlain = isPlain && prefix == 0 && gap.count == 1 && gap.allSatisfy { " -_.:,".utf8.contains($0) }
      }
      range = (range ?? word).lowerBound..<word.upperBound
      digits += number.count
      hasLetter = hasLetter || number.contains { CharacterClass(bytes[$0]) != .digit }
      return true
    }

    /// Its range, if it may be a token. Decimal numbers with longer separators are not.
    var tokenRange: Range<Int>? { digits >= minDigits && (hasLetter || isPlain) ? range : nil }
  }

  // MARK: - Addresses

  /// Four numbers or more with dots between them, and what is an IPv6 address.
  private static func addresses(_ bytes: [UInt8]) -> [Range<Int>] {
    let dotted = bytes.indices.split {
      !(bytes[$0] == UInt8(ascii: ".") || CharacterClass(bytes[$0]) == .digit)
    }
    .filter { run in run.split { bytes[$0] == UInt8(ascii: ".") }.count >= 4 }
    let colon = UInt8(ascii: ":")
    let colons = bytes.indices.split { bytes[$0] != colon && Hex.value(ofDigit: bytes[$0]) == nil }
      .filter { run in
        var address = in6_addr()
        return run.split { bytes[$0] == colon }.count > 1
          && inet_pton(AF_INET6, String(decoding: bytes[run], as: UTF8.self), &address) == 1
      }
    return dotted + colons
  }

  // MARK: - Base32 and base64

  private enum CharacterClass: Equatable {
    case small, capital, digit

    /// Nil unless the byte is an ASCII letter or digit.
    init?(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      default: return nil
      }
    }
  }

  /// Long words with both letters and digits.
  private static func words(_ bytes: [UInt8]) -> [Range<Int>] {
    bytes.indices.split { CharacterClass(bytes[$0]) == nil }.filter { word in
      let kinds = bytes[word].compactMap(CharacterClass.init)
      return word.count >= minWord && kinds.contains(.digit) && kinds.contains { $0 != .digit }
    }
  }

  /// Ranges in which lower case, upper case and digits alternate as in base64, in one word or over several. A range is
  /// extended to whole words, except for plain words at its ends.
  private static func mixedWindows(_ bytes: [UInt8]) -> [Range<Int>] {
    let letters = bytes.indices.filter { CharacterClass(bytes[$0]) != nil }
    guard letters.count >= windowLength else { return [] }
    // Running count of letters that directly follow one of another kind.
    var changes = [0]
    for (before, letter) in zip(letters, letters.dropFirst()) {
      let isChange = letter == before + 1 && CharacterClass(bytes[before]) != CharacterClass(bytes[letter])
      changes.append((changes.last ?? 0) + (isChange ? 1 : 0))
    }
    let windows = (0...(letters.count - windowLength)).compactMap { first -> Range<Int>? in
      let last = first + windowLength - 1
      return changes[last] - changes[first] >= minChanges ? letters[first]..<(letters[last] + 1) : nil
    }
    return RangeSet(windows).ranges.map { window in
      let start = bytes[..<window.lowerBound].lastIndex { !isOfWord($0) }.map { $0 + 1 } ?? 0
      return trimmed(
        start..<(bytes[window.upperBound...].firstIndex { !isOfWord($0) } ?? bytes.count), of: bytes)
    }
  }

  /// The range without plain words at its ends.
  private static func trimmed(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
    let words = range.split { !isOfWord(bytes[$0]) }
    let isMixed = { (word: Range<Int>) in
      let kinds = word.map { CharacterClass(bytes[$0]) }
      return kinds.contains(.digit) || zip(kinds, kinds.dropFirst()).count(where: { $0 != $1 }) > 1
    }
    guard let first = words.first(where: isMixed), let last = words.last(where: isMixed) else { return range }
    return first.lowerBound..<last.upperBound
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    CharacterClass(byte) != nil || "+/=-_".utf8.contains(byte)
  }
}
