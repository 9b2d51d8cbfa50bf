import Basics
import CLibmariadb

/// A connection to a MariaDB or MySQL server. Closing it, or the end of this process, rolls an open transaction back.
package final class MySQLConnection {
  private let handle: UnsafeMutablePointer<MYSQL>
  let file = MySQLFile()

  /// The server's limit of a statement, in bytes. A longer one would end the connection.
  package private(set) var longestStatement = 1 << 20
  /// Whether to use LOAD DATA LOCAL INFILE. Only MariaDB is known to keep bytes that are not valid characters.
  package private(set) var loads = false
  /// The server's version: `10.11.19-MariaDB-0+deb12u1`.
  package let version: String
  private var isVisiting = false
  package private(set) var isLost = false

  /// Its number for `KILL` and in the process list.
  package var number: UInt { libmariadb.mysql_thread_id(handle) }

  /// The oldest supported version: INSERT … RETURNING.
  private static let leastVersion = UInt(100_500)

  /// Connects. The option file fills in missing parts of `uri`, MYSQL_PWD a missing password.
  ///
  /// - Parameter lockTimeout: how long the server waits for locks; rounded up to whole seconds.
  /// - Throws: `StoreError.noLibrary` or `.cannotConnect`.
  package init(_ uri: MySQLURI, lockTimeout: Duration) throws(StoreError) {
    try libmariadbLibrary.check(package: "libmariadb3", elsewhere: "mariadb-connector-c")
    // The library ignores a file that it cannot read.
    if let file = uri.defaultsFile, access(file, R_OK) != 0 {
      throw .cannotConnect("its defaults-file cannot be read: \(SystemError.text())")
    }
    guard let handle = libmariadb.mysql_init(nil) else { throw .cannotConnect(.noMemory) }
    self.handle = handle
    file.install(on: handle)
    Self.setOptions(of: handle, for: uri)
    // Without FOUND_ROWS, an UPDATE would not count rows that already had the new values, like rows that are gone.
    let connected = libmariadb.mysql_real_connect(
      handle, uri.socket == nil ? uri.host : "localhost", uri.user, uri.password, uri.database,
      UInt32(uri.port ?? 0), uri.socket, UInt(CLIENT_FOUND_ROWS))
    version = libmariadb.mysql_get_server_info(handle).map { String(cString: $0) } ?? ""
    guard connected != nil else { throw .cannotConnect(DatabaseError(of: handle).message) }
    // In a transaction, reconnecting, which my.cnf may enable, would lose the first part.
    var reconnects: CChar = 0
    _ = libmariadb.mysql_options(handle, MYSQL_OPT_RECONNECT, &reconnects)
    // The library continues without TLS if the server has none, unless it is to verify.
    if uri.tls == .required, libmariadb.mysql_get_ssl_cipher(handle) == nil {
      throw .cannotConnect("the server does not support TLS, which ssl-mode=REQUIRED demands")
    }
    guard version.contains("MariaDB"), libmariadb.mysql_get_server_version(handle) >= Self.leastVersion else {
      throw .cannotConnect("the server is \(version), expected MariaDB 10.5 or later")
    }
    do { try setUp(lockTimeout) } catch {
      throw .cannotConnect((error as? DatabaseError)?.message ?? "\(error)")
    }
  }

  deinit { libmariadb.mysql_close(handle) }

  /// Options that the library does not know are ignored.
  private static func setOptions(of handle: UnsafeMutablePointer<MYSQL>, for uri: MySQLURI) {
    _ = libmariadb.mysql_options(handle, MYSQL_READ_DEFAULT_GROUP, uri.defaultsGroup ?? "client")
    if let file = uri.defaultsFile { _ = libmariadb.mysql_options(handle, MYSQL_READ_DEFAULT_FILE, file) }
    if let mode = uri.tls {
      var (isUsed, isVerified): (CChar, CChar) = (mode == .disabled ? 0 : 1, mode == .verified ? 1 : 0)
      _ = libmariadb.mysql_options(handle, MYSQL_OPT_SSL_ENFORCE, &isUsed)
      _ = libmariadb.mysql_options(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &isVerified)
    }
    _ = libmariadb.mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4")
    _ = libmariadb.mysql_options4(handle, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "apnsift")
    // For buffered rows, never for files.
    var loads: UInt32 = 1
    _ = libmariadb.mysql_options(handle, MYSQL_OPT_LOCAL_INFILE, &loads)
    var seconds: UInt32 = 30
    _ = libmariadb.mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &seconds)
    // The library connects to the socket for `localhost`, even with a port.
    var kind = uri.socket == nil ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET
    if uri.socket != nil || uri.port != nil {
      _ = libmariadb.mysql_options(handle, MYSQL_OPT_PROTOCOL, &kind)
    }
  }

  /// Makes the session independent of the server's settings.
  private func setUp(_ lockTimeout: Duration) throws {
    // 0 would not wait at all.
    let seconds = min(max(Int64((lockTimeout / .seconds(1)).rounded(.up)), 1), 31_536_000)
    // The server disconnects an idle or slow client, for example one that is still reading its input.
    let patience = 86_400
    try run(
      """
      SET NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION autocommit = 1, SESSION time_zone = '+00:00',
      SESSION sql_mode = '\(Self.modes)', SESSION sql_auto_is_null = 0, SESSION sql_safe_updates = 0,
      SESSION sql_select_limit = 18446744073709551615, SESSION foreign_key_checks = 1, SESSION sql_notes = 0, SESSION max_error_count = 64,
      SESSION lock_wait_timeout = \(seconds), SESSION innodb_lock_wait_timeout = \(seconds),
      SESSION wait_timeout = \(patience), SESSION net_read_timeout = \(patience), SESSION net_write_timeout = \(patience)
      """)
    // The variable has different names in MariaDB and MySQL.
    try run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE")
    // A statement, with its command byte, must be shorter than the longest packet.
    if let length = try number("SELECT @@max_allowed_packet") { longestStatement = Int(length) - 2 }
    loads = try number("SELECT @@local_infile") == 1
  }

  /// Values that do not fit are errors. Backslashes escape, `"` quotes a string, and `||` means OR.
  private static let modes =
    "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,"
    + "NO_AUTO_VALUE_ON_ZERO"

  var warningCount: UInt32 { libmariadb.mysql_warning_count(handle) }

  @discardableResult
  package func run(_ sql: String) throws -> Int { try visit(Array(sql.utf8)) }
  @discardableResult
  package func visit(_ sql: String, _ body: RowVisitor) throws -> Int { try visit(Array(sql.utf8), body) }

  /// Runs a statement, which need not be UTF-8, and visits the rows of a query. The connection is busy until the last row.
  /// If `body` throws, the rest is read and dropped.
  /// - Returns: how many rows it wrote, or has; an UPDATE returns how many it found.
  @discardableResult
  package func visit(_ sql: [UInt8], _ body: RowVisitor = { _ in }) throws -> Int {
    // libmariadb's error for a second statement would replace that of the rows.
    if isVisiting { throw DatabaseError(code: 2014, "the connection is busy with the rows of a query") }
    try check(
      sql.withUnsafeBytes { sql in
        libmariadb.mysql_real_query(handle, sql.bindMemory(to: CChar.self).baseAddress, UInt(sql.count))
      })
    guard let result = libmariadb.mysql_use_result(handle) else {
      guard libmariadb.mysql_field_count(handle) == 0 else { throw lastError() }
      return Int(clamping: libmariadb.mysql_affected_rows(handle))
    }
    isVisiting = true
    defer {
      libmariadb.mysql_free_result(result)
      isVisiting = false
    }
    let columns = UnsafeBufferPointer(
      start: libmariadb.mysql_fetch_fields(result), count: Int(libmariadb.mysql_num_fields(result))
    ).map { MySQLColumn($0) }
    let buffer = RowBuffer(count: columns.count)
    var count = 0
    while let row = libmariadb.mysql_fetch_row(result), let lengths = libmariadb.mysql_fetch_lengths(result) {
      for index in columns.indices { buffer.set(index, columns[index].field(row[index], lengths[index])) }
      try body(buffer.row)
      count += 1
    }
    try check(Int32(bitPattern: libmariadb.mysql_errno(handle)))
    return count
  }

  /// The first field of a query's first row; nil if it is not an integer.
  package func number(_ sql: String) throws -> Int64? {
    var first: SQLValue?
    try visit(sql) { row in first = first ?? row.first?.value }
    return if case .integer(let number) = first { number } else { nil }
  }

  private func check(_ code: Int32) throws { if code != 0 { throw lastError() } }

  private func lastError() -> DatabaseError {
    let error = DatabaseError(of: handle)
    if error.isLost { isLost = true }
    return error
  }

  /// Rolls the transaction back. If that fails, the connection is lost, and the server does it.
  package func rollBack() { _ = try? run("ROLLBACK") }
}
