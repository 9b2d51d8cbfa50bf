import WireBytes

/// Tells whether bytes are one JSON value in UTF-8, by the grammar of RFC 8259: no byte order mark, nothing
/// but white space around it, any depth. Makes nothing of it.
public struct JSONText {
  /// The arrays and objects around the place that is read: an object is a 1, the innermost lowest. Sixty-four
  /// of them need no memory; no payload that a person made has as many.
  private var innermost: UInt64 = 0
  private var outer: [UInt64] = []
  private var depth = 0
  private var place = 0
  private var end = 0

  private init() {}

  /// Whether the bytes of `range`, which must lie in the span, are one JSON value.
  public static func isValue(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    var text = JSONText()
    text.place = range.lowerBound
    text.end = range.upperBound
    return text.readValue(in: bytes)
  }

  private mutating func readValue(in bytes: RawSpan) -> Bool {
    while true {
      skipSpace(in: bytes)
      guard let opens = readBeginning(in: bytes) else { return false }
      if opens { continue }
      while true {
        skipSpace(in: bytes)
        if depth == 0 { return place == end }
        guard let closes = readSeparator(in: bytes) else { return false }
        if !closes { break }
      }
    }
  }

  /// Reads a value without parts, or an array or object up to its first part: true for that. Nil where there is
  /// no value.
  private mutating func readBeginning(in bytes: RawSpan) -> Bool? {
    guard place < end else { return nil }
    switch bytes.byte(at: place) {
    case UInt8(ascii: "{"):
      place += 1
      skipSpace(in: bytes)
      if skip(UInt8(ascii: "}"), in: bytes) { return false }
      push(isObject: true)
      return readName(in: bytes) ? true : nil
    case UInt8(ascii: "["):
      place += 1
      skipSpace(in: bytes)
      if skip(UInt8(ascii: "]"), in: bytes) { return false }
      push(isObject: false)
      return true
    case UInt8(ascii: "\""): return readString(in: bytes) ? false : nil
    case UInt8(ascii: "t"): return read("true", in: bytes) ? false : nil
    case UInt8(ascii: "f"): return read("false", in: bytes) ? false : nil
    case UInt8(ascii: "n"): return read("null", in: bytes) ? false : nil
    default: return readNumber(in: bytes) ? false : nil
    }
  }

  /// Reads what stands behind a part: true where it closes the array or object. Nil where neither can be.
  private mutating func readSeparator(in bytes: RawSpan) -> Bool? {
    let isObject = innermost & 1 == 1
    if skip(UInt8(ascii: ","), in: bytes) {
      guard isObject else { return false }
      skipSpace(in: bytes)
      return readName(in: bytes) ? false : nil
    }
    guard skip(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), in: bytes) else { return nil }
    pop()
    return true
  }

  /// Reads a member's name with its colon.
  private mutating func readName(in bytes: RawSpan) -> Bool {
    guard place < end, bytes.byte(at: place) == UInt8(ascii: "\""), readString(in: bytes) else {
      return false
    }
    skipSpace(in: bytes)
    return skip(UInt8(ascii: ":"), in: bytes)
  }

  private mutating func readString(in bytes: RawSpan) -> Bool {
    place += 1
    while place < end {
      switch bytes.byte(at: place) {
      case UInt8(ascii: "\""):
        place += 1
        return true
      case UInt8(ascii: "\\"):
        guard readEscape(in: bytes) else { return false }
      case 0x00..<0x20: return false
      case 0x20..<0x80: place += 1
      default:
        let length = UTF8Text.characterLength(at: place, before: end, in: bytes)
        if length == 0 { return false }
        place += length
      }
    }
    return false
  }

  private mutating func readEscape(in bytes: RawSpan) -> Bool {
    guard end - place >= 2 else { return false }
    let letter = bytes.byte(at: place + 1)
    place += 2
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      guard end - place >= 4 else { return false }
      for index in 0..<4 where !Self.isHexDigit(bytes.byte(at: place + index)) { return false }
      place += 4
      return true
    default: return false
    }
  }

  private mutating func readNumber(in bytes: RawSpan) -> Bool {
    _ = skip(UInt8(ascii: "-"), in: bytes)
    if !skip(UInt8(ascii: "0"), in: bytes), !readDigits(in: bytes) { return false }
    if skip(UInt8(ascii: "."), in: bytes), !readDigits(in: bytes) { return false }
    if skip(UInt8(ascii: "e"), in: bytes) || skip(UInt8(ascii: "E"), in: bytes) {
      if !skip(UInt8(ascii: "+"), in: bytes) { _ = skip(UInt8(ascii: "-"), in: bytes) }
      return readDigits(in: bytes)
    }
    return true
  }

  private mutating func readDigits(in bytes: RawSpan) -> Bool {
    let start = place
    while place < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes.byte(at: place)) { place += 1 }
    return place > start
  }

  private mutating func read(_ word: StaticString, in bytes: RawSpan) -> Bool {
    guard end - place >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where bytes.byte(at: place + index) != word.utf8Start[index] {
      return false
    }
    place += word.utf8CodeUnitCount
    return true
  }

  private mutating func skip(_ byte: UInt8, in bytes: RawSpan) -> Bool {
    guard place < end, bytes.byte(at: place) == byte else { return false }
    place += 1
    return true
  }

  private mutating func skipSpace(in bytes: RawSpan) {
    while place < end {
      switch bytes.byte(at: place) {
      case 0x20, 0x09, 0x0a, 0x0d: place += 1
      default: return
      }
    }
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

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
