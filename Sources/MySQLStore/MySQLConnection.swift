import CLibmariadb
import Platform
import TokenStores

/// A connection to a server of MariaDB or MySQL. Closing it undoes what was not committed: so does the server where this
/// process ends.
package final class MySQLConnection {
  private let handle: UnsafeMutablePointer<MYSQL>
  private let file = MySQLFile()

  /// The longest statement that the server takes, in bytes. A longer one would end the connection.
  package private(set) var longestStatement = 1 << 20
  /// Whether it takes LOAD DATA LOCAL INFILE. Only of MariaDB is known what it does with bytes that are no characters.
  package private(set) var loads = false
  /// Whether a transaction that writes, or locks, a row that others changed since its snapshot was taken is ended with an error
  /// (1020). Without that it would overwrite what they wrote: all rows that it decides on are to be read `FOR UPDATE`.
  package private(set) var keepsSnapshot = false
  /// As the server says it: `10.11.19-MariaDB-0+deb12u1`.
  package let version: String
  private var isVisiting = false
  /// Whether nothing more can be asked of it.
  package private(set) var isLost = false

  /// What `KILL` and the list of processes call it.
  package var number: UInt { libmariadb.mysql_thread_id(handle) }

  /// The oldest versions that are known to have what the statements need.
  private static let leastVersions = (mariaDB: UInt(100_500), mySQL: UInt(80_000))

  /// Connects: the group `[client]` of my.cnf fills in what `uri` leaves open, MYSQL_PWD the password that neither has.
  ///
  /// - Parameter lockTimeout: how long the server waits for the locks of others; it counts in whole seconds.
  /// - Throws: `StoreFault.server`, `.noLibrary` or `.cannotConnect`.
  package init(_ uri: MySQLURI, lockTimeout: Duration) throws(StoreFault) {
    guard LibmariadbLibrary.functions != nil else { throw LibmariadbLibrary.missing }
    guard let handle = libmariadb.mysql_init(nil) else {
      throw .server(.cannotConnect(reason: "no memory is left"))
    }
    self.handle = handle
    file.install(on: handle)
    Self.setOptions(of: handle, for: uri)
    // Without FOUND_ROWS an UPDATE would count only the rows whose values it changed: a row that is gone could not be told from
    // one that had them already.
    let connected = libmariadb.mysql_real_connect(
      handle, uri.socket == nil ? uri.host : "localhost", uri.user, uri.password, uri.database,
      UInt32(uri.port ?? 0), uri.socket, UInt(CLIENT_FOUND_ROWS))
    version = libmariadb.mysql_get_server_info(handle).map { String(cString: $0) } ?? ""
    guard connected != nil else { throw .server(.cannotConnect(reason: MySQLError(of: handle).message)) }
    forbid()
    try checkVersion()
    do throws(MySQLError) {
      try setUp(lockTimeout)
    } catch {
      throw .server(.cannotConnect(reason: error.message))
    }
  }

  deinit { libmariadb.mysql_close(handle) }

  /// An option that the library does not know is one that it does not need.
  private static func setOptions(of handle: UnsafeMutablePointer<MYSQL>, for uri: MySQLURI) {
    _ = libmariadb.mysql_options(handle, MYSQL_READ_DEFAULT_GROUP, "client")
    _ = libmariadb.mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4")
    _ = libmariadb.mysql_options4(handle, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "apnsift")
    // For rows of ours, never for files.
    var loads: UInt32 = 1
    _ = libmariadb.mysql_options(handle, MYSQL_OPT_LOCAL_INFILE, &loads)
    var seconds: UInt32 = 30
    _ = libmariadb.mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &seconds)
    // The library takes `localhost` for the socket, even where there is a port.
    var kind = uri.socket == nil ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET
    if uri.socket != nil || uri.port != nil {
      _ = libmariadb.mysql_options(handle, MYSQL_OPT_PROTOCOL, &kind)
    }
  }

  /// Forbids what my.cnf could have allowed: to connect again in the middle of a transaction would lose half of it.
  private func forbid() {
    var reconnects: CChar = 0
    _ = libmariadb.mysql_options(handle, MYSQL_OPT_RECONNECT, &reconnects)
  }

  private var isMariaDB: Bool { version.contains("MariaDB") }

  private func checkVersion() throws(StoreFault) {
    let number = libmariadb.mysql_get_server_version(handle)
    let least = isMariaDB ? Self.leastVersions.mariaDB : Self.leastVersions.mySQL
    guard number >= least else {
      throw .server(
        .cannotConnect(
          reason: "the server is \(version), expected MariaDB 10.5 or later, or MySQL 8.0 or later"))
    }
  }

  /// Makes the session one that no setting of the server's changes.
  private func setUp(_ lockTimeout: Duration) throws(MySQLError) {
    // 0 would not wait at all.
    let seconds = min(max(Int64((lockTimeout / .seconds(1)).rounded(.up)), 1), 31_536_000)
    // The server gives up a client that is silent or slow: while it reads its input, or takes rows one by one.
    let patience = 86_400
    try run(
      """
      SET NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION autocommit = 1, SESSION time_zone = '+00:00',
      SESSION sql_mode = '\(Self.modes)', SESSION sql_auto_is_null = 0, SESSION sql_safe_updates = 0,
      SESSION sql_select_limit = DEFAULT, SESSION sql_notes = 0, SESSION max_error_count = 64,
      SESSION lock_wait_timeout = \(seconds), SESSION innodb_lock_wait_timeout = \(seconds),
      SESSION wait_timeout = \(patience), SESSION net_read_timeout = \(patience), SESSION net_write_timeout = \(patience)
      """)
    // The variable has different names in MariaDB and MySQL.
    try run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE")
    keepsSnapshot = try set("innodb_snapshot_isolation = 1")
    // With the byte that says what follows, a statement is to be shorter than the longest packet.
    if let length = try number("SELECT @@max_allowed_packet") { longestStatement = Int(length) - 2 }
    if isMariaDB { loads = try number("SELECT @@local_infile") == 1 }
  }

  /// Sets a variable of the session; false where the server has none of that name.
  private func set(_ variable: String) throws(MySQLError) -> Bool {
    do throws(MySQLError) {
      try run("SET SESSION \(variable)")
      return true
    } catch {
      // ER_UNKNOWN_SYSTEM_VARIABLE
      guard error.code == 1193 else { throw error }
      return false
    }
  }

  /// Values that do not fit are errors. Backslashes escape, `"` is a string, and `||` means OR.
  private static let modes =
    "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,"
    + "NO_AUTO_VALUE_ON_ZERO"

  /// Runs one statement; returns how many rows it wrote, or for an UPDATE found.
  @discardableResult
  package func run(_ sql: String) throws(MySQLError) -> Int { try run(Array(sql.utf8)) }

  /// As the other `run`: a long one may hold bytes that are no UTF-8.
  @discardableResult
  package func run(_ sql: [UInt8]) throws(MySQLError) -> Int {
    try prepare()
    let code = sql.withUnsafeBytes(send)
    return try finish(code)
  }

  /// As the other `run`, for a statement that reads `lines`.
  func run(_ sql: [UInt8], reading lines: UnsafeRawBufferPointer) throws(MySQLError) -> Int {
    try prepare()
    let code = file.open(lines) { sql.withUnsafeBytes(send) }
    return try finish(code)
  }

  /// How many warnings the last statement gave.
  var warningCount: UInt32 { libmariadb.mysql_warning_count(handle) }

  private func finish(_ code: Int32) throws(MySQLError) -> Int {
    try check(code)
    if libmariadb.mysql_field_count(handle) == 0 {
      return Int(clamping: libmariadb.mysql_affected_rows(handle))
    }
    // The connection is busy until the rows of a query were taken.
    return try drain()
  }

  /// Visits the rows of a query, of which the connection is busy until the last one was visited. Where `body` throws, the
  /// rest is read and dropped.
  package func visit(_ sql: String, _ body: (SQLFields) throws -> Void) throws {
    try visit(Array(sql.utf8), body)
  }

  /// As the other `visit`.
  package func visit(_ sql: [UInt8], _ body: (SQLFields) throws -> Void) throws {
    try prepare()
    try check(sql.withUnsafeBytes(send))
    guard let result = libmariadb.mysql_use_result(handle) else {
      // A statement without rows.
      if libmariadb.mysql_field_count(handle) == 0 { return }
      throw failure()
    }
    isVisiting = true
    defer {
      libmariadb.mysql_free_result(result)
      isVisiting = false
    }
    let columns = UnsafeBufferPointer(
      start: libmariadb.mysql_fetch_fields(result), count: Int(libmariadb.mysql_num_fields(result))
    ).map { MySQLColumn($0) }
    let fields = UnsafeMutableBufferPointer<SQLField>.allocate(capacity: columns.count)
    fields.initialize(repeating: .null)
    defer { fields.deallocate() }
    while let row = libmariadb.mysql_fetch_row(result), let lengths = libmariadb.mysql_fetch_lengths(result) {
      for index in columns.indices { fields[index] = columns[index].field(row[index], lengths[index]) }
      try body(SQLFields(fields))
    }
    try check(Int32(bitPattern: libmariadb.mysql_errno(handle)))
  }

  /// What libmariadb says of a statement too many would hide what it says of the rows.
  private func prepare() throws(MySQLError) {
    if isVisiting { throw MySQLError(code: 2014, message: "the connection is busy with the rows of a query") }
  }

  /// Reads the rows that are left; returns how many there were.
  private func drain() throws(MySQLError) -> Int {
    guard let result = libmariadb.mysql_use_result(handle) else { throw failure() }
    defer { libmariadb.mysql_free_result(result) }
    var count = 0
    while libmariadb.mysql_fetch_row(result) != nil { count += 1 }
    try check(Int32(bitPattern: libmariadb.mysql_errno(handle)))
    return count
  }

  /// The first field of a query's first row, as an integer; nil where it is none.
  package func number(_ sql: String) throws(MySQLError) -> Int64? {
    var number: Int64?
    var isFirst = true
    do {
      try visit(sql) { row in
        if isFirst { number = row.first?.integer }
        isFirst = false
      }
    } catch {
      throw error as? MySQLError ?? failure()
    }
    return number
  }

  private func send(_ sql: UnsafeRawBufferPointer) -> Int32 {
    libmariadb.mysql_real_query(handle, sql.bindMemory(to: CChar.self).baseAddress, UInt(sql.count))
  }

  private func check(_ code: Int32) throws(MySQLError) {
    if code != 0 { throw failure() }
  }

  private func failure() -> MySQLError {
    let error = MySQLError(of: handle)
    if error.isLost { isLost = true }
    return error
  }

  /// Ends a transaction without its changes. Where that fails the connection is lost, and the server does it.
  package func rollBack() { _ = try? run("ROLLBACK") }
}
