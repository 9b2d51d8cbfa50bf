import Platform

/// The order of tokens: by their bytes, a token before its extensions. It is SQLite's order of blobs and
/// PostgreSQL's of bytea.
enum TokenOrder {
  /// The first eight bytes as a number that compares as they do; missing ones count as zeros.
  static func prefix(of token: UnsafeRawBufferPointer) -> UInt64 {
    if token.count >= 8 { return UInt64(bigEndian: token.loadUnaligned(as: UInt64.self)) }
    return token.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - token.count))
  }

  static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    compare(left, right) < 0
  }

  /// Negative, zero or positive, as `left` comes before, is, or comes behind `right`.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let first = left.baseAddress, let second = right.baseAddress {
      let order = memcmp(first, second, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}
