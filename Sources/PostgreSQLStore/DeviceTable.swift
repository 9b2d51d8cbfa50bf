import TokenStores

/// The table `device_tokens` as the search path finds it.
///
/// It carries no mark of a version: a table in somebody's schema may be anybody's, and its shape alone counts. A later
/// apnsift that has more to say keeps it in a table of its own.
struct DeviceTable {
  /// The table's number in the server's catalogue.
  var id: Int64
  /// The schema that it is in, quoted.
  var schema: String
  /// Schema and name, quoted: what statements call it, so that all mean the same table.
  var name: String
  /// Whether the primary key begins with app and environment, in this order.
  var isGroupedByOwner: Bool
  /// Whether rows can be copied into it. Row-level security takes no COPY, and rules would not see it.
  var takesCopies: Bool

  /// Texts compare as bytes, which is the order of every listing, and takes half the time in the index.
  static let definition = """
    CREATE TABLE device_tokens (
      app text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL CHECK (environment IN ('production', 'sandbox')),
      token bytea NOT NULL,
      registered_at timestamptz,
      invalidated_at timestamptz,
      PRIMARY KEY (app, environment, token)
    )
    """

  /// Looks for the table, and whether it can serve.
  ///
  /// - Returns: nil where there is none.
  /// - Throws: `StoreFault.wrongShape`.
  static func find(on connection: Connection) throws -> DeviceTable? {
    let found = try connection.run(
      """
      SELECT relation.oid::bigint, quote_ident(schema.nspname) || '.' || quote_ident(relation.relname),
        relation.relkind::text, quote_ident(schema.nspname),
        NOT relation.relhasrules AND NOT row_security_active(relation.oid)
      FROM pg_class AS relation JOIN pg_namespace AS schema ON schema.oid = relation.relnamespace
      WHERE relation.oid = to_regclass('device_tokens')
      """)
    guard found.count > 0, let id = found.integer(0, 0), let name = found.text(0, 1),
      let schema = found.text(0, 3)
    else { return nil }
    try TableShape.checkKind(found.text(0, 2) ?? "")
    let columns = try TableShape.columns(of: id, on: connection)
    try TableShape.check(columns)
    let key = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
    return DeviceTable(
      id: id, schema: schema, name: name, isGroupedByOwner: key.prefix(2) == ["app", "environment"],
      takesCopies: found.flag(0, 4))
  }

  /// Makes the table where there is none yet, in the schema that the search path puts first.
  ///
  /// Two programs may try it at once: the lock lets the second one see what the first made.
  static func create(on connection: Connection) throws -> DeviceTable {
    try lockMaking(on: connection)
    if try find(on: connection) == nil { try connection.run(definition) }
    guard let table = try find(on: connection) else { throw StoreFault.noTable }
    return table
  }

  private static let makingLock = "hashtextextended('apnsift: making device_tokens', 0)"

  /// Keeps other apnsifts from making tables until the transaction ends.
  static func lockMaking(on connection: Connection) throws {
    try connection.run("SELECT pg_advisory_xact_lock(\(makingLock))")
  }

  /// Waits until no other apnsift makes the table, and looks for it again. Where it still is missing, others are kept
  /// from making it until the connection ends.
  static func findWhenMade(on connection: Connection) throws -> DeviceTable? {
    try connection.run("SELECT pg_advisory_lock(\(makingLock))")
    guard let table = try find(on: connection) else { return nil }
    try connection.run("SELECT pg_advisory_unlock(\(makingLock))")
    return table
  }

  /// Checks the privileges that a replay needs.
  ///
  /// - Throws: `StoreFault.server(.notPermitted)`.
  func checkPrivileges(on connection: Connection) throws {
    let missing = try connection.run(
      """
      SELECT privilege FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege
      WHERE NOT has_any_column_privilege($1::text::oid, privilege)
      """, .text(String(id)))
    if let privilege = missing.count > 0 ? missing.text(0, 0) : nil {
      throw StoreFault.server(.notPermitted(detail: "it lacks \(privilege) on \(name)"))
    }
    try Self.checkTemporary(on: connection)
  }

  /// Checks that a table can be made.
  ///
  /// - Throws: `StoreFault.server(.notPermitted)`.
  static func checkCreation(on connection: Connection) throws {
    let found = try connection.run(
      "SELECT current_schema()::text, has_schema_privilege(current_schema()::text, 'CREATE')")
    guard let schema = found.text(0, 0) else {
      throw StoreFault.server(.notPermitted(detail: "no schema of its search path can be used"))
    }
    guard found.flag(0, 1) else {
      throw StoreFault.server(.notPermitted(detail: "it lacks CREATE on schema \(schema)"))
    }
    try checkTemporary(on: connection)
  }

  /// The changes of a replay wait in a temporary table.
  static func checkTemporary(on connection: Connection) throws {
    let found = try connection.run(
      "SELECT has_database_privilege(current_database(), 'TEMPORARY'), current_database()::text")
    guard found.flag(0, 0) else {
      let database = found.text(0, 1) ?? ""
      throw StoreFault.server(.notPermitted(detail: "it lacks TEMPORARY on database \(database)"))
    }
  }
}
