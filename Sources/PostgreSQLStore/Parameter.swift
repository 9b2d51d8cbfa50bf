import TokenStores

/// A value beside a statement. Values are never written into its text.
enum Parameter {
  case text(String)
  case bytes([UInt8])
  case integer(Int)
  /// An array of bytea.
  case array([ArraySlice<UInt8>])
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

  /// The type's number in the server's catalogue, pg_type: text, bytea, bigint, bytea[].
  var type: UInt32 {
    switch self {
    case .text, .null: 25
    case .bytes: 17
    case .integer: 20
    case .array: 1001
    }
  }

  /// The value as the server's binary format has it.
  var encoded: [UInt8]? {
    switch self {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .null: nil
    case .integer(let value): withUnsafeBytes(of: Int64(value).bigEndian) { Array($0) }
    case .array(let values): Self.encoded(values)
    }
  }

  /// One dimension without nulls, numbered from 1 (`array_recv` of the server).
  private static func encoded(_ values: [ArraySlice<UInt8>]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: Int) {
      withUnsafeBytes(of: Int32(clamping: number).bigEndian) { bytes.append(contentsOf: $0) }
    }
    for number in [1, 0, 17, values.count, 1] { append(number) }
    for value in values {
      append(value.count)
      bytes.append(contentsOf: value)
    }
    return bytes
  }
}
