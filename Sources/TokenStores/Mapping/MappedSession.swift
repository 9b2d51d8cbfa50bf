/// A database that holds a table of others.
package protocol MappedDatabase: Sendable {
  associatedtype Session: MappedSession

  /// As messages name it.
  var name: String { get }

  /// As of `TokenStore.check`.
  /// - Parameter isRecordedHere: whether the journal is to be in this database.
  func check(for use: StoreUse, isRecordedHere: Bool) throws

  /// Runs `body` on one moment of the database. It may make temporary tables, and nothing else.
  func reading<Result>(_ body: (Session) throws -> Result) throws -> Result

  /// Runs `body` in a transaction that is committed only if it returns, while no other apnsift writes rows of `owner`.
  /// Where the database gives way to others, all is done again.
  func writing<Result>(for owner: AppEnvironment, _ body: (Session) throws -> Result) throws -> Result

  /// Gives errors of the database and faults the store's name; those of the caller pass.
  func reportingFaults<Result>(_ body: () throws -> Result) throws -> Result
}

/// Runs statements in a transaction.
package protocol SQLSession: AnyObject {
  var words: SQLWords { get }

  /// Runs one statement; returns how many rows it wrote. Parameters are numbered from 1, and need not occur.
  @discardableResult
  func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int

  /// Visits the rows of a query.
  func visit(_ sql: String, _ parameters: [SQLValue], _ body: ([SQLValue]) throws -> Void) throws

  /// Adds rows to a table, each with a value for every one of `columns`.
  func fill(_ table: String, _ columns: [String], _ rows: (_ add: ([SQLValue]) throws -> Void) throws -> Void)
    throws
}

/// A transaction on a table of others.
package protocol MappedSession: SQLSession {
  /// What was found of the table. The mapping fits it: else there would be no session.
  var table: MappedTable { get }

  /// Makes the temporary table `apnsift_staged (token, time)`, of bytes and UNIX seconds, with each token once and its
  /// latest time.
  /// - Parameter areDistinct: whether the source has each token once.
  /// - Returns: how many tokens the source had.
  func stage(_ tokens: TimedTokens, areDistinct: Bool) throws -> Int

  /// Puts removed rows back; `wholes` is a query for what `MappedDeath.removal` gave of them.
  /// - Returns: how many.
  func restore(wholes: String) throws -> Int

  /// The journal of this database; nil where there is none yet and `makes` is false.
  func journal(makes: Bool) throws -> (any MappedJournal)?
}

/// Where replays of mapped tables are recorded: the tables of any journal, and a table of changed rows.
package protocol MappedJournal: AnyObject {
  /// Runs statements where the journal is.
  var session: any SQLSession { get }
  /// The table of changed rows, as statements name it; its columns are `RowChange.columns`.
  var rowChanges: String { get }

  func record(
    _ entry: JournalEntry, of owner: AppEnvironment, counts: ReplayCounts, undoes: Int?
  ) throws -> Int

  func records() throws -> [JournalRecord]

  /// The last replay for `owner` by the mapping that stands and had an input of that SHA-256.
  func replay(ofInput sha256: String, for owner: AppEnvironment, mapping: String?) throws -> Int?
}

/// A journal in a file of its own, for databases that take none. It is not part of the transaction that it records: so
/// what is about to be done is written down before the commit, and what came of it after.
package protocol JournalFile: Sendable {
  /// As messages name it.
  var name: String { get }

  func check() throws

  /// Runs `body` on what the file says of `store`; nil where it is still to be made.
  func reading<Result>(of store: String, _ body: (any MappedJournal) throws -> Result) throws -> Result?

  /// Runs `body` in a transaction of the file. What it records is pending until `settle`.
  func writing<Result>(of store: String, _ body: (any MappedJournal) throws -> Result) throws -> Result

  /// Replays and undos of which nobody wrote down what came of them.
  func pending(of store: String) throws -> [Int]

  /// Writes down that `id` was done; or forgets it, as it was not.
  func settle(_ id: Int, wasDone: Bool) throws
}
