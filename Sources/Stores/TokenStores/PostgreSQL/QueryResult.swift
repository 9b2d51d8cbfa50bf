import CLibpq

/// The rows of a statement, in the server's binary format. Rows and columns are numbered from 0.
final class QueryResult {
  private let result: OpaquePointer

  /// Takes ownership of a result of libpq.
  init(owning result: OpaquePointer) { self.result = result }

  deinit { libpq.PQclear(result) }

  var count: Int { Int(libpq.PQntuples(result)) }
  /// The first column.
  var texts: [String] { (0..<count).map { text($0, 0) ?? "" } }
  /// How many rows the statement inserted or updated, from its command tag.
  var affected: Int { Int(Self.text(libpq.PQcmdTuples(result))) ?? 0 }
  /// The command tag: a COMMIT of a failed transaction is a `ROLLBACK`.
  var command: String { Self.text(libpq.PQcmdStatus(result)) }

  private static func text(_ characters: UnsafePointer<CChar>?) -> String {
    characters.map { String(cString: $0) } ?? ""
  }

  /// The bytes of a value, while the result lives; nil if it is null.
  private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    let (row, column) = (Int32(row), Int32(column))
    guard libpq.PQgetisnull(result, row, column) == 0 else { return nil }
    return UnsafeRawBufferPointer(
      start: libpq.PQgetvalue(result, row, column), count: Int(libpq.PQgetlength(result, row, column)))
  }

  /// A text value; nil if it is null, or not UTF-8, as a database with encoding SQL_ASCII may have it.
  func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A bigint, or the microseconds of a timestamptz; nil if it is null.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    bytes(row, column).flatMap { $0.count == 8 ? Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) : nil }
  }

  func flag(_ row: Int, _ column: Int) -> Bool {
    bytes(row, column).map { $0.count == 1 && $0[0] != 0 } ?? false
  }
}
