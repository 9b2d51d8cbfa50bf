/// Why a store failed, and what the user can do.
package struct StoreProblem: Equatable, Sendable {
  package let problem: Message
  package let remedy: Message

  private init(_ problem: String, _ remedy: String) {
    (self.problem, self.remedy) = (Message(problem), Message(remedy))
  }
}

// MARK: - Any store

extension StoreProblem {
  package static let notFound = StoreProblem(
    "it does not exist",
    "correct the path, or create it with --create of replay, store register or store import")

  package static let noTable = StoreProblem(
    "it has no table device_tokens",
    "name another store, or add the table with --create of replay, store register or store import")

  package static func cannotOpen(_ reason: Message) -> StoreProblem {
    StoreProblem("it cannot be opened: \(reason)", "correct the path or its permissions")
  }

  package static let notADatabase = StoreProblem(
    "the file is not a SQLite database (or it is an encrypted one)", "name another file")

  package static func damaged(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "the database is damaged, or the disk cannot be read (\(detail))",
      "check the disk, then restore the database from a backup, or recover it with the sqlite3 command .recover"
    )
  }

  package static func wrongShape(_ subject: Message, expected: Message, found: Message) -> StoreProblem {
    StoreProblem(
      "its table device_tokens has another definition: for \(subject), expected \(expected), found \(found)",
      "name another store, or rename that table (docs/stores.md has the table's definition)")
  }

  package static func misfit(
    _ table: String, _ subject: Message, expected: Message, found: Message
  ) -> StoreProblem {
    StoreProblem(
      "the mapping does not fit table \(table): for \(subject), expected \(expected), found \(found)",
      "correct the mapping, or name another table (docs/stores.md, Your own table)")
  }

  package static func journalMisfit(
    _ table: String, _ column: String, expected: Message, found: Message
  ) -> StoreProblem {
    StoreProblem(
      "its journal has another definition: for column \(column) of \(table), expected \(expected), found \(found)",
      "give the column such a type, or drop the journal's tables, which forgets all replays (docs/stores.md, The journal)"
    )
  }

  package static func newerVersion(_ found: Int, supported: Int) -> StoreProblem {
    StoreProblem(
      "it has version \(found); this apnsift supports versions up to \(supported)",
      "use that newer apnsift, or another store")
  }

  package static func locked(waited: Duration) -> StoreProblem {
    StoreProblem(
      "another program has locked it; waited \(waited)",
      "wait until that program is done, or stop it, then run the command again")
  }

  package static func readOnly(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "it cannot be written (\(detail))", "make the file and its directory writable, or name another store")
  }

  package static func full(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "no space left (\(detail)); nothing was changed",
      "free some space (a replay needs room for the new rows and a journal), then run the command again")
  }

  /// - Parameter first: describes the first of the rows.
  package static func unreadableRows(_ count: Int, first: Message) -> StoreProblem {
    StoreProblem(
      count == 1 ? "unreadable row: \(first)" : "\(count) unreadable rows; the first: \(first)",
      "correct such rows (docs/stores.md, Unreadable rows)")
  }

  package static func noReplay(_ id: Int) -> StoreProblem {
    StoreProblem("its journal has no replay \(id)", listed)
  }

  package static func notUndoable(_ id: Int, _ reason: Message) -> StoreProblem {
    StoreProblem("replay \(id) cannot be undone: \(reason)", listed)
  }

  private static let listed = "`apnsift store history` lists the replays"

  /// - Parameter reason: the limit.
  package static func stopped(_ reason: Message) -> StoreProblem {
    StoreProblem(
      "the replay was stopped before any change: \(reason)",
      "check app, environment and store, review a --dry-run, then raise the limit")
  }

  package static func refused(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "it refused a row (\(detail)); nothing was changed", "check the table's constraints and triggers")
  }

  package static func failed(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "it failed (\(detail)); nothing was changed",
      "check the disk and the database, then run the command again")
  }

  package static func unsettled(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "the changes are done, but this journal could not be updated (\(detail))",
      "the next replay or undo with it completes it")
  }
}

// MARK: - Servers

extension StoreProblem {
  /// - Parameters:
  ///   - package: in Debian.
  ///   - elsewhere: in other systems.
  package static func noLibrary(_ file: String, package: String, elsewhere: String) -> StoreProblem {
    StoreProblem(
      "the client library \(file) is missing or cannot be loaded",
      "install the package \(package) (elsewhere: \(elsewhere))")
  }

  package static func cannotConnect(_ reason: Message) -> StoreProblem {
    StoreProblem(
      "no connection: \(reason)",
      "check that the server runs, and the URI's host, database, role and password (apnsift does not create databases)"
    )
  }

  package static func connectionLost(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "the connection was lost (\(detail)); nothing was changed",
      "check the server's log, then run the command again")
  }

  package static func uncertain(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "the connection was lost during the commit (\(detail)); whether the changes are done is unknown",
      "run the command again: changes that are already done count as unchanged")
  }

  package static func notPermitted(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "permission denied (\(detail)); nothing was changed",
      "grant the privilege (docs/stores.md, Permissions), or connect as another role")
  }

  package static func readOnlyServer(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "the server is read-only (\(detail)); nothing was changed",
      "name the primary server, or a role and database that may write")
  }

  package static func contended(_ detail: Message) -> StoreProblem {
    StoreProblem(
      "other programs changed the same rows at every attempt (\(detail)); nothing was changed",
      "run the command again when they are done")
  }
}
