/// Validates one JSON value in UTF-8 by the grammar of RFC 8259: no byte order mark, only white space around it,
/// any depth. Builds no value.
public struct JSONText {
  /// The arrays (0) and objects (1) around the next byte, the innermost in the lowest bit. The first 64 levels need no
  /// allocation.
  private var innermost: UInt64 = 0
  private var outer: [UInt64] = []
  private var depth = 0
  /// The next byte to read; after a failure, the wrong byte.
  package private(set) var next: UnsafeRawPointer
  package let end: UnsafeRawPointer
  /// After a failure, the expected token.
  package private(set) var expected: StaticString = ""

  /// Whether the bytes of `range`, which must be in the span, are one JSON value.
  public static func isValue(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    bytes.extracting(range).withUnsafeBytes { error(of: $0) == nil }
  }

  /// The offset of the first wrong byte, and the expected token; nil if the text is one JSON value.
  package static func error(of text: UnsafeRawBufferPointer) -> (offset: Int, expected: String)? {
    guard let start = text.baseAddress else { return (0, "a value") }
    var text = JSONText(next: start, end: start + text.count)
    if text.readValue() { return nil }
    return (text.next - start, "\(text.expected)")
  }

  package init(next: UnsafeRawPointer, end: UnsafeRawPointer) {
    self.next = next
    self.end = end
  }

  /// - Parameter isWhole: whether only white space may follow the value.
  package mutating func readValue(isWhole: Bool = true) -> Bool {
    while true {
      skipSpace()
      guard let opens = readBeginning() else { return false }
      if opens { continue }
      while true {
        if depth == 0, !isWhole { return true }
        skipSpace()
        if depth == 0 { return next == end || fail("the end of the value") }
        guard let closes = readSeparator() else { return false }
        if !closes { break }
      }
    }
  }

  /// Reads a scalar or empty value (false), or the beginning of an array or object up to its first element (true). Nil
  /// if there is no value.
  @inline(__always)
  private mutating func readBeginning() -> Bool? {
    switch byte {
    case UInt8(ascii: "\""): return readString() ? false : nil
    case UInt8(ascii: "{"):
      next += 1
      skipSpace()
      if skip(UInt8(ascii: "}")) { return false }
      push(isObject: true)
      return readName() ? true : nil
    case UInt8(ascii: "["):
      next += 1
      skipSpace()
      if skip(UInt8(ascii: "]")) { return false }
      push(isObject: false)
      return true
    default: return readPlain() ? false : nil
    }
  }

  /// Reads the separator after an element (false) or the bracket that closes the array or object (true). Nil for
  /// anything else.
  @inline(__always)
  private mutating func readSeparator() -> Bool? {
    let isObject = innermost & 1 == 1
    if skip(UInt8(ascii: ",")) {
      guard isObject else { return false }
      skipSpace()
      return readName() ? false : nil
    }
    guard skip(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
      _ = fail(isObject ? "a comma or }" : "a comma or ]")
      return nil
    }
    pop()
    return true
  }

  private mutating func push(isObject: Bool) {
    if depth > 0, depth % UInt64.bitWidth == 0 { outer.append(innermost) }
    innermost = innermost << 1 | (isObject ? 1 : 0)
    depth += 1
  }

  private mutating func pop() {
    depth -= 1
    innermost >>= 1
    if depth > 0, depth % UInt64.bitWidth == 0, let word = outer.popLast() { innermost = word }
  }

  @inline(never)
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

  @inline(__always)
  package mutating func skipSpace() {
    while byte <= 0x20 {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0d: next += 1
      default: return
      }
    }
  }

  // MARK: - Numbers and literals

  /// Reads a number, `true`, `false` or `null`.
  @inline(__always)
  package mutating func readPlain() -> Bool {
    switch byte {
    case UInt8(ascii: "t"): readWord("true")
    case UInt8(ascii: "f"): readWord("false")
    case UInt8(ascii: "n"): readWord("null")
    default: readNumber()
    }
  }

  private mutating func readWord(_ word: StaticString) -> Bool {
    let start = next
    for index in 0..<word.utf8CodeUnitCount where !skip(word.utf8Start[index]) {
      next = start
      return fail("a value")
    }
    return true
  }

  /// `-12.5e+3`: an optional sign, digits without a leading zero, a fraction, an exponent.
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

  private mutating func readDigits(_ expected: StaticString) -> Bool {
    guard isDigit else { return fail(expected) }
    while isDigit { next += 1 }
    return true
  }

  // MARK: - Strings

  private mutating func readName() -> Bool {
    guard byte == UInt8(ascii: "\"") else { return fail("a key in quotes") }
    guard readString() else { return false }
    skipSpace()
    return skip(UInt8(ascii: ":")) || fail("a colon after the key")
  }

  /// Reads a string from its opening quote on.
  @inline(__always)
  package mutating func readString() -> Bool {
    next += 1
    while true {
      if end - next >= 8 {
        let block = EightBytes(next)
        let plain = EightBytes.count(
          before: block.marks(of: UInt8(ascii: "\"")) | block.marks(of: UInt8(ascii: "\\"))
            | block.marks(below: 0x20) | block.marksOfHigh)
        next += plain
        if plain == 8 { continue }
      }
      switch byte {
      case UInt8(ascii: "\""):
        next += 1
        return true
      case 0x20..<0x5c, 0x5d..<0x80: next += 1
      default: if !readUnusual() { return false }
      }
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
