import Foundation
import PostgreSQLStore
import SQLiteStore
import TokenStores

/// The stores that must do the same.
enum StoreKind: CaseIterable, Sendable {
  case sqlite
  case postgreSQL
}

/// Where stores of a kind are made: a directory that is removed with the value, or a database of the private server.
final class StorePlace {
  private let directory: URL
  private let database: TestDatabase?
  private var files = 0

  init(_ kind: StoreKind) throws {
    database = kind == .postgreSQL ? try TestDatabase() : nil
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("stores-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// A store without a table. In a database it takes the place of the one before.
  func emptyStore() throws -> TokenStore {
    if let database {
      try database.session.run(
        "DROP TABLE IF EXISTS device_tokens, apnsift_changes, apnsift_inputs, apnsift_replays")
      return try database.store()
    }
    files += 1
    return TokenStore(
      SQLiteDatabase(path: directory.appendingPathComponent("\(files).sqlite").path), creates: true)
  }
}
