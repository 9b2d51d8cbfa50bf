import TokenStores

/// Reading the table, inside a transaction whose statements all see one moment.
enum TokenQueries {
  /// A query for every pair of app and environment: by jumps in the key, as a scan would read every token.
  private static func owners(_ table: DeviceTable) -> String {
    guard table.isGroupedByOwner else { return "SELECT DISTINCT app, environment FROM \(table.name)" }
    // In the columns' own order, which is the key's.
    return """
      WITH RECURSIVE owner (app, environment) AS (
        (SELECT app, environment FROM \(table.name) ORDER BY app, environment LIMIT 1)
        UNION ALL
        SELECT following.app, following.environment FROM owner CROSS JOIN LATERAL (
          SELECT later.app, later.environment FROM \(table.name) AS later
          WHERE (later.app, later.environment) > (owner.app, owner.environment)
          ORDER BY later.app, later.environment LIMIT 1) AS following
      ) SELECT app, environment FROM owner
      """
  }

  private static let byteOrder = #"ORDER BY app COLLATE "C", environment COLLATE "C""#

  static func owners(in table: DeviceTable, _ connection: Connection) throws -> [AppEnvironment] {
    let found = try connection.run(
      "SELECT app::text, environment::text FROM (\(owners(table))) AS owner \(byteOrder)")
    return try (0..<found.count).map { try found.owner($0, appColumn: 0) }
  }

  static func rows(
    of tokens: [[UInt8]], in filter: AppEnvironmentFilter, table: DeviceTable, _ connection: Connection
  ) throws -> [TokenRow] {
    var rows: [TokenRow] = []
    for token in tokens {
      let found = try connection.run(
        """
        SELECT app::text, environment::text, stored.registered_at, stored.invalidated_at
        FROM (\(owners(table))) AS owner JOIN \(table.name) AS stored USING (app, environment)
        WHERE stored.token = $1 \(byteOrder)
        """, .bytes(token))
      for row in 0..<found.count {
        let owner = try found.owner(row, appColumn: 0)
        guard filter.matches(owner) else { continue }
        rows.append(
          TokenRow(owner: owner, token: token, state: try found.state(row, registeredAtColumn: 2)))
      }
    }
    return rows
  }

  /// Rows that are fetched at once.
  private static let batch = 4096

  /// - Throws: `StoreFault.foreignRows` behind the last row where some could not be understood: the others
  ///   were visited.
  static func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter, table: DeviceTable,
    _ connection: Connection,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    try declareListing(selection, filter, table, connection)
    var owners = OwnerReading()
    var foreign = ForeignRows()
    while true {
      let rows = try connection.run("FETCH \(batch) FROM listing")
      if rows.count == 0 { break }
      for row in 0..<rows.count {
        let read: (owner: AppEnvironment, state: TokenState)
        do throws(StoreFault) {
          read = (try owners.owner(of: rows, row, appColumn: 0), try rows.state(row, registeredAtColumn: 3))
        } catch {
          foreign.add(error)
          continue
        }
        try rows.withBytes(row, 2) { try visit(read.owner, $0, read.state) }
      }
    }
    try foreign.report()
  }

  private static func declareListing(
    _ selection: TokenSelection, _ filter: AppEnvironmentFilter, _ table: DeviceTable,
    _ connection: Connection
  ) throws {
    let dead =
      switch selection {
      case .all: "true"
      case .dead: "invalidated_at IS NOT NULL"
      case .live: "invalidated_at IS NULL"
      }
    try connection.run(
      """
      DECLARE listing NO SCROLL CURSOR FOR
      SELECT app::text, environment::text, token, registered_at, invalidated_at FROM \(table.name)
      WHERE \(dead) AND \(filter.app == nil ? "$1 = ''" : "app = $1")
        AND \(filter.environment == nil ? "$2 = ''" : "environment = $2")
      \(byteOrder), token
      """, .text(filter.app ?? ""), .text(filter.environment?.rawValue ?? ""))
  }
}

/// Rows that could not be understood. Who reads goes on behind them, and says so at the end.
struct ForeignRows {
  private var count = 0
  private var first = ""

  var isEmpty: Bool { count == 0 }

  mutating func add(_ fault: StoreFault) {
    if case .foreignRows(_, let description) = fault, count == 0 { first = description }
    count += 1
  }

  func report() throws {
    if count > 0 { throw StoreFault.foreignRows(count: count, first: first) }
  }
}
