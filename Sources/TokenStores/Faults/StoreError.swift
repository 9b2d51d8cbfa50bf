/// What is wrong with a store.
package enum StoreFault: Error, Equatable, Sendable {
  /// There is no store of that name.
  case notFound
  /// The store is there, without the table `device_tokens`.
  case noTable
  /// The place cannot be opened; `reason` says why, and ends without a full stop.
  case cannotOpen(reason: String)
  /// The file holds something else.
  case notADatabase
  /// The database's own structure is broken; `detail` is what the engine says.
  case damaged(detail: String)
  /// The table cannot serve: `subject` is a column, or the table's primary key.
  case wrongShape(subject: String, expected: String, found: String)
  /// A mapping does not fit the table that it names.
  case misfit(table: String, subject: String, expected: String, found: String)
  /// The store was made by a later apnsift, whose rules this one cannot know.
  case newerVersion(found: Int, supported: Int)
  /// Another program held its lock all the time that was waited.
  case locked(waited: Duration)
  case readOnly(detail: String)
  case full(detail: String)
  /// Rows that somebody else wrote, and that cannot be understood. `first` describes the first one.
  case foreignRows(count: Int, first: String)
  /// The journal has no replay of that number.
  case noReplay(Int)
  /// A replay that cannot be undone; `reason` says why.
  case notUndoable(Int, reason: String)
  /// A replay would have invalidated more live tokens than its brake allows.
  case stopped(ReplayStop)
  /// The store's own constraint or trigger refused a row.
  case refused(detail: String)
  /// Any other failure of the engine or the disk.
  case failed(detail: String)
  /// A journal in a file of its own could not be told that a replay or undo was done.
  case unsettled(detail: String)
  /// What only a store behind a server can have.
  case server(ServerFault)
}

/// A store failed: which, at what, and what to do.
package struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The store as the user named it.
  package var store: String
  package var fault: StoreFault

  package init(store: String, fault: StoreFault) {
    self.store = store
    self.fault = fault
  }

  /// One line without a full stop at its end: the store, what is wrong, what to do.
  package var message: String { "token store \(store): \(fault.problem); \(fault.remedy)" }

  package var description: String { message }
}

extension StoreFault {
  /// What was expected and found.
  package var problem: String {
    switch self {
    case .notFound: "it does not exist"
    case .noTable: "it has no table device_tokens"
    case .cannotOpen(let reason): "it cannot be opened: \(reason)"
    case .notADatabase: "the file is not a SQLite database (or it is an encrypted one)"
    case .damaged(let detail): "the database is damaged (\(detail))"
    case .wrongShape(let subject, let expected, let found):
      "its table device_tokens has another shape: for \(subject), expected \(expected), found \(found)"
    case .misfit(let table, let subject, let expected, let found):
      "the mapping does not fit table \(table): for \(subject), expected \(expected), found \(found)"
    case .newerVersion(let found, let supported):
      "it has version \(found), and this apnsift knows versions up to \(supported)"
    case .locked(let waited): "another program has locked it; waited \(waited)"
    case .readOnly(let detail): "it cannot be written (\(detail))"
    case .full(let detail): "no space is left for it (\(detail)); nothing was changed"
    case .foreignRows(let count, let first):
      count == 1
        ? "a row cannot be understood: \(first)"
        : "\(count) rows cannot be understood; the first: \(first)"
    case .noReplay(let id): "its journal has no replay \(id)"
    case .notUndoable(let id, let reason): "replay \(id) cannot be undone: \(reason)"
    case .stopped(let stop): "the replay was stopped before any change: \(stop.text)"
    case .refused(let detail): "it refused a row (\(detail)); nothing was changed"
    case .failed(let detail): "it failed (\(detail)); nothing was changed"
    case .unsettled(let detail): "the changes are done, but this journal could not be told (\(detail))"
    case .server(let fault): fault.problem
    }
  }

  /// What the user can do.
  package var remedy: String {
    switch self {
    case .notFound: "correct the path, or let --create of replay, store register or store import make it"
    case .noTable:
      "name another store, or let --create of replay, store register or store import add the table"
    case .cannotOpen: "correct the path or its permissions"
    case .notADatabase: "name another file"
    case .damaged: "restore it from a backup, or save what can be read with the sqlite3 command .recover"
    case .wrongShape: "name another store, or rename that table (docs/stores.md has the table's definition)"
    case .misfit: "correct the mapping, or name another table (docs/stores.md, Your own table)"
    case .newerVersion: "use that newer apnsift, or another store"
    case .locked: "wait until that program is done, or stop it, then run the command again"
    case .readOnly: "make the file and its directory writable, or name another store"
    case .full: "free some space (a replay needs room for the new rows and a journal), then run it again"
    case .foreignRows: "correct or delete such rows (docs/stores.md, Rows of others)"
    case .noReplay, .notUndoable: "`apnsift store history` lists what there is"
    case .stopped:
      "make sure that app, environment and store are the ones meant, look at a --dry-run, then raise the limit"
    case .refused: "look for constraints and triggers of your own on the table"
    case .failed: "check the disk and the database, then run the command again"
    case .unsettled: "the next replay or undo with it makes up for that"
    case .server(let fault): fault.remedy
    }
  }
}
