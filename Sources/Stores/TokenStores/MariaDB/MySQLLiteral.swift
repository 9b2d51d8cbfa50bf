import Basics

/// Literals: prepared statements of libmariadb need two more messages each.
///
/// The session's character set is utf8mb4, in which a byte below 0x80 is never part of another character, so that
/// quotes and backslashes are found by their bytes. A text has no introducer: its default collation would replace the
/// session's, utf8mb4_bin.
package enum MySQLLiteral {
  package static func append(_ field: SQLField, to statement: inout [UInt8]) {
    switch field {
    case .null: statement += "NULL".utf8
    case .integer(let value): statement += String(value).utf8
    // With an exponent it is a double, without one a decimal. Infinity and NaN are texts, which numeric columns
    // refuse in strict mode.
    case .real(let value):
      let text = "\(value)"
      statement += (value.isFinite ? (text.contains("e") ? text : text + "e0") : "'\(text)'").utf8
    case .text(let bytes):
      statement.append(UInt8(ascii: "'"))
      append(escaped: bytes, to: &statement)
      statement.append(UInt8(ascii: "'"))
    case .bytes(let bytes): statement += "X'\(Hex.string(bytes))'".utf8
    }
  }

  package static func text(_ value: SQLValue) -> String { value.withField(text) }

  static func text(_ field: SQLField) -> String {
    var statement: [UInt8] = []
    append(field, to: &statement)
    return String(decoding: statement, as: UTF8.self)
  }

  /// Escapes the bytes that have a meaning in a quoted text, or for LOAD DATA. A backslash escapes, because the session's
  /// sql_mode lacks NO_BACKSLASH_ESCAPES. In a script, the client would misread a backslash before a line end.
  static func append(escaped bytes: UnsafeRawBufferPointer, to statement: inout [UInt8]) {
    var rest = bytes[...]
    while let special = rest.firstIndex(where: isSpecial) {
      statement += rest[..<special]
      statement.append(UInt8(ascii: "\\"))
      switch rest[special] {
      case UInt8(ascii: "\n"): statement.append(UInt8(ascii: "n"))
      case UInt8(ascii: "\t"): statement.append(UInt8(ascii: "t"))
      case let byte: statement.append(byte)
      }
      rest = rest[(special + 1)...]
    }
    statement += rest
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\t")
      || byte == UInt8(ascii: "\n")
  }
}
