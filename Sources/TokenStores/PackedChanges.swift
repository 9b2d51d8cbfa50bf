import WireBytes

/// Changes of a replay in a row, as the journal keeps them: a table row for each would cost a replay half its speed
/// (docs/decisions/0021). Integers are big-endian.
///
///     outcome u8: 0 inserted, 1 updated, 2 invalidated
///     times u8: bit 0 where registered_at is there, bit 1 where invalidated_at was
///     token length u16, token
///     registered_at i64, invalidated_at before i64, each where it is there; invalidated_at i64
///
/// Times are in the store's own unit, so that an undo gives back what was there: UNIX seconds in SQLite, microseconds
/// since the year 2000 in PostgreSQL.
package struct PackedChanges {
  private static let outcomes: [ReplayOutcome] = [.inserted, .updated, .invalidated]
  private static let hasRegistered: UInt8 = 1
  private static let hasDied: UInt8 = 2
  private static let headLength = 4
  private static let timeLength = 8

  /// A row of changes is written once it is of this length, in bytes: a row for each change would cost too much, and
  /// a reader holds a whole row.
  package static let rowLength = 32 << 10

  package private(set) var bytes: [UInt8] = []

  package init() {}

  package var fillsRow: Bool { bytes.count >= Self.rowLength }

  /// - Parameters:
  ///   - before: nil where the replay inserted the row.
  ///   - time: `invalidated_at` as the replay wrote it.
  package mutating func append(
    _ outcome: ReplayOutcome, _ token: RawSpan, before: TokenState?, deadAt time: Int64
  ) {
    let code: UInt8 = outcome == .inserted ? 0 : outcome == .updated ? 1 : 2
    let times =
      (before?.registeredAt == nil ? 0 : Self.hasRegistered)
      | (before?.invalidatedAt == nil ? 0 : Self.hasDied)
    bytes.append(code)
    bytes.append(times)
    append(UInt16(clamping: token.byteCount))
    token.withUnsafeBytes { bytes.append(contentsOf: $0) }
    if let registered = before?.registeredAt { append(registered) }
    if let died = before?.invalidatedAt { append(died) }
    append(time)
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Visits the changes that are packed in `packed`.
  /// - Throws: `StoreFault.foreignRows` where they cannot be read.
  package static func visit(_ packed: RawSpan, _ body: (JournalChange) throws -> Void) throws {
    var place = 0
    while place < packed.byteCount {
      guard let change = change(at: &place, in: packed) else {
        throw StoreFault.foreignRows(count: 1, first: "apnsift_changes holds what is no packed change")
      }
      try body(change)
    }
  }

  /// The change at `place`, which is moved behind it; nil where none is.
  private static func change(at place: inout Int, in bytes: RawSpan) -> JournalChange? {
    guard bytes.byteCount - place >= headLength else { return nil }
    let code = Int(bytes.byte(at: place))
    let times = bytes.byte(at: place + 1)
    let token = place + headLength..<place + headLength + Int(bytes.bigEndianUInt16(at: place + 2))
    guard outcomes.indices.contains(code), token.upperBound <= bytes.byteCount else { return nil }
    place = token.upperBound
    let registered = times & hasRegistered == 0 ? nil : time(at: &place, in: bytes)
    let died = times & hasDied == 0 ? nil : time(at: &place, in: bytes)
    guard let after = time(at: &place, in: bytes) else { return nil }
    let before = TokenState(registeredAt: registered, invalidatedAt: died)
    return JournalChange(
      token: bytes.extracting(token).withUnsafeBytes { Array($0) }, outcome: outcomes[code],
      before: code == 0 ? nil : before, after: TokenState(registeredAt: registered, invalidatedAt: after))
  }

  private static func time(at place: inout Int, in bytes: RawSpan) -> Int64? {
    guard bytes.byteCount - place >= timeLength else { return nil }
    defer { place += timeLength }
    let high = UInt64(bytes.bigEndianUInt32(at: place))
    return Int64(bitPattern: high << 32 | UInt64(bytes.bigEndianUInt32(at: place + 4)))
  }
}
