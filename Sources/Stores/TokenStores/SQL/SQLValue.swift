import Basics

/// A value on its way into a database or out of it.
package enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  /// Only SQLite has values of this kind.
  case real(Double)
  case text(String)
  case bytes([UInt8])

  /// The number of a text, 1 or 0 of a boolean; nil for other texts.
  static func number(_ text: String) -> SQLValue? {
    switch text.lowercased() {
    case "true": .integer(1)
    case "false": .integer(0)
    default: Int64(text).map(SQLValue.integer)
    }
  }

  /// Of a number or a text; empty for others.
  var text: String {
    switch self {
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .null, .bytes: ""
    }
  }

  package func withField<Result>(_ body: (SQLField) throws -> Result) rethrows -> Result {
    switch self {
    case .null: return try body(.null)
    case .integer(let value): return try body(.integer(value))
    case .real(let value): return try body(.real(value))
    case .text(let value):
      var value = value
      return try value.withUTF8 { try body(.text(UnsafeRawBufferPointer($0))) }
    case .bytes(let value): return try value.withUnsafeBytes { try body(.bytes($0)) }
    }
  }
}

/// A value of a row: text and bytes are valid until the next row.
package enum SQLField {
  case null
  case integer(Int64)
  case real(Double)
  /// The bytes of a text, which may be invalid UTF-8.
  case text(UnsafeRawBufferPointer)
  case bytes(UnsafeRawBufferPointer)

  package var isNull: Bool { if case .null = self { true } else { false } }
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// A text in UTF-8; nil for other values.
  package var text: String? {
    if case .text(let bytes) = self { String(validating: bytes, as: UTF8.self) } else { nil }
  }

  package var bytes: UnsafeRawBufferPointer? { if case .bytes(let bytes) = self { bytes } else { nil } }
  /// Whether both have the same kind and bits.
  func isSame(as other: SQLField) -> Bool { PackedFields.packed([self]) == PackedFields.packed([other]) }

  package var value: SQLValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes): text.map(SQLValue.text) ?? .bytes(Array(bytes))
    case .bytes(let bytes): .bytes(Array(bytes))
    }
  }

  // MARK: - In messages

  /// How much of a value messages show: bytes of a blob; a text has twice this many characters.
  private static var shownBytes: Int { 40 }

  /// The value as an SQL literal, truncated if it is long.
  func literal(_ kind: SQLKind = .any) -> String {
    switch self {
    case .null: return "NULL"
    case .integer(let number):
      guard kind.isTime else { return String(number) }
      return number == .max
        ? "infinity" : number == .min ? "-infinity" : DateAndTime.text(ofMicroseconds: number)
    case .real(let number): return String(number)
    case .bytes(let bytes): return Self.blob(bytes)
    case .text(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return "CAST(\(Self.blob(bytes)) AS TEXT)"
      }
      let limit = 2 * Self.shownBytes
      let shown = String(text.unicodeScalars.prefix(limit).map { $0.value < 0x20 ? "·" : Character($0) })
      return "'\(shown)\(text.unicodeScalars.count > limit ? "…" : "")'"
    }
  }

  private static func blob(_ bytes: UnsafeRawBufferPointer) -> String {
    "x'\(Hex.string(bytes.prefix(shownBytes)))\(bytes.count > shownBytes ? "…" : "")'"
  }
}

package typealias SQLFields = UnsafeBufferPointer<SQLField>

/// Fields as bytes, without loss: each is a byte for its kind and, in network byte order, 8 bytes of an integer or of a
/// float's bits, or 8 bytes of length followed by the text or bytes.
package enum PackedFields {
  private enum FieldKind: UInt8 { case null, integer, real, text, bytes }

  package static func append(_ field: SQLField, to packed: inout [UInt8]) {
    func append(_ kind: FieldKind, _ number: UInt64) {
      packed.append(kind.rawValue)
      withUnsafeBytes(of: number.bigEndian) { packed.append(contentsOf: $0) }
    }
    switch field {
    case .null: packed.append(FieldKind.null.rawValue)
    case .integer(let value): append(.integer, UInt64(bitPattern: value))
    case .real(let value): append(.real, value.bitPattern)
    case .text(let bytes):
      append(.text, UInt64(bytes.count))
      packed.append(contentsOf: bytes)
    case .bytes(let bytes):
      append(.bytes, UInt64(bytes.count))
      packed.append(contentsOf: bytes)
    }
  }

  /// The first field of `packed`, and its length in bytes; nil if the bytes are invalid.
  private static func first(of packed: UnsafeRawBufferPointer) -> (field: SQLField, length: Int)? {
    guard let kind = packed.first.flatMap(FieldKind.init(rawValue:)) else { return nil }
    if kind == .null { return (.null, 1) }
    guard packed.count >= 9 else { return nil }
    let number = UInt64(bigEndian: packed.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
    switch kind {
    case .null: return (.null, 1)
    case .integer: return (.integer(Int64(bitPattern: number)), 9)
    case .real: return (.real(Double(bitPattern: number)), 9)
    case .text, .bytes:
      guard number <= UInt64(packed.count - 9) else { return nil }
      let content = UnsafeRawBufferPointer(rebasing: packed[9..<9 + Int(number)])
      return (kind == .text ? .text(content) : .bytes(content), 9 + Int(number))
    }
  }

  /// How many fields `packed` has; nil if the bytes are invalid.
  static func count(of packed: UnsafeRawBufferPointer) -> Int? {
    var count = 0
    return visit(packed) { _ in count += 1 } ? count : nil
  }

  /// All fields of `packed`; nil if the bytes are invalid.
  static func fields(of packed: UnsafeRawBufferPointer) -> [SQLField]? {
    var fields: [SQLField] = []
    return visit(packed) { fields.append($0) } ? fields : nil
  }

  /// False if the bytes are invalid.
  @inline(__always)
  private static func visit(_ packed: UnsafeRawBufferPointer, _ body: (SQLField) -> Void) -> Bool {
    var rest = packed
    while !rest.isEmpty {
      guard let (field, length) = first(of: rest) else { return false }
      body(field)
      rest = UnsafeRawBufferPointer(rebasing: rest[length...])
    }
    return true
  }

  static func packed(_ fields: some Sequence<SQLField>) -> [UInt8] {
    var packed: [UInt8] = []
    for field in fields { append(field, to: &packed) }
    return packed
  }
}
