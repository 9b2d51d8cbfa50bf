import Basics

/// The journal: the replays and undos of a database's tables, with the previous state of each row (docs/stores.md,
/// "History"). It is in the same database, in the schema of the table, and takes part in the transactions that it
/// records; or in a file of its own (`JournalFile`).
struct Journal {
  let session: any SQLSession
  let schema: String?
  /// The table's name in a journal file; nil for a journal in the table's own database.
  var target: String?

  /// The differences between databases.
  private var layout: JournalLayout { session.dialect.journal }

  private func name(_ table: String) -> String {
    (schema.map { session.dialect.quoted($0) + "." } ?? "") + table
  }

  private var replays: String { name("apnsift_replays") }
  private var inputs: String { name("apnsift_inputs") }
  var changes: String { name("apnsift_changes") }

  /// The names of a table's columns; empty if it does not exist.
  /// - Throws: `StoreFault.journalMisfit` if a column has another type than apnsift gave it.
  private func columns(_ table: String) throws -> Set<String> {
    let found = try session.columns(of: table, in: schema)
    try JournalColumns.check(found, of: table, time: layout.time.kind)
    return Set(found.map(\.name))
  }

  /// Whether anything was ever recorded.
  func isPresent() throws -> Bool {
    try !columns(target == nil ? "apnsift_replays" : "apnsift_outcomes").isEmpty
  }

  /// Creates missing tables.
  func make() throws {
    try session.makeJournal(in: schema)
    if target != nil { try session.run(Self.outcomes, []) }
  }

  /// The table of each replay in a journal file, and whether the replay was done.
  private static let outcomes = """
    CREATE TABLE IF NOT EXISTS apnsift_outcomes (
      replay INTEGER PRIMARY KEY REFERENCES apnsift_replays (id),
      store TEXT NOT NULL,
      is_done INTEGER NOT NULL
    )
    """

  private func parameter(_ number: Int) -> String { session.dialect.parameter(number) }

  private func parameters(_ numbers: ClosedRange<Int>) -> String {
    numbers.map(parameter).joined(separator: ", ")
  }

  // MARK: - Recording

  /// Assigns a number to a replay or undo. Its entry follows later: a replay's is known after its input has been read.
  func begin(for owner: AppEnvironment, undoes: Int? = nil) throws -> Int {
    // Where changes are numbered across replays, the row has the number of its first change.
    let isNumbered = layout.numbersChanges
    if isNumbered { for table in [replays, changes] { try checkNumbers(of: table) } }
    let insertion = """
      INSERT INTO \(replays) (at, version, app, environment, options, tuples, invalidated, updated, inserted, unchanged,
        kept, unknown, rejected, undoes\(isNumbered ? ", first_change" : ""))
      VALUES (\(layout.time.write("0")), '', \(parameters(1...2)), '', 0, 0, 0, 0, 0, 0, 0, 0, \(parameter(3))\(
        isNumbered ? ", (SELECT coalesce(max(id), 0) + 1 FROM \(changes))" : ""))
      """
    let values: [SQLValue] = [
      .text(owner.app), .text(owner.environment.rawValue), undoes.map { .integer(Int64($0)) } ?? .null,
    ]
    var id: Int64?
    if let lastNumber = layout.lastNumber {
      if try session.run(insertion, values) == 1 { id = try number(lastNumber) }
    } else {
      try session.visit("\(insertion) RETURNING id", values, [.integer]) { id = $0[0].integer }
    }
    guard let id else { throw StoreFault.refused(.triggerIgnoredRow(of: "apnsift_replays")) }
    if let target {
      try session.run(
        "INSERT INTO apnsift_outcomes (replay, store, is_done) VALUES (\(parameters(1...2)), 0)",
        [.integer(id), .text(target)])
    }
    return Int(id)
  }

  /// SQLite gives a row any free number after one with the largest: changes of a replay would not be consecutive.
  private func checkNumbers(of table: String) throws {
    try session.visit("SELECT max(id) FROM \(table)", [], [.integer]) { fields in
      guard !fields[0].isNull else { return }
      _ = try JournalRow(table: table, columns: ["id"], fields: fields).number(0)
    }
  }

  private func number(_ query: String) throws -> Int64? {
    var number: Int64?
    try session.visit(query, [], [.integer]) { number = $0[0].integer }
    return number
  }

  /// Inputs that one statement adds: databases limit its number of values.
  private static let batch = 500

  /// Records the entry and the counts of the replay or undo `id`.
  /// - Parameter rows: how many rows were written.
  func finish(_ id: Int, _ entry: JournalEntry, _ counts: ReplayCounts, rows: Int) throws {
    var values: [(String, SQLValue)] = [
      ("version", .text(entry.version)), ("options", .text(entry.options)),
      ("tuples", .integer(Int64(entry.tuples))), ("rejected", .integer(Int64(entry.rejected))),
      ("mapping", entry.mapping.map(SQLValue.text) ?? .null), ("changed_rows", .integer(Int64(rows))),
    ]
    values += [
      ("invalidated", counts.invalidated), ("updated", counts.updated), ("inserted", counts.inserted),
      ("unchanged", counts.unchanged), ("kept", counts.kept), ("unknown", counts.unknown),
    ].map { ($0, .integer(Int64($1))) }
    let settings = values.enumerated().map { "\($1.0) = \(parameter($0 + 3))" }
    let written = try session.run(
      """
      UPDATE \(replays) SET at = \(layout.time.write(parameter(2))), \(settings.joined(separator: ", "))
      WHERE id = \(parameter(1))
      """, [.integer(Int64(id)), .integer(entry.at)] + values.map(\.1))
    if written != 1 { throw StoreFault.refused(.triggerIgnoredRow(of: "apnsift_replays")) }
    for start in stride(from: 0, to: entry.inputs.count, by: Self.batch) {
      let some = entry.inputs[start..<min(start + Self.batch, entry.inputs.count)]
      let rows = (0..<some.count).map { "(\(parameter(1)), \(parameters(3 * $0 + 2...3 * $0 + 4)))" }
      try session.run(
        "INSERT INTO \(inputs) (replay, source, sha256, bytes) VALUES \(rows.joined(separator: ", "))",
        [.integer(Int64(id))]
          + some.flatMap { [SQLValue.text($0.source), .text($0.sha256), .integer(Int64($0.bytes))] })
    }
  }

  // MARK: - Reading

  /// All readable replays and undos, in the order of their numbers, and the fault of the others.
  func records() throws -> (readable: [JournalRecord], fault: StoreFault?) { try records(where: "1 = 1", []) }

  /// - Throws: `StoreFault.noReplay`, and `.unreadableRows`.
  func record(_ id: Int) throws -> JournalRecord {
    let found = try readableRecords(where: "replays.id = \(parameter(1))", [.integer(Int64(id))])
    guard let record = found.first else { throw StoreFault.noReplay(id) }
    return record
  }

  /// - Throws: `StoreFault.unreadableRows` if one of them is unreadable.
  private func readableRecords(where condition: String, _ parameters: [SQLValue]) throws -> [JournalRecord] {
    let (records, fault) = try records(where: condition, parameters)
    if let fault { throw fault }
    return records
  }

  /// The columns of the query of `records`. The undo of a replay is the last one.
  private static let recordColumns = [
    "id", "app", "environment", "at", "version", "options", "tuples", "rejected", "invalidated", "updated",
    "inserted", "unchanged", "kept", "unknown", "undoes", "mapping", "changed_rows",
  ]

  private func records(
    where condition: String, _ parameters: [SQLValue]
  ) throws -> (readable: [JournalRecord], fault: StoreFault?) {
    if try columns("apnsift_replays").isEmpty { return ([], nil) }
    var unreadable = UnreadableRows()
    let inputs = try inputs(where: condition, parameters, &unreadable)
    let outcomes = try outcomes(&unreadable)
    let columns = Self.recordColumns + (layout.numbersChanges ? ["first_change"] : [])
    let undo = "(SELECT min(undos.id) FROM \(replays) AS undos WHERE undos.undoes = replays.id)"
    var records: [JournalRecord] = []
    try session.visit(
      """
      SELECT \(columns.map { "replays.\($0)" }.joined(separator: ", ")), \(undo)
      FROM \(replays) AS replays WHERE \(condition) ORDER BY replays.id
      """, parameters,
      [.integer, .text, .text, layout.time.kind, .text, .text] + Array(repeating: .integer, count: 9)
        + [.text] + Array(repeating: .integer, count: columns.count - Self.recordColumns.count + 2)
    ) { fields in
      do throws(StoreFault) {
        let row = JournalRow(table: "apnsift_replays", columns: columns + ["undoes"], fields: fields)
        guard let record = try record(row, inputs, outcomes) else { return }
        records.append(record)
      } catch {
        try unreadable.add(error)
      }
    }
    return (records, unreadable.fault)
  }

  /// Nil if one of its inputs is unreadable, or in a journal file, if it is of another table.
  private func record(
    _ row: JournalRow, _ inputs: [Int: [ReplayedInput]?], _ outcomes: [Int: Bool]?
  ) throws(StoreFault) -> JournalRecord? {
    let id = try row.number(0)
    guard let inputs = inputs[id, default: []] else { return nil }
    var counts = ReplayCounts()
    (counts.rejected, counts.invalidated) = (try row.number(7), try row.number(8))
    (counts.updated, counts.inserted) = (try row.number(9), try row.number(10))
    (counts.unchanged, counts.kept) = (try row.number(11), try row.number(12))
    counts.unknown = try row.number(13)
    _ = try row.columns.firstIndex(of: "first_change").map(row.number)
    let entry = JournalEntry(
      at: try row.time(3, layout.time.kind), version: try row.text(4), inputs: inputs,
      options: try row.json(5), tuples: try row.number(6), rejected: counts.rejected,
      mapping: try row.jsonOrNull(15))
    let record = JournalRecord(
      id: id, owner: AppEnvironment(app: try row.text(1), environment: try row.environment(2)), entry: entry,
      counts: counts, rows: try row.number(16), undoes: try row.numberOrNull(14),
      undoneBy: try row.numberOrNull(row.columns.count - 1))
    guard let outcomes else { return record }
    guard let isDone = outcomes[id] else { return nil }
    var pending = record
    pending.isPending = !isDone
    return pending
  }

  /// The inputs by the replay's number; nil if one is unreadable. One query, because a query for each replay would scan
  /// all inputs each time.
  private func inputs(
    where condition: String, _ parameters: [SQLValue], _ unreadable: inout UnreadableRows
  ) throws -> [Int: [ReplayedInput]?] {
    _ = try columns("apnsift_inputs")
    var found: [Int: [ReplayedInput]?] = [:]
    try session.visit(
      """
      SELECT inputs.replay, inputs.source, inputs.sha256, inputs.bytes
      FROM \(inputs) AS inputs JOIN \(replays) AS replays ON replays.id = inputs.replay
      WHERE \(condition) ORDER BY inputs.\(layout.inputOrder)
      """, parameters, [.integer, .text, .text, .integer]
    ) { fields in
      let row = JournalRow(
        table: "apnsift_inputs", columns: ["replay", "source", "sha256", "bytes"], fields: fields)
      do throws(StoreFault) {
        let input = ReplayedInput(
          source: try row.text(1), sha256: try row.hex(2), bytes: try row.number(3))
        let id = try row.number(0)
        if let inputs = found[id, default: []] { found[id] = inputs + [input] }
      } catch {
        try unreadable.add(error)
        if let id = fields[0].integer { found[Int(id)] = .some(nil) }
      }
    }
    return found
  }

  /// The last replay for `owner` by the mapping with an input of that SHA-256; nil if it, or a later one, was undone.
  /// An undo also covers the replays before it: a repeated replay of an input changed nothing.
  func replay(ofInput sha256: String, for owner: AppEnvironment, mapping: String?) throws -> Int? {
    let same = try readableRecords(
      where: "replays.id IN (SELECT replay FROM \(inputs) WHERE sha256 = \(parameter(1)))", [.text(sha256)]
    ).filter { $0.owner == owner && $0.entry.mapping == mapping && $0.undoes == nil && !$0.isPending }
    guard let last = same.last else { return nil }
    let undone = same.compactMap(\.undoneBy).max() ?? 0
    return last.undoneBy == nil && last.id > undone ? last.id : nil
  }

  // MARK: - Outcomes in a journal file

  /// Whether each replay of the table was done; nil for a journal in the table's own database.
  private func outcomes(_ unreadable: inout UnreadableRows) throws -> [Int: Bool]? {
    guard let target else { return nil }
    var outcomes: [Int: Bool] = [:]
    try session.visit(
      "SELECT replay, is_done FROM apnsift_outcomes WHERE store = \(parameter(1))", [.text(target)],
      [.integer, .integer]
    ) { fields in
      let row = JournalRow(table: "apnsift_outcomes", columns: ["replay", "is_done"], fields: fields)
      do throws(StoreFault) {
        outcomes[try row.number(0)] = try row.number(1) == 1
      } catch {
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
    if let fault = unreadable.fault { throw fault }
    return outcomes?.filter { !$0.value }.keys.sorted() ?? []
  }

  /// Records that `id` was done, or deletes it.
  func settle(_ id: Int, wasDone: Bool) throws {
    let number = SQLValue.integer(Int64(id))
    if wasDone {
      try session.run("UPDATE apnsift_outcomes SET is_done = 1 WHERE replay = ?1", [number])
      return
    }
    // Deletes the changes first: their range depends on the replay's row.
    try session.run(layout.forget(changes, replays), [number])
    for (table, column) in [
      ("apnsift_outcomes", "replay"), ("apnsift_inputs", "replay"), ("apnsift_replays", "id"),
    ] {
      try session.run("DELETE FROM \(table) WHERE \(column) = ?1", [number])
    }
  }
}

extension Journal {
  /// Visits the rows of a replay's packed changes, in their order. `body` may use the session.
  func packedChanges(of id: Int, _ body: (PackedChanges) throws -> Void) throws {
    _ = try columns("apnsift_changes")
    var next: Int64 = 0
    while true {
      var rows: [PackedChanges] = []
      try session.visit(
        layout.read(changes, replays, id: parameter(1), next: parameter(2)),
        [.integer(Int64(id)), .integer(next)], [.integer, .bytes]
      ) { fields in
        let row = JournalRow(
          table: "apnsift_changes", columns: [layout.numbersChanges ? "id" : "part", "packed"], fields: fields
        )
        next = Int64(try row.number(0)) + 1
        rows.append(PackedChanges(bytes: try row.bytes(1), row: row.name))
      }
      for row in rows { try body(row) }
      if rows.count < JournalLayout.rowsAtOnce { return }
    }
  }

  /// Adds rows of packed changes; the first one gets the number `first` in its replay.
  func add(_ packed: [[UInt8]], to id: Int, first: Int) throws {
    let isNumbered = layout.numbersChanges
    let columns =
      isNumbered
      ? [TableColumn("packed", kind: .bytes)]
      : [
        TableColumn("replay", kind: .integer), TableColumn("part", kind: .integer),
        TableColumn("packed", kind: .bytes),
      ]
    let written = try session.insert(into: changes, columns) { add in
      let row = RowBuffer(count: columns.count)
      for (index, bytes) in packed.enumerated() {
        if !isNumbered {
          row.set(0, .integer(Int64(id)))
          row.set(1, .integer(Int64(first + index)))
        }
        try bytes.withUnsafeBytes { bytes in
          row.set(columns.count - 1, .bytes(bytes))
          try row.lend(add)
        }
      }
    }
    if written != packed.count {
      throw StoreFault.refused("a trigger on apnsift_changes ignored rows")
    }
  }
}
