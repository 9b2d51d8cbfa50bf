/// A journal in a file of its own, for databases that allow none. It is not part of the transaction that it records:
/// the intent is written before the commit, and the outcome after it.
package struct JournalFile: Sendable {
  private let database: any StoreDatabase
  private static let table = TableMapping(
    table: "apnsift_replays", token: TokenColumn(name: "", form: .bytes), action: .delete)

  /// - Parameter database: is created if it is missing.
  package init(_ database: any StoreDatabase) { self.database = database }
  /// The name in messages.
  package var name: String { database.name }
  package func check() throws { try database.checkWritable(Self.table, creates: true, isRecorded: false) }

  /// Runs `body` on the records of `target`; nil if the file is still to be created. Errors of `body` pass as they are.
  func reading<Result>(of target: String, _ body: (Journal) throws -> Result) throws -> Result? {
    let result = try database.reading(creates: true) { session in
      let journal = Journal(session: session, schema: nil, file: (database, target))
      return try journal.isPresent() ? Swift.Result { try body(journal) } : nil
    }
    return try (result ?? nil)?.get()
  }

  /// Runs `body` in a transaction of the file. Its records are pending until they are settled. Errors of `body` pass as
  /// they are. A transaction of the file has no owner.
  func writing<Result>(of target: String, _ body: (Journal) throws -> Result) throws -> Result {
    var first: (any Error)?
    do {
      return try database.writing(Self.table, for: AppEnvironment(), creates: true) { session in
        let journal = Journal(session: session, schema: nil, file: (database, target))
        try journal.make()
        do { return try body(journal) } catch {
          first = error
          throw error
        }
      }
    } catch { throw first ?? error }
  }

  func settle(_ id: Int, of target: String, wasDone: Bool) throws {
    try database.reportingErrors { try writing(of: target) { try $0.settle(id, wasDone: wasDone) } }
  }
}
