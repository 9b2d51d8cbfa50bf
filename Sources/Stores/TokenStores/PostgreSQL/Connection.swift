import Basics
import CLibpq

/// A connection to a server. Closing it, or the end of this process, rolls an open transaction back.
///
/// One thread uses it at a time. After a signal ends the process in the middle of a statement, the server continues the
/// statement until it notices that the connection is closed.
final class Connection: @unchecked Sendable {
  let handle: OpaquePointer

  /// The oldest version that has what the statements need (collisdeterministic, hashtextextended).
  private static let leastVersion: Int32 = 120_000

  /// Connects as libpq reads `uri`: PG* variables, service and password files fill in missing parts.
  ///
  /// - Throws: `StoreError.noLibrary` or `.cannotConnect`.
  init(uri: String) throws(StoreError) {
    try libpqLibrary.check(package: "libpq5", elsewhere: "libpq")
    // Keywords after `dbname`, which is the whole URI, override it.
    let texts = ["dbname", "client_encoding", "fallback_application_name", nil, uri, "UTF8", "apnsift", nil]
    let copies = Self.copies(of: texts.map { text in text.map { Array($0.utf8) } })
    defer { for copy in copies { copy?.deallocate() } }
    guard let connection = libpq.PQconnectdbParams(Array(copies[..<4]), Array(copies[4...]), 1) else {
      throw .cannotConnect(.noMemory)
    }
    handle = connection
    guard libpq.PQstatus(handle) == CONNECTION_OK else {
      throw .cannotConnect(DatabaseError.line(libpq.PQerrorMessage(handle)))
    }
    let version = libpq.PQserverVersion(handle)
    guard version >= Self.leastVersion else {
      throw .cannotConnect("the server is PostgreSQL \(Int(version / 10_000)), expected 12 or later")
    }
    // Notices, for example of triggers, are not shown.
    _ = libpq.PQsetNoticeReceiver(handle, { _, _ in }, nil)
    // Without it, a server continues a long statement, with its locks, after the client is gone.
    if version >= 140_000 {
      libpq.PQclear(libpq.PQexec(handle, "SET client_connection_check_interval = 1000"))
    }
  }

  deinit { libpq.PQfinish(handle) }

  var isLost: Bool { libpq.PQstatus(handle) == CONNECTION_BAD }

  @discardableResult
  func run(_ sql: String, _ parameters: SQLValue...) throws(DatabaseError) -> QueryResult {
    try run(sql, with: parameters.map(Parameter.init))
  }

  @discardableResult
  func run(_ sql: String, with parameters: [Parameter]) throws(DatabaseError) -> QueryResult {
    let types = parameters.map(\.type)
    let lengths = parameters.map { Int32(clamping: $0.encoded?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    let values = Self.copies(of: parameters.map(\.encoded))
    defer { for value in values { value?.deallocate() } }
    let result = libpq.PQexecParams(handle, sql, Int32(parameters.count), types, values, lengths, formats, 1)
    return try checked(result)
  }

  /// Takes ownership of `result`.
  func checked(_ result: OpaquePointer?) throws(DatabaseError) -> QueryResult {
    guard let result else { throw DatabaseError(nil, of: handle) }
    switch libpq.PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN, PGRES_COPY_OUT: return QueryResult(owning: result)
    default:
      defer { libpq.PQclear(result) }
      throw DatabaseError(result, of: handle)
    }
  }

  /// Reads the results at the end of a COPY; returns the number of rows.
  func finishCopy() throws(DatabaseError) -> Int {
    var first: DatabaseError?
    var count = 0
    while let result = libpq.PQgetResult(handle) {
      do throws(DatabaseError) { count = try checked(result).affected } catch { first = first ?? error }
    }
    if let first { throw first }
    return count
  }

  /// Rolls the transaction back. If that fails, the connection is lost, and the server does it.
  func rollBack() { _ = try? run("ROLLBACK") }

  /// Copies with a zero byte at the end, which also gives an empty one an address.
  private static func copies(of values: [[UInt8]?]) -> [UnsafePointer<CChar>?] {
    values.map { value in
      guard let value else { return nil }
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count + 1, alignment: 1)
      copy.copyBytes(from: value + [0])
      return UnsafePointer(copy.bindMemory(to: CChar.self).baseAddress)
    }
  }
}
