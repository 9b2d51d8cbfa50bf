import TokenStores

/// A value of a row, exact to the bit. Text is bytes with a mark: SQLite takes any bytes for text.
struct PackedValue {
  var isText: Bool
  var value: SQLValue
}

extension PackedValue {
  /// The same in a form that SQLite reads rightly: it takes bytes that are bound for UTF-8 whatever encoding the
  /// database has, and text is kept in that one.
  /// - Parameter encoding: what `PRAGMA encoding` says.
  func readable(in encoding: String) -> PackedValue {
    let isBigEndian = encoding == "UTF-16be"
    guard isText, isBigEndian || encoding == "UTF-16le", let bytes = value.bytes else { return self }
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
      let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return PackedValue(isText: false, value: .text(String(decoding: units, as: UTF16.self)))
  }
}

/// A whole row in one value, of any types: what a journal keeps of a row that was removed. Each value is a byte for its
/// type and, in network byte order, 8 bytes of an integer or a float's bits, or 8 bytes of length and as many of text
/// or blob.
enum PackedRow {
  private enum Kind: UInt8 {
    case null, integer, real, text, bytes
  }

  static func pack(_ values: [PackedValue]) -> [UInt8] {
    var packed: [UInt8] = []
    func append(_ kind: Kind, _ number: UInt64?, _ bytes: some Collection<UInt8>) {
      packed.append(kind.rawValue)
      if let number { withUnsafeBytes(of: number.bigEndian) { packed.append(contentsOf: $0) } }
      packed.append(contentsOf: bytes)
    }
    for value in values {
      switch value.value {
      case .null: append(.null, nil, [])
      case .integer(let value): append(.integer, UInt64(bitPattern: value), [])
      case .real(let value): append(.real, value.bitPattern, [])
      case .text(let text): append(.text, UInt64(text.utf8.count), text.utf8)
      case .bytes(let bytes): append(value.isText ? .text : .bytes, UInt64(bytes.count), bytes)
      }
    }
    return packed
  }

  /// Nil where they are no packed row.
  static func values(of packed: [UInt8]) -> [PackedValue]? {
    var values: [PackedValue] = []
    var rest = packed[...]
    func number() -> UInt64? {
      guard rest.count >= 8 else { return nil }
      defer { rest = rest.dropFirst(8) }
      return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    func bytes() -> SQLValue? {
      guard let length = number(), length <= rest.count else { return nil }
      defer { rest = rest.dropFirst(Int(length)) }
      return .bytes(Array(rest.prefix(Int(length))))
    }
    while let first = rest.popFirst() {
      guard let kind = Kind(rawValue: first) else { return nil }
      let value: SQLValue? =
        switch kind {
        case .null: .null
        case .integer: number().map { .integer(Int64(bitPattern: $0)) }
        case .real: number().map { .real(Double(bitPattern: $0)) }
        case .text, .bytes: bytes()
        }
      guard let value else { return nil }
      values.append(PackedValue(isText: kind == .text, value: value))
    }
    return values
  }
}
