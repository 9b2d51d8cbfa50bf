/// Reading a mapped table.
struct MappedListing {
  let session: any MappedSession
  let mapping: TableMapping
  /// The owner of rows that do not say theirs.
  let owner: AppEnvironment

  private var table: MappedTable { session.table }
  private var words: SQLWords { session.words }
  private var rows: MappedRows { MappedRows(session, mapping, of: nil) }

  /// Rows of app, environment, token, times and whether they can be read.
  private static let columns = "app, environment, token, registered, died, is_dead, is_foreign"

  /// What of the rows is in the filter.
  private func isListed(_ filter: AppEnvironmentFilter) -> String {
    let conditions = [
      table.app == nil || filter.app == nil ? nil : "app = \(rows.parameter(1))",
      table.environment == nil || filter.environment == nil ? nil : "environment = \(rows.parameter(2))",
    ].compactMap { $0 }
    return conditions.isEmpty ? "1 = 1" : conditions.joined(separator: " AND ")
  }

  private func parameters(_ filter: AppEnvironmentFilter) -> [SQLValue] {
    [
      .text(filter.app ?? ""),
      .text(filter.environment.map { mapping.environment?.value(of: $0) ?? $0.rawValue } ?? ""),
    ]
  }

  func owners() throws -> [AppEnvironment] {
    guard table.app != nil || table.environment != nil else { return [owner] }
    var owners: Set<AppEnvironment> = []
    try session.visit(
      """
      SELECT DISTINCT \(table.app?.text ?? rows.null(words.text)), \(table.environment?.text ?? rows.null(words.text))
      FROM \(table.name) AS t
      """, []
    ) { row in
      if let owner = self.owner(row) { owners.insert(owner) }
    }
    return owners.sorted { ($0.app, $0.environment.rawValue) < ($1.app, $1.environment.rawValue) }
  }

  /// The owner in the first two columns; nil where the environment is none that the mapping names.
  private func owner(_ row: [SQLValue]) -> AppEnvironment? {
    var owner = owner
    if table.app != nil { owner.app = row[0].text ?? "" }
    if let column = mapping.environment {
      guard let found = Environment.allCases.first(where: { column.value(of: $0) == row[1].text }) else {
        return nil
      }
      owner.environment = found
    }
    return owner
  }

  func rows(of tokens: [[UInt8]], in filter: AppEnvironmentFilter) throws -> [TokenRow] {
    _ = try session.stage(
      { visit in for token in tokens { try visit(token.span.bytes, 0) } }, areDistinct: false)
    var found: [[UInt8]: [TokenRow]] = [:]
    try session.visit(
      """
      SELECT \(Self.columns) FROM (\(rows.stagedRows("r.*"))) AS r WHERE \(isListed(filter))
      ORDER BY app, environment
      """, parameters(filter)
    ) { row in
      if let row = try read(row) { found[row.token, default: []].append(row) }
    }
    return tokens.flatMap { found[$0] ?? [] }.filter { filter.matches($0.owner) }
  }

  private func read(_ row: [SQLValue]) throws -> TokenRow? {
    guard let owner = owner(row), let token = row[2].bytes, row[6].integer == 0 else { return nil }
    return TokenRow(
      owner: owner, token: token,
      state: TokenState(registeredAt: row[3].integer, invalidatedAt: row[4].integer))
  }

  /// - Throws: `StoreFault.foreignRows` behind the last row where some could not be understood: the others were visited.
  func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    let condition =
      switch selection {
      case .all: "1 = 1"
      case .dead: "is_dead = 1"
      case .live: "is_dead = 0"
      }
    var foreign = 0
    var first = ""
    try session.visit(
      """
      SELECT \(Self.columns), shown FROM (\(rows.rows)) AS r
      WHERE (\(condition) OR is_foreign = 1) AND \(isListed(filter))
      ORDER BY app, environment, token
      """, parameters(filter)
    ) { row in
      guard let read = try read(row) else {
        if foreign == 0 { first = fault(row) }
        foreign += 1
        return
      }
      try visit(read.owner, read.token.span.bytes, read.state)
    }
    if foreign > 0 { throw StoreFault.foreignRows(count: foreign, first: first) }
  }

  private func fault(_ row: [SQLValue]) -> String {
    let shown = row[7].text.map { String($0.prefix(80)) } ?? "null"
    if row[2].bytes == nil {
      return "\(mapping.token.name) is '\(shown)', expected a token as \(mapping.token.form.rawValue)"
    }
    if owner(row) == nil {
      return
        "\(mapping.environment?.name ?? "") is '\(row[1].text?.prefix(80) ?? "null")', and the mapping knows no such environment"
    }
    return "the row of token '\(shown)' has a time that is not of the form that the mapping names"
  }
}
