import Messages

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

  /// The columns of a table; empty if it does not exist.
  private func columns(_ table: String) throws -> Set<String> {
    try session.columnNames(of: table, in: schema)
  }

  /// Whether anything was ever recorded.
  func isPresent() throws -> Bool {
    try !columns(target == nil ? "apnsift_replays" : "apnsift_outcomes").isEmpty
  }

  /// Creates missing tables, and columns of later versions.
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
    guard let id else { throw StoreFault.refused(detail: .triggerIgnoredRow(of: "apnsift_replays")) }
    if let target {
      try session.run(
        "INSERT INTO apnsift_outcomes (replay, store, is_done) VALUES (\(parameters(1...2)), 0)",
        [.integer(id), .text(target)])
    }
    return Int(id)
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
      ("mapping", entry.mapping.map(SQLValue.text) ?? .null),
    ]
    values += [
      ("invalidated", counts.invalidated), ("updated", counts.updated), ("inserted", counts.inserted),
      ("unchanged", counts.unchanged), ("kept", counts.kept), ("unknown", counts.unknown),
    ].map { ($0, .integer(Int64($1))) }
    // A journal of version 0.1 may lack the column, and only its owner may add it.
    if try columns("apnsift_replays").contains("changed_rows") {
      values.append(("changed_rows", .integer(Int64(rows))))
    }
    let settings = values.enumerated().map { "\($1.0) = \(parameter($0 + 3))" }
    let written = try session.run(
      """
      UPDATE \(replays) SET at = \(layout.time.write(parameter(2))), \(settings.joined(separator: ", "))
      WHERE id = \(parameter(1))
      """, [.integer(Int64(id)), .integer(entry.at)] + values.map(\.1))
    if written != 1 { throw StoreFault.refused(detail: .triggerIgnoredRow(of: "apnsift_replays")) }
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

  /// All replays and undos, in the order of their numbers.
  func records() throws -> [JournalRecord] { try records(where: "1 = 1", []) }

  /// - Throws: `StoreFault.noReplay`.
  func record(_ id: Int) throws -> JournalRecord {
    guard let record = try records(where: "replays.id = \(parameter(1))", [.integer(Int64(id))]).first else {
      throw StoreFault.noReplay(id)
    }
    return record
  }

  private func records(where condition: String, _ parameters: [SQLValue]) throws -> [JournalRecord] {
    guard try isPresent() else { return [] }
    let hasRows = try columns("apnsift_replays").contains("changed_rows")
    let inputs = try inputs(where: condition, parameters)
    let outcomes = try outcomes()
    var records: [JournalRecord] = []
    try session.visit(
      """
      SELECT replays.id, replays.app, replays.environment, \(layout.time.read("replays.at")), replays.version,
        replays.options, replays.tuples, replays.rejected, replays.invalidated, replays.updated, replays.inserted,
        replays.unchanged, replays.kept, replays.unknown, replays.undoes, undos.id, replays.mapping,
        \(hasRows ? "replays.changed_rows" : "NULL")
      FROM \(replays) AS replays LEFT JOIN \(replays) AS undos ON undos.undoes = replays.id
      WHERE \(condition) ORDER BY replays.id
      """, parameters,
      [.integer, .text, .text, .integer, .text, .text] + Array(repeating: .integer, count: 10) + [.text]
        + [hasRows ? .integer : .other]
    ) { row in
      guard var record = try record(row, inputs) else { return }
      if let outcomes {
        guard let isDone = outcomes[record.id] else { return }
        record.isPending = !isDone
      }
      records.append(record)
    }
    return records
  }

  /// Larger counts are damage: sums of them would overflow.
  private static let maxCount: Int64 = 1 << 48
  /// Columns of the query of `records` with numbers, by index.
  private static let columns = [
    0: "id", 6: "tuples", 7: "rejected", 8: "invalidated", 9: "updated", 10: "inserted", 11: "unchanged",
    12: "kept", 13: "unknown",
  ]

  private func record(_ row: SQLFields, _ inputs: [Int: [ReplayedInput]]) throws -> JournalRecord? {
    func number(_ index: Int) throws -> Int {
      let value = row[index].integer
      guard let value, (0...Self.maxCount).contains(value) else {
        throw StoreFault.unreadableRows(
          count: 1,
          first: .numberOfReplay(
            Self.columns[index] ?? "a column", row[0].integer.map { Int($0) }, value.map { Int($0) }))
      }
      return Int(value)
    }
    guard let environment = row[2].text.flatMap(Environment.init(rawValue:)) else {
      throw StoreFault.unreadableRows(count: 1, first: .environmentOfReplay(row[2].text))
    }
    var counts = ReplayCounts()
    (counts.rejected, counts.invalidated, counts.updated) = try (number(7), number(8), number(9))
    (counts.inserted, counts.unchanged, counts.kept) = try (number(10), number(11), number(12))
    counts.unknown = try number(13)
    let id = try number(0)
    return JournalRecord(
      id: id, owner: AppEnvironment(app: row[1].text ?? "", environment: environment),
      entry: JournalEntry(
        at: row[3].integer ?? 0, version: row[4].text ?? "", inputs: inputs[id, default: []],
        options: row[5].text ?? "", tuples: try number(6), rejected: counts.rejected, mapping: row[16].text),
      counts: counts, rows: row[17].integer.map { Int(clamping: $0) },
      undoes: row[14].integer.map { Int(clamping: $0) }, undoneBy: row[15].integer.map { Int(clamping: $0) })
  }

  /// The inputs by the replay's number. One query, because a query for each replay would scan all inputs each time.
  private func inputs(where condition: String, _ parameters: [SQLValue]) throws -> [Int: [ReplayedInput]] {
    var found: [Int: [ReplayedInput]] = [:]
    try session.visit(
      """
      SELECT inputs.replay, inputs.source, inputs.sha256, inputs.bytes
      FROM \(inputs) AS inputs JOIN \(replays) AS replays ON replays.id = inputs.replay
      WHERE \(condition) ORDER BY inputs.\(layout.inputOrder)
      """, parameters, [.integer, .text, .text, .integer]
    ) { row in
      found[Int(clamping: row[0].integer ?? 0), default: []].append(
        ReplayedInput(
          source: row[1].text ?? "", sha256: row[2].text ?? "", bytes: Int(clamping: row[3].integer ?? 0)))
    }
    return found
  }

  /// The last replay for `owner` by the mapping with an input of that SHA-256; nil if it, or a later one, was undone.
  /// An undo also covers the replays before it: a repeated replay of an input changed nothing.
  func replay(ofInput sha256: String, for owner: AppEnvironment, mapping: String?) throws -> Int? {
    let same = try records(
      where: "replays.id IN (SELECT replay FROM \(inputs) WHERE sha256 = \(parameter(1)))", [.text(sha256)]
    ).filter { $0.owner == owner && $0.entry.mapping == mapping && $0.undoes == nil && !$0.isPending }
    guard let last = same.last else { return nil }
    let undone = same.compactMap(\.undoneBy).max() ?? 0
    return last.undoneBy == nil && last.id > undone ? last.id : nil
  }

  // MARK: - Outcomes in a journal file

  /// Whether each replay of the table was done; nil for a journal in the table's own database.
  private func outcomes() throws -> [Int: Bool]? {
    guard let target else { return nil }
    var outcomes: [Int: Bool] = [:]
    try session.visit(
      "SELECT replay, is_done FROM apnsift_outcomes WHERE store = \(parameter(1))", [.text(target)],
      [.integer, .integer]
    ) { row in
      if let id = row[0].integer { outcomes[Int(id)] = row[1].integer == 1 }
    }
    return outcomes
  }

  /// Replays and undos without a recorded outcome.
  func pending() throws -> [Int] {
    guard try isPresent() else { return [] }
    return try outcomes()?.filter { !$0.value }.keys.sorted() ?? []
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
      ("apnsift_row_changes", "replay"), ("apnsift_outcomes", "replay"), ("apnsift_inputs", "replay"),
      ("apnsift_replays", "id"),
    ] where try !columns(table).isEmpty {
      try session.run("DELETE FROM \(table) WHERE \(column) = ?1", [number])
    }
  }
}

extension Journal {
  /// Visits the rows of a replay's packed changes, in their order. `body` may use the session.
  func packedChanges(of id: Int, _ body: ([UInt8]) throws -> Void) throws {
    var next: Int64 = 0
    while true {
      var rows: [[UInt8]] = []
      try session.visit(
        layout.read(changes, replays, id: parameter(1), next: parameter(2)),
        [.integer(Int64(id)), .integer(next)], [.integer, .bytes]
      ) { row in
        guard let number = row[0].integer, let packed = row[1].bytes else { return }
        next = number + 1
        rows.append(Array(packed))
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
      throw StoreFault.refused(detail: .triggerIgnoredRows(of: "apnsift_changes"))
    }
  }

  /// The table in which version 0.1 recorded changes of mapped tables; nil if it does not exist.
  func rowChangesTable() throws -> String? {
    try columns("apnsift_row_changes").isEmpty ? nil : name("apnsift_row_changes")
  }
}
