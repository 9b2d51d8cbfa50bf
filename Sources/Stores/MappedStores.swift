import Platform
import PostgreSQLStore
import SQLiteStore
import TokenStores

/// What a command asks of a store in a table of the user's own, besides the mapping.
package struct MappedStoreOptions {
  /// Whose the rows are that do not say so.
  package var owner: AppEnvironment
  /// Whether tokens that the table does not hold get a row.
  package var insertsUnknown: Bool
  /// A file in which replays are recorded; nil where the database itself has the journal.
  package var journal: StoreURL?
  /// Whether too little is known of the table to write to it.
  package var isTrial: Bool
  /// How long another program's lock is waited for.
  package var lockTimeout: Duration

  package init(
    owner: AppEnvironment = AppEnvironment(), insertsUnknown: Bool = false, journal: StoreURL? = nil,
    isTrial: Bool = false, lockTimeout: Duration
  ) {
    (self.owner, self.insertsUnknown) = (owner, insertsUnknown)
    (self.journal, self.isTrial, self.lockTimeout) = (journal, isTrial, lockTimeout)
  }
}

/// Stores in tables of the user's own, and in `device_tokens` where its journal is a file.
package enum MappedStores {
  /// - Parameter mapping: nil for `device_tokens`.
  package static func open(
    _ url: StoreURL, mapping: TableMapping?, options: MappedStoreOptions
  ) throws -> any TokenStore {
    let file = try options.journal.map { try journal($0, of: url, options.lockTimeout) }
    func store(_ database: some MappedDatabase, _ found: TableMapping) -> any TokenStore {
      MappedTokenStore(
        database: database, mapping: found, mappingText: mapping.map(MappingText.json), owner: options.owner,
        inserts: options.insertsUnknown, file: file)
    }
    switch url {
    case .sqlite(let path):
      let mapping = mapping ?? .deviceTokens(times: .seconds)
      return store(
        MappedSQLiteDatabase(path: path, mapping: mapping, lockTimeout: options.lockTimeout), mapping)
    case .postgreSQL(let uri):
      let mapping = mapping ?? .deviceTokens(times: .timestamptz)
      do {
        return store(
          try MappedPostgreSQLDatabase(uri: uri, mapping: mapping, lockTimeout: options.lockTimeout), mapping)
      } catch {
        throw UsageError(error.message)
      }
    }
  }

  private static func journal(
    _ journal: StoreURL, of store: StoreURL, _ lockTimeout: Duration
  ) throws -> SQLiteJournalFile {
    guard case .sqlite(let path) = journal, journal != store else {
      throw UsageError(
        "--journal \(journal.text): expected sqlite:PATH of a file beside the store; a store keeps its own journal "
          + "where the option is left out")
    }
    return SQLiteJournalFile(path: path, lockTimeout: lockTimeout)
  }
}

extension TableMapping {
  /// apnsift's own table.
  fileprivate static func deviceTokens(times: TimeForm) -> TableMapping {
    TableMapping(
      table: "device_tokens", token: TokenColumn(name: "token", form: .bytes), app: "app",
      environment: EnvironmentColumn(name: "environment"),
      registered: TimeColumn(name: "registered_at", form: times),
      action: .mark(TimeColumn(name: "invalidated_at", form: times)))
  }
}
