import Basics
import PrivateServers
import Testing
import TokenStores

@Suite("Rows that are inserted by the thousand")
struct InsertTests {
  private let database: TestDatabase
  private let connection: MySQLConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect()
  }

  private func insert(
    into table: String = "t", _ columns: [String], loads: Bool, of connection: MySQLConnection? = nil,
    _ rows: [[SQLField]]
  ) throws -> Int {
    try MySQLInsert.run(into: table, columns, on: connection ?? self.connection, loads: loads) { insert in
      for row in rows { try row.withUnsafeBufferPointer { try insert.add($0) } }
    }
  }

  /// Texts of these lengths, all of one byte, as rows of a new table's column; their lengths in the table are the same.
  private func expectArrival(
    of lengths: [Int], byte: UInt8, _ database: TestDatabase, _ connection: MySQLConnection
  ) throws {
    try connection.run("CREATE TABLE t (a INT PRIMARY KEY AUTO_INCREMENT, b LONGTEXT)")
    let bytes = [UInt8](repeating: byte, count: lengths.max() ?? 0)
    let count = try bytes.withUnsafeBytes { bytes in
      let rows = lengths.map { [SQLField.text(UnsafeRawBufferPointer(rebasing: bytes[..<$0]))] }
      return try insert(["b"], loads: true, of: connection, rows)
    }
    #expect(count == lengths.count)
    let found = try database.session.run("SELECT LENGTH(b) FROM t ORDER BY a").map { $0[0] }
    #expect(found == lengths.map(String.init))
  }

  @Test("All rows arrive, about a mebibyte at once", arguments: [true, false])
  func many(loads: Bool) throws {
    #expect(connection.loads)
    try connection.run("CREATE TABLE t (a INT PRIMARY KEY, b VARBINARY(40), c TEXT NULL)")
    let columns = ["a", "b", "`c`"]
    #expect(try insert(columns, loads: loads, []) == 0)
    let token = (0..<32).map { UInt8($0) * 8 }
    let count = try token.withUnsafeBytes { token in
      try insert(columns, loads: loads, (0..<50_000).map { [.integer($0), .bytes(token), .null] })
    }
    #expect(count == 50_000)
    #expect(
      try database.session.run(
        "SELECT COUNT(*), MIN(a), MAX(a), COUNT(DISTINCT b), MAX(HEX(b)), COUNT(c) FROM t")
        == [
          [
            "50000", "0", "49999", "1", "0008101820283038404850586068707880889098A0A8B0B8C0C8D0D8E0E8F0F8",
            "0",
          ]
        ])
    // 50,000 rows of about 43 or 83 bytes.
    let statements = try connection.rows("SHOW SESSION STATUS LIKE '\(loads ? "Com_load" : "Com_insert")'")
    #expect(statements == [[.text(loads ? "Com_load" : "Com_insert"), .text(loads ? "2" : "4")]])
  }

  @Test("Rows of every length arrive, up to the longest statement of the server")
  func lengths() throws {
    let server = try PrivateMariaDB(["--max-allowed-packet=1M", "--local-infile=0"])
    let database = try TestDatabase(server)
    let connection = try database.connect()
    #expect(connection.longestStatement == (1 << 20) - 2)
    #expect(!connection.loads)
    let most = (1 << 20) - 2 - "INSERT INTO t (b) VALUES ('')".utf8.count
    let lengths = [
      0, 1, 500_000, 600_000, most, 1, most - 1, 10, most, most, 300_000, 300_000, 300_000, 300_000,
    ]
    try expectArrival(of: lengths, byte: 0x61, database, connection)
    let error = [UInt8](repeating: 0x61, count: most + 1).withUnsafeBytes { bytes in
      failure { _ = try insert(["b"], loads: true, of: connection, [[.text(bytes)]]) }
    }
    #expect(error?.code == 0 && error?.isLost == false)
    let message: Message =
      "a row takes 1048575 bytes, more than the server's limit of 1048574 (max_allowed_packet)"
    #expect(error?.message == message)
    // Our own limit is the server's: it takes no longer one.
    let long = Array("DO '\(String(repeating: "a", count: (1 << 20) - 6))'".utf8)
    #expect(failure { try connection.visit(long) }?.isLost == true)
  }

  @Test("Long rows arrive by LOAD DATA, too")
  func longLines() throws {
    try expectArrival(
      of: [0, 1, 500_000, 3 << 20, 0, 0, 1 << 20, 5], byte: 0x09, database, connection)
  }

  /// Prefixes of characters of every length, before bytes that end a field or escape.
  private static let values: [[UInt8]] = {
    let ends: [[UInt8]] = [
      [], [0x09], [0x0a], [0x5c], [0x00], [0x27], [0x4e], [0x5c, 0x4e], [0x30], [0x0d, 0x0a],
    ]
    var values = ends
    let seconds: [UInt8] = [
      0x00, 0x09, 0x0a, 0x27, 0x5c, 0x61, 0x80, 0x90, 0xbf, 0xc3, 0xe2, 0xf0, 0xff,
    ]
    for first in (0...255).map(UInt8.init) {
      for second in seconds {
        for end in ends {
          values += [[second], [second, 0x80], [second, 0x80, 0x80]].map { [first] + $0 + end }
          values.append([first] + end + [second])
        }
      }
    }
    return values
  }()

  @Test("Every byte arrives unaltered, in every context", arguments: [true, false])
  func bytes(loads: Bool) throws {
    try connection.run(
      "CREATE TABLE t (a INT PRIMARY KEY, b VARBINARY(10), c VARCHAR(9) COLLATE utf8mb4_bin, d VARBINARY(10))"
    )
    let smile = Array("😀\\\t'".utf8)
    let count = try MySQLInsert.run(into: "t", ["a", "b", "c", "d"], on: connection, loads: loads) { insert in
      for (index, value) in Self.values.enumerated() {
        try value.withUnsafeBytes { value in
          try smile.withUnsafeBytes { smile in
            try [.integer(Int64(index)), .bytes(value), .text(smile), .bytes(value)].withUnsafeBufferPointer {
              try insert.add($0)
            }
          }
        }
      }
    }
    #expect(count == Self.values.count)
    var different = 0
    var index = 0
    try connection.visit("SELECT a, b, c, d FROM t ORDER BY a") { row in
      let (b, d) = (row[1].bytes.map(Array.init), row[3].bytes.map(Array.init))
      if b != Self.values[index] || d != Self.values[index] || row[2].text != "😀\\\t'" { different += 1 }
      index += 1
    }
    #expect(different == 0 && index == Self.values.count)
  }

  @Test("Texts arrive in columns of other character sets, or not at all", arguments: [true, false])
  func characterSets(loads: Bool) throws {
    try connection.run("CREATE TABLE t (a VARCHAR(9) CHARACTER SET latin1)")
    func insertText(_ text: String) throws -> Int {
      try Array(text.utf8).withUnsafeBytes { try insert(["a"], loads: loads, [[.text($0)]]) }
    }
    #expect(try insertText("é€") == 1)
    #expect(try database.session.run("SELECT HEX(a) FROM t") == [["E980"]])
    #expect(failure { _ = try insertText("😀") }?.code == 1366)
  }

  @Test("A row that is refused is an error, whichever way it goes", arguments: [true, false])
  func refused(loads: Bool) throws {
    try connection.run("CREATE TABLE p (a INT PRIMARY KEY)")
    try connection.run(
      "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(3) NOT NULL, c INT CHECK (c < 9), d INT, FOREIGN KEY (d) REFERENCES p (a))"
    )
    try connection.run("CREATE TABLE g (a INT, b INT, c INT)")
    try connection.run(
      "CREATE TRIGGER i BEFORE INSERT ON g FOR EACH ROW IF NEW.a = 2 THEN SIGNAL SQLSTATE '45000'; END IF")
    let bytes: [UInt8] = [0x61, 0x61, 0x61, 0x61]
    try bytes.withUnsafeBytes { long in
      let (short, one) = (
        SQLField.text(.init(rebasing: long[..<2])), SQLField.text(.init(rebasing: long[..<1]))
      )
      /// A sound row of each table, and rows that are refused after it.
      let tables: [(name: String, columns: [String], sound: [SQLField], refused: [[SQLField]])] = [
        (
          "t", ["a", "b", "c", "d"], [.integer(1), short, .integer(1), .null],
          [
            [.integer(1), one, .null, .null], [.integer(2), .text(long), .null, .null],
            [.integer(2), .null, .null, .null], [.integer(2), one, .integer(9), .null],
            [.integer(2), one, .null, .integer(1)], [.integer(1 << 40), one, .null, .null],
            [.text(long), one, .null, .null],
          ]
        ),
        (
          "g", ["a", "b", "c"], [.integer(1), .integer(1), .integer(1)], [[.integer(2), .integer(1), .null]]
        ),
      ]
      for table in tables {
        for row in table.refused {
          try connection.run("START TRANSACTION")
          let error = failure {
            _ = try insert(into: table.name, table.columns, loads: loads, [table.sound, row])
          }
          connection.rollBack()
          guard let error, case .refused = StoreError(error, waited: .zero) else {
            Issue.record("\(row): \(String(describing: error))")
            continue
          }
        }
      }
    }
    #expect(try connection.number("SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM g)") == 0)
  }
}
