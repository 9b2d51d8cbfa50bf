import WireBytes

/// A table and its mapping, held against each other: which column has what, and how its values are read and written.
final class MappedTable {
  let mapping: TableMapping
  let description: TableDescription
  let token: TableColumn
  let app: TableColumn?
  let environment: TableColumn?
  let registered: (column: TableColumn, form: TimeForm)?
  let death: Death
  /// How most values of both columns are read, without a look at all that is known of them.
  private let registeredClock: Clock
  private let deathClock: Clock

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

  /// What tells the dead, and what a death writes.
  enum Death {
    case time(TableColumn, TimeForm)
    /// `dead` and `alive` are as the column holds them.
    case flag(TableColumn, dead: SQLValue, alive: SQLValue?)
    case removal
  }

  /// - Throws: `StoreFault.misfit`, or `.wrongShape` of `device_tokens`, where the mapping does not fit the table.
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
      if column.isNotNull { throw fit.misfit(time.name, "a column that may be null", "NOT NULL") }
      death = .time(column, time.form)
    case .flag(let name, let dead, let alive):
      let column = try fit.ordinaryColumn(name)
      death = .flag(
        column, dead: try fit.stored(dead, in: column),
        alive: try alive.map { try fit.stored($0, in: column) })
    case .delete:
      try fit.checkRemoval()
      death = .removal
    }
    registeredClock = Clock(registered?.column, registered?.form)
    deathClock = if case .time(let column, let form) = death { Clock(column, form) } else { .other }
  }

  var name: String { description.name }
  /// As messages name it.
  var shownName: String { mapping.name }

  /// The column that a death writes.
  var deathColumn: TableColumn? {
    switch death {
    case .time(let column, _), .flag(let column, _, _): column
    case .removal: nil
    }
  }

  /// Whether an index serves to look tokens up: one begins with the column, or after the columns of the owner's; and
  /// programs that write the form write a token in one way, as far as they keep to it.
  var hasLookup: Bool {
    switch mapping.token.form {
    case .bytes, .hex, .upperHex: description.indexed.contains(token.name) || mapping.isDeviceTokens
    case .spacedHex, .bracketedHex, .base64: false
    }
  }
}

// MARK: - Reading

extension MappedTable {
  /// The first fields of a row that was looked for; after them come its place, its key, and all of it where it may go.
  enum Field {
    static let token = 0
    static let registered = 1
    static let death = 2
    static let place = 3
  }

  /// Reads the token into `bytes`; false where the field holds none.
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

  /// - Throws: `StoreFault.foreignRows` where a time cannot be read.
  func state(_ registered: SQLField, _ death: SQLField) throws(StoreFault) -> RowState {
    var time = seconds(registered, registeredClock)
    if time == nil { time = try slowRegistered(registered) }
    if let died = seconds(death, deathClock) { return RowState(registered: time, died: died, isDead: true) }
    switch self.death {
    case .time(let column, let form):
      let died = death.isNull ? nil : try seconds(death, column, form)
      return RowState(registered: time, died: died, isDead: died != nil)
    case .flag(_, let dead, _): return RowState(registered: time, isDead: death.isText(of: dead))
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
    throw .foreignRows(
      count: 1,
      first:
        "\(column.name) is \(field.literal(column.kind)), expected \(form.expectation(column.kind)), or null")
  }

  /// A value of a column of times.
  /// - Throws: `StoreFault.refused` where the form has none for it.
  static func value(of seconds: Int64, _ form: TimeForm, in column: TableColumn) throws -> SQLValue {
    guard let value = form.value(of: seconds, kind: column.kind) else {
      throw StoreFault.refused(detail: "\(column.name) cannot hold the time \(seconds) as \(form.name)")
    }
    return value
  }

  /// What a death at `time` writes; null where it removes the row.
  func deathValue(at time: UInt32) throws -> SQLValue {
    switch deathClock {
    case .seconds: return .integer(Int64(time))
    case .microseconds: return .integer(Int64(time) * 1_000_000)
    case .other: break
    }
    switch death {
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

  /// The UNIX seconds that a field says, rounded down; nil where it says none.
  /// - Parameter isStrict: whether a number is the only form of seconds.
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

  /// - Parameter number: microseconds; the ends of the range stand for infinity.
  private func moment(_ number: Int64) -> Int64? {
    guard number != .max, number != .min else { return nil }
    let seconds = number.floored(by: Self.second)
    guard case .timestamp(let name) = self, name != "UTC" else { return seconds }
    guard DateAndTime.range.contains(seconds) else { return nil }
    return Zone.named(name)?.moment(ofLocal: seconds)
  }

  /// What a column of this form and kind holds for `seconds`; nil where there is nothing for it.
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

  fileprivate func expectation(_ kind: SQLKind) -> String {
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
  /// Whether it is the same text as `value`, a number as its digits.
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

  /// How much of a value messages show: bytes of a blob, and twice as many characters of a text.
  private static var shownBytes: Int { 40 }

  /// The value as one would write it in SQL, cut where it is long.
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
