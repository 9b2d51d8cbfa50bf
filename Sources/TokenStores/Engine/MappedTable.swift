import Messages
import WireBytes

/// A table with its mapping: the meaning of its columns, and how their values are read and written.
final class MappedTable {
  let mapping: TableMapping
  let description: TableDescription
  let token: TableColumn
  let app: TableColumn?
  let environment: TableColumn?
  let registered: (column: TableColumn, form: TimeForm)?
  let invalidation: Invalidation
  /// A fast way to read most values of both columns.
  private let registeredClock: Clock
  private let invalidationClock: Clock

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
    token = try fit.tokenColumn()
    app = try mapping.app.map(fit.column)
    environment = try mapping.environment.map(fit.environmentColumn)
    registered = try mapping.registered.map { (try fit.timeColumn($0), $0.form) }
    switch mapping.action {
    case .mark(let time):
      let column = try fit.timeColumn(time)
      if column.isNotNull { throw fit.misfit(time.name, .nullableColumn, .notNull) }
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
    invalidationClock =
      if case .time(let column, let form) = invalidation { Clock(column, form) } else { .other }
  }

  var name: String { description.name }
  /// The name in messages.
  var shownName: String { mapping.name }

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
  /// The first fields of a row that was found; its locator, its key, and the whole row if it may be removed follow.
  enum Field {
    static let token = 0
    static let registered = 1
    static let invalidation = 2
    static let locator = 3
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
    var time = seconds(registered, registeredClock)
    if time == nil { time = try slowRegistered(registered) }
    if let invalidatedAt = seconds(invalidation, invalidationClock) {
      return RowState(registered: time, invalidatedAt: invalidatedAt, isDead: true)
    }
    switch self.invalidation {
    case .time(let column, let form):
      let invalidatedAt = invalidation.isNull ? nil : try seconds(invalidation, column, form)
      return RowState(registered: time, invalidatedAt: invalidatedAt, isDead: invalidatedAt != nil)
    case .flag(_, let dead, _): return RowState(registered: time, isDead: invalidation.isText(of: dead))
    case .removal: return RowState(registered: time, isDead: false)
    }
  }

  private func slowRegistered(_ field: SQLField) throws(StoreFault) -> Int64? {
    guard !field.isNull, let (column, form) = registered else { return nil }
    return try seconds(field, column, form)
  }

  @inline(__always)
  private func seconds(_ field: SQLField, _ clock: Clock) -> Int64? {
    guard case .integer(let number) = field else { return nil }
    switch clock {
    case .seconds: return number
    case .microseconds where number != .max && number != .min:
      return number.floored(by: 1_000_000)
    default: return nil
    }
  }

  private func seconds(_ field: SQLField, _ column: TableColumn, _ form: TimeForm) throws(StoreFault)
    -> Int64?
  {
    if field.isNull { return nil }
    if let seconds = form.seconds(of: field, kind: column.kind, isStrict: mapping.isDeviceTokens) {
      return seconds
    }
    throw .unreadableRows(
      count: 1,
      first: .timeNotInForm(form.expectation(column.kind), column.name, field.literal(column.kind)))
  }

  /// A value of a column of times.
  /// - Throws: `StoreFault.refused` if the form has no value for it.
  static func value(of seconds: Int64, _ form: TimeForm, in column: TableColumn) throws -> SQLValue {
    guard let value = form.value(of: seconds, kind: column.kind) else {
      throw StoreFault.refused(
        detail: .timeBeyondColumn(column.name, seconds: seconds, form: form.name))
    }
    return value
  }

  /// The value that an invalidation at `time` writes; null if it removes the row.
  func invalidationValue(at time: UInt32) throws -> SQLValue {
    switch invalidationClock {
    case .seconds: return .integer(Int64(time))
    case .microseconds: return .integer(Int64(time) * 1_000_000)
    case .other: break
    }
    switch invalidation {
    case .time(let column, let form): return try Self.value(of: Int64(time), form, in: column)
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
  private static let second: Int64 = 1_000_000

  /// The UNIX seconds of a field, rounded down; nil if it has none.
  /// - Parameter isStrict: whether seconds must be a number.
  func seconds(of field: SQLField, kind: SQLKind, isStrict: Bool) -> Int64? {
    switch field {
    case .null, .bytes: return nil
    case .integer(let number):
      switch self {
      case .seconds: return number
      case .milliseconds: return number.floored(by: 1000)
      case .iso: return nil
      case .timestamptz, .timestamp: return kind.isTime ? moment(number) : nil
      }
    case .real(let number):
      guard !isStrict else { return nil }
      if self == .seconds { return Int64(exactly: number.rounded(.down)) }
      return self == .milliseconds ? Int64(exactly: (number / 1000).rounded(.down)) : nil
    case .text(let bytes):
      guard !isStrict || kind != .any else { return nil }
      return String(validating: bytes, as: UTF8.self).flatMap(seconds)
    }
  }

  /// - Parameter number: microseconds; the ends of the range mean infinity.
  private func moment(_ number: Int64) -> Int64? {
    guard number != .max, number != .min else { return nil }
    let seconds = number.floored(by: Self.second)
    guard case .timestamp(let name) = self, name != "UTC" else { return seconds }
    guard DateAndTime.range.contains(seconds) else { return nil }
    return Zone.named(name)?.moment(ofLocal: seconds)
  }

  /// The value of a column of this form and kind for `seconds`; nil if there is none.
  func value(of seconds: Int64, kind: SQLKind) -> SQLValue? {
    switch self {
    case .seconds: return .integer(seconds)
    case .milliseconds:
      let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
      return overflow ? nil : .integer(product)
    case .iso: return text(of: seconds).map { .text($0) }
    case .timestamptz, .timestamp:
      guard kind.isTime else { return text(of: seconds).map { .text($0) } }
      var local = seconds
      if case .timestamp(let name) = self {
        guard DateAndTime.range.contains(seconds), let zone = Zone.named(name) else { return nil }
        local += zone.offset(at: seconds)
      }
      let (product, overflow) = local.multipliedReportingOverflow(by: Self.second)
      return overflow ? nil : .integer(product)
    }
  }

  fileprivate func expectation(_ kind: SQLKind) -> Message {
    switch self {
    case .seconds: kind == .any ? .integerUnixSeconds : .unixSeconds
    case .milliseconds: .unixMilliseconds
    case .iso: .isoTime
    case .timestamptz: .pointInTime
    case .timestamp: .clockTime
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

  /// How much of a value messages show: bytes of a blob; a text has twice this many characters.
  private static var shownBytes: Int { 40 }

  /// The value as an SQL literal, truncated if it is long.
  func literal(_ kind: SQLKind = .any) -> String {
    switch self {
    case .null: return "NULL"
    case .integer(let number):
      guard kind.isTime else { return String(number) }
      return number == .max ? "infinity" : number == .min ? "-infinity" : String(number)
    case .real(let number): return String(number)
    case .bytes(let bytes): return Self.blob(bytes)
    case .text(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return "CAST(\(Self.blob(bytes)) AS TEXT)"
      }
      let limit = 2 * Self.shownBytes
      let shown = String(text.unicodeScalars.prefix(limit).map { $0.value < 0x20 ? "·" : Character($0) })
      return "'\(shown)\(text.unicodeScalars.count > limit ? "…" : "")'"
    }
  }

  private static func blob(_ bytes: UnsafeRawBufferPointer) -> String {
    "x'\(Hex.string(bytes.prefix(shownBytes)))\(bytes.count > shownBytes ? "…" : "")'"
  }
}
