internal import WideBytes

/// Validates one JSON value in UTF-8 by the grammar of RFC 8259: no byte order mark, only white space around it,
/// any depth. Builds no value.
public struct JSONText {
  /// The next byte to read; after a failure, the wrong byte.
  package private(set) var next: UnsafeRawPointer
  package let end: UnsafeRawPointer
  /// After a failure, the expected token.
  package private(set) var expected: StaticString = ""
  /// The end of the bytes that may be loaded, which may have others after the text.
  private let readableEnd: UnsafeRawPointer

  /// The objects (0) and arrays (1) around the next byte.
  private struct Levels {
    /// The innermost in the lowest bit, and a 1 before the outermost. The first 63 need no allocation.
    private var levels: UInt64 = 1
    private var outer: [UInt64] = []

    var isEmpty: Bool { levels == 1 }
    var isObject: Bool { levels & 1 == 0 }

    @inline(__always)
    mutating func push(isObject: Bool) {
      if levels >> 63 == 1 {
        outer.append(levels)
        levels = 1
      }
      levels = levels << 1 | (isObject ? 0 : 1)
    }

    @inline(__always)
    mutating func pop() {
      levels >>= 1
      if levels == 1, let word = outer.popLast() { levels = word }
    }
  }

  /// Whether the bytes of `range`, which must be in the span, are one JSON value.
  public static func isValue(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    bytes.extracting(range).withUnsafeBytes {
      error(of: $0, readable: bytes.byteCount - range.lowerBound) == nil
    }
  }

  /// The offset of the first wrong byte, and the expected token; nil if the text is one JSON value.
  package static func error(of text: UnsafeRawBufferPointer) -> (offset: Int, expected: String)? {
    error(of: text, readable: text.count)
  }

  /// - Parameter readable: how many bytes from the first on may be loaded.
  private static func error(
    of text: UnsafeRawBufferPointer, readable: Int
  ) -> (offset: Int, expected: String)? {
    guard let start = text.baseAddress else { return (0, "a value") }
    var text = JSONText(next: start, end: start + text.count, readable: readable)
    if text.read(isWhole: true) { return nil }
    return (text.next - start, "\(text.expected)")
  }

  package init(next: UnsafeRawPointer, end: UnsafeRawPointer, readable: Int? = nil) {
    (self.next, self.end, readableEnd) = (next, end, readable.map { next + $0 } ?? end)
  }

  /// - Parameter isWhole: whether only white space may follow the value.
  package mutating func readValue(isWhole: Bool = true) -> Bool { apart { $0.read(isWhole: isWhole) } }

  @inline(__always)
  private mutating func read(isWhole: Bool) -> Bool {
    var levels = Levels()
    while true {
      if levels.isObject, !readName() { return false }
      let first = byteAfterSpace()
      if first == UInt8(ascii: "\"") {
        guard readString() else { return false }
      } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        next += 1
        // `}` and `]` are two after `{` and `[`.
        if byteAfterSpace() != first &+ 2 {
          levels.push(isObject: first == UInt8(ascii: "{"))
          continue
        }
        next += 1
      } else {
        guard apart({ $0.readPlain() }) else { return false }
      }
      while true {
        if levels.isEmpty, !isWhole { return true }
        let separator = byteAfterSpace()
        if levels.isEmpty { return next == end || fail("the end of the value") }
        if separator == UInt8(ascii: ",") { break }
        let isObject = levels.isObject
        guard separator == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          return fail(isObject ? "a comma or }" : "a comma or ]")
        }
        next += 1
        levels.pop()
      }
      next += 1
    }
  }

  @inline(__always)
  private mutating func fail(_ expected: StaticString) -> Bool {
    self.expected = expected
    return false
  }

  /// The next byte; at the end 0, which is valid nowhere.
  @inline(__always)
  package var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

  @inline(__always)
  package mutating func skip(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    next += 1
    return true
  }

  /// Skips white space; returns the byte after it.
  @inline(__always)
  private mutating func byteAfterSpace() -> UInt8 {
    let first = byte
    if first > 0x20 { return first }
    _ = apart { $0.skipSpace() }
    return byte
  }

  @inline(never) @discardableResult
  package mutating func skipSpace() -> Bool {
    while true {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0d: next += 1
      default: return true
      }
    }
  }

  /// Calls `read` with a copy: so the state of a local text stays in registers.
  @inline(__always)
  private mutating func apart(_ read: (inout JSONText) -> Bool) -> Bool {
    var text = self
    let isRead = read(&text)
    next = text.next
    if !isRead { expected = text.expected }
    return isRead
  }

  // MARK: - Numbers and literals

  /// Reads a number, `true`, `false` or `null`.
  @inline(never)
  package mutating func readPlain() -> Bool {
    switch byte {
    case UInt8(ascii: "t"): readWord("true")
    case UInt8(ascii: "f"): readWord("false")
    case UInt8(ascii: "n"): readWord("null")
    default: readNumber()
    }
  }

  @inline(__always)
  private mutating func readWord(_ word: StaticString) -> Bool {
    let start = next
    for index in 0..<word.utf8CodeUnitCount where !skip(word.utf8Start[index]) {
      next = start
      return fail("a value")
    }
    return true
  }

  /// `-12.5e+3`: an optional sign, digits without a leading zero, a fraction, an exponent.
  @inline(__always)
  private mutating func readNumber() -> Bool {
    _ = skip(UInt8(ascii: "-"))
    if skip(UInt8(ascii: "0")) {
      if isDigit { return fail("a number without a leading zero") }
    } else if !readDigits("a value") {
      return false
    }
    if skip(UInt8(ascii: ".")), !readDigits("digits") { return false }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      return readDigits("digits")
    }
    return true
  }

  private var isDigit: Bool { byte &- UInt8(ascii: "0") < 10 }

  @inline(__always)
  private mutating func readDigits(_ expected: StaticString) -> Bool {
    guard isDigit else { return fail(expected) }
    while isDigit { next += 1 }
    return true
  }

  // MARK: - Strings

  @inline(__always)
  private mutating func readName() -> Bool {
    guard byteAfterSpace() == UInt8(ascii: "\"") else { return fail("a key in quotes") }
    guard readString() else { return false }
    guard byteAfterSpace() == UInt8(ascii: ":") else { return fail("a colon after the key") }
    next += 1
    return true
  }

  /// Reads a string from its opening quote on.
  @inline(__always)
  package mutating func readString() -> Bool {
    next += 1
    while true {
      // Of bytes after the text, too.
      next += count_plain(next.assumingMemoryBound(to: UInt8.self), readableEnd - next)
      if skip(UInt8(ascii: "\"")) { return true }
      next = min(next, end)
      guard apart({ $0.readUnusual() }) else { return false }
    }
  }

  /// Reads an escape or a character of several bytes.
  @inline(never)
  private mutating func readUnusual() -> Bool {
    if byte == UInt8(ascii: "\\") { return readEscape() }
    if next == end { return fail("a closing quote") }
    if byte < 0x20 { return fail("an escaped control character") }
    let length = UTF8Text.characterLength(from: next, to: end)
    next += length
    return length > 0 || fail("UTF-8")
  }

  private mutating func readEscape() -> Bool {
    next += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      next += 1
      return true
    case UInt8(ascii: "u"):
      next += 1
      for _ in 0..<4 {
        guard Hex.value(ofDigit: byte) != nil else { return fail("4 hex digits") }
        next += 1
      }
      return true
    default: return fail("an escape")
    }
  }
}
