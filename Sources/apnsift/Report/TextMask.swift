import WireBytes

/// Takes what may be a token out of names, titles and remarks: they are people's, and may hold anything, in any of the
/// forms in which people write bytes. Better too much than a part of a token (decision 33).
struct TextMask {
  static let mask = "[masked]"
  /// So many hex digits may be of a token. A date and a time have 14.
  private static let fewestDigits = 16
  /// So many letters and digits in a row may be a token in base32, of which 32 bytes take 52, or in base64.
  private static let longestWord = 40
  /// Of so many letters and digits, whatever stands between them, ...
  private static let windowLength = 32
  /// ... so many follow at once on one of another kind (a small letter, a capital, a digit) where they are base64: 19 on
  /// average, and fewer than eight not once in 100,000 tokens. In words, names and dates it is none to seven.
  private static let fewestChanges = 8

  /// Whether anything is masked at all.
  let isActive: Bool
  /// Whether something was.
  private(set) var hasMasked = false

  init(isActive: Bool) { self.isActive = isActive }

  mutating func text(_ text: String) -> String {
    guard isActive else { return text }
    let bytes = Array(text.utf8)
    let ranges = Self.merged(Self.hexRuns(bytes) + Self.words(bytes) + Self.mixedWindows(bytes))
    guard !ranges.isEmpty else { return text }
    hasMasked = true
    var masked: [UInt8] = []
    var end = 0
    for range in ranges {
      masked += bytes[end..<range.lowerBound] + Array(Self.mask.utf8)
      end = range.upperBound
    }
    return String(decoding: masked + bytes[end...], as: UTF8.self)
  }

  // MARK: - Hex

  /// Hex digits with anything between them but other letters, as in `09-fc`, `0x09, 0xfc`, `\x09`, `%09`, or over
  /// lines. Where more than single marks stand between, one of them must be a letter: numbers in a row are none.
  private static func hexRuns(_ bytes: [UInt8]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var place = 0
    while place < bytes.count {
      guard Hex.value(ofDigit: bytes[place]) != nil else {
        place += 1
        continue
      }
      let (run, isOfToken) = hexRun(bytes, from: place)
      if isOfToken { runs.append(run) }
      place = run.upperBound
    }
    return runs
  }

  private static func hexRun(_ bytes: [UInt8], from start: Int) -> (Range<Int>, isOfToken: Bool) {
    var (end, digits, hasLetter, isPlain) = (start, 0, false, true)
    for place in start..<bytes.count {
      let byte = bytes[place]
      if Hex.value(ofDigit: byte) != nil {
        if place - end > 1 || (place - end == 1 && !isMark(bytes[end])) { isPlain = false }
        digits += 1
        end = place + 1
        hasLetter = hasLetter || Kind(byte) != .digit
      } else if Kind(byte) != nil, byte | 0x20 != UInt8(ascii: "x") {
        break
      }
    }
    return (start..<end, digits >= fewestDigits && (hasLetter || isPlain))
  }

  private static func isMark(_ byte: UInt8) -> Bool { " -_.:,".utf8.contains(byte) }

  // MARK: - Base32 and base64

  private enum Kind: Equatable {
    case small, capital, digit

    /// Nil for what is no letter or digit of ASCII.
    init?(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      default: return nil
      }
    }
  }

  /// Letters and digits, both of them, without anything between.
  private static func words(_ bytes: [UInt8]) -> [Range<Int>] {
    bytes.indices.split { Kind(bytes[$0]) == nil }.compactMap { word in
      let kinds = bytes[word].compactMap(Kind.init)
      guard word.count >= longestWord, kinds.contains(.digit), kinds.contains(where: { $0 != .digit }) else {
        return nil
      }
      return word
    }
  }

  /// Stretches in which small letters, capitals and digits take turns as they do in base64 and in no text, in one word
  /// or in groups, lines or paths. The words that they begin and end in belong to them.
  private static func mixedWindows(_ bytes: [UInt8]) -> [Range<Int>] {
    let letters = bytes.indices.filter { Kind(bytes[$0]) != nil }
    guard letters.count >= windowLength else { return [] }
    // How many of the letters before each, and itself, follow at once on one of another kind.
    var changes = [0]
    for (before, letter) in zip(letters, letters.dropFirst()) {
      let isChange = letter == before + 1 && Kind(bytes[before]) != Kind(bytes[letter])
      changes.append((changes.last ?? 0) + (isChange ? 1 : 0))
    }
    let windows = (0...(letters.count - windowLength)).compactMap { first -> Range<Int>? in
      let last = first + windowLength - 1
      return changes[last] - changes[first] >= fewestChanges ? letters[first]..<(letters[last] + 1) : nil
    }
    return merged(windows).map { window in
      let start = bytes[..<window.lowerBound].lastIndex { !isOfWord($0) }.map { $0 + 1 } ?? 0
      return start..<(bytes[window.upperBound...].firstIndex { !isOfWord($0) } ?? bytes.count)
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool { Kind(byte) != nil || "+/=-_".utf8.contains(byte) }

  /// Ranges in order, those that touch made one.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}
