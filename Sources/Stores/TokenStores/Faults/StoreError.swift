import Basics

/// Why a store failed.
package enum StoreFault: Error, Equatable, Sendable {
  /// The store does not exist.
  case notFound
  /// The store has no table `device_tokens`.
  case noTable
  /// The store cannot be opened; `reason` ends without a full stop.
  case cannotOpen(reason: Message)
  /// The file is not a database.
  case notADatabase
  /// The database's own structure is broken; `detail` is the engine's message.
  case damaged(detail: Message)
  /// The table `device_tokens` has an unsuitable definition: `subject` is a column, the primary key, or the name.
  case wrongShape(subject: Message, expected: Message, found: Message)
  /// A mapping does not fit the table that it names.
  case misfit(table: String, subject: Message, expected: Message, found: Message)
  /// The store was created by a later apnsift, with unknown rules.
  case newerVersion(found: Int, supported: Int)
  /// Another program kept its lock during the whole timeout.
  case locked(waited: Duration)
  case readOnly(detail: Message)
  case full(detail: Message)
  /// A table of a journal whose column has another type.
  case journalMisfit(table: String, column: String, expected: Message, found: Message)
  /// Rows of another program that cannot be read. `first` describes the first one.
  case unreadableRows(count: Int, first: Message)
  /// The journal has no replay of that number.
  case noReplay(Int)
  /// A replay that cannot be undone.
  case notUndoable(Int, reason: Message)
  /// A replay would have invalidated more live tokens than its limit.
  case stopped(LimitExceeded)
  /// The store's own constraint or trigger refused a row.
  case refused(detail: Message)
  /// Any other failure of the engine or the disk.
  case failed(detail: Message)
  /// A journal file could not be updated after a replay or undo was done.
  case unsettled(detail: Message)
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
  package var message: Message { "token store \(store): \(fault.problem.problem); \(fault.problem.remedy)" }

  package var description: String { message.text }
}

extension StoreFault {
  /// The message of the engine, which says nothing about what was changed.
  package var cause: Message {
    switch self {
    case .damaged(let detail), .readOnly(let detail), .full(let detail), .refused(let detail),
      .failed(let detail), .unsettled(let detail):
      detail
    default: problem.problem
    }
  }

  /// What users read about it.
  package var problem: StoreProblem {
    switch self {
    case .notFound: .notFound
    case .noTable: .noTable
    case .cannotOpen(let reason): .cannotOpen(reason)
    case .notADatabase: .notADatabase
    case .damaged(let detail): .damaged(detail)
    case .wrongShape(let subject, let expected, let found):
      .wrongShape(subject, expected: expected, found: found)
    case .misfit(let table, let subject, let expected, let found):
      .misfit(table, subject, expected: expected, found: found)
    case .journalMisfit(let table, let column, let expected, let found):
      .journalMisfit(table, column, expected: expected, found: found)
    case .newerVersion(let found, let supported): .newerVersion(found, supported: supported)
    case .locked(let waited): .locked(waited: waited)
    case .readOnly(let detail): .readOnly(detail)
    case .full(let detail): .full(detail)
    case .unreadableRows(let count, let first): .unreadableRows(count, first: first)
    case .noReplay(let id): .noReplay(id)
    case .notUndoable(let id, let reason): .notUndoable(id, reason)
    case .stopped(let stop): .stopped(stop.message)
    case .refused(let detail): .refused(detail)
    case .failed(let detail): .failed(detail)
    case .unsettled(let detail): .unsettled(detail)
    case .server(let fault): fault.problem
    }
  }
}
