import APNsWire
import WireBytes

/// What is known of one token: the head of its entry in the table and in sorted runs.
///
/// An entry is 16 bytes of head and the token, filled up with zeros to a multiple of 8 bytes.
struct TokenEntry: Equatable {
  /// The latest time among the records that count; 0 where none does.
  var time: UInt32
  /// Bytes of the token.
  var length: UInt16
  /// The flags of all records, as bits, and `countsBit` where one of the records counts.
  private var marks: UInt16
  /// How many records name the token, and how many of those count; 4,294,967,295 stands for as many or more.
  private(set) var records: UInt32 = 1
  private(set) var countedRecords: UInt32

  /// Bytes before the token.
  static let headLength = 16
  private static let countsBit: UInt16 = 1 << 15

  init(time: UInt32, length: Int, flags: RecordFlags, counts: Bool) {
    self.time = counts ? time : 0
    self.length = UInt16(truncatingIfNeeded: length)
    self.marks = flags.rawValue & ~Self.countsBit | (counts ? Self.countsBit : 0)
    countedRecords = counts ? 1 : 0
  }

  /// The entry at the beginning of `head`, which holds at least `headLength` bytes.
  @inline(__always)
  init(loadingFrom head: UnsafeRawPointer) {
    let word = head.loadUnaligned(as: UInt64.self)
    time = UInt32(truncatingIfNeeded: word)
    length = UInt16(truncatingIfNeeded: word >> 32)
    marks = UInt16(truncatingIfNeeded: word >> 48)
    let numbers = head.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    records = UInt32(truncatingIfNeeded: numbers)
    countedRecords = UInt32(truncatingIfNeeded: numbers >> 32)
  }

  /// Appends the entry as it stands in sorted runs.
  func append(to bytes: inout [UInt8], _ token: UnsafeRawBufferPointer) {
    withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: numbers) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: token)
    bytes.append(contentsOf: repeatElement(0, count: size - Self.headLength - token.count))
  }

  @inline(__always)
  func store(to head: UnsafeMutableRawPointer) {
    head.storeBytes(of: word, as: UInt64.self)
    head.storeBytes(of: numbers, toByteOffset: 8, as: UInt64.self)
  }

  private var word: UInt64 { UInt64(time) | UInt64(length) << 32 | UInt64(marks) << 48 }
  private var numbers: UInt64 { UInt64(records) | UInt64(countedRecords) << 32 }

  /// Adds what another entry knows of the same token. A `time` that does not count is 0.
  @inline(__always)
  mutating func merge(_ other: TokenEntry) {
    time = max(time, other.time)
    marks |= other.marks
    records = Self.sum(records, other.records)
    countedRecords = Self.sum(countedRecords, other.countedRecords)
  }

  @inline(__always)
  private static func sum(_ left: UInt32, _ right: UInt32) -> UInt32 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }

  /// Whether one of its records counts.
  var counts: Bool { marks & Self.countsBit != 0 }

  var flags: RecordFlags { RecordFlags(rawValue: marks & ~Self.countsBit) }

  /// Bytes of the whole entry.
  @inline(__always)
  var size: Int { Self.size(tokenLength: Int(length)) }

  @inline(__always)
  static func size(tokenLength: Int) -> Int { headLength &+ (tokenLength &+ 7) & ~7 }
}

/// What an input says of one distinct token.
package struct TokenVerdict: Equatable, Sendable {
  /// The latest time among the records that count, seconds since 1970; nil where none counts.
  package var time: UInt32?
  /// The flags that any of its records carries.
  package var flags: RecordFlags
  /// How many records name the token, and how many of those count; 4,294,967,295 stands for as many or more.
  package var records: UInt32
  package var countedRecords: UInt32

  init(_ entry: TokenEntry) {
    time = entry.counts ? entry.time : nil
    flags = entry.flags
    records = entry.records
    countedRecords = entry.countedRecords
  }
}
