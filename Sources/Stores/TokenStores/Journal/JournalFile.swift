/// A journal in a file of its own, for databases that allow none. It is not part of the transaction that it records:
/// the intent is written before the commit, and the outcome after it.
package struct JournalFile: Sendable {
  private let database: any StoreDatabase
  /// A transaction of the file has no owner.
  private static let noOwner = AppEnvironment()
  private static let table = TableMapping(
    table: "apnsift_replays", token: TokenColumn(name: "", form: .bytes), action: .delete)

  /// - Parameter database: is created if it is missing.
  package init(_ database: any StoreDatabase) { self.database = database }

  /// The name in messages.
  package var name: String { database.name }

  package func check() throws {
    try database.checkWritable(Self.table, creates: true, isRecorded: false)
  }

  /// Runs `body` on the records of `target`; nil if the file is still to be created.
  func reading<Result>(of target: String, _ body: (Journal) throws -> Result) throws -> Result? {
    try database.reading(creates: true) { session in
      let journal = Journal(session: session, schema: nil, target: target)
      return try journal.isPresent() ? body(journal) : nil
    } ?? nil
  }

  /// Runs `body` in a transaction of the file. Its records are pending until they are settled.
  func writing<Result>(of target: String, _ body: (Journal) throws -> Result) throws -> Result {
    try database.writing(Self.table, for: Self.noOwner, creates: true) { session in
      let journal = Journal(session: session, schema: nil, target: target)
      try journal.make()
      return try body(journal)
    }
  }
}
