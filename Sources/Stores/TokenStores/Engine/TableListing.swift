import Basics

/// Lists a table, inside a transaction whose statements share one snapshot.
struct TableListing {
  let session: any SQLSession
  let table: MappedTable
  /// The owner of rows without owner columns.
  let owner: AppEnvironment

  private var dialect: SQLDialect { session.dialect }

  // MARK: - Owners

  /// Every pair of app and environment that has a row, in order of app and environment (bytes of UTF-8).
  func owners() throws -> [AppEnvironment] {
    guard table.app != nil || table.environment != nil else { return [owner] }
    var owners: Set<AppEnvironment> = []
    var unreadable = UnreadableRows()
    func add(_ row: SQLFields) throws {
      do throws(StoreError) { owners.insert(try owner(row[0], row[1])) } catch {
        try unreadable.add(error, of: table.mapping.name)
      }
    }
    if table.mapping.isDeviceTokens, table.description.key.prefix(2).map(\.name) == ["app", "environment"] {
      try walkOwners(add)
    } else {
      try session.visit(SQLQuery(distinct: true, ownerColumns, "FROM \(table.name) AS t"), add)
    }
    // In a mapped table, rows of environments that the mapping does not name are ignored.
    if let error = unreadable.error, table.mapping.isDeviceTokens { throw error }
    return owners.sorted()
  }

  /// Two index lookups for each owner: a scan would read every token.
  private func walkOwners(_ add: RowVisitor) throws {
    let (app, environment) = ("t.\(dialect.quoted("app"))", "t.\(dialect.quoted("environment"))")
    func next(_ condition: String, _ parameters: [SQLValue]) throws -> [SQLValue]? {
      var found: [SQLValue]?
      let rest = "FROM \(table.name) AS t \(condition) ORDER BY \(app), \(environment) LIMIT 1"
      try session.visit(SQLQuery(ownerColumns, rest, parameters)) { row in
        try add(row)
        found = row.map(\.value)
      }
      return found
    }
    var last = try next("", [])
    // Two statements, because databases scan for (app, environment) > (?, ?).
    while let owner = last {
      // An invalid text cannot be compared; it was reported.
      guard owner.allSatisfy({ if case .text = $0 { true } else { false } }) else { return }
      last = try next(
        "WHERE \(app) = \(dialect.parameter(1)) AND \(environment) > \(dialect.parameter(2))", owner)
      if last == nil { last = try next("WHERE \(app) > \(dialect.parameter(1))", [owner[0]]) }
    }
  }

  /// How an app and an environment are read: in a mapped table as text, of whatever type they are.
  private var ownerColumns: [SQLExpression] {
    [table.app, table.environment].map { column in
      guard let column, !table.mapping.isDeviceTokens else { return session.read(column) }
      return (session.text(column), .other)
    }
  }

  /// - Throws: `StoreError.unreadableRows` if the app is not UTF-8 text, or the mapping does not name the environment.
  private func owner(_ app: SQLField, _ environment: SQLField) throws(StoreError) -> AppEnvironment {
    var owner = owner
    if let column = table.app {
      guard let name = app.isNull && !table.mapping.isDeviceTokens ? "" : app.text else {
        throw .unreadableRows(1, first: "\(column.name) is \(app.literal()), expected text in UTF-8")
      }
      owner.app = name
    }
    if let column = table.mapping.environment {
      guard let found = Environment.allCases.first(where: { column.value(of: $0) == environment.text }) else {
        throw .unreadableRows(
          1,
          first: "\(column.name.text) is \(environment.literal()), expected \(column.production) or "
            + "\(column.sandbox)")
      }
      owner.environment = found
    }
    return owner
  }

  // MARK: - Rows

  /// The rows of `tokens`, in the order of `tokens`, then of app and environment.
  func rows(of tokens: [[UInt8]], in filter: AppEnvironmentFilter) throws -> [TokenRow] {
    var found: [[UInt8]: [TokenRow]] = [:]
    let batch = TokenBatch(of: tokens)
    // The key of `device_tokens` begins with the owner.
    let owners: [AppEnvironment?] = try table.mapping.isDeviceTokens ? owners() : [nil]
    for owner in owners {
      let stored = try OwnedRows(session: session, table: table, owner: owner).find(batch, and: ownerColumns)
      try stored.checkReadable()
      for row in stored.rows {
        // Rows of environments that the mapping does not name are skipped.
        let owner = stored.withFields(row) {
          try? self.owner($0.more[$0.more.startIndex], $0.more[$0.more.endIndex - 1])
        }
        guard let owner, filter.matches(owner) else { continue }
        let token = Array(batch.token(row.token))
        found[token, default: []].append(TokenRow(owner: owner, token: token, state: row.state.state))
      }
    }
    return tokens.flatMap { (found[$0] ?? []).sorted { $0.owner < $1.owner } }
  }

  /// Visits rows in order of app, environment and token.
  /// - Throws: `StoreError.unreadableRows` after the last row if some were unreadable: the others were visited.
  func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    guard filter.matches(owner) || table.app != nil || table.environment != nil else { return }
    let all = OwnedRows(session: session, table: table, owner: nil)
    let condition =
      switch selection {
      case .all: "1 = 1"
      case .dead: "NOT (\(all.isAlive))"
      case .live: all.isAlive
      }
    let conditions = [
      condition, filter.app.flatMap { _ in table.app }.map { session.isEqual($0, dialect.parameter(1)) },
      filter.environment.flatMap { _ in table.environment }.map { session.isEqual($0, dialect.parameter(2)) },
    ].compactMap { $0 }
    let rest = "FROM \(table.name) AS t WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order)"
    let asked = AppEnvironment(app: filter.app ?? "", environment: filter.environment ?? .production)
    var token: [UInt8] = []
    var unreadable = UnreadableRows()
    var owners = OwnerReading()
    let columns =
      ownerColumns + [table.token, table.registered?.column, table.writtenRead[0]].map(session.read)
    try session.visit(SQLQuery(columns, rest, table.ownerValues(asked))) { row in
      let (owner, state): (AppEnvironment, RowState)
      do throws(StoreError) {
        owner = try owners.owner(row[0], row[1], self.owner(_:_:))
        state = try table.state(row[3], row[4])
        guard table.readToken(row[2], into: &token) else { throw unreadableToken(row[2]) }
      } catch { return try unreadable.add(error, in: table.rowName(row[2]), of: table.mapping.name) }
      if filter.matches(owner) { try visit(owner, token.span.bytes, state.state) }
    }
    if let error = unreadable.error { throw error }
  }

  /// The order of the tokens' bytes; of base64, of the text's bytes.
  private var order: String {
    let owner = zip([table.app, table.environment], ownerColumns).compactMap { column, owner in
      column.map { _ in session.byteOrder(owner.expression) }
    }
    let text = session.expression(table.token)
    let token =
      switch table.mapping.token.form {
      case .bytes: text
      case .base64: session.byteOrder(text)
      case .hex, .upperHex, .spacedHex, .bracketedHex:
        session.byteOrder("lower(replace(replace(replace(\(text), ' ', ''), '<', ''), '>', ''))")
      }
    return (owner + [token]).joined(separator: ", ")
  }

  private func unreadableToken(_ field: SQLField) -> StoreError {
    let form = table.mapping.token.form
    let expected = form == .bytes ? "a blob of the token's bytes" : "a token as \(form.rawValue)"
    return .unreadableRows(1, first: "\(table.token.name) is \(field.literal()), expected \(expected)")
  }
}

/// Caches the owner of the last row: a listing is sorted by owner, and a string for each row would take longer than all
/// else.
private struct OwnerReading {
  private var fields: [UInt8] = []
  private var packed: [UInt8] = []
  private var owner: AppEnvironment?

  mutating func owner(
    _ app: SQLField, _ environment: SQLField,
    _ read: (SQLField, SQLField) throws(StoreError) -> AppEnvironment
  ) throws(StoreError) -> AppEnvironment {
    packed.removeAll(keepingCapacity: true)
    PackedFields.append(app, to: &packed)
    PackedFields.append(environment, to: &packed)
    if let owner, packed == fields { return owner }
    let found = try read(app, environment)
    (owner, fields) = (found, packed)
    return found
  }
}
