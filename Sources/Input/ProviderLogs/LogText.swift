/// A set of ASCII characters.
struct ByteSet: Sendable {
  private var bits: SIMD2<UInt64> = .zero

  init(_ characters: StaticString) {
    for index in 0..<characters.utf8CodeUnitCount {
      let byte = characters.utf8Start[index]
      bits[Int(byte &>> 6) & 1] |= 1 &<< UInt64(byte & 63)
    }
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool { byte < 0x80 && bits[Int(byte &>> 6)] &>> UInt64(byte & 63) & 1 == 1 }

  static let openings = ByteSet("{[(")
  static let closings = ByteSet("}])")
  static let quotes = ByteSet("\"'`")
  /// What rules of drawn tables have.
  static let rules = ByteSet("-+| \r")
  /// What ends a value without quotes.
  static let ends = ByteSet(",;|}])\"'{[(")
}

struct LogText {
  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  func begins(_ word: StaticString, at start: Int = 0) -> Bool {
    guard start &+ word.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<word.utf8CodeUnitCount where bytes[start &+ index] != word.utf8Start[index] {
      return false
    }
    return true
  }

  func index(of word: StaticString, from start: Int = 0) -> Int? {
    guard start < bytes.count else { return nil }
    return (start..<bytes.count).first { begins(word, at: $0) }
  }

  /// The text between the next `word` and the next `mark` after it.
  func range(after word: StaticString, before mark: StaticString, from start: Int = 0) -> Range<Int>? {
    guard let start = index(of: word, from: start).map({ $0 &+ word.utf8CodeUnitCount }),
      let end = index(of: mark, from: start)
    else { return nil }
    return start..<end
  }

  /// Makes a line without colours, and without quotes around bodies of answers, of the same length.
  static func clean(_ text: inout [UInt8]) {
    blankColours(&text)
    openAnswers(&text)
  }

  /// Makes blanks of the escapes that colour text on a terminal.
  private static func blankColours(_ text: inout [UInt8]) {
    var index = 0
    while let escape = text[index...].firstIndex(of: 0x1b) {
      index = escape + 1
      guard index < text.count, text[index] == UInt8(ascii: "[") else { continue }
      let end = text[(index + 1)...].firstIndex { 0x40...0x7e ~= $0 } ?? text.count - 1
      text.replaceSubrange(escape...end, with: repeatElement(0x20, count: end + 1 - escape))
      index = end + 1
    }
  }

  /// Makes an object of each text that has the body of an answer, `"{\"reason\":…}"` or `'{"reason":…}'`, of the
  /// same length.
  private static func openAnswers(_ text: inout [UInt8]) {
    var index = 0
    while index &+ 10 < text.count, let brace = text[(index &+ 1)...].firstIndex(of: UInt8(ascii: "{")) {
      index = brace
      let quote = text[brace &- 1]
      let isEscaped = brace &+ 1 < text.count && text[brace &+ 1] == UInt8(ascii: "\\")
      guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") && isEscaped,
        text[(brace &+ 1)...].starts(with: isEscaped ? "\\\"reason\\\"".utf8 : "\"reason\"".utf8)
      else { continue }
      var object: [UInt8] = []
      var end = brace
      while end < text.count, text[end] != quote, text[end] != 0x0a {
        if text[end] == UInt8(ascii: "\\"), end &+ 1 < text.count { end &+= 1 }
        object.append(text[end])
        end &+= 1
      }
      guard end < text.count, text[end] == quote, object.last == UInt8(ascii: "}") else { continue }
      let blanks = repeatElement(UInt8(ascii: " "), count: end &- brace &+ 1 &- object.count)
      text.replaceSubrange(brace &- 1...end, with: [0x20] + object + blanks)
      index = end
    }
  }

  /// The letters, digits, and other unreserved characters of URLs from `start` on.
  func token(at start: Int) -> Range<Int> {
    let end = bytes[start...].firstIndex { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: false
      default: !"-_.~%".utf8.contains(byte)
      }
    }
    return start..<(end ?? bytes.count)
  }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether a byte is a letter, a digit or `_`.
  static func isWord(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
  }

  func isWhole(_ word: StaticString) -> Bool { bytes.count == word.utf8CodeUnitCount && begins(word) }

  /// Whether it is the word of a language for no value.
  var isNothing: Bool {
    bytes.isEmpty
      || ["nil", "null", "None", "<nil>", "<null>", "NULL", "undefined", "-"].contains { isWhole($0) }
  }

  /// The number of digits at its beginning.
  var digits: Int { bytes.prefix { $0 &- UInt8(ascii: "0") < 10 }.count }

  /// A number of up to nine digits.
  func number(at start: Int) -> Int? {
    let digits = bytes[min(start, bytes.count)...].prefix { $0 &- UInt8(ascii: "0") < 10 }
    guard !digits.isEmpty, digits.count <= 9 else { return nil }
    return digits.reduce(0) { $0 &* 10 &+ Int($1 &- UInt8(ascii: "0")) }
  }

  /// A number from 100 to 599.
  func status(at start: Int) -> UInt16? {
    guard let number = number(at: start), 100...599 ~= number else { return nil }
    return UInt16(number)
  }
}
