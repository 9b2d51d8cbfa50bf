import CLibmariadb

/// Reads the fields of one column, which the server sends as text.
struct MySQLColumn {
  private enum ProtocolForm { case integer, bytes, text }

  private let form: ProtocolForm

  /// The number of the character set `binary`: that of bytes, numbers and times.
  private static let binary: UInt32 = 63

  init(_ field: MYSQL_FIELD) {
    switch field.type {
    case MYSQL_TYPE_TINY, MYSQL_TYPE_SHORT, MYSQL_TYPE_INT24, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG:
      form = .integer
    case MYSQL_TYPE_BIT, MYSQL_TYPE_GEOMETRY: form = .bytes
    case MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_BLOB, MYSQL_TYPE_MEDIUM_BLOB, MYSQL_TYPE_LONG_BLOB,
      MYSQL_TYPE_VARCHAR, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_STRING:
      form = field.charsetnr == Self.binary ? .bytes : .text
    default: form = .text
    }
  }

  /// - Parameter start: nil for null.
  func field(_ start: UnsafeMutablePointer<CChar>?, _ length: UInt) -> SQLField {
    guard let start else { return .null }
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
    switch form {
    case .text: return .text(bytes)
    case .bytes: return .bytes(bytes)
    // An unsigned one may be too large.
    case .integer: return Int64(String(decoding: bytes, as: UTF8.self)).map(SQLField.integer) ?? .text(bytes)
    }
  }
}
