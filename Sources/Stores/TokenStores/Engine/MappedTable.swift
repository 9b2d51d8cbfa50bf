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
  let invalidation: Invalidation
  /// A fast way to read most values of both columns.
  private let registeredClock: Clock
  private let invalidationClock: Clock
  /// Whether to write invalidations with milliseconds. Other types would round them, and programs may not
  /// expect them in texts.
  private let keepsMilliseconds: Bool

  private enum Clock {
    case seconds, microseconds, other

    init(_ column: TableColumn?, _ form: TimeForm?) {
      switch form {
      case .seconds: self = .seconds
      case .timestamptz where column?.kind == .moment: self = .microseconds
      default: self = .other
      }
    }
  }

  /// How the table marks an invalid token.
  enum Invalidation {
    case time(TableColumn, TimeForm)
    /// `dead` and `alive` as the column stores them.
    case flag(TableColumn, dead: SQLValue, alive: SQLValue?)
    case removal
  }

  /// - Throws: `StoreFault.misfit`, or `.wrongShape` of `device_tokens`, if the mapping does not fit the table.
  init(_ mapping: TableMapping, _ description: TableDescription, _ session: any SQLSession) throws {
    self.mapping = mapping
    self.description = description
    let fit = TableFit(mapping: mapping, description: description, session: session)
    if mapping.isDeviceTokens { try fit.checkShape() }
    key = mapping.isDeviceTokens ? [] : description.key
    token = try fit.tokenColumn()
    app = try mapping.app.map(fit.column)
    environment = try mapping.environment.map(fit.environmentColumn)
    registered = try mapping.registered.map { (try fit.timeColumn($0), $0.form) }
    switch mapping.action {
    case .mark(let time):
      let column = try fit.timeColumn(time)
      if column.isNotNull { throw fit.misfit(time.name, "a column that may be null", "NOT NULL") }
      invalidation = .time(column, time.form)
    case .flag(let name, let dead, let alive):
      let column = try fit.ordinaryColumn(name)
      invalidation = .flag(
        column, dead: try fit.stored(dead, in: column),
        alive: try alive.map { try fit.stored($0, in: column) })
    case .delete:
      try fit.checkRemoval()
      invalidation = .removal
    }
    registeredClock = Clock(registered?.column, registered?.form)
    if case .time(let column, let form) = invalidation {
      invalidationClock = Clock(column, form)
      keepsMilliseconds = !mapping.isDeviceTokens && form.keepsMilliseconds(in: column, session)
    } else {
      (invalidationClock, keepsMilliseconds) = (.other, false)
    }
  }

  var name: String { description.name }
  /// The name in messages.
  var shownName: String { mapping.name }
  /// A row in messages, by its token.
  func rowName(_ token: SQLField) -> Message { "\(self.token.name) \(token.literal())" }

  /// The fault of a trigger that changes more of a row than was written.
  func triggerFault(_ columns: String, of token: ArraySlice<UInt8>) -> StoreFault {
    .refused(
      "a trigger of \(shownName) also changes \(columns), as in the row of token "
        + "\(Hex.string(token)): disable it for this command, or name another column in the mapping")
  }

  /// The column that an invalidation writes.
  var invalidationColumn: TableColumn? {
    switch invalidation {
    case .time(let column, _), .flag(let column, _, _): column
    case .removal: nil
    }
  }

  /// Whether an index finds tokens: one begins with the column, or with the owner's columns before it; and the form has
  /// one usual spelling of a token.
  var hasLookup: Bool {
    switch mapping.token.form {
    case .bytes, .hex, .upperHex: description.indexed.contains(token.name) || mapping.isDeviceTokens
    case .spacedHex, .bracketedHex, .base64: false
    }
  }
}

// MARK: - Reading

extension MappedTable {
  /// A key as text, for reports; nil for a row that is known by its token.
  func keyText(_ fields: ArraySlice<SQLField>, _ session: any SQLSession) -> String? {
    fields.isEmpty ? nil : session.keyText(Array(fields), key)
  }

  /// - Throws: `StoreFault.refused` if a part of the key is null, which SQLite allows.
  func checked(_ key: ArraySlice<SQLField>) throws -> ArraySlice<SQLField> {
    if key.contains(where: \.isNull) {
      throw StoreFault.refused(
        "the primary key of a row of "
          + "\(shownName) is null, so that an undo could not find it; --no-journal needs no key")
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

  /// - Throws: `StoreFault.unreadableRows` if a time cannot be read.
  func state(_ registered: SQLField, _ invalidation: SQLField) throws(StoreFault) -> RowState {
    var registeredAt = time(registered, registeredClock)
    if registeredAt == nil, !registered.isNull, let (column, form) = self.registered {
      registeredAt = try time(registered, column, form)
    }
    var state = RowState(registered: registeredAt?.latest, isDead: false)
    switch self.invalidation {
    case .time(let column, let form):
      var invalidatedAt = time(invalidation, invalidationClock)
      if invalidatedAt == nil { invalidatedAt = try time(invalidation, column, form) }
      state.invalidatedAt = keepsMilliseconds ? invalidatedAt : invalidatedAt?.latest
      state.isDead = invalidatedAt != nil
    case .flag(_, let dead, _): state.isDead = invalidation.isText(of: dead)
    case .removal: break
    }
    return state
  }

  @inline(__always)
  private func time(_ field: SQLField, _ clock: Clock) -> StoreTime? {
    guard case .integer(let number) = field else { return nil }
    switch clock {
    case .seconds: return StoreTime(seconds: number)
    case .microseconds where number != .max && number != .min:
      return StoreTime(number, units: 1_000_000)
    default: return nil
    }
  }

  private func time(_ field: SQLField, _ column: TableColumn, _ form: TimeForm) throws(StoreFault)
    -> StoreTime?
  {
    if field.isNull { return nil }
    if let time = form.time(of: field, kind: column.kind, isStrict: mapping.isDeviceTokens) {
      return time
    }
    throw .unreadableRows(
      1,
      first:
        "\(column.name) is \(field.literal(column.kind)), expected \(form.expectation(column.kind)), "
        + "or null")
  }

  /// A value of a column of times.
  /// - Throws: `StoreFault.refused` if the form has no value for it.
  static func value(of time: StoreTime, _ form: TimeForm, in column: TableColumn) throws -> SQLValue {
    guard let value = form.value(of: time, kind: column.kind) else {
      throw StoreFault.refused(
        "\(column.name) cannot store the time \(time.seconds) as \(form.name)")
    }
    return value
  }

  /// The value that an invalidation at `time` writes; null if it removes the row.
  func invalidationValue(at time: StoreTime) throws -> SQLValue {
    if case .seconds = invalidationClock { return .integer(time.seconds) }
    switch invalidation {
    case .time(let column, let form):
      return try Self.value(of: keepsMilliseconds ? time : time.whole, form, in: column)
    case .flag(_, let dead, _): return dead
    case .removal: return .null
    }
  }

  /// A value of the column of tokens.
  func tokenValue(_ token: RawSpan) -> SQLValue {
    mapping.token.form == .bytes
      ? .bytes(token.withUnsafeBytes { Array($0) }) : .text(mapping.token.form.text(of: token))
  }
}

extension TimeForm {
  /// The time of a field, rounded down to a millisecond, in the form `seconds` to a second; nil without one.
  /// - Parameter isStrict: whether seconds must be a number.
  func time(of field: SQLField, kind: SQLKind, isStrict: Bool) -> StoreTime? {
    switch field {
    case .null, .bytes: return nil
    case .integer(let number):
      switch self {
      case .seconds: return StoreTime(seconds: number)
      case .milliseconds: return StoreTime(number, units: 1000)
      case .iso: return nil
      case .timestamptz, .timestamp: return kind.isTime ? moment(number) : nil
      }
    case .real(let number):
      guard !isStrict, let whole = Int64(exactly: number.rounded(.down)) else { return nil }
      if self == .seconds { return StoreTime(seconds: whole) }
      return self == .milliseconds ? StoreTime(whole, units: 1000) : nil
    case .text(let bytes):
      guard !isStrict || kind != .any else { return nil }
      return String(validating: bytes, as: UTF8.self).flatMap(time(of:))
    }
  }

  /// - Parameter number: microseconds; the ends of the range mean infinity.
  private func moment(_ number: Int64) -> StoreTime? {
    guard number != .max, number != .min else { return nil }
    var time = StoreTime(number, units: 1_000_000)
    guard case .timestamp(let name) = self, name != "UTC" else { return time }
    guard DateAndTime.range.contains(time.seconds), let zone = Zone.named(name) else { return nil }
    time.seconds = zone.moment(ofLocal: time.seconds)
    return time
  }

  /// Whether a column of this form keeps milliseconds.
  func keepsMilliseconds(in column: TableColumn, _ session: any SQLSession) -> Bool {
    switch self {
    case .milliseconds: true
    case .seconds, .iso: false
    case .timestamptz, .timestamp: column.kind.isTime && session.keepsMilliseconds(column)
    }
  }

  /// The value for `time` in a column of this form and kind; nil if there is none. Texts have whole seconds.
  func value(of time: StoreTime, kind: SQLKind) -> SQLValue? {
    switch self {
    case .seconds: return .integer(time.seconds)
    case .milliseconds: return Self.number(time.seconds, 1000, Int64(time.milliseconds))
    case .iso: return text(of: time.seconds).map { .text($0) }
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

  fileprivate func expectation(_ kind: SQLKind) -> Message {
    switch self {
    case .seconds: kind == .any ? "UNIX seconds as an integer" : "UNIX seconds"
    case .milliseconds: "UNIX milliseconds"
    case .iso: "a date and time as of ISO 8601"
    case .timestamptz: "a time"
    case .timestamp: "a date and a time of day"
    }
  }
}

extension SQLField {
  /// Whether it has the same text as `value`; the text of a number is its digits.
  fileprivate func isText(of value: SQLValue) -> Bool {
    switch (self, value) {
    case (.null, _), (_, .null): false
    case (.integer(let number), .integer(let other)): number == other
    case (.integer(let number), .text(let text)): String(number) == text
    case (.text(let bytes), .text(let text)): bytes.elementsEqual(text.utf8)
    case (.text(let bytes), .integer(let number)): bytes.elementsEqual(String(number).utf8)
    case (.real(let number), .text(let text)): String(number) == text
    default: false
    }
  }
}
