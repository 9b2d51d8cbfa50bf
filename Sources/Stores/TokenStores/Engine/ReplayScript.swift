import Basics
import Reports

/// Writes a replay as SQL for an administrator of the table (docs/stores.md, "A replay as a script"), and a second
/// script that takes it back. The rule is in the condition of each statement: a row that was registered, invalidated or
/// removed since it was read stays as it is.
package final class ReplayScript {
  /// How many statements a transaction has unless `--batch` says otherwise.
  package static let usualBatch = 1000

  private let replay: StatementFile
  private let undo: StatementFile

  /// - Parameters:
  ///   - path: the script's file; the undo is beside it, as `NAME.undo.sql`.
  ///   - batch: how many statements a transaction has, from 1.
  ///   - replaces: whether existing files are replaced.
  /// - Throws: a `CommandError` if a file cannot be written.
  package init(_ path: String, batch: Int, replaces: Bool) throws {
    undoPath = (path.hasSuffix(".sql") ? String(path.dropLast(4)) : path) + ".undo.sql"
    replay = StatementFile(try OutputFile(path, force: replaces), batch: batch)
    undo = StatementFile(try OutputFile(undoPath, force: replaces), batch: batch)
  }

  package let undoPath: String

  /// - Parameter title: what is replayed, in lines.
  func begin(_ title: [String], _ rows: OwnedRows) throws {
    var title = title
    if rows.table.description.hasTriggers {
      let warning =
        "\(rows.table.mapping.name) may have triggers: if one changes the registration or the key of a row, devices look "
        + "registered after the script, and its undo does not find the row"
      title.append(warning)
      Console.note(.warning(.verbatim(warning)))
    }
    let whose = "of \(rows.table.mapping.name)" + (rows.owner.map { " for \($0.text)" } ?? "")
    try replay.begin(
      ["Replay \(whose), written by apnsift. Each statement changes its row only if the rule still says so."]
        + title, rows.session, isUndo: false)
    try undo.begin(
      ["Undo of the replay \(whose). Each statement restores its row only if it is as the replay left it."]
        + title, rows.session, isUndo: true)
  }

  /// Adds the changes of a batch.
  /// - Parameter found: the rows as they are, each with its token and the whole row, if rows are removed.
  func add(
    _ changes: [BatchChange], _ found: FoundRows, of batch: TokenBatch, _ rows: OwnedRows, grace: UInt32
  ) throws {
    for change in changes {
      let token = batch.token(change.token)
      let statements = try RowStatements(rows, at: batch.time(change.token), grace: grace)
      guard let row = found.row(of: change) else {
        try replay.add(statements.insertion(of: token))
        try undo.add(statements.insertionUndo(of: token))
        continue
      }
      try found.withFields(row) { fields in
        try replay.add(statements.change(of: token, row.state, fields))
        try undo.add(statements.changeUndo(fields))
      }
    }
  }

  package func finish() throws {
    try replay.finish()
    try undo.finish()
  }
}

/// A file of statements, in transactions.
private final class StatementFile {
  private let file: OutputFile
  private let output: OutputBuffer
  private let batch: Int
  private var count = 0

  init(_ file: OutputFile, batch: Int) {
    (self.file, output, self.batch) = (file, OutputBuffer(file), batch)
  }

  func begin(_ title: [String], _ session: any SQLSession, isUndo: Bool) throws {
    let run = "Run it with: \(session.dialect.scriptCommand) FILE"
    // A line end in a name would end the comment.
    for line in title + [run] { try output.append("-- \(VisibleText.of(line))\n") }
    try output.append(session.scriptHead(isUndo: isUndo))
  }

  func add(_ statement: String) throws {
    if count % batch == 0 { try output.append(count > 0 ? "COMMIT;\nBEGIN;\n" : "BEGIN;\n") }
    try output.append(statement + ";\n")
    count += 1
  }

  func finish() throws {
    if count > 0 { try output.append("COMMIT;\n") }
    try output.append("-- The end: \(Count.of(count, "statement")).\n")
    try output.flush()
    try file.finish()
  }
}

/// The statements for one row of an invalidation at a time.
private struct RowStatements {
  private let rows: OwnedRows
  private let time: StoreTime
  private let written: [SQLValue]
  /// The registration from which on a device is kept, in whole seconds.
  private let bound: StoreTime

  init(_ rows: OwnedRows, at time: StoreTime, grace: UInt32) throws {
    (self.rows, self.time) = (rows, time)
    written = try rows.table.invalidationValues(at: time)
    bound = StoreTime(seconds: time.seconds - Int64(grace))
  }

  private var table: MappedTable { rows.table }
  private var session: any SQLSession { rows.session }

  // MARK: - Statements

  func insertion(of token: ArraySlice<UInt8>) -> String {
    let values = owned(token) + zip(table.written.map(\.column), written)
    let names = session.dialect.list(values.map(\.0))
    let literals = values.map { literal($0.1, $0.0) }.joined(separator: ", ")
    let (dialect, name) = (session.dialect, table.name)
    return "\(dialect.insertion) \(name) (\(names)) SELECT \(literals)\(dialect.noTable) "
      + "WHERE NOT EXISTS (SELECT 1 FROM \(table.name) AS t WHERE \(areEqual(owned(token))))"
  }

  func insertionUndo(of token: ArraySlice<UInt8>) -> String {
    // A default may have registered it.
    let column = table.registered?.column
    let isNew = column.flatMap { $0.hasDefault ? nil : " AND \(session.dialect.value($0)) IS NULL" } ?? ""
    let same = areEqual(owned(token) + zip(table.written.map(\.column), written))
    return deletion("\(same)\(isNew)")
  }

  func change(of token: ArraySlice<UInt8>, _ state: RowState, _ fields: RowFields) throws -> String {
    // A row that is valid still, or has the time of its invalidation that was read.
    let isAsRead = table.written.first.map {
      state.isDead ? isSame($0.column, fields.written.first) : rows.isAlive
    }
    let conditions = [
      try isRow(fields), table.key.isEmpty || rows.ownership.isEmpty ? nil : areEqual(rows.ownership),
      isDue(fields.registered), isAsRead, isNotKept(token),
    ]
    let condition = conditions.compactMap { $0 }.joined(separator: " AND ")
    if table.written.isEmpty { return deletion(condition) }
    return update(zip(table.written, written).map { literal($1, $0.column) }, condition)
  }

  func changeUndo(_ fields: RowFields) throws -> String {
    if table.written.isEmpty {
      let whole = Array(fields.more.dropFirst())
      let sql = try session.restoring(whole, to: table.description, of: table.mapping).sql
      return "\(sql) WHERE NOT EXISTS (SELECT 1 FROM \(table.name) AS t WHERE \(hasKey(fields)))"
    }
    let isRegistered = isDue(fields.registered).map { " AND " + $0 } ?? ""
    let now = areEqual(zip(table.written.map(\.column), written))
    return update(
      zip(table.written, fields.written).map { session.literal($1, $0.column) },
      "\(try isRow(fields)) AND \(now)\(isRegistered)")
  }

  private func update(_ literals: [String], _ condition: String) -> String {
    let quoted = session.dialect.quoted
    let settings =
      zip(table.written, literals).map { "\(quoted($0.column.name)) = \($1)" }
      + table.description.kept.filter { !table.mapping.written.contains($0) }
      .map { "\(quoted($0)) = t.\(quoted($0))" }
    return "UPDATE \(table.name) AS t SET \(settings.joined(separator: ", ")) WHERE \(condition)"
  }

  private func deletion(_ condition: String) -> String {
    "DELETE\(session.dialect.deletedTable) FROM \(table.name) AS t WHERE \(condition)"
  }

  // MARK: - Conditions

  /// The row, with the token that was read: its row may have another one since.
  private func isRow(_ fields: RowFields) throws -> String {
    "\(hasKey(fields)) AND \(isSame(table.token, fields.more.first))"
  }

  /// In `device_tokens`, the owner and the token are the key.
  private func hasKey(_ fields: RowFields) -> String {
    table.key.isEmpty
      ? areEqual(rows.ownership) : zip(table.key, fields.key).map(isSame).joined(separator: " AND ")
  }

  /// Whether a row is not registered since the invalidation. If the times of the column cannot be compared in SQL, it has
  /// the registration that was read.
  private func isDue(_ registered: SQLField) -> String? {
    guard let (column, _) = table.registered else { return nil }
    let value = session.dialect.value(column)
    guard let earliest = earliestKept else { return isSame(column, registered) }
    return "(\(value) IS NULL OR \(value) < \(earliest))"
  }

  /// Whether no other row of the token is registered since; nil if that cannot be found out by an index.
  private func isNotKept(_ token: ArraySlice<UInt8>) -> String? {
    guard !table.mapping.isDeviceTokens, table.hasLookup, let (column, _) = table.registered,
      let earliest = earliestKept
    else { return nil }
    // MariaDB reads the table of a DELETE only in a query that it runs first.
    return "NOT EXISTS (SELECT 1 FROM (SELECT 1 FROM \(table.name) AS t WHERE \(areEqual(owned(token))) "
      + "AND \(session.dialect.value(column)) >= \(earliest) LIMIT 1) AS kept)"
  }

  /// The literal of the first registration that keeps the device; nil if SQL does not compare the column's values as
  /// times: texts, and clocks that are put back.
  private var earliestKept: String? {
    guard let (column, form) = table.registered, form.isComparable(in: column) else { return nil }
    return form.value(of: bound, kind: column.kind).map { literal($0, column) }
  }

  private func owned(_ token: ArraySlice<UInt8>) -> [(TableColumn, SQLValue)] {
    rows.ownership.map { ($0.column, $0.value) } + [(table.token, table.tokenValue(Array(token).span.bytes))]
  }

  private func areEqual(_ values: some Sequence<(TableColumn, SQLValue)>) -> String {
    values.map { column, value in value.withField { isSame(column, $0) } }.joined(separator: " AND ")
  }

  /// Whether a column of a row `t` has a value, texts by their bytes.
  private func isSame(_ column: TableColumn, _ field: SQLField?) -> String {
    let value = session.dialect.value(column)
    guard let field, !field.isNull else { return "\(value) IS NULL" }
    let literal = session.literal(field, column)
    if case .text = field { return session.isEqual(column, literal) }
    return "\(value) = \(literal)"
  }

  private func literal(_ value: SQLValue, _ column: TableColumn) -> String {
    value.withField { session.literal($0, column) }
  }
}

extension TimeForm {
  /// Whether SQL compares the values of a column as times.
  fileprivate func isComparable(in column: TableColumn) -> Bool {
    switch self {
    // In SQLite, any text is larger than any number.
    case .seconds, .milliseconds:
      column.kind == .any
        ? ![Affinity.text.rawValue, Affinity.blob.rawValue].contains(column.castType) : column.kind != .text
    case .iso: false
    case .timestamptz: column.kind.isTime
    case .timestamp(let zone): column.kind.isTime && Zone.named(zone)?.isFixed ?? false
    case .date: column.kind != .any
    }
  }
}
