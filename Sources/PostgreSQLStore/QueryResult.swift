import CLibpq
import TokenStores
import WireBytes

/// The rows that a statement returned, in the server's binary format. Rows and columns are numbered from 0.
final class QueryResult {
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  init(owning result: OpaquePointer) { self.result = result }

  deinit { libpq.PQclear(result) }

  var count: Int { Int(libpq.PQntuples(result)) }

  var columns: Int { Int(libpq.PQnfields(result)) }

  /// How many rows the statement inserted or updated, as its command tag says.
  var affected: Int { Int(Self.text(libpq.PQcmdTuples(result))) ?? 0 }

  /// What the statement turned out to be: a COMMIT of a failed transaction is a `ROLLBACK`.
  var command: String { Self.text(libpq.PQcmdStatus(result)) }

  private static func text(_ characters: UnsafePointer<CChar>?) -> String {
    characters.map { String(cString: $0) } ?? ""
  }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    libpq.PQgetisnull(result, Int32(row), Int32(column)) != 0
  }

  /// Lends the bytes of a value; those of null are empty.
  func withBytes<Result>(_ row: Int, _ column: Int, _ body: (RawSpan) throws -> Result) rethrows -> Result {
    let base = libpq.PQgetvalue(result, Int32(row), Int32(column))
    let count = Int(libpq.PQgetlength(result, Int32(row), Int32(column)))
    return try body(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count).bytes)
  }

  /// A text value; nil where it is null or no UTF-8, which a database with encoding SQL_ASCII can hold.
  func text(_ row: Int, _ column: Int) -> String? {
    guard !isNull(row, column) else { return nil }
    return withBytes(row, column) { bytes in
      bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    }
  }

  /// A bigint, or the microseconds of a timestamptz; nil where it is null.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard !isNull(row, column) else { return nil }
    return withBytes(row, column) { bytes in
      guard bytes.byteCount == 8 else { return nil }
      return Int64(bigEndian: bytes.unsafeLoadUnaligned(as: Int64.self))
    }
  }

  /// The values of a row whose columns are of integers, texts and bytes.
  func values(_ row: Int) -> [SQLValue] {
    (0..<columns).map { column in
      if isNull(row, column) { return .null }
      let bytes = withBytes(row, column) { $0.withUnsafeBytes { Array($0) } }
      switch libpq.PQftype(result, Int32(column)) {
      case 17: return .bytes(bytes)
      case 20, 23:
        let isNegative = (bytes.first ?? 0) & 0x80 != 0
        return .integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
      default: return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
      }
    }
  }

  func flag(_ row: Int, _ column: Int) -> Bool {
    withBytes(row, column) { $0.byteCount == 1 && $0.byte(at: 0) != 0 }
  }
}
