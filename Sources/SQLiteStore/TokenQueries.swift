import GRDB
import TokenStores

/// Reading the table, inside a transaction.
enum TokenQueries {
  /// Every pair of app and environment, by two jumps in the key for each: a scan would read every token.
  static func owners(in database: Database) throws -> [AppEnvironment] {
    func statement(_ condition: String) throws -> PreparedStatement {
      try PreparedStatement(
        database,
        "SELECT app, environment FROM device_tokens \(condition) ORDER BY app, environment LIMIT 1")
    }
    let first = try statement("")
    // Two statements, because SQLite scans for (app, environment) > (?1, ?2).
    let sameApp = try statement("WHERE app = ?1 AND environment > ?2")
    let laterApp = try statement("WHERE app > ?1")
    var owners: [AppEnvironment] = []
    var next = try owner(foundBy: first)
    while let owner = next {
      owners.append(owner)
      sameApp.bind(owner.app, at: 1)
      sameApp.bind(owner.environment.rawValue, at: 2)
      laterApp.bind(owner.app, at: 1)
      next = try Self.owner(foundBy: sameApp) ?? Self.owner(foundBy: laterApp)
    }
    return owners
  }

  private static func owner(foundBy statement: PreparedStatement) throws -> AppEnvironment? {
    defer { statement.reset() }
    return try statement.step() ? try statement.owner(appColumn: 0) : nil
  }

  static func rows(
    of tokens: [[UInt8]], in filter: AppEnvironmentFilter, database: Database
  ) throws -> [TokenRow] {
    let owners = try owners(in: database).filter(filter.matches)
    let select = try PreparedStatement(
      database,
      """
      SELECT registered_at, invalidated_at FROM device_tokens
      WHERE app = ?1 AND environment = ?2 AND token = ?3
      """)
    var rows: [TokenRow] = []
    for token in tokens {
      select.bind(token.span.bytes, at: 3)
      for owner in owners {
        select.bind(owner.app, at: 1)
        select.bind(owner.environment.rawValue, at: 2)
        defer { select.reset() }
        guard try select.step() else { continue }
        rows.append(TokenRow(owner: owner, token: token, state: try select.state(registeredAtColumn: 0)))
      }
    }
    return rows
  }

  /// - Throws: `StoreFault.foreignRows` behind the last row where some could not be understood: the others
  ///   were visited.
  static func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter, database: Database,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    let select = try listing(selection, filter, database)
    var foreign = ForeignRows()
    while try select.step() {
      let row: (owner: AppEnvironment, state: TokenState)
      do throws(StoreFault) {
        row = (try select.owner(appColumn: 0), try select.state(registeredAtColumn: 3))
        try select.checkToken(column: 2)
      } catch {
        foreign.add(error)
        continue
      }
      try select.withBytes(ofColumn: 2) { try visit(row.owner, $0, row.state) }
    }
    try foreign.report()
  }

  private static func listing(
    _ selection: TokenSelection, _ filter: AppEnvironmentFilter, _ database: Database
  ) throws -> PreparedStatement {
    var conditions: [String] = []
    switch selection {
    case .all: break
    case .dead: conditions.append("invalidated_at IS NOT NULL")
    case .live: conditions.append("invalidated_at IS NULL")
    }
    if filter.app != nil { conditions.append("app = ?1") }
    if filter.environment != nil { conditions.append("environment = ?2") }
    let select = try PreparedStatement(
      database,
      """
      SELECT app, environment, token, registered_at, invalidated_at FROM device_tokens
      \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
      ORDER BY app, environment, token
      """)
    if let app = filter.app { select.bind(app, at: 1) }
    if let environment = filter.environment { select.bind(environment.rawValue, at: 2) }
    return select
  }
}

/// Rows that a listing could not understand. It goes on behind them, and says so at its end.
private struct ForeignRows {
  private var count = 0
  private var first = ""

  mutating func add(_ fault: StoreFault) {
    if case .foreignRows(_, let description) = fault, count == 0 { first = description }
    count += 1
  }

  func report() throws {
    if count > 0 { throw StoreFault.foreignRows(count: count, first: first) }
  }
}
