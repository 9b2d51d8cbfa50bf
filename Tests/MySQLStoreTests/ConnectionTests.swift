import Basics
import Foundation
import PrivateServers
import Testing
import TokenStores

@Suite("Connections to MariaDB")
struct ConnectionTests {
  private let database: TestDatabase
  private let connection: MySQLConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect()
  }

  @Test("A session is the same on every server")
  func settings() throws {
    // What an administrator may have set for all.
    let server = try PrivateMariaDB([
      "--autocommit=0", "--sql-mode=ANSI,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH",
      "--default-time-zone=+05:00", "--transaction-isolation=READ-COMMITTED", "--wait-timeout=60",
      "--max-allowed-packet=2M",
      "--character-set-server=latin1", "--transaction-read-only=1", "--init-connect=SET sql_auto_is_null = 1",
    ])
    let connection = try MySQLConnection(uri(server.uri("mysql")), lockTimeout: .milliseconds(2500))
    let row = try connection.rows(
      """
      SELECT @@autocommit, @@time_zone, @@tx_isolation, @@innodb_lock_wait_timeout, @@lock_wait_timeout,
        @@character_set_client, @@collation_connection, @@character_set_results, @@tx_read_only, @@sql_auto_is_null,
        @@sql_mode
      """
    )[0]
    #expect(
      row.dropLast() == [
        .integer(1), .text("+00:00"), .text("REPEATABLE-READ"), .integer(3), .integer(3), .text("utf8mb4"),
        .text("utf8mb4_bin"), .text("utf8mb4"), .integer(0), .integer(0),
      ])
    #expect(
      row.last
        == .text(
          "NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
            + "NO_ENGINE_SUBSTITUTION"))
    #expect(connection.longestStatement == (2 << 20) - 2)
    #expect(connection.version.contains("MariaDB"))
  }

  @Test("What cannot be connected to says why")
  func refused() throws {
    try database.session.run("CREATE USER guarded IDENTIFIED BY 'it''s'")
    let texts = [
      (database.server.uri("nowhere"), "Unknown database 'nowhere'"),
      (database.server.uri("mysql", user: "guarded:no"), "Access denied for user 'guarded'@'localhost'"),
      ("mysql:///?socket=/nowhere", "/nowhere"),
      // The server has no TLS.
      (database.server.uri("mysql") + "&ssl-mode=required", "does not support TLS"),
      (database.server.uri("mysql") + "&ssl-mode=VERIFY_IDENTITY", "does not support it"),
      (database.server.uri("mysql") + "&defaults-file=/nowhere", "defaults-file cannot be read"),
      ("mysql://127.0.0.1:1/", "127.0.0.1"),
      // By TCP, not by the socket of a server that happens to run.
      ("mysql://localhost:1/", "localhost"),
    ]
    for (text, expected) in texts {
      let error = #expect(throws: StoreError.self, "\(text)") {
        try MySQLConnection(uri(text), lockTimeout: .seconds(1))
      }
      guard case .cannotConnect(let reason) = error else { throw try #require(error) }
      #expect(reason.text.contains(expected), "\(reason)")
    }
    _ = try MySQLConnection(
      uri(database.server.uri("", user: "guarded:it%27s")), lockTimeout: .seconds(1))
  }

  @Test("An UPDATE counts the rows that it finds, other statements those that they write")
  func counts() throws {
    #expect(try connection.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)") == 0)
    #expect(try connection.run("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)") == 3)
    #expect(try connection.run("UPDATE t SET b = 1") == 3)
    #expect(try connection.run("UPDATE t SET b = 1 WHERE a > 1") == 2)
    #expect(try connection.run("INSERT IGNORE INTO t VALUES (3, 3), (4, 4)") == 1)
    #expect(try connection.run("DELETE FROM t WHERE a = 1") == 1)
    #expect(try connection.run("SELECT * FROM t") == 3)
    #expect(try connection.number("SELECT COUNT(*) FROM t") == 3)
    // The connection is good for more.
    #expect(try connection.run("DO 1") == 0)
  }

  @Test("A second statement in the first is no statement")
  func oneStatement() throws {
    #expect(failure { try connection.run("DO 1; DO 2") }?.code == 1064)
  }

  @Test("A server that asks for a file of this machine gets none")
  func noFiles() throws {
    try connection.run("CREATE TABLE t (a TEXT)")
    let error = failure { try connection.run("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t") }
    #expect(error?.code == 2000)
    #expect(try connection.number("SELECT COUNT(*) FROM t") == 0)
  }

  @Test("100,000 rows are visited one by one")
  func streaming() throws {
    var sum: Int64 = 0
    var count = 0
    try connection.visit("SELECT seq, REPEAT('x', 100), NULL FROM seq_1_to_100000") { row in
      sum += row[0].integer ?? 0
      if row[1].text?.utf8.count == 100, row[2].isNull { count += 1 }
    }
    #expect(sum == 5_000_050_000 && count == 100_000)
  }

  @Test("A visit that ends early leaves the connection usable")
  func endedVisit() throws {
    var seen = 0
    #expect(throws: CancellationError.self) {
      try connection.visit("SELECT seq FROM seq_1_to_100000") { _ in
        seen += 1
        if seen == 10 { throw CancellationError() }
      }
    }
    #expect(seen == 10)
    #expect(try connection.number("SELECT 7") == 7)
  }

  @Test("An error in the middle of rows is thrown")
  func lateError() throws {
    try connection.run("CREATE TABLE t (a INT PRIMARY KEY, b TEXT)")
    try connection.run("INSERT INTO t SELECT seq, IF(seq = 9000, 'x', '1') FROM seq_1_to_10000")
    var count = 0
    let error = failure {
      try connection.visit("SELECT a, (SELECT 1 FROM seq_1_to_2 WHERE b = 'x') FROM t ORDER BY a") { _ in
        count += 1
      }
    }
    #expect(error?.code == 1242 && count == 8999)
    #expect(try connection.number("SELECT 7") == 7)
  }

  @Test("A statement within a visit is an error, and the visit goes on")
  func nested() throws {
    var codes: [Int?] = []
    try connection.visit("SELECT 1 UNION SELECT 2") { _ in
      codes.append(failure { try connection.run("DO 1") }?.code)
    }
    #expect(codes == [2014, 2014])
    #expect(try connection.number("SELECT 7") == 7)
  }

  @Test("A connection that another program ends is lost")
  func killed() throws {
    try connection.run("CREATE TABLE t (a INT)")
    try connection.run("START TRANSACTION")
    try connection.run("INSERT INTO t VALUES (1)")
    try database.session.run("KILL CONNECTION \(connection.number)")
    try database.session.wait(
      until: "SELECT COUNT(*) = 0 FROM information_schema.processlist WHERE id = \(connection.number)")
    let error = try #require(failure { try connection.run("COMMIT") })
    #expect(error.isLost && connection.isLost)
    guard case .connectionLost = StoreError(error, waited: .zero) else { throw error }
    // Nothing connects again by itself.
    #expect(failure { try connection.run("DO 1") }?.isLost == true)
    #expect(try database.session.run("SELECT COUNT(*) FROM t") == [["0"]])
  }

  @Test("A connection that ends while rows are visited is lost")
  func killedVisit() throws {
    var isKilled = false
    let error = failure {
      try connection.visit("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_1000000") { _ in
        if isKilled { return }
        isKilled = true
        try database.session.run("KILL CONNECTION \(connection.number)")
      }
    }
    #expect(error?.isLost == true && connection.isLost)
  }

  @Test("A statement that another program ends is a failure, and the connection stays")
  func killedStatement() throws {
    let number = connection.number
    try database.session.run(
      "CREATE PROCEDURE wait_and_kill() BEGIN WHILE NOT EXISTS (SELECT 1 FROM information_schema.processlist "
        + "WHERE id = \(number) AND state = 'User sleep') DO DO SLEEP(0.01); END WHILE; KILL QUERY \(number); END"
    )
    try database.session.send("CALL wait_and_kill()")
    // SLEEP gives 1 where it was ended.
    let error = failure { try connection.run("INSERT INTO nowhere.t SELECT SLEEP(1000)") }
    #expect(error != nil)
    _ = try? connection.run("SELECT SLEEP(1000) FROM seq_1_to_2")
    try database.session.receive()
    #expect(!connection.isLost)
    #expect(try connection.number("SELECT 7") == 7)
  }
}
