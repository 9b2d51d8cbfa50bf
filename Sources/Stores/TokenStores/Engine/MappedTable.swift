import Basics

/// A table with its mapping: the meaning of its columns, and how their values are read and written.
final class MappedTable {
  let mapping: TableMapping
  let description: TableDescription
  /// The columns that distinguish a row from others of its token. None for `device_tokens`: its token is enough.
  let key: [TableColumn]
  let token: TableColumn
  let app: TableColumn?
  let environment: TableColumn?
  let registered: (column: TableColumn, form: TimeForm)?
  /// The columns that an invalidation writes; the first one says whether a row is invalid. None if rows are removed.
  let written: [WrittenColumn]
  /// A fast way to read most values of both columns.
  private let registeredClock: Clock
  private let invalidationClock: Clock
  private enum Clock {
    case seconds, microseconds, other

    init(_ column: TableColumn?, _ form: TimeForm?) {
      switch form {
      case .seconds: self = .seconds
      case .timestamptz: self = column?.kind == .moment ? .microseconds : .other
      case .milliseconds, .iso, .timestamp, .date, nil: self = .other
      }
    }
  }

  struct WrittenColumn {
    let column: TableColumn
    let content: WrittenValue<SQLValue>
    /// Whether to write times with milliseconds. Other types would round them, and programs may not expect them in
    /// texts.
    var keepsMilliseconds = false
  }

  /// - Throws: `StoreError.misfit` if the mapping does not fit the table.
  init(_ mapping: TableMapping, _ description: TableDescription, _ session: any SQLSession) throws {
    self.mapping = mapping
    self.description = description
    let fit = TableFit(mapping: mapping, description: description, session: session)
    if mapping.isDeviceTokens { try fit.checkShape() }
    key = mapping.isDeviceTokens ? [] : description.key
    token = try fit.tokenColumn()
    app = try mapping.app.map { try fit.column($0) }
    environment = try mapping.environment.map(fit.environmentColumn)
    registered = try mapping.registered.map { (try fit.timeColumn($0), $0.form) }
    if mapping.action == .delete { try fit.checkRemoval() }
    if mapping.inserts { try fit.checkInsertion() }
    written = try fit.writtenColumns()
    registeredClock = Clock(registered?.column, registered?.form)
    invalidationClock = Clock(written.first?.column, written.first?.content.form)
  }

  var name: String { description.name }
  /// A row in messages, by its token.
  func rowName(_ token: SQLField) -> Message { "\(self.token.name) \(token.literal())" }

  /// Whether a change of a row may change other values of it: triggers do, and expressions over a column.
  var mayChangeMore: Bool {
    description.hasTriggers
      || [token, app, environment, registered?.column].contains {
        $0.map { $0.expression != nil || $0.isGenerated } ?? false
      }
  }

  /// The error of a trigger or an expression that changes more of a row than was written.
  func triggerError(_ columns: String, of token: ArraySlice<UInt8>) -> StoreError {
    .refused(
      "a trigger or an expression of \(mapping.name) also changes \(columns), as in the row of token "
        + "\(Hex.string(token)): disable it for this command, or name another column in the mapping")
  }

  /// The columns that an invalidation writes, as they are read: a null if rows are removed.
  var writtenRead: [TableColumn?] { written.isEmpty ? [nil] : written.map(\.column) }

  /// Whether an index finds tokens: one begins with the column, or with the owner's columns before it; and the form has
  /// one usual spelling of a token.
  var hasLookup: Bool {
    let form = mapping.token.form
    return (form == .bytes || form.isUpper != nil)
      && (description.indexed.contains(token.name) || mapping.isDeviceTokens)
  }

  // MARK: - Reading

  /// A key as text, for reports; nil for a row that is known by its token.
  func keyText(_ fields: ArraySlice<SQLField>, _ session: any SQLSession) -> String? {
    fields.isEmpty ? nil : session.keyText(Array(fields), key)
  }

  /// - Throws: `StoreError.refused` if a part of the key is null, which SQLite allows.
  func checked(_ key: ArraySlice<SQLField>) throws -> ArraySlice<SQLField> {
    if key.contains(where: \.isNull) {
      throw StoreError.refused(
        "the primary key of a row of "
          + "\(mapping.name) is null, so that an undo could not find it; --no-journal needs no key")
    }
    return key
  }

  /// Reads the token into `bytes`; false if the field has none.
  func readToken(_ field: SQLField, into bytes: inout [UInt8]) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    switch (field, mapping.token.form) {
    case (.bytes(let found), .bytes):
      bytes.append(contentsOf: found)
      return true
    case (.text(let text), .base64): return TokenForm.base64.read(text, into: &bytes)
    case (.text(let text), let form) where form != .bytes: return form.read(text, into: &bytes)
    default: return false
    }
  }

  /// - Throws: `StoreError.unreadableRows` if a time cannot be read.
  func state(_ registered: SQLField, _ invalidation: SQLField) throws(StoreError) -> RowState {
    var registeredAt = time(registered, registeredClock)
    // A program that writes zeros instead of null knows no registration.
    if registeredAt == nil, registered.integer != DateAndTime.zeroDate, let column = self.registered {
      registeredAt = try time(registered, column.column, column.form)
    }
    var state = RowState(registered: registeredAt?.latest, isDead: false)
    guard let first = written.first else { return state }
    switch first.content {
    case .time(let form):
      var invalidatedAt = time(invalidation, invalidationClock)
      if invalidatedAt == nil { invalidatedAt = try time(invalidation, first.column, form, isFirst: true) }
      state.invalidatedAt = first.keepsMilliseconds ? invalidatedAt : invalidatedAt?.latest
      state.isDead = invalidatedAt != nil
    case .text(let dead, _): state.isDead = invalidation.isText(of: dead)
    }
    return state
  }

  @inline(__always)
  private func time(_ field: SQLField, _ clock: Clock) -> StoreTime? {
    guard case .integer(let number) = field, number != 0 else { return nil }
    switch clock {
    case .seconds: return StoreTime(seconds: number)
    case .microseconds where number != .max && number > DateAndTime.zeroDate:
      return StoreTime(number, units: 1_000_000)
    default: return nil
    }
  }

  private func time(
    _ field: SQLField, _ column: TableColumn, _ form: TimeForm, isFirst: Bool = false
  ) throws(StoreError) -> StoreTime? {
    if field.isNull { return nil }
    let found = form.time(of: field, kind: column.kind, isFirst: isFirst)
    // Where other programs write 0 instead of null, the row is live.
    if let found, form != .milliseconds || form.isLikely(found),
      !isFirst || found.seconds != 0 || mapping.isDeviceTokens
    {
      return found
    }
    throw .unreadableRows(
      1, first: "\(column.name) is \(field.literal(column.kind)), expected a time as \(form.name), or null")
  }

  /// A value of a column of times.
  /// - Throws: `StoreError.refused` if the form has no value for it.
  static func value(of time: StoreTime, _ form: TimeForm, in column: TableColumn) throws -> SQLValue {
    guard let value = form.value(of: time, kind: column.kind) else {
      throw StoreError.refused("\(column.name) cannot store the time \(time.seconds) as \(form.name)")
    }
    return value
  }

  /// The value that an invalidation at `time` writes into a column of `written`, by its index.
  func invalidationValue(at time: StoreTime, _ index: Int) throws -> SQLValue {
    if index == 0, case .seconds = invalidationClock { return .integer(time.seconds) }
    let written = written[index]
    switch written.content {
    case .time(let form):
      return try Self.value(of: written.keepsMilliseconds ? time : time.whole, form, in: written.column)
    case .text(let dead, _): return dead
    }
  }

  /// What an invalidation at `time` writes; a null if it removes the row.
  func invalidationValues(at time: StoreTime) throws -> [SQLValue] {
    written.isEmpty ? [.null] : try written.indices.map { try invalidationValue(at: time, $0) }
  }

  func tokenValue(_ token: RawSpan) -> SQLValue {
    mapping.token.form == .bytes
      ? .bytes(token.withUnsafeBytes { Array($0) }) : .text(mapping.token.form.text(of: token))
  }
}

extension TimeForm {
  /// The time of a field, rounded down to a millisecond, in the form `seconds` to a second; nil without one.
  func time(of field: SQLField, kind: SQLKind, isFirst: Bool = false) -> StoreTime? {
    switch field {
    case .null, .bytes: return nil
    case .integer(let number):
      switch self {
      case .seconds: return StoreTime(seconds: number)
      case .milliseconds: return StoreTime(number, units: 1000)
      case .iso, .date: return nil
      case .timestamptz, .timestamp: return kind.isTime ? moment(number) : nil
      }
    case .real(let number):
      guard let whole = Int64(exactly: number.rounded(.down)) else { return nil }
      if self == .seconds { return StoreTime(seconds: whole) }
      return self == .milliseconds ? StoreTime(whole, units: 1000) : nil
    case .text(let bytes):
      return String(validating: bytes, as: UTF8.self).flatMap { time(of: $0, isFirst: isFirst) }
    }
  }

  /// - Parameter number: microseconds; the ends of the range mean infinity.
  private func moment(_ number: Int64) -> StoreTime? {
    guard number != .max, number > DateAndTime.zeroDate else { return nil }
    var time = StoreTime(number, units: 1_000_000)
    guard case .timestamp(let name) = self, name != "UTC" else { return time }
    guard DateAndTime.range.contains(time.seconds), let zone = Zone.named(name) else { return nil }
    time.seconds = zone.moment(ofLocal: time.seconds)
    return time
  }

  /// The first moment that a stored time may be, which was read as the last one: of a day, or of a local time that occurs
  /// twice.
  func first(of time: StoreTime) -> StoreTime {
    guard let zone = zone.flatMap(Zone.named) else { return time }
    var local = time.seconds + zone.offset(at: time.seconds)
    if case .date = self { local = local.floored(by: 86_400) * 86_400 }
    return StoreTime(seconds: zone.firstMoment(ofLocal: local), milliseconds: time.milliseconds)
  }

  /// The value for `time` in a column of this form and kind; nil if there is none. Texts have whole seconds.
  func value(of time: StoreTime, kind: SQLKind) -> SQLValue? {
    switch self {
    case .seconds: return .integer(time.seconds)
    case .milliseconds: return Self.number(time.seconds, 1000, Int64(time.milliseconds))
    case .iso, .date: return text(of: time.seconds).map { .text($0) }
    case .timestamptz, .timestamp:
      guard kind.isTime else { return text(of: time.seconds).map { .text($0) } }
      var local = time.seconds
      if case .timestamp(let name) = self {
        guard DateAndTime.range.contains(local), let zone = Zone.named(name) else { return nil }
        local += zone.offset(at: local)
      }
      return Self.number(local, 1_000_000, Int64(time.milliseconds) * 1000)
    }
  }

  /// A whole number of seconds and a fraction in a smaller unit; nil if it overflows.
  private static func number(_ seconds: Int64, _ units: Int64, _ fraction: Int64) -> SQLValue? {
    let (product, overflows) = seconds.multipliedReportingOverflow(by: units)
    let (sum, overflow) = product.addingReportingOverflow(fraction)
    return overflows || overflow ? nil : .integer(sum)
  }
}

extension SQLField {
  /// Whether it has the same text as `value`.
  fileprivate func isText(of value: SQLValue) -> Bool {
    switch self {
    case .null, .bytes: false
    case .integer(let number): value == .integer(number) || String(number) == value.text
    case .real(let number): String(number) == value.text
    case .text(let bytes): bytes.elementsEqual(value.text.utf8)
    }
  }
}
