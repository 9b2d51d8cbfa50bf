/// Why a store failed.
package enum StoreFault: Error, Equatable, Sendable {
  /// The store does not exist.
  case notFound
  /// The store has no table `device_tokens`.
  case noTable
  /// The store cannot be opened; `reason` ends without a full stop.
  case cannotOpen(reason: String)
  /// The file is not a database.
  case notADatabase
  /// The database's own structure is broken; `detail` is the engine's message.
  case damaged(detail: String)
  /// The table `device_tokens` has an unsuitable definition: `subject` is a column, the primary key, or the name.
  case wrongShape(subject: String, expected: String, found: String)
  /// A mapping does not fit the table that it names.
  case misfit(table: String, subject: String, expected: String, found: String)
  /// The store was created by a later apnsift, with unknown rules.
  case newerVersion(found: Int, supported: Int)
  /// Another program kept its lock during the whole timeout.
  case locked(waited: Duration)
  case readOnly(detail: String)
  case full(detail: String)
  /// Rows of another program that cannot be read. `first` describes the first one.
  case unreadableRows(count: Int, first: String)
  /// The journal has no replay of that number.
  case noReplay(Int)
  /// A replay that cannot be undone.
  case notUndoable(Int, reason: String)
  /// A replay would have invalidated more live tokens than its limit.
  case stopped(LimitExceeded)
  /// The store's own constraint or trigger refused a row.
  case refused(detail: String)
  /// Any other failure of the engine or the disk.
  case failed(detail: String)
  /// A journal file could not be updated after a replay or undo was done.
  case unsettled(detail: String)
  /// A fault of a database server.
  case server(ServerFault)
}

/// A store that failed, and why.
package struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The store as the user named it.
  package var store: String
  package var fault: StoreFault

  package init(store: String, fault: StoreFault) {
    self.store = store
    self.fault = fault
  }

  /// One line without a full stop: the store, the problem and the remedy.
  package var message: String { "token store \(store): \(fault.problem); \(fault.remedy)" }

  package var description: String { message }
}

extension StoreFault {
  /// The problem, with the expected and the found value.
  package var problem: String {
    switch self {
    case .notFound: "it does not exist"
    case .noTable: "it has no table device_tokens"
    case .cannotOpen(let reason): "it cannot be opened: \(reason)"
    case .notADatabase: "the file is not a SQLite database (or it is an encrypted one)"
    case .damaged(let detail): "the database is damaged (\(detail))"
    case .wrongShape(let subject, let expected, let found):
      "its table device_tokens has another definition: for \(subject), expected \(expected), found \(found)"
    case .misfit(let table, let subject, let expected, let found):
      "the mapping does not fit table \(table): for \(subject), expected \(expected), found \(found)"
    case .newerVersion(let found, let supported):
      "it has version \(found); this apnsift supports versions up to \(supported)"
    case .locked(let waited): "another program has locked it; waited \(waited)"
    case .readOnly(let detail): "it cannot be written (\(detail))"
    case .full(let detail): "no space left (\(detail)); nothing was changed"
    case .unreadableRows(let count, let first):
      count == 1
        ? "unreadable row: \(first)"
        : "\(count) unreadable rows; the first: \(first)"
    case .noReplay(let id): "its journal has no replay \(id)"
    case .notUndoable(let id, let reason): "replay \(id) cannot be undone: \(reason)"
    case .stopped(let stop): "the replay was stopped before any change: \(stop.text)"
    case .refused(let detail): "it refused a row (\(detail)); nothing was changed"
    case .failed(let detail): "it failed (\(detail)); nothing was changed"
    case .unsettled(let detail): "the changes are done, but this journal could not be updated (\(detail))"
    case .server(let fault): fault.problem
    }
  }

  /// What the user can do.
  package var remedy: String {
    switch self {
    case .notFound: "correct the path, or create it with --create of replay, store register or store import"
    case .noTable:
      "name another store, or add the table with --create of replay, store register or store import"
    case .cannotOpen: "correct the path or its permissions"
    case .notADatabase: "name another file"
    case .damaged: "restore it from a backup, or recover it with the sqlite3 command .recover"
    case .wrongShape: "name another store, or rename that table (docs/stores.md has the table's definition)"
    case .misfit: "correct the mapping, or name another table (docs/stores.md, Your own table)"
    case .newerVersion: "use that newer apnsift, or another store"
    case .locked: "wait until that program is done, or stop it, then run the command again"
    case .readOnly: "make the file and its directory writable, or name another store"
    case .full:
      "free some space (a replay needs room for the new rows and a journal), then run the command again"
    case .unreadableRows: "correct such rows (docs/stores.md, Unreadable rows)"
    case .noReplay, .notUndoable: "`apnsift store history` lists the replays"
    case .stopped:
      "check app, environment and store, review a --dry-run, then raise the limit"
    case .refused: "check the table's constraints and triggers"
    case .failed: "check the disk and the database, then run the command again"
    case .unsettled: "the next replay or undo with it completes it"
    case .server(let fault): fault.remedy
    }
  }
}
