import Platform
import PostgreSQLStore
import SQLiteStore
import TokenStores

/// Where a store is, as a command names it, and how it is opened.
package struct StoreLocation {
  /// The store of a command that names none.
  package static let usual = "sqlite:tokens.sqlite"

  /// Nil where none is named.
  private let named: String?
  /// The table of the user's own; nil for `device_tokens`.
  private let mapping: TableMapping?
  private let app: String?
  private let environment: Environment?
  private let options: MappedStoreOptions

  /// - Parameters:
  ///   - app: whose tokens a command is about; also whose the rows of a table are that does not say so.
  ///   - environment: likewise.
  package init(
    _ named: String?, mapping: TableMapping?, app: String? = nil, environment: Environment? = nil,
    options: MappedStoreOptions
  ) {
    (self.named, self.mapping, self.app, self.environment) = (named, mapping, app, environment)
    var options = options
    options.owner = AppEnvironment(app: app ?? "", environment: environment ?? .production)
    self.options = options
  }

  /// Whose tokens a command is about, once it is clear which of a store's environments is meant.
  package func owner(in store: any TokenStore) throws -> AppEnvironment {
    guard environment == nil, Set(try store.owners().map(\.environment)).count > 1 else {
      return options.owner
    }
    throw UsageError("\(store.name) holds tokens of production and of sandbox: say which with --environment")
  }

  /// The store for a command that only reads.
  package func openForReading() throws -> any TokenStore {
    try openMapped(creates: false) ?? open(named ?? Self.usual, creates: false)
  }

  /// The store for a command that writes. One that nobody named is made if missing, and a message says so.
  /// - Parameters:
  ///   - creates: whether one that is named is made if missing, too.
  ///   - dryRun: whether nothing will be written after all.
  package func openForWriting(creates: Bool, dryRun: Bool = false) throws -> any TokenStore {
    guard dryRun || !options.isTrial else {
      throw UsageError(
        "--table and --token-column are for a try: take --dry-run, or describe the table in a file and name it with "
          + "--mapping (docs/stores.md, Your own table)")
    }
    if let mapped = try openMapped(creates: creates) { return mapped }
    if let named { return try open(named, creates: creates) }
    if case .sqlite(let path) = try url(of: Self.usual), access(path, F_OK) != 0 {
      let plan = dryRun ? "taking \(Self.usual), which does not exist, as empty" : "making \(Self.usual)"
      Messages.note("no store is named: \(plan)")
    }
    return try open(Self.usual, creates: true)
  }

  /// The store in a table of the user's own, or with a journal in a file; nil where it is an ordinary one.
  private func openMapped(creates: Bool) throws -> (any TokenStore)? {
    guard let mapping else { return try openWithJournalFile(creates: creates) }
    guard !creates else {
      throw UsageError(
        "--create makes apnsift's own table, and \(mapping.name) is one of yours: leave out --create or the mapping"
      )
    }
    guard let named else {
      throw UsageError("no store is named: name the database that has the table \(mapping.name) with --store")
    }
    return try MappedStores.open(try url(of: named), mapping: mapping, options: options)
  }

  private func openWithJournalFile(creates: Bool) throws -> (any TokenStore)? {
    guard !options.insertsUnknown else {
      throw UsageError(
        "--insert-unknown goes with a table of your own: describe it with --mapping, or leave the option out"
      )
    }
    guard options.journal != nil else { return nil }
    let url = try url(of: named ?? Self.usual)
    // To register nothing makes the table.
    if creates { _ = try open(url.text, creates: true).register({ _ in }, for: options.owner) }
    var options = options
    options.insertsUnknown = true
    return try MappedStores.open(url, mapping: nil, options: options)
  }

  private func open(_ name: String, creates: Bool) throws -> any TokenStore {
    switch try url(of: name) {
    case .sqlite(let path):
      return SQLiteTokenStore(path: path, creates: creates, lockTimeout: options.lockTimeout)
    case .postgreSQL(let uri):
      do {
        return try PostgreSQLTokenStore(uri: uri, creates: creates, lockTimeout: options.lockTimeout)
      } catch {
        throw UsageError(error.message)
      }
    }
  }

  private func url(of name: String) throws -> StoreURL {
    do { return try StoreURL(name) } catch { throw UsageError(error.message) }
  }
}
