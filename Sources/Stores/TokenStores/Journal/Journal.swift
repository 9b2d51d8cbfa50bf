import Basics

/// The journal: the replays and undos of a database's tables, with the previous state of each row (docs/stores.md,
/// "History"). It is in the same database, in the schema of the table, and takes part in the transactions that it
/// records; or in a file of its own (`JournalFile`).
struct Journal {
  let session: any SQLSession
  let schema: String?
  /// A journal file, and the name of the table in it; nil for a journal in the table's own database.
  var file: (database: any StoreDatabase, target: String)?

  private var target: String? { file?.target }

  /// Gives errors of a journal file its name. Other errors are of the database that is recorded.
  @discardableResult
  func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    guard let file else { return try body() }
    return try file.database.reportingErrors(body)
  }

  private var types: JournalTypes { session.dialect.journal }
  private var prefix: String { schema.map { session.dialect.quoted($0) + "." } ?? "" }
  private func name(_ table: JournalTable) -> String { prefix + table.rawValue }

  /// Empty if the table does not exist.
  private func columns(_ table: JournalTable) throws -> [TableColumn] {
    try session.columns(of: table.rawValue, in: schema)
  }

  /// Whether a table exists.
  /// - Throws: `StoreError.journalMisfit` if a column has another type than apnsift gave it.
  @discardableResult
  private func check(_ table: JournalTable) throws -> Bool {
    let found = try columns(table)
    try table.check(found, types)
    return !found.isEmpty
  }

  /// Whether anything was ever recorded.
  func isPresent() throws -> Bool { try check(target == nil ? .replays : .outcomes) }

  func make() throws {
    session.record(in: name(.replays))
    let tables = JournalTable.ofDatabase + (target == nil ? [] : [.outcomes])
    let missing = try tables.filter { try columns($0).isEmpty }
    // Where each CREATE commits, the table of replays comes last: it says that the others are there.
    let ordered = types.hasReferences ? missing : missing.reversed()
    if !missing.isEmpty { try session.make(ordered.flatMap { $0.definitions(prefix, types) }) }
  }

  private func parameter(_ number: Int) -> String { session.dialect.parameter(number) }

  private func parameters(_ numbers: ClosedRange<Int>) -> String {
    numbers.map(parameter).joined(separator: ", ")
  }

  // MARK: - Recording

  /// Assigns a number to a replay or undo. Its entry follows later: a replay's is known after its input has been read.
  func begin(for owner: AppEnvironment, undoes: Int? = nil) throws -> Int {
    // SQLite gives a row any free number after one with the largest: changes of a replay would not be consecutive.
    for table: JournalTable in types.numbersChanges ? [.replays, .changes] : [.replays] {
      try session.visit(SQLQuery([("max(id)", .integer)], "FROM \(name(table))")) { fields in
        let row = JournalRow(table: table, columns: ["id"], fields: fields)
        _ = try row.optional("id", row.number)
      }
    }
    let values = [
      "at": types.time.of("0"), "app": parameter(1), "environment": parameter(2), "undoes": parameter(3),
      "first_change": "(SELECT coalesce(max(id), 0) + 1 FROM \(name(.changes)))",
    ]
    let columns = JournalTable.replays.columns(types).filter {
      $0.name != "id" && (!$0.isOptional || values[$0.name] != nil)
    }
    let literals = columns.map { values[$0.name] ?? ($0.kind == .text ? "''" : "0") }
    let id = try session.number(
      """
      INSERT INTO \(name(.replays)) (\(columns.map(\.name).joined(separator: ", ")))
      VALUES (\(literals.joined(separator: ", "))) RETURNING id
      """, [.text(owner.app), .text(owner.environment.rawValue), undoes.map { .integer(Int64($0)) } ?? .null])
    guard let id else { throw StoreError.refused("a trigger on apnsift_replays ignored the row") }
    if let target {
      try session.run(
        "INSERT INTO apnsift_outcomes (replay, store, is_done) VALUES (\(parameters(1...2)), 0)",
        [.integer(id), .text(target)])
    }
    return Int(id)
  }

  /// Inputs that one statement adds: databases limit its number of values.
  private static let batch = 500

  /// Records the entry, with its inputs, and the counts of the replay or undo `id`.
  /// - Parameter rows: how many rows were written.
  func finish(_ id: Int, _ entry: JournalEntry, _ counts: ReplayCounts, rows: Int) throws {
    try note(id, entry, counts, rows: rows)
    try addInputs(of: entry, to: id)
  }

  /// Records the entry and the counts. One without a version means that further transactions of the replay follow.
  func note(_ id: Int, _ entry: JournalEntry, _ counts: ReplayCounts, rows: Int) throws {
    var counts = counts
    counts.rejected = entry.rejected
    let values: [(String, SQLValue)] =
      [
        ("version", .text(entry.version)), ("options", .text(entry.options)),
        ("mapping", entry.mapping.map(SQLValue.text) ?? .null), ("tuples", .integer(Int64(entry.tuples))),
        ("changed_rows", .integer(Int64(rows))),
      ] + counts.named.map { ($0, .integer(Int64($1))) }
    let settings = values.enumerated().map { "\($1.0) = \(parameter($0 + 3))" }
    assert(rows >= counts.changes, "each token that was changed has changed rows")
    let written = try session.run(
      """
      UPDATE \(name(.replays)) SET at = \(types.time.of(parameter(2))), \(settings.joined(separator: ", "))
      WHERE id = \(parameter(1))
      """, [.integer(Int64(id)), .integer(entry.at)] + values.map(\.1))
    if written != 1 { throw StoreError.refused("a trigger on apnsift_replays ignored the row") }
  }

  func addInputs(of entry: JournalEntry, to id: Int) throws {
    for start in stride(from: 0, to: entry.inputs.count, by: Self.batch) {
      let some = entry.inputs[start..<min(start + Self.batch, entry.inputs.count)]
      let rows = (0..<some.count).map { "(\(parameter(1)), \(parameters(3 * $0 + 2...3 * $0 + 4)))" }
      try session.run(
        "INSERT INTO \(name(.inputs)) (replay, source, sha256, bytes) VALUES \(rows.joined(separator: ", "))",
        [.integer(Int64(id))]
          + some.flatMap { [SQLValue.text($0.source), .text($0.sha256), .integer(Int64($0.bytes))] })
    }
  }

  // MARK: - Reading

  /// All readable replays and undos, in the order of their numbers, and the error of the others.
  func records() throws -> (readable: [JournalRecord], error: StoreError?) { try records(where: "1 = 1", []) }

  /// - Throws: `StoreError.noReplay`, and `.unreadableRows`.
  func record(_ id: Int) throws -> JournalRecord {
    let found = try readableRecords(where: "replays.id = \(parameter(1))", [.integer(Int64(id))])
    guard let record = found.first else { throw StoreError.noReplay(id) }
    return record
  }

  /// The later replays that may be undone, newest first.
  func standing(after record: JournalRecord) throws -> [JournalRecord] {
    try readableRecords(where: "replays.id > \(parameter(1))", [.integer(Int64(record.id))])
      .reversed().filter(\.isStanding)
  }

  /// - Throws: `StoreError.unreadableRows` if one of them is unreadable.
  private func readableRecords(where condition: String, _ parameters: [SQLValue]) throws -> [JournalRecord] {
    try reporting {
      let (records, error) = try records(where: condition, parameters)
      if let error { throw error }
      return records
    }
  }

  private func records(
    where condition: String, _ parameters: [SQLValue]
  ) throws -> (readable: [JournalRecord], error: StoreError?) {
    guard try check(.replays) else { return ([], nil) }
    var unreadable = UnreadableRows()
    let inputs = try inputs(where: condition, parameters, &unreadable)
    let outcomes = try outcomes(&unreadable)
    let columns = JournalTable.replays.columns(types)
    // The undo of a replay is the last one.
    let undo = "(SELECT min(undos.id) FROM \(name(.replays)) AS undos WHERE undos.undoes = replays.id)"
    var records: [JournalRecord] = []
    let read: [SQLExpression] = columns.map { ("replays.\($0.name)", types.kind($0.kind)) }
    let query = SQLQuery(
      read + [(undo, .integer)], "FROM \(name(.replays)) AS replays WHERE \(condition) ORDER BY replays.id",
      parameters)
    try session.visit(query) { fields in
      do throws(StoreError) {
        let row = JournalRow(table: .replays, columns: columns.map(\.name) + ["undone by"], fields: fields)
        guard let record = try record(row, inputs, outcomes) else { return }
        records.append(record)
      } catch { try unreadable.add(error) }
    }
    return (records, unreadable.error)
  }

  /// Nil if one of its inputs is unreadable, or in a journal file, if it is of another table.
  private func record(
    _ row: JournalRow, _ inputs: [Int: [ReplayedInput]?], _ outcomes: [Int: Bool]?
  ) throws(StoreError) -> JournalRecord? {
    let id = try row.number("id")
    guard let inputs = inputs[id, default: []] else { return nil }
    var counts = ReplayCounts()
    for (name, path) in ReplayCounts.paths { counts[keyPath: path] = try row.number(name) }
    if types.numbersChanges { _ = try row.number("first_change") }
    let entry = JournalEntry(
      at: try row.time("at", types.time.kind), version: try row.text("version"), inputs: inputs,
      options: try row.json("options"), tuples: try row.number("tuples"), rejected: counts.rejected,
      mapping: try row.optional("mapping", row.json))
    var record = JournalRecord(
      id: id,
      owner: AppEnvironment(app: try row.text("app"), environment: try row.environment("environment")),
      entry: entry, counts: counts, rows: try row.number("changed_rows"),
      undoes: try row.optional("undoes", row.number), undoneBy: try row.optional("undone by", row.number))
    guard let outcomes else { return record }
    guard let isDone = outcomes[id] else { return nil }
    record.isPending = !isDone
    return record
  }

  /// Visits the rows of a query of a table; `read` throws the errors of a row that cannot be read.
  /// - Parameter columns: those of the query, in its order.
  private func visit(
    _ table: JournalTable, _ columns: [String], _ rest: String, _ parameters: [SQLValue],
    _ body: (JournalRow) throws -> Void
  ) throws {
    let read: [SQLExpression] = columns.map { name in
      let column = table.columns(types).first { $0.name == name }
      return ("t.\(name)", column.map { types.kind($0.kind) } ?? .any)
    }
    try session.visit(SQLQuery(read, "FROM \(name(table)) AS t \(rest)", parameters)) {
      try body(JournalRow(table: table, columns: columns, fields: $0))
    }
  }

  /// The inputs by the replay's number; nil if one is unreadable. One query, because a query for each replay would scan
  /// all inputs each time.
  private func inputs(
    where condition: String, _ parameters: [SQLValue], _ unreadable: inout UnreadableRows
  ) throws -> [Int: [ReplayedInput]?] {
    try check(.inputs)
    var found: [Int: [ReplayedInput]?] = [:]
    try visit(
      .inputs, ["replay", "source", "sha256", "bytes"],
      "JOIN \(name(.replays)) AS replays ON replays.id = t.replay WHERE \(condition) ORDER BY t.\(types.numbersChanges ? "rowid" : "id")",
      parameters
    ) { row in
      do throws(StoreError) {
        let input = ReplayedInput(
          source: try row.text("source"), sha256: try row.hex("sha256"), bytes: try row.number("bytes"))
        let id = try row.number("replay")
        if let inputs = found[id, default: []] { found[id] = inputs + [input] }
      } catch {
        try unreadable.add(error)
        if let id = row.fields[0].integer { found[Int(id)] = .some(nil) }
      }
    }
    return found
  }

  /// The last replay for `owner` of the entry's inputs and mapping that was interrupted between two transactions, and the
  /// number of its rows of packed changes.
  func unfinished(_ entry: JournalEntry, for owner: AppEnvironment) throws -> (JournalRecord, parts: Int)? {
    let records = try readableRecords(where: "replays.version = '' AND replays.undoes IS NULL", [])
    let last = records.last {
      $0.owner == owner && $0.entry.mapping == entry.mapping && $0.undoneBy == nil
        && $0.entry.inputs.map(\.sha256) == entry.inputs.map(\.sha256)
    }
    guard let last else { return nil }
    let parts = try session.number(
      "SELECT count(*) FROM \(name(.changes)) AS t WHERE \(isOf(parameter(1)))", [.integer(Int64(last.id))])
    return (last, Int(clamping: parts ?? 0))
  }

  /// The last replay for `owner` that counts, with an input of that SHA-256; nil if it, or a later one, was undone.
  /// An undo also covers the replays before it: a repeated replay of an input changed nothing.
  func replay(
    ofInput sha256: String, for owner: AppEnvironment, _ isCounted: (JournalEntry) -> Bool
  ) throws -> Int? {
    let same = try readableRecords(
      where: "replays.id IN (SELECT replay FROM \(name(.inputs)) WHERE sha256 = \(parameter(1)))",
      [.text(sha256)]
    ).filter {
      $0.owner == owner && isCounted($0.entry) && $0.undoes == nil && !$0.isPending && !$0.isUnfinished
    }
    guard let last = same.last else { return nil }
    let undone = same.compactMap(\.undoneBy).max() ?? 0
    return last.undoneBy == nil && last.id > undone ? last.id : nil
  }

  // MARK: - Outcomes in a journal file

  /// Whether each replay of the table was done; nil for a journal in the table's own database.
  private func outcomes(_ unreadable: inout UnreadableRows) throws -> [Int: Bool]? {
    guard let target else { return nil }
    var outcomes: [Int: Bool] = [:]
    try visit(.outcomes, ["replay", "is_done"], "WHERE t.store = \(parameter(1))", [.text(target)]) { row in
      do throws(StoreError) { outcomes[try row.number("replay")] = try row.number("is_done") == 1 } catch {
        try unreadable.add(error)
      }
    }
    return outcomes
  }

  /// Replays and undos without a recorded outcome.
  func pending() throws -> [Int] {
    guard try isPresent() else { return [] }
    var unreadable = UnreadableRows()
    let outcomes = try outcomes(&unreadable)
    if let error = unreadable.error { throw error }
    return outcomes?.filter { !$0.value }.keys.sorted() ?? []
  }

  /// Records that `id` was done, or deletes it.
  func settle(_ id: Int, wasDone: Bool) throws {
    let statements =
      wasDone
      ? ["UPDATE apnsift_outcomes SET is_done = 1 WHERE replay = ?1"]
      : ["changes AS t WHERE \(isOf("?1"))"]
        + ["outcomes WHERE replay", "inputs WHERE replay", "replays WHERE id"].map { "\($0) = ?1" }
    for statement in statements {
      try session.run(wasDone ? statement : "DELETE FROM apnsift_\(statement)", [.integer(Int64(id))])
    }
  }

  // MARK: - Changes

  /// How many rows of changes are read at once.
  private static let rowsAtOnce = 64

  /// Whether a row of changes is of a replay. Changes that are numbered across replays have consecutive numbers, because no two
  /// replays write at once.
  private func isOf(_ id: String) -> String {
    guard types.numbersChanges else { return "t.replay = \(id)" }
    let replays = name(.replays)
    return """
      t.id >= (SELECT first_change FROM \(replays) WHERE id = \(id)) AND t.id < coalesce(
        (SELECT min(first_change) FROM \(replays) WHERE id > \(id)), \(Int64.max))
      """
  }

  /// Visits the rows of a replay's packed changes, with their names, in their order. `body` may use the session.
  func packedChanges(of id: Int, _ body: ([UInt8], Message) throws -> Void) throws {
    try reporting { try check(.changes) }
    let number = types.numbersChanges ? "id" : "part"
    var next = 0
    while true {
      var rows: [(packed: [UInt8], name: Message)] = []
      try reporting {
        try visit(
          .changes, [number, "packed"],
          """
          WHERE \(isOf(parameter(1))) AND t.\(number) >= \(parameter(2))
          ORDER BY t.\(number) LIMIT \(Self.rowsAtOnce)
          """, [.integer(Int64(id)), .integer(Int64(next))]
        ) { row in
          next = try row.number(number) + 1
          rows.append((try row.bytes("packed"), row.name))
        }
      }
      for row in rows { try body(row.packed, row.name) }
      if rows.count < Self.rowsAtOnce { return }
    }
  }

  /// Removes the changes of replays before `time`; returns those that had some.
  func trim(before time: Int64) throws -> [JournalRecord] {
    let isOf = types.numbersChanges ? "AS t WHERE \(isOf("?1"))" : "WHERE replay = \(parameter(1))"
    return try readableRecords(where: "1 = 1", []).filter { record in
      guard record.entry.at < time, !record.isPending, !record.isUnfinished else { return false }
      return try session.run("DELETE FROM \(name(.changes)) \(isOf)", [.integer(Int64(record.id))]) > 0
    }
  }

  /// Adds rows of packed changes; the first one gets the number `first` in its replay.
  func add(_ packed: [[UInt8]], to id: Int, first: Int) throws {
    let columns = JournalTable.changes.columns(types).filter { $0.name != "id" }
      .map { TableColumn(name: $0.name, kind: $0.kind) }
    let written = try session.insert(into: name(.changes), columns) { add in
      let row = RowBuffer(count: columns.count)
      for (index, bytes) in packed.enumerated() {
        if !types.numbersChanges {
          row.set(0, .integer(Int64(id)))
          row.set(1, .integer(Int64(first + index)))
        }
        try bytes.withUnsafeBytes { bytes in
          row.set(columns.count - 1, .bytes(bytes))
          try row.lend(add)
        }
      }
    }
    if written != packed.count { throw StoreError.refused("a trigger on apnsift_changes ignored rows") }
  }
}
