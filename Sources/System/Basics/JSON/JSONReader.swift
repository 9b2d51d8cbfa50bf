package struct JSONError: Error, Equatable, Sendable {
  /// Offset in the text, in bytes from 0.
  package var offset: Int
  package var message: Message
}

/// Parses one JSON value (RFC 8259) strictly: it is compared with output, so nothing is repaired. Linear time, limited
/// depth.
package struct JSONReader {
  /// The deepest nesting of arrays and objects. Exported evidence has three levels.
  private static let maxDepth = 64

  private let start: UnsafeRawPointer
  /// Scans the text, which was validated before.
  private var text: JSONText

  /// Parses `bytes`, which must be exactly one value.
  package static func value(of bytes: ArraySlice<UInt8>) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONError) in
        guard let start = bytes.baseAddress else {
          throw JSONError(offset: 0, message: "the text is empty; expected a JSON value")
        }
        let text = JSONText(next: start, end: start + bytes.count)
        var check = text
        guard check.readValue() else {
          let found = check.next < check.end ? "the byte 0x\(String(check.byte, radix: 16))" : "the end"
          throw JSONError(offset: check.next - start, message: "expected \(check.expected), found \(found)")
        }
        var reader = JSONReader(start: start, text: text)
        return try reader.value(depth: 0)
      }
    }.get()
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    text.skipSpace()
    switch text.byte {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    default:
      let first = text.next
      _ = text.readValue(isWhole: false)
      let word = String(
        decoding: UnsafeRawBufferPointer(start: first, count: text.next - first), as: UTF8.self)
      switch word {
      case "null": return .null
      case "true", "false": return .bool(word == "true")
      default: return .number(word)
      }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    try enter(depth)
    var members: [(String, JSONValue)] = []
    // Keys are compared by their bytes: Swift's `==` treats canonically equivalent texts as equal.
    var keys: Set<[UInt8]> = []
    while !text.skip(UInt8(ascii: "}")) {
      let offset = text.next - start
      let key = try string()
      guard keys.insert(Array(key.utf8)).inserted else {
        throw JSONError(offset: offset, message: "duplicate key")
      }
      skipSeparator(UInt8(ascii: ":"))
      members.append((key, try value(depth: depth)))
      skipSeparator(UInt8(ascii: ","))
    }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    try enter(depth)
    var items: [JSONValue] = []
    while !text.skip(UInt8(ascii: "]")) {
      items.append(try value(depth: depth))
      skipSeparator(UInt8(ascii: ","))
    }
    return .array(items)
  }

  /// Skips the bracket that begins an array or object.
  private mutating func enter(_ depth: Int) throws(JSONError) {
    guard depth <= Self.maxDepth else {
      throw JSONError(offset: text.next - start, message: "more than \(Self.maxDepth) levels of nesting")
    }
    skipSeparator(text.byte)
  }

  /// Skips a separator, if there is one, and the space around it.
  private mutating func skipSeparator(_ separator: UInt8) {
    text.skipSpace()
    _ = text.skip(separator)
    text.skipSpace()
  }

  private mutating func string() throws(JSONError) -> String {
    let first = text.next + 1
    _ = text.readValue(isWhole: false)
    let content = UnsafeRawBufferPointer(start: first, count: text.next - 1 - first)
    return content.contains(UInt8(ascii: "\\"))
      ? try unescaped(content, at: first - start) : String(decoding: content, as: UTF8.self)
  }

  /// - Parameter offset: offset of `content` in the text.
  private func unescaped(_ content: UnsafeRawBufferPointer, at offset: Int) throws(JSONError) -> String {
    var unpaired: Int?
    var text: [UInt8] = []
    _ = text.replace(with: content) { JSONEscapes.read($0, to: $1, unpaired: &unpaired) }
    if let unpaired { throw JSONError(offset: offset + unpaired, message: "half of a surrogate pair") }
    return String(decoding: text, as: UTF8.self)
  }
}
