import APNsWire
import Basics

/// The merged records of one token.
struct TokenEntry: Equatable {
  /// The second of the latest time among the records that count; 0 if none does.
  private(set) var time: UInt32
  /// Bytes of the token.
  let length: UInt16
  private(set) var flags: RecordFlags
  /// From the lowest bit: the number of records of the token, the number of those that count, the milliseconds of the
  /// latest time, the flags for which the head has no room, and whether an origin precedes the token's bytes.
  private var numbers: UInt64

  /// Both numbers of records are capped at 16,777,215.
  private static let countBits: UInt64 = 24
  static let mostRecords: UInt64 = 1 << countBits - 1
  private static let millisecondsShift: UInt64 = 2 * countBits
  private static let mostMilliseconds: UInt64 = 1 << 10 - 1
  private static let originMark: UInt64 = 1 << 63
  /// Flags from this bit on are in `numbers`: the head has room for the others.
  private static let headFlags: UInt64 = 15
  private static let moreFlagsShift: UInt64 = millisecondsShift + 10
  private static let moreFlagsMask: UInt64 = originMark - 1 << moreFlagsShift
  /// `numbers` of a single record that counts, in a whole second, without an origin.
  private static let plainNumbers: UInt64 = 1 | 1 << countBits

  /// - Parameters:
  ///   - time: seconds since 1970, and milliseconds from 0 to 999.
  @inline(__always)
  init(
    at time: (seconds: UInt32, milliseconds: UInt16), length: Int, flags: RecordFlags, counts: Bool,
    hasOrigin: Bool = false
  ) {
    self.time = counts ? time.seconds : 0
    self.length = UInt16(truncatingIfNeeded: length)
    self.flags = flags
    let fraction = UInt64(time.milliseconds) &<< Self.millisecondsShift
    let moreFlags = UInt64(flags.rawValue) &>> Self.headFlags
    numbers =
      (counts ? Self.plainNumbers | fraction : 1) | (hasOrigin ? Self.originMark : 0)
      | moreFlags &<< Self.moreFlagsShift
  }

  @inline(__always)
  var records: UInt32 { UInt32(truncatingIfNeeded: numbers & Self.mostRecords) }

  /// The number of records that count.
  @inline(__always)
  var countedRecords: UInt32 { UInt32(truncatingIfNeeded: numbers &>> Self.countBits & Self.mostRecords) }

  /// The milliseconds of the latest time, from 0 to 999.
  @inline(__always)
  var milliseconds: UInt16 {
    UInt16(truncatingIfNeeded: numbers &>> Self.millisecondsShift & Self.mostMilliseconds)
  }

  @inline(__always)
  var hasOrigin: Bool { numbers & Self.originMark != 0 }

  /// Whether the latest time is later than that of `other`.
  @inline(__always)
  func isLater(than other: TokenEntry) -> Bool {
    time != other.time ? time > other.time : milliseconds > other.milliseconds
  }

  @inline(__always)
  mutating func merge(_ other: TokenEntry) {
    let latest = other.isLater(than: self) ? other : self
    time = latest.time
    flags.formUnion(other.flags)
    let fraction = latest.numbers & Self.mostMilliseconds &<< Self.millisecondsShift
    numbers =
      Self.sum(records, other.records) | Self.sum(countedRecords, other.countedRecords) &<< Self.countBits
      | fraction | numbers & Self.originMark | (numbers | other.numbers) & Self.moreFlagsMask
  }

  @inline(__always)
  private static func sum(_ left: UInt32, _ right: UInt32) -> UInt64 {
    min(UInt64(left) &+ UInt64(right), mostRecords)
  }
}

// MARK: - As bytes

/// In memory and in the temporary file, an entry is a head of 8 bytes, 8 bytes of numbers (absent for a single
/// record that counts, in a whole second, without an origin and without flags of its own), optionally the origins of the
/// first record, if there are several, and of the latest one, and the token, padded with zeros to a multiple of 8 bytes.
extension TokenEntry {
  /// The bit of the head above the other flags: numbers follow.
  private static let numbersBit: UInt64 = 1 << 63

  @inline(__always)
  init(loadingFrom start: UnsafeRawPointer) {
    let head = start.loadUnaligned(as: UInt64.self)
    time = UInt32(truncatingIfNeeded: head)
    length = UInt16(truncatingIfNeeded: head &>> 32)
    let hasNumbers = head & Self.numbersBit != 0
    numbers = hasNumbers ? start.loadUnaligned(fromByteOffset: 8, as: UInt64.self) : Self.plainNumbers
    let moreFlags = ((numbers & Self.moreFlagsMask) &>> Self.moreFlagsShift) &<< Self.headFlags
    flags = RecordFlags(rawValue: UInt32(truncatingIfNeeded: (head & ~Self.numbersBit) &>> 48 | moreFlags))
  }

  /// Writes the entry and its token, `size` bytes.
  @inline(__always)
  func store(to start: UnsafeMutableRawPointer, token: UnsafeRawBufferPointer, _ origins: TokenOrigin.Pair?) {
    let head = UInt64(time) | UInt64(length) &<< 32 | (UInt64(flags.rawValue) &<< 48) & ~Self.numbersBit
    start.storeBytes(of: hasNumbers ? head | Self.numbersBit : head, as: UInt64.self)
    if hasNumbers { start.storeBytes(of: numbers, toByteOffset: 8, as: UInt64.self) }
    if hasOrigin, let origins {
      (start + 16).copyMemory(from: origins.first, byteCount: TokenOrigin.size)
      (start + headLength - TokenOrigin.size).copyMemory(from: origins.latest, byteCount: TokenOrigin.size)
    }
    guard length > 0, let bytes = token.baseAddress else { return }
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
  private var hasNumbers: Bool { numbers != Self.plainNumbers }

  /// Bytes before the token.
  @inline(__always)
  var headLength: Int { hasOrigin ? 16 &+ originCount &* TokenOrigin.size : hasNumbers ? 16 : 8 }

  @inline(__always)
  private var originCount: Int { records > 1 ? 2 : 1 }

  /// The origins, if there are some, before the bytes of the token.
  @inline(__always)
  func origins(before token: UnsafeRawPointer) -> TokenOrigin.Pair {
    (token - originCount &* TokenOrigin.size, token - TokenOrigin.size)
  }

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

  /// Negative, zero or positive if `left` is before, equal to or after `right`.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let first = left.baseAddress, let second = right.baseAddress {
      let order = memcmp(first, second, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}

/// Where a record with a token is.
package struct TokenOrigin: BitwiseCopyable, Equatable, Sendable {
  static let size = MemoryLayout<TokenOrigin>.size
  /// The origins of the first and of the latest record, the same of a single one.
  typealias Pair = (first: UnsafeRawPointer, latest: UnsafeRawPointer)

  /// The number of the input, from 0 in the order of their first records, and of its stream.
  package var input: UInt32
  package var stream: UInt32
  /// Offset of the record's first byte in its stream, from 0.
  package var offset: UInt64
  /// The same in the file; `UInt64.max` if it is not known.
  package var fileOffset = UInt64.max
  /// From 1; 0 without packets.
  package var packet: UInt32 = 0
  /// Seconds since 1970; `UInt32.max` if the record does not count.
  package var time = UInt32.max

  @inline(__always)
  static func load(_ start: UnsafeRawPointer) -> TokenOrigin { start.loadUnaligned(as: TokenOrigin.self) }
}

extension RecordFlags {
  /// That of `TokenTable.markAccepted`: no record has it.
  static let acceptedAgain = RecordFlags(rawValue: 1 << 19)
}

/// The merged records of one distinct token.
package struct TokenSummary: Equatable, Sendable {
  /// The latest time among the records that count, in seconds since 1970; nil if none counts.
  package var time: UInt32?
  /// Milliseconds of that time, 0 to 999; 0 for feedback tuples.
  package var milliseconds: UInt16
  /// The union of the records' flags.
  package var flags: RecordFlags
  /// The number of records of the token, and of those that count. Both are capped at 16,777,215.
  package var records: UInt32
  package var countedRecords: UInt32
  /// The record with that time, and the one with the earliest time that counts; nil if the table keeps no origins.
  package var origin: TokenOrigin?
  package var firstOrigin: TokenOrigin?
  /// Whether it is marked as accepted again.
  package var isAcceptedAgain: Bool { flags.contains(.acceptedAgain) }

  /// - Parameter first: the origin of the first record, if there are origins.
  init(_ entry: TokenEntry, _ token: UnsafeRawPointer, first: UnsafeRawPointer) {
    if entry.hasOrigin { (origin, firstOrigin) = (.load(token - TokenOrigin.size), .load(first)) }
    time = entry.countedRecords > 0 ? entry.time : nil
    milliseconds = entry.milliseconds
    flags = entry.flags
    records = entry.records
    countedRecords = entry.countedRecords
  }
}
