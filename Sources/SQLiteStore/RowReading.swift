import GRDBSQLite
import TokenStores
import WireBytes

/// Reading values that somebody else may have written: SQLite stores any type in any column unless a CHECK
/// forbids it. Column numbers are from 0.
extension PreparedStatement {
  /// The pair of app and environment in `app` and the column behind it.
  ///
  /// - Throws: `StoreFault.foreignRows` where they are not texts in UTF-8, or the environment is none of ours.
  func owner(appColumn app: Int32) throws(StoreFault) -> AppEnvironment {
    guard type(ofColumn: app) == SQLITE_TEXT else {
      throw foreign(column: "app", app, expected: "text")
    }
    guard let name = text(ofColumn: app) else {
      throw foreign(column: "app", app, expected: "text in UTF-8")
    }
    guard type(ofColumn: app + 1) == SQLITE_TEXT,
      let environment = text(ofColumn: app + 1).flatMap(Environment.init(rawValue:))
    else {
      throw foreign(column: "environment", app + 1, expected: "production or sandbox")
    }
    return AppEnvironment(app: name, environment: environment)
  }

  /// The state in `registeredAt` and the column behind it, `invalidated_at`.
  ///
  /// - Throws: `StoreFault.foreignRows` where one is neither an integer nor null.
  func state(registeredAtColumn column: Int32) throws(StoreFault) -> TokenState {
    TokenState(
      registeredAt: try seconds("registered_at", column),
      invalidatedAt: try seconds("invalidated_at", column + 1))
  }

  private func seconds(_ name: String, _ column: Int32) throws(StoreFault) -> Int64? {
    switch type(ofColumn: column) {
    case SQLITE_INTEGER: return integer(ofColumn: column)
    case SQLITE_NULL: return nil
    default: throw foreign(column: name, column, expected: "UNIX seconds as an integer, or null")
    }
  }

  /// - Throws: `StoreFault.foreignRows` where the column holds no blob.
  func checkToken(column: Int32) throws(StoreFault) {
    guard type(ofColumn: column) == SQLITE_BLOB else {
      throw foreign(column: "token", column, expected: "a blob of the token's bytes")
    }
  }

  private func foreign(column name: String, _ column: Int32, expected: String) -> StoreFault {
    .foreignRows(count: 1, first: "\(name) is \(literal(ofColumn: column)), expected \(expected)")
  }

  /// The value as one would write it in SQL, cut where it is long.
  private func literal(ofColumn column: Int32) -> String {
    switch type(ofColumn: column) {
    case SQLITE_NULL: "NULL"
    case SQLITE_BLOB: blobLiteral(ofColumn: column)
    case SQLITE_TEXT:
      text(ofColumn: column).map(Self.textLiteral) ?? "CAST(\(blobLiteral(ofColumn: column)) AS TEXT)"
    default: text(ofColumn: column) ?? "no text"
    }
  }

  /// How much of a value messages show: bytes of a blob, and twice as many characters of a text.
  private static var shownBytes: Int { 40 }

  private func blobLiteral(ofColumn column: Int32) -> String {
    withBytes(ofColumn: column) { span in
      let shown = span.extracting(first: Self.shownBytes).withUnsafeBytes { Hex.string($0) }
      return "x'\(shown)\(span.byteCount > Self.shownBytes ? "…" : "")'"
    }
  }

  private static func textLiteral(_ value: String) -> String {
    let limit = 2 * shownBytes
    let shown = String(value.unicodeScalars.prefix(limit).map { $0.value < 0x20 ? "·" : Character($0) })
    return "'\(shown)\(value.unicodeScalars.count > limit ? "…" : "")'"
  }
}
