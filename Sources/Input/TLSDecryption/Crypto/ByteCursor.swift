/// Reads big-endian fields one after the other; nil where the bytes end before.
struct ByteCursor {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = ArraySlice(bytes) }
  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func integer(bytes count: Int) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }

  mutating func u8() -> Int? { integer(bytes: 1) }
  mutating func u16() -> Int? { integer(bytes: 2) }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    let field = rest.prefix(count)
    rest = rest.dropFirst(count)
    return field
  }

  /// A field with its length before it, in `lengthBytes` bytes (1 to 3).
  mutating func vector(_ lengthBytes: Int) -> ArraySlice<UInt8>? {
    integer(bytes: lengthBytes).flatMap { take($0) }
  }

  /// The content of the next element of ASN.1, if it has the tag.
  mutating func element(_ tag: UInt8) -> ArraySlice<UInt8>? {
    guard rest.first == tag, take(1) != nil, let first = u8() else { return nil }
    if first < 0x80 { return take(first) }
    return (0x81...0x83).contains(first) ? vector(first - 0x80) : nil
  }
}
