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
  /// - Throws: `StoreFault.noLibrary` or `.cannotConnect`.
  init(uri: String) throws(StoreFault) {
    guard LibpqLibrary.functions != nil else { throw LibpqLibrary.missing }
    // Keywords after `dbname`, which is the whole URI, override it.
    let keywords = Self.copies(of: ["dbname", "client_encoding", "fallback_application_name"])
    let values = Self.copies(of: [uri, "UTF8", "apnsift"])
    defer { for copy in keywords + values { copy?.deallocate() } }
    guard let connection = libpq.PQconnectdbParams(keywords, values, 1) else {
      throw .cannotConnect(.noMemory)
    }
    handle = connection
    guard libpq.PQstatus(handle) == CONNECTION_OK else {
      throw .cannotConnect(ServerError.line(libpq.PQerrorMessage(handle)))
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

  /// Runs one statement.
  @discardableResult
  func run(_ sql: String, _ parameters: Parameter...) throws(ServerError) -> QueryResult {
    try run(sql, with: parameters)
  }

  @discardableResult
  func run(_ sql: String, with parameters: [Parameter]) throws(ServerError) -> QueryResult {
    let types = parameters.map(\.type)
    let values = parameters.map(\.encoded)
    let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: values.count)
    // A zero byte after each value gives an empty value an address: without one it would be null.
    let bytes = Array(values.map { ($0 ?? []) + [0] }.joined())
    let result = bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        var start = 0
        let pointers = values.map { value -> UnsafePointer<CChar>? in
          defer { start += (value?.count ?? 0) + 1 }
          return value == nil ? nil : characters.baseAddress.map { $0 + start }
        }
        return libpq.PQexecParams(handle, sql, Int32(values.count), types, pointers, lengths, formats, 1)
      }
    }
    return try checked(result)
  }

  /// Takes ownership of `result`.
  func checked(_ result: OpaquePointer?) throws(ServerError) -> QueryResult {
    guard let result else { throw ServerError(nil, of: handle) }
    switch libpq.PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN, PGRES_COPY_OUT: return QueryResult(owning: result)
    default:
      defer { libpq.PQclear(result) }
      throw ServerError(result, of: handle)
    }
  }

  /// Reads the results at the end of a COPY; returns the number of rows.
  func finishCopy() throws(ServerError) -> Int {
    var failure: ServerError?
    var count = 0
    while let result = libpq.PQgetResult(handle) {
      do throws(ServerError) { count = try checked(result).affected } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return count
  }

  /// Rolls the transaction back. If that fails, the connection is lost, and the server does it.
  func rollBack() {
    _ = try? run("ROLLBACK")
  }

  /// C strings, with nil after the last one.
  private static func copies(of texts: [String]) -> [UnsafePointer<CChar>?] {
    texts.map { text in
      let characters = text.utf8CString
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: characters.count)
      _ = copy.initialize(from: characters)
      return UnsafePointer(copy.baseAddress)
    } + [nil]
  }
}
