import PrivateServers
import Testing
import TokenStores

/// What becomes of a transaction whose connection breaks during COMMIT, and what a new connection can find out.
@Suite("Commits whose connection breaks", .serialized)
struct CommitTests {
  /// A marker of the transaction shows whether it was committed. The locking read waits for the transaction's end, if
  /// that is still to come.
  private func isCommitted(_ database: TestDatabase) throws -> Bool {
    try database.connect().number("SELECT COUNT(*) FROM marker WHERE id = 7 LOCK IN SHARE MODE") == 1
  }

  private func begin(_ database: TestDatabase) throws -> MySQLConnection {
    let connection = try database.connect()
    for sql in [
      "CREATE TABLE t (a INT PRIMARY KEY)", "CREATE TABLE marker (id BIGINT PRIMARY KEY)",
      "START TRANSACTION",
      "INSERT INTO t VALUES (1)", "INSERT INTO marker VALUES (7)",
    ] { try connection.run(sql) }
    return connection
  }

  /// Commits while another thread ends the connection once the server waits in that, which loses it.
  private func breakCommit(_ connection: MySQLConnection, _ database: TestDatabase, in state: String) throws {
    let number = connection.number
    let killer = Later {
      let session = try MariaDBSession(database.server, database: database.name)
      try session.wait(
        until:
          "SELECT COUNT(*) FROM information_schema.processlist WHERE id = \(number) AND state LIKE '\(state)'"
      )
      try session.run("KILL CONNECTION \(number)")
    }
    let error = failure { try connection.run("COMMIT") }
    try killer.get()
    #expect(error?.isLost == true, "\(String(describing: error))")
  }

  @Test("Ended while it waits for a standby, it is committed")
  func afterCommit() throws {
    let database = try TestDatabase(PrivateMariaDB(["--log-bin=log", "--server-id=1"]))
    let connection = try begin(database)
    // Commits wait for a standby that never comes.
    try database.session.run("SET GLOBAL rpl_semi_sync_master_timeout = 3600000")
    try database.session.run("SET GLOBAL rpl_semi_sync_master_enabled = ON")
    try breakCommit(connection, database, in: "Waiting for semi-sync%")
    try database.session.run("SET GLOBAL rpl_semi_sync_master_enabled = OFF")
    #expect(try isCommitted(database))
  }

  @Test("Ended before it begins to commit, it is undone")
  func beforeCommit() throws {
    let database = try TestDatabase(PrivateMariaDB())
    let connection = try begin(database)
    try database.session.run("FLUSH TABLES WITH READ LOCK")
    try breakCommit(connection, database, in: "Waiting for backup lock")
    // The client loses the connection before the server's thread ends: unlocked earlier, it could still commit.
    try database.session.wait(
      until: "SELECT COUNT(*) = 0 FROM information_schema.processlist WHERE id = \(connection.number)")
    try database.session.run("UNLOCK TABLES")
    #expect(try !isCommitted(database))
  }

  @Test("A query before the end waits for it")
  func running() throws {
    let database = try TestDatabase(PrivateMariaDB())
    let connection = try begin(database)
    let asker = Later { try isCommitted(database) }
    // It has the marker's lock, and the other one waits for it.
    try database.session.wait(
      until: "SELECT variable_value FROM information_schema.global_status "
        + "WHERE variable_name = 'Innodb_row_lock_current_waits'")
    try connection.run("COMMIT")
    #expect(try asker.get())
  }
}
