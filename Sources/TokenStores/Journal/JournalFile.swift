/// A journal in a file of its own, for databases that take none. It is not part of the transaction that it records: so what
/// is about to be done is written down before the commit, and what came of it after.
package struct JournalFile: Sendable {
  private let database: any StoreDatabase
  /// A transaction of the file is nobody's in particular.
  private static let nobody = AppEnvironment()
  private static let table = TableMapping(
    table: "apnsift_replays", token: TokenColumn(name: "", form: .bytes), action: .delete)

  /// - Parameter database: which is made if missing.
  package init(_ database: any StoreDatabase) { self.database = database }

  /// As messages name it.
  package var name: String { database.name }

  package func check() throws {
    try database.checkWritable(Self.table, creates: true, isRecorded: false)
  }

  /// Runs `body` on what the file says of `place`; nil where it is still to be made.
  func reading<Result>(of place: String, _ body: (Journal) throws -> Result) throws -> Result? {
    try database.reading(creates: true) { session in
      let journal = Journal(session: session, schema: nil, place: place)
      return try journal.isPresent() ? body(journal) : nil
    } ?? nil
  }

  /// Runs `body` in a transaction of the file. What it records is pending until it is settled.
  func writing<Result>(of place: String, _ body: (Journal) throws -> Result) throws -> Result {
    try database.writing(Self.table, for: Self.nobody, creates: true) { session in
      let journal = Journal(session: session, schema: nil, place: place)
      try journal.make()
      return try body(journal)
    }
  }
}
