import Basics
import CLibmariadb

/// An error of the server or of libmariadb.
package struct MySQLError: TransactionError, Equatable {
  /// The number in the server's documentation ("Error Codes"); libmariadb's own are 2000 to 2999 and from 5000 on; 0
  /// for our own errors.
  package var code: UInt32
  /// The SQLSTATE, five characters; `HY000` if only the number is specific.
  package var state: String
  /// One line.
  package var message: Message
  /// Whether the connection is lost with it.
  package var isLost: Bool

  /// Codes of a lost connection: of libmariadb, gone away, lost, lost with a system error; of the server, shutdown, an
  /// aborted connection, network errors, a statement that is too long, killed, and closed for idling.
  private static let endings: Set<UInt32> = [
    2006, 2013, 2055, 1053, 1080, 1152, 1153, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031,
  ]

  package init(code: UInt32, state: String = "HY000", message: Message) {
    (self.code, self.state, self.message) = (code, state, message)
    isLost = state.hasPrefix("08") || Self.endings.contains(code)
  }

  /// The last error of a connection.
  init(of connection: UnsafeMutablePointer<MYSQL>) {
    self.init(
      code: libmariadb.mysql_errno(connection), state: Self.text(libmariadb.mysql_sqlstate(connection)),
      message: Self.line(libmariadb.mysql_error(connection)))
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

  /// Whether the same transaction, done again from its beginning, may well succeed: a deadlock, or a row that others
  /// changed since it was read.
  package var isContention: Bool { code == 1213 || code == 1020 }

  package var isUniqueViolation: Bool { code == 1062 || code == 1586 }
}

extension StoreFault {
  /// The fault of an error of the server.
  ///
  /// - Parameter waited: the lock timeout.
  package init(_ error: MySQLError, waited: Duration) {
    let message = error.message
    let coded =
      error.code == 0
      ? message : "\(message), error \(Int(error.code)), SQLSTATE \(error.state)"
    if let fault = error.transactionFault {
      self = fault
      return
    }
    switch error.code {
    // Lock timeouts.
    case 1205, 3572: self = .locked(waited: waited)
    // Access to a database, login, table, column, routine or privileged statement; an expired password.
    case 1044, 1045, 1142, 1143, 1227, 1370, 1419, 1698, 1820, 1862, 3118, 4151, 4172:
      self = .notPermitted(message)
    // A read-only server, transaction or InnoDB; 1290 is any server option that forbids a statement.
    case 1290 where message.text.contains("read-only") || message.text.contains("read_only"):
      self = .readOnlyServer(message)
    case 1792, 1836, 1874, 3100: self = .readOnlyServer(message)
    // A transaction at READ COMMITTED cannot be logged by its statements.
    case 1665: self = .cannotConnect("its binlog_format is STATEMENT, expected MIXED or ROW")
    // The disk, a table, or the files of temporary tables.
    case 1021, 1114, 1041, 1206: self = .full(message)
    // Keys, foreign keys, nulls, lengths, ranges, invalid dates and numbers, characters outside a column's character
    // set, errors of triggers, CHECK, views with a check, keys that are too long.
    case 1022, 1048, 1062, 1216, 1217, 1263, 1264, 1265, 1292, 1364, 1366, 1369, 1406, 1411, 1451, 1452, 1526,
      1586,
      1644, 1690, 1748, 1761, 1762, 3819, 3988, 4025:
      self = .refused(coded)
    default: self = error.state == "45000" ? .refused(coded) : .failed(coded)
    }
  }
}
