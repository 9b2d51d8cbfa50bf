import Basics
import PrivateServers
import Testing
import TokenStores

@Suite("What errors of MariaDB mean")
struct ErrorTests {
  private let database: TestDatabase
  private let connection: MySQLConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect(lockTimeout: .milliseconds(1))
  }

  private func error(_ sql: String, of connection: MySQLConnection? = nil) -> StoreError? {
    failure { try (connection ?? self.connection).run(sql) }.map { StoreError($0, waited: .seconds(1)) }
  }

  private enum Kind { case refused, failed, notPermitted, readOnly, locked, full }

  private func expect(
    _ kind: Kind, _ sql: String, of connection: MySQLConnection? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let error = error(sql, of: connection)
    let found: Kind? =
      switch error {
      case .refused: .refused
      case .failed: .failed
      case .locked: .locked
      case .notPermitted: .notPermitted
      case .readOnlyServer: .readOnly
      case .full: .full
      default: nil
      }
    #expect(found == kind, "\(sql): \(String(describing: error))", sourceLocation: location)
  }

  @Test("Constraints and values that do not fit refuse a row")
  func refusals() throws {
    try connection.run("CREATE TABLE p (id INT PRIMARY KEY)")
    try connection.run(
      """
      CREATE TABLE t (id INT PRIMARY KEY, n TINYINT NOT NULL DEFAULT 0, c VARCHAR(3) CHARACTER SET ascii, d DATETIME,
        e ENUM('a'), p INT, u INT UNIQUE, CONSTRAINT small CHECK (n < 100), FOREIGN KEY (p) REFERENCES p (id))
      """)
    try connection.run("INSERT INTO p VALUES (1)")
    try connection.run("INSERT INTO t (id, p, u) VALUES (1, 1, 1)")
    try connection.run("CREATE VIEW v AS SELECT id, n FROM t WHERE n = 0 WITH CHECK OPTION")
    try connection.run(
      "CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'")
    for sql in [
      "INSERT INTO t (id) VALUES (1)", "INSERT INTO t (id, u) VALUES (2, 1)",
      "INSERT INTO t (id, n) VALUES (2, NULL)", "INSERT INTO t (n) VALUES (1)",
      "INSERT INTO t (id, n) VALUES (2, 128)",
      "INSERT INTO t (id, n) VALUES (2, 100)", "INSERT INTO t (id, c) VALUES (2, 'long')",
      "INSERT INTO t (id, c) VALUES (2, 'é')",
      "INSERT INTO t (id, d) VALUES (2, 'x')", "INSERT INTO t (id, d) VALUES (2, '0000-00-00')",
      "INSERT INTO t (id, d) VALUES (2, '2011-02-30')", "INSERT INTO t (id, e) VALUES (2, 'b')",
      "INSERT INTO t (id, p) VALUES (2, 2)", "INSERT INTO t (id, n) VALUES (2, 'x')", "DELETE FROM p",
      "INSERT INTO v VALUES (2, 1)", "DELETE FROM t",
    ] { expect(.refused, sql) }
    #expect(error("DELETE FROM t") == .refused("no, error 1644, SQLSTATE 45000"))
    #expect(try connection.number("SELECT COUNT(*) FROM t") == 1)
    for sql in ["SELECT nonsense", "SELEC", "SELECT * FROM nowhere", "DO 1/0 + ("] { expect(.failed, sql) }
  }

  @Test("Privileges and servers that take no changes")
  func permissions() throws {
    try connection.run("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
    let user = "reader_\(database.name)"
    try database.session.run("CREATE USER \(user)@localhost")
    try database.session.run("GRANT SELECT ON \(database.name).t TO \(user)@localhost")
    let reader = try database.connect(user: user)
    for sql in [
      "INSERT INTO t VALUES (1, 1)", "UPDATE t SET n = 1", "CREATE TABLE u (a INT)", "SELECT * FROM nowhere",
      "CREATE TEMPORARY TABLE u (a INT)", "SELECT * FROM mysql.user", "SET GLOBAL read_only = 1",
      "DROP TABLE t",
    ] { expect(.notPermitted, sql, of: reader) }
    try connection.run("START TRANSACTION READ ONLY")
    expect(.readOnly, "INSERT INTO t VALUES (1, 1)")
    let server = try PrivateMariaDB(["--read-only=1"])
    let session = try MariaDBSession(server, database: "mysql")
    for sql in [
      "CREATE USER writer@localhost", "CREATE DATABASE d", "GRANT ALL ON d.* TO writer@localhost",
      "CREATE TABLE d.t (a INT)",
    ] { try session.run(sql) }
    let writer = try MySQLConnection(uri(server.uri("d", user: "writer")), lockTimeout: .seconds(1))
    expect(.readOnly, "INSERT INTO t VALUES (1)", of: writer)
    expect(.readOnly, "CREATE TABLE u (a INT)", of: writer)
  }

  @Test("Locks of others")
  func locks() throws {
    try connection.run("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
    try connection.run("INSERT INTO t VALUES (1, 0), (2, 0)")
    try database.session.run("START TRANSACTION")
    try database.session.run("UPDATE t SET n = 1 WHERE id = 1")
    expect(.locked, "UPDATE t SET n = 2 WHERE id = 1")
    expect(.locked, "SELECT * FROM t WHERE id = 1 FOR UPDATE NOWAIT")
    // The lock of a table's definition.
    expect(.locked, "ALTER TABLE t ADD m INT")
    // Each waits for the other: the server ends the smaller one.
    let patient = try database.connect()
    try patient.run("START TRANSACTION")
    try patient.run("UPDATE t SET n = 1 WHERE id = 2")
    try database.session.run("INSERT INTO t SELECT seq, 0 FROM seq_10_to_99")
    try database.session.send("UPDATE t SET n = 2 WHERE id = 2")
    let error = try #require(failure { try patient.run("UPDATE t SET n = 2 WHERE id = 1") })
    #expect(error.kind == .contended && error.code == 1213)
    #expect(StoreError(error, waited: .zero) == .contended(error.message))
    try database.session.receive()
  }

  @Test("A table that is made while a snapshot is read is read in another one")
  func newTable() throws {
    guard case .mySQL(let uri) = try StoreURL(database.server.uri(database.name)) else { return }
    var attempts = 0
    _ = try MySQLDatabase(uri: uri).reading(creates: false) { session in
      attempts += 1
      if attempts == 1 { try connection.run("CREATE TABLE t (id INT PRIMARY KEY)") }
      #expect(try session.run("SELECT * FROM t", []) == 0)
    }
    #expect(attempts == 2)
  }

  @Test("A table that is full")
  func full() throws {
    try connection.run("SET max_heap_table_size = 16384")
    try connection.run("CREATE TABLE t (a CHAR(255)) ENGINE=MEMORY")
    expect(.full, "INSERT INTO t SELECT 'x' FROM seq_1_to_10000")
  }
}
