import Basics
import Synchronization

/// The location of a store on the command line, and how to open it.
package struct StoreLocation {
  package static let usual = "sqlite:tokens.sqlite"

  /// Nil for the default store.
  private let named: String?
  /// The mapped table; nil for `device_tokens`.
  private let mapping: TableMapping?
  /// The owner of the command's tokens, and of rows without owner columns.
  private let owner: AppEnvironment
  private let namesEnvironment: Bool
  private let lockTimeout: Duration
  /// Whether tokens that a mapped table does not have are inserted.
  package var insertsUnknown = false
  /// The journal file; nil for a journal in the database itself.
  package var journal: StoreURL?
  /// Whether the mapping is too incomplete to write to the table.
  package var isTrial = false

  package init(
    _ named: String?, mapping: TableMapping?, app: String? = nil, environment: Environment? = nil,
    lockTimeout: Duration
  ) {
    (self.named, self.mapping, self.lockTimeout) = (named, mapping, lockTimeout)
    owner = AppEnvironment(app: app ?? "", environment: environment ?? .production)
    namesEnvironment = environment != nil
  }

  /// The owner of the command's tokens.
  /// - Throws: if the store has both environments, and the command names none.
  package func owner(in store: TokenStore) throws -> AppEnvironment {
    guard !namesEnvironment, Set(try store.owners().map(\.environment)).count > 1 else { return owner }
    throw UsageError("\(store.name) has tokens of production and of sandbox: choose one with --environment")
  }

  package func openForReading() throws -> TokenStore { try open(creates: false) }

  /// The store for a command that writes. A missing default store is created, with a message.
  /// - Parameters:
  ///   - creates: whether to create any missing store.
  ///   - dryRun: whether nothing will be written.
  package func openForWriting(creates: Bool, dryRun: Bool = false) throws -> TokenStore {
    guard dryRun || !isTrial else {
      throw UsageError(
        "--table and --token-column require --dry-run; to write, describe the table in a file for "
          + "--mapping (docs/stores.md, Your own table)")
    }
    if let mapping, creates {
      throw UsageError(
        "--create creates apnsift's own table, but the mapping names \(mapping.name): remove --create "
          + "or the mapping")
    }
    if mapping == nil, insertsUnknown {
      throw UsageError("--insert-unknown requires --mapping: add a mapping, or remove the option")
    }
    if named == nil, mapping == nil, case .sqlite(let path) = try StoreURL(Self.usual),
      access(path, F_OK) != 0
    {
      Console.note(
        dryRun
          ? "no store is named: taking \(Self.usual), which does not exist, as empty"
          : "no store is named: making \(Self.usual)")
    }
    return try open(creates: creates || (named == nil && mapping == nil))
  }

  private func open(creates: Bool) throws -> TokenStore {
    if let mapping, named == nil {
      throw UsageError("no store is named: name the database that has the table \(mapping.name) with --store")
    }
    let url = try StoreURL(named ?? Self.usual)
    let database = try self.database(at: url)
    var store =
      mapping.map {
        TokenStore(database, mapping: $0, text: MappingText.json($0), owner: owner, inserts: insertsUnknown)
      } ?? TokenStore(database, creates: creates)
    store.file = try journal.map { try journalFile($0, of: url) }
    let progress = ScanProgress()
    store.onScan = { progress.advance($0, $1, $2) }
    return store
  }

  private func journalFile(_ journal: StoreURL, of store: StoreURL) throws -> JournalFile {
    guard case .sqlite(let path) = journal, journal != store else {
      throw UsageError(
        "--journal \(journal.text): expected sqlite:PATH of another file than the store; without the "
          + "option, a store has its own journal")
    }
    return JournalFile(SQLiteDatabase(path: path, lockTimeout: lockTimeout))
  }

  private func database(at url: StoreURL) throws -> any StoreDatabase {
    switch url {
    case .sqlite(let path): SQLiteDatabase(path: path, lockTimeout: lockTimeout)
    case .postgreSQL(let uri): try PostgreSQLDatabase(uri: uri, lockTimeout: lockTimeout)
    case .mySQL(let uri): MySQLDatabase(uri: uri, lockTimeout: lockTimeout)
    }
  }
}

/// Reports that all rows of a table are read because no index fits, and shows the progress.
final class ScanProgress: Sendable {
  /// Also whether the table was named: a replay may read it several times.
  private let shown = Mutex((line: ProgressLine(), isNamed: false))

  /// Smaller tables are read quickly.
  private static let fewest = 10_000

  func advance(_ table: String, _ read: Int, _ guess: Int) {
    shown.withLock { shown in
      if read == 0, guess > Self.fewest, !shown.isNamed {
        Console.note(
          "no index begins with the column of tokens of \(table): reading all of about \(guess) rows")
        shown.isNamed = true
      }
      if read == guess {
        shown.line.clear()
      } else {
        shown.line.update { _ in "\(read) of about \(guess) rows of \(table)" }
      }
    }
  }
}
