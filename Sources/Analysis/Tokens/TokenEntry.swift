import APNsWire
import Platform
import WireBytes

/// The merged records of one token.
struct TokenEntry: Equatable {
  /// The latest time among the records that count; 0 if none does.
  private(set) var time: UInt32
  /// Bytes of the token.
  let length: UInt16
  /// The flags of all records.
  private(set) var flags: RecordFlags
  /// The number of records of the token; in the highest bit, whether an origin precedes its bytes.
  private var marked: UInt32
  /// The number of records that count. This and the number of all records are capped at 2,147,483,647.
  private(set) var countedRecords: UInt32

  private static let originMark: UInt32 = 1 << 31
  private static let mostRecords = originMark - 1

  @inline(__always)
  init(time: UInt32, length: Int, flags: RecordFlags, counts: Bool, hasOrigin: Bool = false) {
    self.time = counts ? time : 0
    self.length = UInt16(truncatingIfNeeded: length)
    self.flags = flags
    marked = hasOrigin ? 1 | Self.originMark : 1
    countedRecords = counts ? 1 : 0
  }

  @inline(__always)
  var records: UInt32 { marked & Self.mostRecords }

  @inline(__always)
  var hasOrigin: Bool { marked & Self.originMark != 0 }

  /// Merges another entry of the same token.
  @inline(__always)
  mutating func merge(_ other: TokenEntry) {
    time = max(time, other.time)
    flags.formUnion(other.flags)
    marked = Self.sum(records, other.records) | marked & Self.originMark
    countedRecords = Self.sum(countedRecords, other.countedRecords)
  }

  @inline(__always)
  private static func sum(_ left: UInt32, _ right: UInt32) -> UInt32 {
    // Both are at most the limit, so the sum does not overflow.
    min(left &+ right, mostRecords)
  }
}

// MARK: - As bytes

/// In memory and in the temporary file, an entry is a head of 8 bytes, 8 bytes of numbers (absent for a single
/// record that counts and has no origin), an optional origin of 16 bytes, and the token, padded with zeros to a
/// multiple of 8 bytes.
extension TokenEntry {
  /// The bit of the head above the flags: numbers follow.
  private static let numbersBit: UInt64 = 1 << 63

  /// Loads the entry at `start`.
  @inline(__always)
  init(loadingFrom start: UnsafeRawPointer) {
    let head = start.loadUnaligned(as: UInt64.self)
    time = UInt32(truncatingIfNeeded: head)
    length = UInt16(truncatingIfNeeded: head &>> 32)
    flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: (head & ~Self.numbersBit) &>> 48))
    marked = 1
    countedRecords = 1
    guard head & Self.numbersBit != 0 else { return }
    marked = start.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    countedRecords = start.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
  }

  /// Writes the entry and its token, `size` bytes. The origin, if any, must precede the bytes of `token`.
  @inline(__always)
  func store(to start: UnsafeMutableRawPointer, token: UnsafeRawBufferPointer) {
    let head = UInt64(time) | UInt64(length) &<< 32 | UInt64(flags.rawValue) &<< 48
    start.storeBytes(of: hasNumbers ? head | Self.numbersBit : head, as: UInt64.self)
    if hasNumbers {
      start.storeBytes(of: marked, toByteOffset: 8, as: UInt32.self)
      start.storeBytes(of: countedRecords, toByteOffset: 12, as: UInt32.self)
    }
    guard let bytes = token.baseAddress else { return }
    if hasOrigin { (start + 16).copyMemory(from: bytes - TokenOrigin.size, byteCount: TokenOrigin.size) }
    guard length > 0 else { return }
    // Padding: the token overwrites the other bytes of the last eight.
    (start + size - 8).storeBytes(of: 0, as: UInt64.self)
    (start + headLength).copyMemory(from: bytes, byteCount: Int(length))
  }

  /// Calls `body` with each of the consecutive entries.
  @inline(__always)
  static func visit(
    _ entries: UnsafeRawBufferPointer,
    _ body: (_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    guard var next = entries.baseAddress else { return }
    let end = next + entries.count
    while next < end {
      let entry = TokenEntry(loadingFrom: next)
      try body(entry, UnsafeRawBufferPointer(start: next + entry.headLength, count: Int(entry.length)))
      next += entry.size
    }
  }

  @inline(__always)
  private var hasNumbers: Bool { marked != 1 || countedRecords != 1 }

  /// Bytes before the token.
  @inline(__always)
  var headLength: Int { hasOrigin ? 16 &+ TokenOrigin.size : hasNumbers ? 16 : 8 }

  /// Bytes of the whole entry.
  @inline(__always)
  var size: Int { headLength &+ (Int(length) &+ 7) & ~7 }
}

/// The order of tokens: bytewise, with a prefix before longer tokens, as SQLite orders blobs and PostgreSQL bytea.
enum TokenOrder {
  /// The first eight bytes as a number with the same order; missing bytes count as zeros.
  @inline(__always)
  static func prefix(of token: UnsafeRawBufferPointer) -> UInt64 {
    if token.count >= 8 { return UInt64(bigEndian: token.loadUnaligned(as: UInt64.self)) }
    return token.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - token.count))
  }

  static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    compare(left, right) < 0
  }

  /// Negative, zero or positive if `left` is before, equal to or after `right`.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let first = left.baseAddress, let second = right.baseAddress {
      let order = memcmp(first, second, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}

/// The record with the latest time of a token.
package struct TokenOrigin: Equatable, Sendable {
  /// Bytes in memory.
  static let size = 16

  /// The number of the input, from 0 in the order of their first records, and of its stream.
  package var input: UInt32
  package var stream: UInt32
  /// Offset of the record's first byte in its stream, from 0.
  package var offset: UInt64

  package init(input: UInt32, stream: UInt32, offset: UInt64) {
    (self.input, self.stream, self.offset) = (input, stream, offset)
  }

  @inline(__always)
  init(loadingFrom start: UnsafeRawPointer) {
    input = start.loadUnaligned(as: UInt32.self)
    stream = start.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    offset = start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
  }

  @inline(__always)
  func store(to start: UnsafeMutableRawPointer) {
    start.storeBytes(of: input, as: UInt32.self)
    start.storeBytes(of: stream, toByteOffset: 4, as: UInt32.self)
    start.storeBytes(of: offset, toByteOffset: 8, as: UInt64.self)
  }
}

/// The merged records of one distinct token.
package struct TokenSummary: Equatable, Sendable {
  /// The latest time among the records that count, in seconds since 1970; nil if none counts.
  package var time: UInt32?
  /// The union of the records' flags.
  package var flags: RecordFlags
  /// The number of records of the token, and of those that count. Both are capped at 2,147,483,647.
  package var records: UInt32
  package var countedRecords: UInt32
  /// The record with that time; nil if the table keeps no origins.
  package var origin: TokenOrigin?

  /// - Parameter token: pointer to the bytes.
  init(_ entry: TokenEntry, _ token: UnsafeRawPointer) {
    origin = entry.hasOrigin ? TokenOrigin(loadingFrom: token - TokenOrigin.size) : nil
    time = entry.countedRecords > 0 ? entry.time : nil
    flags = entry.flags
    records = entry.records
    countedRecords = entry.countedRecords
  }
}
