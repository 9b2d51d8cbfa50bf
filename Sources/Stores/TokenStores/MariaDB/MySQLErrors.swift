import Basics
import CLibmariadb

extension DatabaseError {
  /// The kinds of the numbers in the server's documentation ("Error Codes"); libmariadb's own are 2000 to 2999 and from 5000
  /// on.
  private static let kinds: [(kind: Kind, codes: Set<Int>)] = [
    // Of libmariadb: gone away, lost, lost with a system error; of the server: shutdown, an aborted connection, network
    // errors, a statement that is too long, killed, and closed for idling.
    (.lost, [2006, 2013, 2055, 1053, 1080, 1152, 1153, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031]),
    // A deadlock, a row that others changed since it was read, or a table that they made or altered since.
    (.contended, [1213, 1020, 1412]), (.duplicate, [1062, 1586]),
    // Lock timeouts.
    (.locked, [1205, 3572]),
    // Access to a database, login, table, column, routine or privileged statement; an expired password.
    (.notPermitted, [1044, 1045, 1142, 1143, 1227, 1370, 1419, 1698, 1820, 1862, 3118, 4151, 4172]),
    // A read-only server, transaction or InnoDB.
    (.readOnly, [1792, 1836, 1874, 3100]),
    // A transaction at READ COMMITTED cannot be logged by its statements.
    (.other(.cannotConnect("its binlog_format is STATEMENT, expected MIXED or ROW")), [1665]),
    // The disk, a table, or the files of temporary tables.
    (.full, [1021, 1114, 1041, 1206]),
    // Keys, foreign keys, nulls, lengths, ranges, invalid dates and numbers, characters outside a column's character
    // set, errors of triggers, CHECK, views with a check, keys that are too long.
    (
      .refused,
      [
        1022, 1048, 1216, 1217, 1263, 1264, 1265, 1292, 1364, 1366, 1369, 1406, 1411, 1451, 1452, 1526, 1644,
        1690, 1748, 1761, 1762, 3819, 3988, 4025,
      ]
    ),
  ]

  /// - Parameter state: the SQLSTATE, five characters; `HY000` if only the number is specific.
  init(code: Int, state: String = "HY000", _ message: Message) {
    // 1290 is any server option that forbids a statement.
    let isReadOnly = code == 1290 && message.text.replacing("_", with: "-").contains("read-only")
    let byState: Kind = isReadOnly ? .readOnly : state == "45000" ? .refused : .failed
    let kind = state.hasPrefix("08") ? .lost : Self.kinds.first { $0.codes.contains(code) }?.kind ?? byState
    self.init(kind, message, code: code, coded: "\(message), error \(code), SQLSTATE \(state)")
  }

  init(of connection: UnsafeMutablePointer<MYSQL>) {
    self.init(
      code: Int(libmariadb.mysql_errno(connection)),
      state: libmariadb.mysql_sqlstate(connection).map { String(cString: $0) } ?? "",
      Self.line(libmariadb.mysql_error(connection)))
  }
}
