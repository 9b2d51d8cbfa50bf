import TokenStores

/// A whole row in one value, of any types, exact to the bit: what a journal keeps of a row that was removed. Each
/// value is a byte for its type and, in network byte order, 8 bytes of an integer or a float's bits, or 8 bytes of
/// length and as many of text or blob.
enum PackedRow {
  private enum Kind: UInt8 {
    case null, integer, real, text, bytes
  }

  static func pack(_ values: [SQLValue]) -> [UInt8] {
    var packed: [UInt8] = []
    func append(_ kind: Kind, _ number: UInt64?, _ bytes: some Collection<UInt8>) {
      packed.append(kind.rawValue)
      if let number { withUnsafeBytes(of: number.bigEndian) { packed.append(contentsOf: $0) } }
      packed.append(contentsOf: bytes)
    }
    for value in values {
      switch value {
      case .null: append(.null, nil, [])
      case .integer(let value): append(.integer, UInt64(bitPattern: value), [])
      case .real(let value): append(.real, value.bitPattern, [])
      case .text(let value): append(.text, UInt64(value.utf8.count), value.utf8)
      case .bytes(let value): append(.bytes, UInt64(value.count), value)
      }
    }
    return packed
  }

  /// Nil where they are no packed row.
  static func values(of packed: [UInt8]) -> [SQLValue]? {
    var values: [SQLValue] = []
    var rest = packed[...]
    func number() -> UInt64? {
      guard rest.count >= 8 else { return nil }
      defer { rest = rest.dropFirst(8) }
      return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    func bytes() -> ArraySlice<UInt8>? {
      guard let length = number(), length <= rest.count else { return nil }
      defer { rest = rest.dropFirst(Int(length)) }
      return rest.prefix(Int(length))
    }
    while let first = rest.popFirst() {
      guard let kind = Kind(rawValue: first) else { return nil }
      let value: SQLValue? =
        switch kind {
        case .null: .null
        case .integer: number().map { .integer(Int64(bitPattern: $0)) }
        case .real: number().map { .real(Double(bitPattern: $0)) }
        case .text: bytes().flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case .bytes: bytes().map { .bytes(Array($0)) }
        }
      guard let value else { return nil }
      values.append(value)
    }
    return values
  }
}
