import TokenStores
import WireBytes

/// Reading values that somebody else may have written. Rows and columns are numbered from 0.
extension QueryResult {
  /// The pair of app and environment in `app` and the column behind it.
  ///
  /// - Throws: `StoreFault.foreignRows` where the app is no UTF-8, or the environment is none of ours.
  func owner(_ row: Int, appColumn app: Int) throws(StoreFault) -> AppEnvironment {
    guard let name = text(row, app) else {
      let bytes = withBytes(row, app) { $0.withUnsafeBytes { Hex.string($0.prefix(40)) } }
      throw .foreignRow("app is the bytes \(bytes), expected text in UTF-8")
    }
    let found = text(row, app + 1)
    guard let environment = found.flatMap(Environment.init(rawValue:)) else {
      throw .foreignRow("environment is '\((found ?? "?").prefix(80))', expected production or sandbox")
    }
    return AppEnvironment(app: name, environment: environment)
  }

  /// The state in `registeredAt` and the column behind it, `invalidated_at`.
  ///
  /// - Throws: `StoreFault.foreignRows` where one is infinity.
  func state(_ row: Int, registeredAtColumn column: Int) throws(StoreFault) -> TokenState {
    TokenState(
      registeredAt: try Timestamp.seconds(of: integer(row, column), "registered_at"),
      invalidatedAt: try Timestamp.seconds(of: integer(row, column + 1), "invalidated_at"))
  }
}

/// The owner of the last row that was read: rows of a listing come owner by owner, and a text for each would take
/// longer than all else.
struct OwnerReading {
  private var app: [UInt8] = []
  private var environment: [UInt8] = []
  private var owner: AppEnvironment?

  /// As `QueryResult.owner`.
  mutating func owner(
    of result: QueryResult, _ row: Int, appColumn column: Int
  ) throws(StoreFault) -> AppEnvironment {
    if let owner, result.has(app, row, column), result.has(environment, row, column + 1) { return owner }
    let found = try result.owner(row, appColumn: column)
    (app, environment) = (Array(found.app.utf8), Array(found.environment.rawValue.utf8))
    owner = found
    return found
  }
}

extension QueryResult {
  fileprivate func has(_ bytes: [UInt8], _ row: Int, _ column: Int) -> Bool {
    withBytes(row, column) { value in
      value.byteCount == bytes.count && value.withUnsafeBytes { $0.elementsEqual(bytes) }
    }
  }
}

extension StoreFault {
  fileprivate static func foreignRow(_ description: String) -> StoreFault {
    .foreignRows(count: 1, first: description)
  }
}
