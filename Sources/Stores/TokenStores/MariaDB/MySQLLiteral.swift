/// Literals: prepared statements of libmariadb need two more messages each.
///
/// The session's character set is utf8mb4, in which a byte below 0x80 is never part of another character, so that
/// quotes and backslashes are found by their bytes. A text has no introducer: its default collation would replace the
/// session's, utf8mb4_bin.
package enum MySQLLiteral {
  package static func append(_ field: SQLField, to statement: inout [UInt8]) {
    switch field {
    case .null: statement.append(contentsOf: "NULL".utf8)
    case .integer(let value): append(value, to: &statement)
    case .real(let value): append(value, to: &statement)
    case .text(let bytes): append(text: bytes, to: &statement)
    case .bytes(let bytes): append(hex: bytes, to: &statement)
    }
  }

  package static func text(_ value: SQLValue) -> String {
    var statement: [UInt8] = []
    value.withField { append($0, to: &statement) }
    return String(decoding: statement, as: UTF8.self)
  }

  private static func append(_ value: Int64, to statement: inout [UInt8]) {
    var magnitude = value.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = digits.count
      repeat {
        start -= 1
        digits[start] = UInt8(truncatingIfNeeded: 0x30 + magnitude % 10)
        magnitude /= 10
      } while magnitude > 0
      if value < 0 { statement.append(UInt8(ascii: "-")) }
      statement.append(contentsOf: digits[start...])
    }
  }

  /// With an exponent it is a double, without one a decimal. Infinity and NaN are texts, which numeric columns refuse
  /// in strict mode.
  private static func append(_ value: Double, to statement: inout [UInt8]) {
    let text = "\(value)"
    guard value.isFinite else { return statement.append(contentsOf: "'\(text)'".utf8) }
    statement.append(contentsOf: (text.contains("e") ? text : text + "e0").utf8)
  }

  private static func append(text bytes: UnsafeRawBufferPointer, to statement: inout [UInt8]) {
    statement.append(UInt8(ascii: "'"))
    append(escaped: bytes, to: &statement)
    statement.append(UInt8(ascii: "'"))
  }

  /// Escapes the bytes that have a meaning in a quoted text, or for LOAD DATA: any byte may be escaped. A backslash
  /// escapes, because the session's sql_mode lacks NO_BACKSLASH_ESCAPES.
  static func append(escaped bytes: UnsafeRawBufferPointer, to statement: inout [UInt8]) {
    let escape = UInt8(ascii: "\\")
    var start = 0
    for (index, byte) in bytes.enumerated() where byte <= escape {
      let letter: UInt8
      switch byte {
      case 0: letter = UInt8(ascii: "0")
      case UInt8(ascii: "'"), UInt8(ascii: "\t"), UInt8(ascii: "\n"), escape: letter = byte
      default: continue
      }
      statement.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
      statement.append(escape)
      statement.append(letter)
      start = index + 1
    }
    statement.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  private static let digits: StaticString = "0123456789ABCDEF"

  private static func append(hex bytes: UnsafeRawBufferPointer, to statement: inout [UInt8]) {
    statement.append(UInt8(ascii: "X"))
    statement.append(UInt8(ascii: "'"))
    let start = statement.count
    statement.append(contentsOf: repeatElement(0, count: bytes.count * 2))
    statement.withUnsafeMutableBufferPointer { statement in
      let digits = UnsafeBufferPointer(start: digits.utf8Start, count: digits.utf8CodeUnitCount)
      for (index, byte) in bytes.enumerated() {
        statement[start + index * 2] = digits[Int(byte >> 4)]
        statement[start + index * 2 + 1] = digits[Int(byte & 15)]
      }
    }
    statement.append(UInt8(ascii: "'"))
  }
}
