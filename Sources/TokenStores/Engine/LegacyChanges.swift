import Messages
import WireBytes

/// Reads changes that version 0.1 recorded.
extension Journal {
  /// Visits the rows of a replay's changes, packed as `RowChange` describes.
  /// - Parameters:
  ///   - table: the table that the replay changed.
  ///   - session: a session of the table's database.
  ///   - body: returns how many changes it received.
  /// - Throws: `StoreFault.unreadableRows`, also if there are not all changes that the replay made.
  func changes(
    of record: JournalRecord, in table: MappedTable, _ session: any SQLSession,
    _ body: (PackedChanges) throws -> Int
  ) throws {
    var count = 0
    try packedChanges(of: record.id) { packed in
      let isOld = packed.bytes.first.map { $0 < 16 } ?? false
      count += try body(isOld ? LegacyChanges.converted(packed, session) : packed)
    }
    try rowChanges(of: record.id, in: table, session) { count += try body($0) }
    // A trigger may have added rows, or removed some.
    guard record.undoes == nil, let rows = record.rows, count != rows,
      table.mapping.isDeviceTokens || !table.description.hasTriggers
    else { return }
    throw StoreFault.unreadableRows(
      count: 1,
      first: .inRow(
        .rowKey("replay", String(record.id)), of: "apnsift_changes", .changesMissing(count, of: rows)))
  }

  /// Visits changes of mapped tables that version 0.1 recorded.
  private func rowChanges(
    of id: Int, in table: MappedTable, _ session: any SQLSession, _ body: (PackedChanges) throws -> Void
  ) throws {
    guard let rowChanges = try rowChangesTable() else { return }
    var packer = RowChangePacker()
    try self.session.visit(
      """
      SELECT row_key, token, outcome, registered_at, invalidated_before, invalidated_at,
        registered_value, value_before, value_after, whole_row
      FROM \(rowChanges) WHERE replay = \(self.session.dialect.parameter(1)) ORDER BY token
      """, [.integer(Int64(id))],
      [.text, .bytes, .text, .integer, .integer, .integer, .any, .any, .any, .any]
    ) { row in
      guard let token = row[1].bytes, let outcome = row[2].text.flatMap(ReplayOutcome.init(rawValue:)) else {
        throw StoreFault.unreadableRows(
          count: 1,
          first: .inRow(.rowKey("row_key", row[0].literal()), of: "apnsift_row_changes", .rowIsNoChange))
      }
      var change = RowChange(outcome: outcome, token: 0..<0)
      (change.registered, change.invalidatedBefore, change.invalidatedAt) = (
        row[3].integer, row[4].integer, row[5].integer
      )
      change.hasKeyText = true
      func value(_ field: SQLField, _ column: TableColumn?) -> SQLValue {
        guard let column, let text = field.text else { return field.value }
        return session.value(ofText: text, in: column)
      }
      let values = [
        value(row[6], table.registered?.column), value(row[7], table.invalidationColumn),
        value(row[8], table.invalidationColumn),
        row[0].value,
      ]
      SQLField.withRow(of: values) { fields in
        packer.add(change, token: token.bytes, fields: fields, whole: row[9].isNull ? [] : [row[9]])
      }
    }
    for packed in packer.take() { try body(PackedChanges(bytes: packed, row: .rowKey("replay", String(id)))) }
  }
}

/// Packed changes of `device_tokens` as version 0.1 wrote them. Integers are big-endian.
///
///     outcome u8: 0 inserted, 1 updated, 2 invalidated
///     times u8: bit 0 if registered_at is present, bit 1 if invalidated_at was
///     token length u16, token
///     registered_at i64, invalidated_at before i64, each if present; invalidated_at i64
///
/// Times are in the store's own unit: UNIX seconds in SQLite, microseconds since the year 2000 in PostgreSQL.
enum LegacyChanges {
  private static let outcomes: [ReplayOutcome] = [.inserted, .updated, .invalidated]
  private static let headLength = 4
  /// Microseconds from 1970 to 2000.
  private static let epoch: Int64 = 946_684_800_000_000

  /// - Throws: `StoreFault.unreadableRows`.
  static func converted(_ row: PackedChanges, _ session: any SQLSession) throws -> PackedChanges {
    let (packed, fault) = (row.bytes, row.fault)
    let isMoment = session.dialect.deviceTokens.time == .timestamptz
    let bytes = packed.span.bytes
    var packer = RowChangePacker()
    var next = 0
    func time(_ isThere: Bool) throws -> Int64? {
      guard isThere else { return nil }
      guard packed.count - next >= 8 else { throw fault }
      defer { next += 8 }
      let high = UInt64(bytes.bigEndianUInt32(at: next))
      return Int64(bitPattern: high << 32 | UInt64(bytes.bigEndianUInt32(at: next + 4)))
    }
    func field(_ time: Int64?) -> SQLField {
      guard let time else { return .null }
      return .integer(isMoment && time != .max && time != .min ? time &+ epoch : time)
    }
    func seconds(_ time: Int64?) -> Int64? {
      isMoment ? time.map { ($0 &+ epoch).floored(by: 1_000_000) } : time
    }
    while next < packed.count {
      guard packed.count - next >= headLength, outcomes.indices.contains(Int(packed[next])) else {
        throw fault
      }
      let (code, times) = (Int(packed[next]), packed[next + 1])
      let length = Int(bytes.bigEndianUInt16(at: next + 2))
      next += headLength
      guard length <= packed.count - next else { throw fault }
      let token = bytes.extracting(next..<next + length)
      next += length
      let registered = try time(times & 1 != 0)
      let before = try time(times & 2 != 0)
      let after = try time(true)
      var change = RowChange(outcome: outcomes[code], token: 0..<0)
      (change.registered, change.invalidatedBefore, change.invalidatedAt) = (
        seconds(registered), seconds(before), seconds(after)
      )
      packer.add(change, token: token, fields: [field(registered), field(before), field(after)], whole: [])
    }
    return PackedChanges(bytes: Array(packer.take().joined()), row: row.row)
  }
}
