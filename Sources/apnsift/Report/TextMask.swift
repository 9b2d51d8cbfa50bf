import WireBytes

/// Takes what may be a token out of names, titles and remarks: they are people's, and may hold anything.
struct TextMask {
  /// So many hex digits in a row, or with single marks between them, may be of a token. A date and a time have 14.
  private static let fewestDigits = 16
  /// So many letters and digits in a row, of both cases, may be a token in base64: 32 bytes take 43.
  private static let fewestLetters = 40
  static let mask = "[masked]"

  /// Whether anything is masked at all.
  let isActive: Bool
  /// Whether something was.
  private(set) var hasMasked = false

  init(isActive: Bool) { self.isActive = isActive }

  mutating func text(_ text: String) -> String {
    guard isActive else { return text }
    let bytes = Array(text.utf8)
    let ranges = Self.merged(Self.hexRuns(bytes) + Self.base64Runs(bytes))
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

  /// Hex digits in a row, single marks in between left out of account.
  private static func hexRuns(_ bytes: [UInt8]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      guard Hex.value(ofDigit: bytes[start]) != nil else {
        start += 1
        continue
      }
      var end = start + 1
      var digits = 1
      while end < bytes.count {
        if Hex.value(ofDigit: bytes[end]) != nil {
          digits += 1
          end += 1
        } else if isMark(bytes[end]), end + 1 < bytes.count, Hex.value(ofDigit: bytes[end + 1]) != nil {
          end += 1
        } else {
          break
        }
      }
      if digits >= fewestDigits { runs.append(start..<end) }
      start = end
    }
    return runs
  }

  private static func isMark(_ byte: UInt8) -> Bool { " -_.:,".utf8.contains(byte) }

  private static func base64Runs(_ bytes: [UInt8]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex { !isBase64($0) } ?? bytes.count
      let run = bytes[start..<end]
      let kinds: [(UInt8) -> Bool] = [isLower, isUpper, isDigit]
      if run.count >= fewestLetters, kinds.allSatisfy({ run.contains(where: $0) }) {
        runs.append(start..<end)
      }
      start = end + 1
    }
    return runs
  }

  private static func isLower(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
  private static func isUpper(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
  private static func isBase64(_ byte: UInt8) -> Bool {
    isLower(byte) || isUpper(byte) || isDigit(byte) || "+_-=".utf8.contains(byte)
  }

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
