import WireBytes

/// Statements over the rows of a mapped table that belong to one app and environment, inside a transaction.
///
/// What they have in common: the first parameter is the app, the second what the table has for the environment.
package struct MappedRows {
  let session: any MappedSession
  /// Nil for the rows of all.
  let owner: AppEnvironment?
  private let key: [SQLValue]

  var table: MappedTable { session.table }
  var words: SQLWords { session.words }

  package init(_ session: any MappedSession, _ mapping: TableMapping, of owner: AppEnvironment?) {
    self.session = session
    self.owner = owner
    key =
      owner.map { owner in
        [
          .text(owner.app),
          .text(mapping.environment?.value(of: owner.environment) ?? owner.environment.rawValue),
        ]
      } ?? []
  }

  func parameter(_ number: Int) -> String { "\(words.parameter)\(number)" }
  func temporary(_ name: String) -> String { words.temporary + name }

  @discardableResult
  func run(_ sql: String, _ more: SQLValue...) throws -> Int { try session.run(sql, key + more) }

  func visit(_ sql: String, _ more: SQLValue..., body: ([SQLValue]) throws -> Void) throws {
    try session.visit(sql, key + more, body)
  }

  func all(_ sql: String, _ more: SQLValue...) throws -> [[SQLValue]] {
    var rows: [[SQLValue]] = []
    try session.visit(sql, key + more) { rows.append($0) }
    return rows
  }

  func number(_ sql: String) throws -> Int {
    Int(clamping: try all(sql).first?.first?.integer ?? 0)
  }

  /// Makes a temporary table.
  func make(_ name: String, _ columns: String) throws {
    try session.run("CREATE TEMPORARY TABLE \(name) (\(columns)) \(words.temporaryEnd)", [])
  }
}

// MARK: - The rows

extension MappedRows {
  /// The rows as a query of `place`, `row_key`, `token`, `registered`, `died` (UNIX seconds), `is_dead` and `is_foreign`
  /// (0 or 1), the values as they stand: `registered_value`, `value`; and for listings `app`, `environment`, `shown`.
  package var rows: String {
    """
    SELECT \(table.place) AS place, \(table.key ?? "''") AS row_key, \(table.token.bytes) AS token,
      \(table.registered?.seconds ?? null(words.integer)) AS registered,
      \(table.registered?.value ?? null(words.text)) AS registered_value,
      \(died) AS died, CASE WHEN \(isDead) THEN 1 ELSE 0 END AS is_dead, \(value) AS value,
      CASE WHEN \(isForeign) THEN 1 ELSE 0 END AS is_foreign,
      \(table.app?.text ?? null(words.text)) AS app, \(table.environment?.text ?? null(words.text)) AS environment,
      \(table.token.shown) AS shown, \(table.token.lookup?.value ?? null(words.text)) AS spelled,
      CASE WHEN \(table.token.lookup?.isOther ?? "1 = 0") THEN 1 ELSE 0 END AS is_other
    FROM \(table.name) AS t WHERE \(isOwned)
    """
  }

  func null(_ type: String) -> String { "CAST(NULL AS \(type))" }

  /// Whether a row `t` is of the owner.
  var isOwned: String {
    guard owner != nil else { return "1 = 1" }
    let conditions = [
      table.app.map { "\($0.text) = \(parameter(1))" },
      table.environment.map { "\($0.text) = \(parameter(2))" },
    ].compactMap { $0 }
    return conditions.isEmpty ? "1 = 1" : conditions.joined(separator: " AND ")
  }

  var died: String {
    if case .time(let time, _) = table.death { time.seconds } else { null(words.integer) }
  }

  var value: String {
    switch table.death {
    case .time(let time, _): time.value
    case .flag(_, let value, _, _, _, _): value
    case .removal: null(words.text)
    }
  }

  private var isDead: String {
    switch table.death {
    case .time(let time, _): "\(time.value) IS NOT NULL"
    case .flag(_, _, let isDead, _, _, _): isDead
    case .removal: "1 = 0"
    }
  }

  private var isForeign: String {
    var faults = [table.registered?.isForeign].compactMap { $0 }
    if case .time(let time, _) = table.death { faults.append(time.isForeign) }
    return faults.isEmpty ? "1 = 0" : faults.map { "(\($0))" }.joined(separator: " OR ")
  }

  /// How many tokens of the owner are alive; `most` or more where there are as many. A look at some rows tells that, most
  /// often: reading the tokens of all takes long in a large table.
  func liveCount(upTo most: Int) throws -> Int {
    let live = "SELECT token FROM (\(rows)) AS r WHERE is_dead = 0 AND token IS NOT NULL"
    if most < .max / 2 {
      let looked = try number("SELECT count(DISTINCT token) FROM (\(live) LIMIT \(2 * most)) AS live")
      if looked >= most { return looked }
    }
    return try number("SELECT count(DISTINCT token) FROM (\(live)) AS live")
  }
}

// MARK: - Rows that are met

extension MappedRows {
  /// Makes `apnsift_met`: the rows whose tokens are staged.
  ///
  /// - Throws: `StoreFault.foreignRows` where one of them has a time that cannot be read.
  func meet() throws {
    try make(
      "apnsift_met",
      """
      place \(table.placeType), row_key \(words.text), token \(words.bytes), time \(words.integer),
      registered \(words.integer), registered_value \(words.value), died \(words.integer),
      is_dead \(words.integer), value \(words.value), is_foreign \(words.integer)
      """)
    try run(
      """
      INSERT INTO \(temporary("apnsift_met"))
      \(
        stagedRows(
          "r.place, r.row_key, r.token, s.time, r.registered, r.registered_value, r.died, r.is_dead, r.value, r.is_foreign"
        ))
      """)
    try checkMet()
  }

  /// The rows whose tokens are staged, as a query of `columns`: those of a row `r`, and of what is staged, `s`.
  func stagedRows(_ columns: String) -> String {
    // CROSS JOIN: SQLite walks what is on its left, and looks each row of it up in what is on its right.
    let staged = "\(temporary("apnsift_staged")) AS s"
    let walk = "SELECT \(columns) FROM (\(rows)) AS r CROSS JOIN \(staged) WHERE s.token = r.token"
    guard let lookup = table.token.lookup else { return walk }
    let found =
      "SELECT \(columns) FROM \(staged) CROSS JOIN (\(rows)) AS r WHERE r.spelled = \(lookup.spelling("s.token")) "
      + "AND r.is_other = 0"
    // Other spellings are few: the database tells them without reading the tokens of all rows.
    return lookup.isOther == nil ? found : "\(found) UNION ALL \(walk) AND r.is_other = 1"
  }

  private func checkMet() throws {
    let met = temporary("apnsift_met")
    let foreign = try number("SELECT count(*) FROM \(met) WHERE is_foreign = 1")
    guard foreign > 0 else { return }
    let first = try all("SELECT token FROM \(met) WHERE is_foreign = 1 ORDER BY token LIMIT 1").first?.first
    let token = first?.bytes.map { Hex.string($0) } ?? "?"
    throw StoreFault.foreignRows(
      count: foreign,
      first:
        "the row of token \(token) in \(table.name) has a time that is not of the form that the mapping names"
    )
  }
}

// MARK: - Fit

extension MappedRows {
  /// How many rows are looked at.
  private static let looked = 100

  /// Holds the first rows against the forms of the mapping, since types of columns do not tell hex from base64.
  ///
  /// - Throws: `StoreFault.misfit` where there are rows, and no value of a column is of its form.
  package func checkValues(_ mapping: TableMapping) throws {
    let form = mapping.token.form
    try check(mapping, mapping.token.name, "tokens as \(form.rawValue)", table.token.bytes, table.token.shown)
    {
      // Digits of hex are digits of base64, too.
      form != .base64 || $0.utf8.count < 32 || TokenForm.hex.bytes(of: $0) == nil
    }
    var times: [(column: TimeColumn, found: MappedTime)] = []
    if let column = mapping.registered, let found = table.registered { times.append((column, found)) }
    if case .mark(let column) = mapping.action, case .time(let found, _) = table.death {
      times.append((column, found))
    }
    for (column, found) in times {
      let shown = "CAST(\(found.value) AS \(words.text))"
      try check(
        mapping, column.name, "times as \(column.form.name)", found.seconds, shown,
        isOfForm: column.form.isLikely)
    }
  }

  private func check(
    _ mapping: TableMapping, _ column: String, _ expected: String, _ read: String, _ shown: String,
    isOfForm: (String) -> Bool
  ) throws {
    var first: String?
    var fits = false
    try session.visit(
      """
      SELECT CASE WHEN value IS NULL THEN 0 ELSE 1 END, shown
      FROM (SELECT \(read) AS value, \(shown) AS shown FROM \(table.name) AS t
        WHERE \(shown) IS NOT NULL LIMIT \(Self.looked)) AS looked
      """, []
    ) { row in
      let text = row[1].text ?? ""
      first = first ?? text
      if row[0].integer == 1, isOfForm(text) { fits = true }
    }
    guard let first, !fits else { return }
    throw StoreFault.misfit(
      table: mapping.name, subject: "column \(column)", expected: expected,
      found: "'\(first.prefix(80))' and the like")
  }
}

extension TimeForm {
  /// Whether a number may be a time of this form: seconds are the milliseconds of a day in early 1970, and milliseconds
  /// the seconds of a year behind 9999.
  fileprivate func isLikely(_ shown: String) -> Bool {
    guard let number = Double(shown) else { return true }
    return switch self {
    case .seconds: abs(number) < 253_402_300_800
    case .milliseconds: !(1e9..<1e10).contains(number)
    case .iso, .timestamptz, .timestamp: true
    }
  }
}
