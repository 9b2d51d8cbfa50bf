/// Why a text is not JSON.
package struct JSONFault: Error, Equatable, Sendable {
  /// Offset in the text, in bytes from 0.
  package var offset: Int
  /// What was expected there, and what was found.
  package var message: String
}

/// Reads one JSON value (RFC 8259) from bytes, strictly: expectations are compared, so nothing is repaired. Time is
/// linear, and depth is bounded.
package struct JSONReader {
  /// Arrays and objects inside each other. Evidence has three.
  private static let maxDepth = 64

  /// Members of an object that are compared one by one. Evidence has some twenty.
  private static let fewMembers = 32

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  private init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The value that `bytes` hold, and nothing behind it.
  package static func value(of bytes: ArraySlice<UInt8>) throws(JSONFault) -> JSONValue {
    var reader = JSONReader(bytes)
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.position == bytes.endIndex else { throw reader.fault("the end of the value") }
    return value
  }

  // MARK: - Values

  private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try text())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONValue {
    try enter(depth)
    var members: [(String, JSONValue)] = []
    // Of few members each is looked at, which is faster; of many that would take time without bounds.
    // Keys are compared by their bytes: Swift takes texts that look alike for equal.
    var keys: Set<[UInt8]> = []
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw fault("a key in quotes") }
      let place = position
      let key = try text()
      if members.count == Self.fewMembers { keys = Set(members.map { Array($0.0.utf8) }) }
      let isNew =
        members.count < Self.fewMembers
        ? !members.contains { $0.0.utf8.elementsEqual(key.utf8) } : keys.insert(Array(key.utf8)).inserted
      guard isNew else {
        throw JSONFault(offset: place - bytes.startIndex, message: "expected each key once, found one again")
      }
      guard take(UInt8(ascii: ":")) else { throw fault("a colon behind the key") }
      members.append((key, try value(depth: depth)))
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "}")) else { throw fault("a comma or }") }
      return .object(members)
    }
  }

  private mutating func array(depth: Int) throws(JSONFault) -> JSONValue {
    try enter(depth)
    var items: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(items) }
    while true {
      items.append(try value(depth: depth))
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "]")) else { throw fault("a comma or ]") }
      return .array(items)
    }
  }

  /// Passes the bracket that begins an array or object.
  private mutating func enter(_ depth: Int) throws(JSONFault) {
    guard depth <= Self.maxDepth else { throw fault("at most \(Self.maxDepth) levels") }
    position += 1
  }

  private mutating func word(_ word: String, _ item: JSONValue) throws(JSONFault) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw fault("a value") }
    position += word.utf8.count
    return item
  }

  /// `-12.5e+3`: an optional sign, digits without a leading zero, a fraction, an exponent.
  private mutating func number() throws(JSONFault) -> JSONValue {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    let leadsWithZero = next == UInt8(ascii: "0")
    let count = try digits("a value")
    guard !leadsWithZero || count == 1 else { throw fault("a number without a leading zero") }
    if next == UInt8(ascii: ".") {
      position += 1
      _ = try digits("digits")
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      _ = try digits("digits")
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func digits(_ expected: String) throws(JSONFault) -> Int {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw fault(expected) }
    return position - start
  }

  // MARK: - Bytes

  private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard next == byte else { return false }
    position += 1
    return true
  }

  private func fault(_ expected: String) -> JSONFault {
    let found = next.map { "the byte 0x" + String($0, radix: 16) } ?? "the end"
    return JSONFault(offset: position - bytes.startIndex, message: "expected \(expected), found \(found)")
  }
}

// MARK: - Texts

extension JSONReader {
  /// A text in quotes.
  private mutating func text() throws(JSONFault) -> String {
    position += 1
    let start = position
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        guard let valid = String(validating: text, as: UTF8.self) else {
          throw JSONFault(offset: start - bytes.startIndex, message: "expected UTF-8, found other bytes")
        }
        position += 1
        return valid
      case UInt8(ascii: "\\"):
        position += 1
        text += try escaped()
      case 0x00..<0x20: throw fault("an escape in place of a control character")
      default: text += plainBytes()
      }
    }
    throw fault("a quote that ends the text")
  }

  /// The bytes of a text up to the next that is not its own.
  private mutating func plainBytes() -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.endIndex, case let byte = bytes[position], byte >= 0x20,
      byte != UInt8(ascii: "\""),
      byte != UInt8(ascii: "\\")
    {
      position += 1
    }
    return bytes[start..<position]
  }

  /// What stands behind a backslash.
  private mutating func escaped() throws(JSONFault) -> [UInt8] {
    let short: [UInt8: UInt8] = [
      UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5c, UInt8(ascii: "/"): 0x2f, UInt8(ascii: "b"): 0x08,
      UInt8(ascii: "f"): 0x0c, UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09,
    ]
    guard let byte = next else { throw fault("an escape") }
    if let character = short[byte] {
      position += 1
      return [character]
    }
    guard byte == UInt8(ascii: "u") else { throw fault("an escape") }
    var value = UInt32(try unit())
    if 0xd800..<0xdc00 ~= value, bytes[position...].starts(with: "\\u".utf8) {
      position += 1
      let low = UInt32(try unit())
      value = 0xdc00..<0xe000 ~= low ? 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00) : 0xd800
    }
    guard let scalar = Unicode.Scalar(value) else { throw fault("both halves of a surrogate pair") }
    return Array(String(scalar).utf8)
  }

  /// The letter u and 4 hex digits: 16 bits.
  private mutating func unit() throws(JSONFault) -> UInt16 {
    position += 1
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw fault("4 hex digits")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}
