import Testing
import TokenStores

@Suite("Fields and literals of MariaDB")
struct FieldTests {
  private let database: TestDatabase
  private let connection: MySQLConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect()
  }

  @Test("Fields come by the types of their columns")
  func kinds() throws {
    try connection.run(
      """
      CREATE TABLE t (tiny TINYINT, small SMALLINT UNSIGNED, medium MEDIUMINT, plain INT ZEROFILL, big BIGINT, huge BIGINT UNSIGNED,
        flag BOOL, decimals DECIMAL(10, 2), half DOUBLE, quarter FLOAT, day DATE, clock DATETIME(6), moment TIMESTAMP(3),
        hours TIME, year YEAR, bits BIT(9), fixed BINARY(4), variable VARBINARY(10), blob_ BLOB, long_ LONGBLOB,
        letter CHAR(4), letters VARCHAR(10) CHARACTER SET latin1, text_ TEXT, long_text LONGTEXT COLLATE utf8mb4_bin,
        one ENUM('a', 'b'), some SET('a', 'b'), uuid_ UUID, address INET6, json_ JSON)
      """)
    try connection.run(
      """
      INSERT INTO t VALUES (-128, 65535, -1, 42, -9223372036854775808, 18446744073709551615, TRUE, 1.5, 0.1, 0.25, '2011-03-13',
        '2011-03-13 07:06:40.5', '2011-03-13 07:06:40.5', '-12:00:00', 2011, b'100000001', X'0102', X'00FF', X'', X'27',
        'a  ', 'é', '€', '😀', 'b', 'a,b', '123e4567-e89b-12d3-a456-426655440000', '::1', '{"a": 1}')
      """)
    let row = try connection.rows("SELECT * FROM t")[0]
    let expected: [SQLValue] = [
      .integer(-128), .integer(65535), .integer(-1), .integer(42), .integer(.min),
      .text("18446744073709551615"), .integer(1), .text("1.50"), .text("0.1"), .text("0.25"),
      .text("2011-03-13"),
      .text("2011-03-13 07:06:40.500000"), .text("2011-03-13 07:06:40.500"), .text("-12:00:00"),
      .text("2011"),
      .bytes([1, 1]), .bytes([1, 2, 0, 0]), .bytes([0, 0xff]), .bytes([]), .bytes([0x27]),
      .text("a"), .text("é"), .text("€"), .text("😀"), .text("b"), .text("a,b"),
      .text("123e4567-e89b-12d3-a456-426655440000"), .text("::1"), .text("{\"a\": 1}"),
    ]
    #expect(row == expected)
    try connection.run("INSERT INTO t (tiny) VALUES (NULL)")
    #expect(try connection.rows("SELECT * FROM t")[1].allSatisfy { $0 == .null })
    #expect(
      try connection.rows(
        "SELECT 9223372036854775807, 9223372036854775808, NULL, X'41', 'a', COUNT(*) FROM t")
        == [[.integer(.max), .text("9223372036854775808"), .null, .bytes([0x41]), .text("a"), .integer(2)]])
  }

  private static let allTexts: [String] = [
    "", "a", "'", "''", "\\", "\\'", "\\\\'", "\u{0}", "a\u{0}b", "\n\r\t\u{1a}\u{8}", "\"", "`", "%_", "\\%",
    "é€😀", "😀'\\😀", "--", "/*", "?", ";", "'; DROP TABLE t; --",
    String(repeating: "'\\\u{0}", count: 100_000),
    String((0..<128).map { Character(Unicode.Scalar(UInt8($0))) }),
    String((0x80..<0x900).compactMap(Unicode.Scalar.init).map(Character.init)),
  ]

  private func hex(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }

  @Test("Every text comes back as it went", arguments: allTexts)
  func texts(_ text: String) throws {
    #expect(try connection.rows("SELECT \(MySQLLiteral.text(.text(text)))") == [[.text(text)]])
    // As the server has it, by a client that shares no code with ours.
    try connection.run("CREATE TABLE t (a LONGTEXT CHARACTER SET utf8mb4)")
    try connection.run("INSERT INTO t VALUES (\(MySQLLiteral.text(.text(text))))")
    #expect(try database.session.run("SELECT HEX(a) FROM t") == [[hex(text)]])
  }

  @Test("Every byte comes back as it went")
  func bytes() throws {
    let all = (0...255).map(UInt8.init)
    for bytes in [[], all, all.reversed()] + all.map({ [$0] }) {
      #expect(try connection.rows("SELECT \(MySQLLiteral.text(.bytes(bytes)))") == [[.bytes(bytes)]])
    }
    // Each byte as text, where the column has a character for each.
    for byte in all where byte > 0 {
      let text = String(Character(Unicode.Scalar(byte)))
      let sql = "SELECT HEX(CONVERT(\(MySQLLiteral.text(.text(text))) USING utf8mb4))"
      #expect(try connection.rows(sql) == [[.text(hex(text))]])
    }
  }

  @Test(
    "Every pair of bytes of a text is one text", arguments: [0x27, 0x5c, 0x00, 0xc3, 0xf0, 0xff] as [UInt8])
  func pairs(_ first: UInt8) throws {
    // Also what is no UTF-8: the server must not see the end of the literal elsewhere.
    for second in (0...255).map(UInt8.init) {
      var sql = Array("SELECT LENGTH(".utf8)
      [first, second].withUnsafeBytes { MySQLLiteral.append(.text($0), to: &sql) }
      sql += Array("), 'end'".utf8)
      var end: String?
      let error = failure { try connection.visit(sql) { end = $0[1].text } }
      #expect(error == nil && end == "end", "\(second) \(String(describing: error))")
    }
  }

  @Test("Text that is no UTF-8 is refused by a column of text")
  func notUTF8() throws {
    try connection.run("CREATE TABLE t (a TEXT CHARACTER SET utf8mb4)")
    var sql = Array("INSERT INTO t VALUES (".utf8)
    [0x61, 0xff, 0x62].withUnsafeBytes { MySQLLiteral.append(.text($0), to: &sql) }
    sql.append(0x29)
    #expect(failure { try connection.visit(sql) }?.code == 1366)
  }

  @Test("Numbers and nulls come back as they went")
  func numbers() throws {
    for number in [0, 1, -1, 42, -1_000_000, .max, .min] as [Int64] {
      #expect(
        try connection.rows("SELECT CAST(\(MySQLLiteral.text(.integer(number))) AS SIGNED)")
          == [[.integer(number)]])
    }
    #expect(try connection.rows("SELECT \(MySQLLiteral.text(.null))") == [[.null]])
    try connection.run("CREATE TABLE t (a DOUBLE)")
    for number in [0.1, -2.5, 1e300, 1e-300, .pi, 3] {
      try connection.run("DELETE FROM t")
      try connection.run("INSERT INTO t VALUES (\(MySQLLiteral.text(.real(number))))")
      #expect(try connection.number("SELECT a = \(MySQLLiteral.text(.real(number))) FROM t") == 1)
      guard case .text(let text)? = try connection.rows("SELECT a FROM t")[0].first else { throw Missing() }
      #expect(Double(text) == number)
    }
    #expect(
      failure { try connection.run("INSERT INTO t VALUES (\(MySQLLiteral.text(.real(.nan))))") } != nil)
  }

  struct Missing: Error {}
}
