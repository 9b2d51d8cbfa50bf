import APNsWire
import Platform
import WireBytes

/// What is known of one token.
struct TokenEntry: Equatable {
  /// The latest time among the records that count; 0 where none does.
  private(set) var time: UInt32
  /// Bytes of the token.
  let length: UInt16
  /// The flags of all records.
  private(set) var flags: RecordFlags
  /// How many records name the token; above them, whether its bytes have an origin before them.
  private var marked: UInt32
  /// How many of the records count, at most 2,147,483,647, the largest count of all records, too.
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

  /// Adds what another entry knows of the same token.
  @inline(__always)
  mutating func merge(_ other: TokenEntry) {
    time = max(time, other.time)
    flags.formUnion(other.flags)
    marked = Self.sum(records, other.records) | marked & Self.originMark
    countedRecords = Self.sum(countedRecords, other.countedRecords)
  }

  @inline(__always)
  private static func sum(_ left: UInt32, _ right: UInt32) -> UInt32 {
    // Neither is above the limit, so that the sum is a number.
    min(left &+ right, mostRecords)
  }
}

// MARK: - As bytes

/// In memory and in the temporary file, an entry is 8 bytes of head, 8 bytes of numbers unless it is one record that counts
/// and has no origin, 16 bytes of origin if it has one, and the token, filled up with zeros to a multiple of 8 bytes.
extension TokenEntry {
  /// In the head, above the flags: that numbers follow.
  private static let numbersBit: UInt64 = 1 << 63

  /// The entry at `start`.
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

  /// Writes the entry and its token, `size` bytes. The origin, if there is one, is before the token's bytes.
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
    // The filling of the last eight bytes; the token overwrites the rest of them.
    (start + size - 8).storeBytes(of: 0, as: UInt64.self)
    (start + headLength).copyMemory(from: bytes, byteCount: Int(length))
  }

  /// Calls `body` with each of some entries that follow one another.
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

/// The order of tokens: by their bytes, a token before its extensions. It is SQLite's order of blobs and PostgreSQL's of
/// bytea.
enum TokenOrder {
  /// The first eight bytes as a number that compares as they do; missing ones count as zeros.
  @inline(__always)
  static func prefix(of token: UnsafeRawBufferPointer) -> UInt64 {
    if token.count >= 8 { return UInt64(bigEndian: token.loadUnaligned(as: UInt64.self)) }
    return token.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - token.count))
  }

  static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    compare(left, right) < 0
  }

  /// Negative, zero or positive, as `left` comes before, is, or comes after `right`.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let first = left.baseAddress, let second = right.baseAddress {
      let order = memcmp(first, second, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}

/// Which record it is that decided the time of a token.
package struct TokenOrigin: Equatable, Sendable {
  /// Bytes in memory.
  static let size = 16

  /// The input, from 0 in the order in which their records came, and its stream.
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

/// What an input says of one distinct token.
package struct TokenVerdict: Equatable, Sendable {
  /// The latest time among the records that count, seconds since 1970; nil where none counts.
  package var time: UInt32?
  /// The flags that any of its records carries.
  package var flags: RecordFlags
  /// How many records name the token, and how many of those count. Each is at most 2,147,483,647: a larger count is not kept.
  package var records: UInt32
  package var countedRecords: UInt32
  /// The record with that time; nil where the table keeps none.
  package var origin: TokenOrigin?

  /// - Parameter token: where its bytes are.
  init(_ entry: TokenEntry, _ token: UnsafeRawPointer) {
    origin = entry.hasOrigin ? TokenOrigin(loadingFrom: token - TokenOrigin.size) : nil
    time = entry.countedRecords > 0 ? entry.time : nil
    flags = entry.flags
    records = entry.records
    countedRecords = entry.countedRecords
  }
}
