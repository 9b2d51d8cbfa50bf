/// A value beside a statement. Values are never written into its text.
enum Parameter {
  case text(String)
  case bytes([UInt8])
  case integer(Int)

  /// The type's number in the server's catalogue, pg_type: text, bytea, bigint.
  var type: UInt32 {
    switch self {
    case .text: 25
    case .bytes: 17
    case .integer: 20
    }
  }

  /// The value as the server's binary format has it.
  var encoded: [UInt8] {
    switch self {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .integer(let value): withUnsafeBytes(of: Int64(value).bigEndian) { Array($0) }
    }
  }
}
