/// Why a token store failed. `words` says what each case means.
package enum StoreError: Error, Equatable, Sendable {
  // MARK: - Any store
  case notFound
  case noTable
  /// Without a mapping; a journal has replays into other tables.
  case unmapped(_ tables: String)
  case cannotOpen(_ reason: Message)
  case notADatabase
  case damaged(_ detail: Message)
  /// The subject is a column, the primary key, the name and so on.
  case misfit(_ table: String, _ subject: Message, expected: Message, found: Message)
  case journalMisfit(_ table: String, _ column: String, expected: Message, found: Message)
  case newerVersion(_ found: Int, supported: Int)
  case locked(waited: Duration)
  case readOnly(_ detail: Message)
  case full(_ detail: Message)
  /// Rows of another program. `first` describes the first of them.
  case unreadableRows(_ count: Int, first: Message)
  case noReplay(_ id: Int)
  case notUndoable(_ id: Int, _ reason: Message)
  /// A replay that would exceed its limit.
  case stopped(_ reason: Message)
  case refused(_ detail: Message)
  case failed(_ detail: Message)
  /// Of a journal file.
  case unsettled(_ detail: Message)

  // MARK: - Servers
  /// - Parameters:
  ///   - package: in Debian.
  ///   - elsewhere: in other systems.
  case noLibrary(_ file: String, package: String, elsewhere: String)
  case cannotConnect(_ reason: Message)
  case connectionLost(_ detail: Message)
  case uncertain(_ detail: Message)
  case notPermitted(_ detail: Message)
  case readOnlyServer(_ detail: Message)
  case contended(_ detail: Message)

  package var message: Message { message(after: 0) }
  package var remedy: Message { words.remedy }
  /// Says nothing about what was changed.
  package var cause: Message { words.message }

  /// - Parameter rows: how many rows earlier transactions of the same command changed.
  package func message(after rows: Int) -> Message {
    let stay: Message =
      "\(Count.of(rows, "row")) of earlier transactions stay changed, and the same command continues"
    return (rows > 0 ? stay : words.unchanged).map { "\(cause); \($0)" } ?? cause
  }

  private typealias Words = (message: Message, remedy: Message, unchanged: Message?)

  private var words: Words {
    switch self {
    case .notFound:
      both(
        "it does not exist",
        "correct the path, or create it with --create of replay, store register or store import")
    case .noTable:
      both(
        "it has no table device_tokens",
        "name your own table with --mapping FILE, or another store; --create of replay, store register or store import "
          + "adds the table")
    case .unmapped(let tables):
      both(
        "it has no table device_tokens, but its journal has replays into \(tables)",
        "name the mapping of that table with --mapping FILE")
    case .cannotOpen(let reason):
      both("it cannot be opened: \(reason)", "correct the path or its permissions")
    case .notADatabase:
      both("the file is not a SQLite database (or it is an encrypted one)", "name another file")
    case .damaged(let detail):
      both(
        "the database is damaged, or the disk cannot be read (\(detail))",
        "check the disk, then restore the database from a backup, or recover it with the sqlite3 command .recover"
      )
    case .misfit(let table, let subject, let expected, let found):
      both(
        "table \(table) does not fit: for \(subject), expected \(expected), found \(found)",
        "correct the mapping or the table, or name another store or table (docs/stores.md)")
    case .journalMisfit(let table, let column, let expected, let found):
      both(
        "its journal has another definition: for column \(column) of \(table), expected \(expected), found \(found)",
        "give the column such a type, or drop the journal's tables, which forgets all replays (docs/stores.md, The journal)"
      )
    case .newerVersion(let found, let supported):
      both(
        "it has version \(found); this apnsift supports versions up to \(supported)",
        "use that newer apnsift, or another store")
    case .locked(let waited):
      both(
        "another program has locked it; waited \(waited)",
        "wait until that program is done, or stop it, then run the command again")
    case .readOnly(let detail):
      both(
        "it cannot be written (\(detail))",
        "make the file and its directory writable, or name another store")
    case .full(let detail):
      unchanged(
        "no space left (\(detail))",
        "free some space (a replay needs room for the new rows and a journal), then run the command again")
    case .unreadableRows(let count, let first):
      both(
        count == 1 ? "unreadable row: \(first)" : "\(count) unreadable rows; the first: \(first)",
        "correct such rows (docs/stores.md, Unreadable rows)")
    case .noReplay(let id): both("its journal has no replay \(id)", Self.listed)
    case .notUndoable(let id, let reason): both("replay \(id) cannot be undone: \(reason)", Self.listed)
    case .stopped(let reason):
      both(
        "the replay was stopped before any change: \(reason)",
        "check app, environment and store, review a --dry-run, then raise the limit")
    case .refused(let detail):
      unchanged("it refused a row (\(detail))", "check the table's constraints and triggers")
    case .failed(let detail):
      unchanged("it failed (\(detail))", "check the disk and the database, then run the command again")
    case .unsettled(let detail):
      both(
        "the changes are done, but this journal could not be updated (\(detail))",
        "the next replay or undo with it completes it")
    case .noLibrary(let file, let package, let elsewhere):
      both(
        "the client library \(file) is missing or cannot be loaded",
        "install the package \(package) (elsewhere: \(elsewhere))")
    case .cannotConnect(let reason):
      both(
        "no connection: \(reason)",
        "check that the server runs, and the URI's host, database, role and password (apnsift does not create databases)"
      )
    case .connectionLost(let detail):
      unchanged("the connection was lost (\(detail))", "check the server's log, then run the command again")
    case .uncertain(let detail):
      both(
        "the connection was lost during the commit (\(detail)); whether the changes are done is unknown",
        "run the command again: changes that are already done count as unchanged")
    case .notPermitted(let detail):
      unchanged(
        "permission denied (\(detail))",
        "grant the privilege (docs/stores.md, Permissions), or connect as another role")
    case .readOnlyServer(let detail):
      unchanged(
        "the server is read-only (\(detail))",
        "name the primary server, or a role and database that may write")
    case .contended(let detail):
      unchanged(
        "other programs changed the same rows at every attempt (\(detail))",
        "run the command again when they are done")
    }
  }

  private func both(_ message: Message, _ remedy: Message) -> Words { (message, remedy, nil) }

  private func unchanged(_ message: Message, _ remedy: Message) -> Words {
    (message, remedy, "nothing was changed")
  }

  private static let listed: Message = "`apnsift store history` lists the replays"
}
