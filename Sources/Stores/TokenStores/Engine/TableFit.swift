import Basics

struct TableFit {
  let mapping: TableMapping
  let description: TableDescription
  let session: any SQLSession

  func misfit(_ column: String, _ expected: Message, _ found: Message) -> StoreError {
    mapping.misfit("column \(column)", expected, found)
  }

  // MARK: - Columns

  /// A column, or an expression, that is read as a kind.
  func column(_ reference: ColumnReference, _ kind: SQLKind = .text) throws -> TableColumn {
    guard reference.isExpression else { return try column(named: reference.text) }
    let column = session.column(reference.text, kind)
    do {
      let read: SQLExpression = (column.expression ?? "", kind)
      try session.visit(SQLQuery([read], "FROM \(description.name) AS t LIMIT 0")) { _ in }
    } catch let error as DatabaseError where !error.isLost {
      throw mapping.misfit("the expression \(reference.text)", "SQL that the database runs", error.message)
    }
    return column
  }

  private func column(named name: String) throws -> TableColumn {
    if let column = description.column(name) { return column }
    let names = description.columns.map(\.name).joined(separator: ", ")
    throw misfit(name, "a column of that name", "only \(names)")
  }

  private func ordinaryColumn(_ name: String) throws -> TableColumn {
    let column = try column(named: name)
    if column.isGenerated { throw misfit(name, "an ordinary column", "a generated one") }
    return column
  }

  func tokenColumn() throws -> TableColumn {
    let kind = mapping.token.form == .bytes ? SQLKind.bytes : .text
    let column = try column(mapping.token.name, kind)
    if column.expression == nil { try check(column, session.dialect.types[kind] ?? []) }
    return column
  }

  func timeColumn(_ time: TimeColumn) throws -> TableColumn {
    let column = try column(time.name, time.form.kind)
    if column.expression != nil { return column }
    let dialect = session.dialect
    if column.kind != .any {
      let fractions = time.form.kind == .integer ? dialect.fractions : []
      try check(column, (dialect.types[time.form.kind] ?? []) + fractions)
    } else if time.form == .timestamptz {
      throw misfit(column.name, "another form, as SQLite has no timestamptz", .verbatim(time.form.name))
    }
    if time.form == .iso { _ = try stored("2009-06-17T00:00:00Z", in: column) }
    return try ordinaryColumn(column.name)
  }

  private func check(_ column: TableColumn, _ types: [String]) throws {
    if types.contains(column.baseType) { return }
    throw misfit(column.name, "type \(types.joined(separator: ", or "))", "type \(column.type)")
  }

  func writtenColumns() throws -> [MappedTable.WrittenColumn] {
    try mapping.writes.map { setting in
      switch setting.value {
      case .time(let form):
        let column = try timeColumn(TimeColumn(name: ColumnReference(setting.column), form: form))
        if column.isNotNull { throw misfit(setting.column, "a column that may be null", "NOT NULL") }
        let hasMilliseconds = form == .milliseconds || column.hasMilliseconds
        return .init(
          column: column, content: .time(form), keepsMilliseconds: hasMilliseconds && !mapping.isDeviceTokens)
      case .text(let dead, let alive):
        let column = try ordinaryColumn(setting.column)
        let alive = try alive.map { try stored($0, in: column) }
        return .init(column: column, content: .text(dead: try stored(dead, in: column), alive: alive))
      }
    }
  }

  func environmentColumn(_ environment: EnvironmentColumn) throws -> TableColumn {
    let column = try column(environment.name)
    if mapping.isDeviceTokens || column.expression != nil { return column }
    for value in [environment.production, environment.sandbox] { _ = try stored(value, in: column) }
    return column
  }

  /// - Throws: `StoreError.misfit` if the column cannot store `text`, or would truncate it.
  func stored(_ text: String, in column: TableColumn) throws -> SQLValue {
    if let value = try session.stored(text, in: column, of: mapping) { return value }
    throw misfit(column.name, "a column that can store '\(text)'", "type \(column.type)")
  }

  // MARK: - Rows

  /// - Throws: `StoreError.misfit` if new rows would need the value of an expression.
  func checkInsertion() throws {
    guard let read = mapping.read.first(where: \.isExpression) else { return }
    throw mapping.misfit(
      "--insert-unknown", "columns, into which new rows are written", "the expression \(read.text)")
  }

  /// A removed row must not delete or change rows of other tables.
  func checkRemoval() throws {
    if let dependent = description.dependent {
      throw mapping.misfit(
        "action delete", "no rows of other tables that are deleted or changed with a row", dependent)
    }
    try checkChildren("action delete")
  }

  /// - Throws: `StoreError.misfit` if an undo could not find the rows again.
  func checkKey() throws {
    guard !description.key.isEmpty else {
      throw mapping.misfit(
        "the primary key", "one, by which an undo finds the rows", "none (--no-journal needs none)")
    }
    let names = description.key.map(\.name)
    if let column = mapping.written.first(where: names.contains) {
      throw mapping.misfit(
        "the primary key", "columns that keep their values, by which an undo finds the rows",
        "\(names.joined(separator: ", ")), and the replay writes \(column) (--no-journal replays without an undo)"
      )
    }
    try checkChildren("the primary key")
  }

  private func checkChildren(_ subject: Message) throws {
    if !description.hasChildren { return }
    throw mapping.misfit(subject, "rows of this table alone", "tables that inherit from it")
  }

  // MARK: - The table device_tokens

  /// Checks what a table called `device_tokens` needs besides its mapping (docs/stores.md).
  func checkShape() throws {
    let types = session.dialect.deviceTypes
    for (name, types) in [
      ("app", types.texts), ("environment", types.texts), ("token", [types.token]),
      ("registered_at", [types.time]), ("invalidated_at", [types.time]),
    ] {
      let column = try ordinaryColumn(name)
      try check(column, types)
      // With another collation, apps whose names differ in case could be equal.
      if let folding = column.folding { throw misfit(name, folding.expected, folding.found) }
    }
    // The key must distinguish exactly what the rule distinguishes (docs/spec/interface.md#replay-rule); its columns
    // may be in any order.
    let key = description.key.map(\.name)
    guard key.sorted() == ["app", "environment", "token"] else {
      throw mapping.misfit(
        "the primary key", "app, environment, token", key.isEmpty ? "none" : "\(key.joined(separator: ", "))")
    }
    for column in description.columns
    where !column.isOptional || column.isNotNull && column.name == mapping.registered?.name.text {
      throw misfit(column.name, "a column that may be null", "NOT NULL")
    }
  }
}

// MARK: - Values

extension MappedTable {
  /// How many rows are checked.
  private static let looked = 100

  /// Checks the first rows against the forms of the mapping: a column's type does not distinguish hex from base64.
  ///
  /// - Throws: `StoreError.misfit` if a column has values besides 0, and none has its form.
  func checkValues(_ session: any SQLSession) throws {
    if mapping.isDeviceTokens { return }
    var token: [UInt8] = []
    let form = mapping.token.form
    try check(self.token, "tokens as \(form.rawValue)", session) { field in
      guard readToken(field, into: &token) else { return false }
      // Hex digits are base64 digits, too.
      guard form == .base64, case .text(let text) = field, text.count >= 32 else { return true }
      return !TokenForm.hex.read(text, into: &token)
    }
    let invalidated = written.first.flatMap { first in first.content.form.map { (first.column, $0) } }
    for case let (column, form)? in [registered, invalidated] {
      try check(column, "times as \(form.name)", session) { field in
        // A row with zeros instead of a time is reported if it is met.
        if field.integer == DateAndTime.zeroDate { return nil }
        guard let time = form.time(of: field, kind: column.kind) else { return false }
        return time.seconds == 0 ? nil : form.isLikely(time)
      }
    }
  }

  private func check(
    _ column: TableColumn, _ expected: Message, _ session: any SQLSession, isOfForm: (SQLField) -> Bool?
  ) throws {
    var other: String?
    var fits = false
    let value = session.read(column)
    let rest = "FROM \(name) AS t WHERE \(value.expression) IS NOT NULL LIMIT \(Self.looked)"
    try session.visit(SQLQuery([value], rest)) { row in
      guard let isOfForm = isOfForm(row[0]) else { return }
      if isOfForm { fits = true } else { other = other ?? row[0].literal() }
    }
    guard let other, !fits else { return }
    throw mapping.misfit("column \(column.name)", expected, "\(other) and the like")
  }
}

extension TimeForm {
  /// How times are read; dates as text.
  fileprivate var kind: SQLKind {
    switch self {
    case .seconds, .milliseconds: .integer
    case .iso: .text
    case .date: .other
    case .timestamptz: .moment
    case .timestamp: .clock
    }
  }

  /// Whether a time is plausible that was read in this form: read as milliseconds, seconds are a day in early 1970;
  /// read as seconds, milliseconds are a year after 9999.
  func isLikely(_ time: StoreTime) -> Bool {
    switch self {
    case .seconds: time.seconds.magnitude < 253_402_300_800
    case .milliseconds: !(1_000_000..<10_000_000).contains(time.seconds)
    case .iso, .timestamptz, .timestamp, .date: true
    }
  }
}
