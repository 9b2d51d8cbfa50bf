/// A replay into a mapped table, inside a transaction: tokens are staged, the rows that hold them met, each token judged
/// by all its rows, and the rows written that its death changes (docs/decisions/0022).
///
/// A token may have several rows: those of several users of a device, or the same token in another spelling. Its
/// latest registration is that of any of them, it is alive while one of them is, and its death is written to each.
struct MappedReplay {
  let rows: MappedRows
  let options: ReplayOptions
  /// Whether tokens without a row get one.
  let inserts: Bool
  /// Whether a journal will have the changed rows, by their keys.
  let isRecorded: Bool

  private var table: MappedTable { rows.table }
  private var words: SQLWords { rows.words }
  private var tokens: String { rows.temporary("apnsift_staged") }
  private var met: String { rows.temporary("apnsift_met") }
  private var judged: String { rows.temporary("apnsift_judged") }
  private var changed: String { rows.temporary("apnsift_changed") }

  /// - Throws: `StoreFault.stopped`.
  func run(_ deaths: TimedTokens) throws -> ReplayAnswer {
    var answer = ReplayAnswer()
    answer.counts = try judge(deaths)
    answer.repeated = try repeated()
    if let stop = try brake(answer.counts) { throw StoreFault.stopped(stop) }
    try gatherChanges()
    answer.writtenRows = try write() + answer.counts.inserted
    if inserts { try insert(answer.counts.inserted) }
    return answer
  }

  func preview(_ deaths: TimedTokens) throws -> ReplayAnswer {
    var answer = ReplayAnswer()
    answer.counts = try judge(deaths)
    answer.repeated = try repeated()
    answer.stop = try brake(answer.counts)
    answer.writtenRows = try rows.number("SELECT count(*) FROM \(changes)") + answer.counts.inserted
    if options.sampleLength > 0 {
      for outcome in ReplayOutcome.allCases { try sample(outcome, into: &answer) }
    }
    return answer
  }

  private func brake(_ counts: ReplayCounts) throws -> ReplayStop? {
    guard options.brake.mayStop(counts.invalidated) else { return nil }
    return options.brake.stop(
      counts.invalidated, of: try rows.liveCount(upTo: options.brake.enough(counts.invalidated)))
  }

  // MARK: - Judging

  /// Judges each token in the order of ReplayRule.outcome.
  private func judge(_ deaths: TimedTokens) throws -> ReplayCounts {
    let staged = try rows.session.stage(deaths, areDistinct: true)
    try rows.meet()
    try rows.make(
      "apnsift_judged",
      """
      token \(words.bytes) NOT NULL PRIMARY KEY, outcome \(words.text) NOT NULL, time \(words.integer),
      registered \(words.integer), died \(words.integer), row_count \(words.integer)
      """)
    try rows.run(
      """
      INSERT INTO \(judged) (token, outcome, time, registered, died, row_count)
      SELECT token, CASE WHEN max(registered) >= max(time) - \(options.grace) THEN 'kept'
          WHEN min(is_dead) = 0 THEN 'invalidated'
          WHEN coalesce(min(died), max(time)) >= max(time) THEN 'unchanged'
          ELSE 'updated' END,
        max(time), max(registered), CASE WHEN min(is_dead) = 1 THEN min(died) END, count(*)
      FROM \(met) GROUP BY token
      """)
    var counts = ReplayCounts()
    var known = 0
    try rows.visit("SELECT outcome, count(*) FROM \(judged) GROUP BY outcome") { row in
      guard let outcome = row[0].text.flatMap(ReplayOutcome.init(name:)) else { return }
      counts[outcome] = Int(clamping: row[1].integer ?? 0)
      known += counts[outcome]
    }
    counts[inserts ? .inserted : .unknown] = max(staged - known, 0)
    return counts
  }

  /// How many tokens are in several rows.
  private func repeated() throws -> Int {
    try rows.number("SELECT count(*) FROM \(judged) WHERE row_count > 1")
  }

  private func sample(_ outcome: ReplayOutcome, into answer: inout ReplayAnswer) throws {
    let isNew = outcome == .inserted || outcome == .unknown
    if isNew, outcome == .inserted ? !inserts : inserts { return }
    let source =
      isNew
      ? "SELECT token, time, \(rows.null(words.integer)), \(rows.null(words.integer)) FROM \(unknown)"
      : "SELECT token, time, registered, died FROM \(judged) WHERE outcome = '\(outcome.name)'"
    for row in try rows.all("\(source) ORDER BY token LIMIT \(options.sampleLength)") {
      answer.sample.append(
        ReplayedToken(
          token: row[0].bytes ?? [], time: UInt32(clamping: row[1].integer ?? 0),
          before: isNew ? nil : TokenState(registeredAt: row[2].integer, invalidatedAt: row[3].integer),
          outcome: outcome))
    }
  }

  /// The staged tokens without a row.
  private var unknown: String {
    "(SELECT token, time FROM \(tokens) AS s WHERE NOT EXISTS (SELECT 1 FROM \(judged) AS j WHERE j.token = s.token)) AS u"
  }

  // MARK: - Writing

  /// The rows that a death changes, with what was judged of their tokens.
  private var changes: String {
    """
    \(met) AS m JOIN \(judged) AS j ON j.token = m.token
      AND j.outcome IN ('invalidated', 'updated') AND (m.is_dead = 0 OR m.died < m.time)
    """
  }

  /// Makes `apnsift_changed`: the rows that will be written, and what they are before.
  private func gatherChanges() throws {
    if isRecorded { try checkKeys() }
    try rows.make(
      "apnsift_changed",
      """
      place \(table.placeType) PRIMARY KEY, row_key \(words.text) \(isRecorded ? "NOT NULL UNIQUE" : ""),
      token \(words.bytes) NOT NULL, outcome \(words.text) NOT NULL, time \(words.integer), registered \(words.integer), died \(words.integer),
      registered_value \(words.value), value_before \(words.value), whole_row \(words.value)
      """)
    var whole = (value: rows.null(words.text), join: "")
    if case .removal(let row) = table.death {
      whole = (row, "JOIN \(table.name) AS t ON \(table.place) = m.place")
    }
    try rows.run(
      """
      INSERT INTO \(changed)
      SELECT m.place, m.row_key, m.token, j.outcome, m.time, m.registered, m.died, m.registered_value, m.value,
        \(whole.value)
      FROM \(changes) \(whole.join)
      """)
  }

  /// SQLite lets a primary key be null.
  private func checkKeys() throws {
    let nameless = try rows.number("SELECT count(*) FROM \(met) WHERE row_key IS NULL")
    guard nameless > 0 else { return }
    throw StoreFault.refused(
      detail:
        "the primary key is null in \(nameless) rows of \(table.name), and an undo would not find them; "
        + "--no-journal goes without")
  }

  /// Returns how many rows it wrote.
  private func write() throws -> Int {
    let expected = try rows.number("SELECT count(*) FROM \(changed)")
    if expected == 0 { return 0 }
    let found = "\(table.place) = c.place"
    let written =
      switch table.death {
      case .time(let time, _):
        try rows.run(
          "UPDATE \(table.name) AS t SET \(time.column) = \(time.write("c.time")) FROM \(changed) AS c WHERE \(found)"
        )
      case .flag(let column, _, _, let dead, _, _):
        try rows.run("UPDATE \(table.name) AS t SET \(column) = \(dead) FROM \(changed) AS c WHERE \(found)")
      case .removal:
        try rows.run("DELETE FROM \(table.name) AS t WHERE \(table.place) IN (SELECT place FROM \(changed))")
      }
    try rows.check(written, is: expected)
    return written
  }

  private func insert(_ expected: Int) throws {
    if expected == 0 { return }
    var values: [(column: String, value: String)] =
      rows.ownership + [(table.token.column, table.token.write("u.token"))]
    switch table.death {
    case .time(let time, _): values.append((time.column, time.write("u.time")))
    case .flag(let column, _, _, let dead, _, _): values.append((column, dead))
    case .removal: return
    }
    try rows.check(rows.insert(values, from: unknown), is: expected)
  }

  // MARK: - Recording

  /// Adds what was changed to the journal, under the number `replay`.
  func record(_ replay: Int, in journal: any MappedJournal) throws {
    if !table.death.isRemoval { try gatherStates() }
    // Of a row that is gone, what it was last.
    let values =
      table.death.isRemoval
      ? ("c.registered_value", "NULL", "")
      : ("a.registered_value", "a.value", "JOIN \(after) AS a ON a.row_key = c.row_key")
    let changes = """
      SELECT c.row_key, c.token, c.outcome, c.registered, c.died, c.time, \(values.0) AS registered_value,
        c.value_before, \(values.1) AS value_after, c.whole_row
      FROM \(changed) AS c \(values.2)
      """
    if journal.session === rows.session {
      try rows.run("INSERT INTO \(journal.rowChanges) SELECT \(replay), x.* FROM (\(changes)) AS x")
    } else {
      try journal.session.fill(journal.rowChanges, RowChange.columns) { add in
        try rows.visit(changes) { row in try add([.integer(Int64(replay))] + row) }
      }
    }
  }

  /// Makes `apnsift_after`: what the written rows are now, triggers included. Rows that were inserted are found by their
  /// tokens, which nothing held before, and join those that were changed.
  private func gatherStates() throws {
    if inserts {
      try rows.run(
        """
        INSERT INTO \(changed)
        SELECT r.place, r.row_key, r.token, 'inserted', u.time, \(rows.null(words.integer)), \(rows.null(words.integer)),
          \(rows.null(words.text)), \(rows.null(words.text)), \(rows.null(words.text))
        FROM (\(rows.rows)) AS r CROSS JOIN \(unknown) WHERE u.token = r.token
        """)
    }
    let written =
      table.placeLasts
      ? "\(changed) AS c CROSS JOIN (\(rows.rows)) AS r WHERE r.place = c.place"
      : "(\(rows.rows)) AS r CROSS JOIN \(changed) AS c WHERE c.row_key = r.row_key"
    try rows.make(
      "apnsift_after",
      "row_key \(words.text) NOT NULL PRIMARY KEY, registered_value \(words.value), value \(words.value)")
    try rows.run(
      """
      INSERT INTO \(after) SELECT r.row_key, r.registered_value, r.value
      FROM \(written)
      """)
  }

  private var after: String { rows.temporary("apnsift_after") }
}

extension MappedRows {
  /// Columns and values that make a new row one of the owner's.
  var ownership: [(column: String, value: String)] {
    [
      table.app.map { ($0.column, $0.write(parameter(1))) },
      table.environment.map { ($0.column, $0.write(parameter(2))) },
    ].compactMap { $0 }
  }

  /// Inserts a row for each of `source`; returns how many.
  func insert(_ values: [(column: String, value: String)], from source: String) throws -> Int {
    try run(
      """
      INSERT INTO \(table.name) (\(values.map(\.column).joined(separator: ", ")))
      SELECT \(values.map(\.value).joined(separator: ", ")) FROM \(source)
      """)
  }

  /// - Throws: where the database wrote fewer rows than it was told to.
  func check(_ written: Int, is expected: Int) throws {
    guard written != expected else { return }
    throw StoreFault.refused(
      detail:
        "\(written) rows of \(table.name) were written in place of \(expected): a trigger or a policy ignored the others"
    )
  }
}
