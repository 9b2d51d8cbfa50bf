import TokenStores

/// A value beside a statement. Values are never written into its text.
enum Parameter {
  case text(String)
  case bytes([UInt8])
  case integer(Int)
  case null

  init(_ value: SQLValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(Int(number))
    // Only values of SQLite are of this kind.
    case .real(let number): self = .text(String(number))
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }

  /// The type's number in the server's catalogue, pg_type: text, bytea, bigint.
  var type: UInt32 {
    switch self {
    case .text, .null: 25
    case .bytes: 17
    case .integer: 20
    }
  }

  /// The value as the server's binary format has it.
  var encoded: [UInt8]? {
    switch self {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .null: nil
    case .integer(let value): withUnsafeBytes(of: Int64(value).bigEndian) { Array($0) }
    }
  }
}
