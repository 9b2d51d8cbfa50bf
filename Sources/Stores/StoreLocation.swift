import Platform
import SQLiteStore
import Synchronization
import TokenStores

/// What a command asks of a store besides where it is.
package struct StoreSettings {
  /// Whether tokens that a table of the user's own does not hold get a row.
  package var insertsUnknown: Bool
  /// A file in which replays are recorded; nil where the database itself has the journal.
  package var journal: StoreURL?
  /// Whether too little is known of the table to write to it.
  package var isTrial: Bool
  /// How long another program's lock is waited for.
  package var lockTimeout: Duration

  package init(
    insertsUnknown: Bool = false, journal: StoreURL? = nil, isTrial: Bool = false, lockTimeout: Duration
  ) {
    (self.insertsUnknown, self.journal) = (insertsUnknown, journal)
    (self.isTrial, self.lockTimeout) = (isTrial, lockTimeout)
  }
}

/// Where a store is, as a command names it, and how it is opened.
package struct StoreLocation {
  /// The store of a command that names none.
  package static let usual = "sqlite:tokens.sqlite"

  /// Nil where none is named.
  private let named: String?
  /// The table of the user's own; nil for `device_tokens`.
  private let mapping: TableMapping?
  /// Whose tokens a command is about; also whose the rows of a table are that does not say so.
  private let owner: AppEnvironment
  private let namesEnvironment: Bool
  private let settings: StoreSettings

  package init(
    _ named: String?, mapping: TableMapping?, app: String? = nil, environment: Environment? = nil,
    settings: StoreSettings
  ) {
    (self.named, self.mapping, self.settings) = (named, mapping, settings)
    owner = AppEnvironment(app: app ?? "", environment: environment ?? .production)
    namesEnvironment = environment != nil
  }

  /// Whose tokens a command is about, once it is clear which of a store's environments is meant.
  package func owner(in store: TokenStore) throws -> AppEnvironment {
    guard !namesEnvironment, Set(try store.owners().map(\.environment)).count > 1 else { return owner }
    throw UsageError("\(store.name) holds tokens of production and of sandbox: say which with --environment")
  }

  // MARK: - Opening

  /// The store for a command that only reads.
  package func openForReading() throws -> TokenStore { try open(creates: false) }

  /// The store for a command that writes. One that nobody named is made if missing, and a message says so.
  /// - Parameters:
  ///   - creates: whether one that is named is made if missing, too.
  ///   - dryRun: whether nothing will be written after all.
  package func openForWriting(creates: Bool, dryRun: Bool = false) throws -> TokenStore {
    guard dryRun || !settings.isTrial else {
      throw UsageError(
        "--table and --token-column are for a try: take --dry-run, or describe the table in a file and name it with "
          + "--mapping (docs/stores.md, Your own table)")
    }
    if let mapping, creates {
      throw UsageError(
        "--create makes apnsift's own table, and \(mapping.name) is one of yours: leave out --create or the mapping"
      )
    }
    if mapping == nil, settings.insertsUnknown {
      throw UsageError(
        "--insert-unknown goes with a table of your own: describe it with --mapping, or leave the option out"
      )
    }
    if named == nil, mapping == nil, case .sqlite(let path) = try url(of: Self.usual), access(path, F_OK) != 0
    {
      let plan = dryRun ? "taking \(Self.usual), which does not exist, as empty" : "making \(Self.usual)"
      Messages.note("no store is named: \(plan)")
    }
    return try open(creates: creates || (named == nil && mapping == nil))
  }

  private func open(creates: Bool) throws -> TokenStore {
    if let mapping, named == nil {
      throw UsageError("no store is named: name the database that has the table \(mapping.name) with --store")
    }
    let url = try url(of: named ?? Self.usual)
    let database = try self.database(at: url)
    var store =
      mapping.map {
        TokenStore(
          database, mapping: $0, text: MappingText.json($0), owner: owner, inserts: settings.insertsUnknown)
      } ?? TokenStore(database, creates: creates)
    store.file = try settings.journal.map { try journal($0, of: url) }
    let progress = ScanProgress()
    store.onScan = { progress.advance($0, $1, $2) }
    return store
  }

  private func journal(_ journal: StoreURL, of store: StoreURL) throws -> JournalFile {
    guard case .sqlite(let path) = journal, journal != store else {
      throw UsageError(
        "--journal \(journal.text): expected sqlite:PATH of a file beside the store; a store keeps its own journal "
          + "where the option is left out")
    }
    return JournalFile(SQLiteDatabase(path: path, lockTimeout: settings.lockTimeout))
  }

  private func database(at url: StoreURL) throws -> any StoreDatabase {
    do { return try url.database(lockTimeout: settings.lockTimeout) } catch {
      throw UsageError(error.message)
    }
  }

  private func url(of name: String) throws -> StoreURL {
    do { return try StoreURL(name) } catch { throw UsageError(error.message) }
  }
}

/// Says that all rows of a table are read for want of an index, and how far that is.
final class ScanProgress: Sendable {
  private let line = Mutex(ProgressLine())

  /// A table with fewer rows is read before anybody wonders.
  private static let fewest = 10_000

  func advance(_ table: String, _ read: Int, _ guess: Int) {
    if read == 0, guess > Self.fewest {
      Messages.note(
        "no index begins with the column of tokens of \(table): all of about \(guess) rows are read")
    }
    line.withLock { line in
      if read == guess {
        line.clear()
      } else {
        line.update { _ in "\(read) of about \(guess) rows of \(table)" }
      }
    }
  }
}
