import Basics

/// A row that a replay changed, packed for the journal: a table row for each change would halve a replay's speed
/// (docs/decisions/stores.md#39-one-engine). Lengths and counts are varints (LEB128), times are 64 bits in network byte order.
///
///     kind u8: 16 and 0 inserted, 1 updated, 2 invalidated
///     input varint: 0, or from 1 the replay's input with the deciding record; then stream and offset, varints
///     times u8: bit 0 if registered_at is present, bit 1 if invalidated_at was, bit 2 if it is now
///     token: length, bytes; registered_at, invalidated_at before and after in UNIX seconds, each if present
///     fields: length in bytes, then packed fields: those of `ChangeFields`
///     whole: length in bytes, then the packed fields of a removed row
struct RowChange {
  var outcome: ReplayOutcome
  var token: Range<Int> = 0..<0
  var registered: Int64?
  var invalidatedBefore: Int64?
  var invalidatedAt: Int64?
  var origin: RecordOrigin?
  /// Those of `ChangeFields`.
  var fields: Range<Int> = 0..<0
  /// The removed row; empty for other changes.
  var whole: Range<Int> = 0..<0

  fileprivate static let outcomes: [ReplayOutcome] = [.inserted, .updated, .invalidated]
}

/// The record that decided the outcome of a token.
package struct RecordOrigin: Equatable, Sendable {
  /// The replay's input, from 0.
  package var input: Int
  package var stream: Int
  /// Of the record in its stream, in bytes from 0.
  package var offset: Int
}

struct ChangeFields {
  let registered: SQLField
  /// The columns that an invalidation writes, before and after; a null each if it removes the row.
  let before: ArraySlice<SQLField>
  let after: ArraySlice<SQLField>
  let key: ArraySlice<SQLField>

  /// - Parameters:
  ///   - fields: at least three; those that are missing are empty.
  ///   - count: how many written columns there are, at least one.
  init(_ fields: [SQLField], written count: Int) {
    registered = fields[0]
    (before, after) = (fields.dropFirst().prefix(count), fields.dropFirst(1 + count).prefix(count))
    key = fields.dropFirst(1 + 2 * count)
  }
}

struct RowChangePacker {
  /// The length in bytes at which a row is complete: a row for each change would be slow, and a reader buffers a row.
  private static let rowLength = 32 << 10

  private(set) var rows: [[UInt8]] = []
  private var bytes: [UInt8] = []
  private var scratch: [UInt8] = []

  /// - Parameters:
  ///   - change: its ranges are ignored.
  ///   - fields: those of `ChangeFields`.
  mutating func add(
    _ change: RowChange, token: RawSpan, fields: some Sequence<SQLField>, whole: ArraySlice<SQLField>
  ) {
    let code = change.outcome == .inserted ? 0 : change.outcome == .updated ? 1 : 2
    bytes.append(UInt8(16 + code))
    append(change.origin.map { $0.input + 1 } ?? 0)
    if let origin = change.origin {
      append(origin.stream)
      append(origin.offset)
    }
    let times: InlineArray<3, Int64?> = [change.registered, change.invalidatedBefore, change.invalidatedAt]
    bytes.append(times.indices.reduce(0) { times[$1] == nil ? $0 : $0 | 1 << $1 })
    append(token.byteCount)
    token.withUnsafeBytes { bytes.append(contentsOf: $0) }
    for index in times.indices {
      if let time = times[index] { withUnsafeBytes(of: time.bigEndian) { bytes.append(contentsOf: $0) } }
    }
    append(fields)
    whole.isEmpty ? append(0) : append(whole)
    if bytes.count >= Self.rowLength { endRow() }
  }

  private mutating func append(_ number: Int) {
    var rest = UInt64(clamping: number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func append(_ fields: some Sequence<SQLField>) {
    scratch.removeAll(keepingCapacity: true)
    for field in fields { PackedFields.append(field, to: &scratch) }
    append(scratch.count)
    bytes.append(contentsOf: scratch)
  }

  private mutating func endRow() {
    if bytes.isEmpty { return }
    rows.append(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Returns all rows since the last call.
  mutating func take() -> [[UInt8]] {
    endRow()
    defer { rows.removeAll(keepingCapacity: true) }
    return rows
  }
}

/// Changes that are read together, with their bytes.
struct RowChanges {
  private(set) var bytes: [UInt8] = []
  private(set) var changes: [RowChange] = []

  /// Adds the changes of a row of the journal, by its name.
  /// - Throws: `StoreError.unreadableRows`.
  mutating func add(_ packed: [UInt8], _ row: Message) throws {
    var next = bytes.count
    bytes += packed
    while next < bytes.count {
      guard let change = change(at: &next) else {
        throw StoreError.unreadableRows(
          1, first: .inRow(row, of: "apnsift_changes", "packed has bytes that are not a packed change"))
      }
      changes.append(change)
    }
  }

  func token(_ change: RowChange) -> ArraySlice<UInt8> { bytes[change.token] }

  /// Lends the fields, or the removed row, of a change.
  func with<Result>(_ range: Range<Int>, _ body: ([SQLField]) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { bytes in
      try body(PackedFields.fields(of: UnsafeRawBufferPointer(rebasing: bytes[range])) ?? [])
    }
  }

  /// Reads the change at `next`, and advances it; nil if the bytes are invalid.
  private func change(at next: inout Int) -> RowChange? {
    let code = Int(bytes[next]) - 16
    next += 1
    guard RowChange.outcomes.indices.contains(code), let input = number(at: &next) else { return nil }
    var change = RowChange(outcome: RowChange.outcomes[code])
    if input > 0 {
      guard let stream = number(at: &next), let offset = number(at: &next) else { return nil }
      change.origin = RecordOrigin(input: input - 1, stream: stream, offset: offset)
    }
    guard next < bytes.count else { return nil }
    let times = bytes[next]
    next += 1
    guard let token = part(at: &next) else { return nil }
    change.token = token
    if times & 1 != 0 { change.registered = time(at: &next) }
    if times & 2 != 0 { change.invalidatedBefore = time(at: &next) }
    if times & 4 != 0 { change.invalidatedAt = time(at: &next) }
    guard let fields = part(at: &next), let whole = part(at: &next),
      fieldCount(fields) ?? 0 >= Self.fewestFields, fieldCount(whole) != nil
    else { return nil }
    (change.fields, change.whole) = (fields, whole)
    return change
  }

  /// The registration, and a written column before and after.
  private static let fewestFields = 3

  private func fieldCount(_ range: Range<Int>) -> Int? {
    bytes.withUnsafeBytes { PackedFields.count(of: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private func number(at next: inout Int) -> Int? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard next < bytes.count else { return nil }
      let byte = bytes[next]
      next += 1
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return Int(number) }
    }
    return nil
  }

  private func part(at next: inout Int) -> Range<Int>? {
    guard let length = number(at: &next), length <= bytes.count - next else { return nil }
    defer { next += length }
    return next..<next + length
  }

  private func time(at next: inout Int) -> Int64? {
    guard bytes.count - next >= 8 else {
      next = bytes.count
      return nil
    }
    defer { next += 8 }
    return bytes.withUnsafeBytes { Int64(bigEndian: $0.loadUnaligned(fromByteOffset: next, as: Int64.self)) }
  }
}
