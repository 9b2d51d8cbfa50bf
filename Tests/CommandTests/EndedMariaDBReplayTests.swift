import Foundation
import Platform
import PrivateMariaDB
import Testing

/// A replay into MariaDB that is killed, or whose connection is, leaves the old table or the new one, with
/// the journal to match, and the next run leaves the new one.
@Suite("Replays into MariaDB that end at random moments")
struct EndedMariaDBReplayTests {
  enum Way: CaseIterable, Sendable {
    case kill
    case killConnection
  }

  /// What is counted until the end comes: questions to the server, from the start of the run, or only while the
  /// replay's transaction writes. The questions take turns with the run, so no time is measured.
  private enum Moment {
    case sinceStart(Int)
    case writing(Int)
  }

  /// Four runs of the test, so 200 in all.
  private static let moments = 50
  /// Rows of the old table; of the new one; that the replay changes.
  private static let rows = (old: 1000, new: 2000, changed: 1500)

  private let directory: TestDirectory
  private let session: MariaDBSession
  private let arguments: [String]

  /// A table of 1000 registrations, and a dump of 1500 tokens, 500 of which are in the table.
  init() throws {
    directory = try TestDirectory()
    let server = try PrivateMariaDB.shared.get()
    let database = try server.makeDatabase()
    session = try MariaDBSession(server, database: database)
    arguments = [
      "replay", "dump.bin", "--store", server.uri(database), "--max-invalidate", "100%", "--create",
    ]
    try directory.write(feedback(tuples(Self.rows.changed, from: 500)), to: "dump.bin")
    // Makes the tables; the rows are the tests' own.
    try #require(try directory.apnsift(arguments).code == 0)
    let values = (0..<Self.rows.old).map { "('', 'production', X'\(hex(token($0)))', 1300000000, NULL)" }
    try session.run("SET SESSION group_concat_max_len = 10000000")
    try session.run("CREATE TABLE old LIKE device_tokens")
    try session.run("INSERT INTO old VALUES \(values.joined(separator: ","))")
  }

  private func reset() throws {
    for table in ["device_tokens", "apnsift_changes", "apnsift_inputs", "apnsift_replays"] {
      try session.run("DELETE FROM \(table)")
    }
    try session.run("INSERT INTO device_tokens SELECT * FROM old")
  }

  /// The table as one text.
  private func table() throws -> String? {
    try session.run(
      """
      SELECT md5(group_concat(concat_ws(' ', app, environment, hex(token), coalesce(registered_at, '-'),
        coalesce(invalidated_at, '-')) ORDER BY token)) FROM device_tokens
      """)[0][0]
  }

  /// How many replays the journal has, and how many bytes of changes.
  private func journal() throws -> [String?] {
    try session.run(
      "SELECT (SELECT count(*) FROM apnsift_replays), (SELECT coalesce(sum(length(packed)), 0) FROM apnsift_changes)"
    )[0]
  }

  private static let connections =
    "FROM information_schema.PROCESSLIST WHERE db = database() AND id <> connection_id()"
  /// Those of them that have written.
  private static let writers =
    "FROM information_schema.INNODB_TRX WHERE trx_rows_modified > 0 AND trx_mysql_thread_id <> connection_id()"

  /// Asks until `isDue` says of the questions so far, and of those while the replay wrote, that it is time, or the
  /// replay has ended.
  private func ask(
    _ child: ChildProcess, until isDue: (_ asked: Int, _ writing: Int) -> Bool
  ) throws -> (asked: Int, writing: Int) {
    var (asked, writing) = (0, 0)
    while !isDue(asked, writing), try !child.hasEnded() {
      asked += 1
      if try session.run("SELECT 1 \(Self.writers)").count > 0 { writing += 1 }
    }
    return (asked, writing)
  }

  /// A moment from before the connection to after the end; every second one lies where the replay writes.
  private func moment(
    _ index: Int, of whole: (asked: Int, writing: Int), _ generator: inout FixedGenerator
  ) -> Moment {
    let share = Double.random(in: 0...1, using: &generator)
    return index % 2 == 0
      ? .sinceStart(Int(Double(whole.asked) * share * 1.1)) : .writing(Int(Double(whole.writing) * share) + 1)
  }

  /// Starts the replay and ends it at `moment`, unless it has ended by then. Returns when the server is done with it.
  /// A run that ended by itself renews the counts of a `whole` one: they change with what else the machine does.
  private func runAndEnd(
    _ way: Way, at moment: Moment, _ whole: inout (asked: Int, writing: Int)
  ) throws -> (ending: Ending, errors: String) {
    let null = try Descriptor(opening: "/dev/null", O_RDWR)
    let errors = try Descriptor(opening: directory.path(of: "errors"), O_WRONLY | O_CREAT | O_TRUNC)
    let child = try directory.start(
      Command.path, arguments.map { Array($0.utf8) }, input: null.number, output: null.number,
      errors: errors.number)
    let counts = try ask(child) { asked, writing in
      switch moment {
      case .sinceStart(let count): asked >= count
      case .writing(let count): writing >= count
      }
    }
    if try child.hasEnded() { whole = counts }
    switch way {
    case .kill: child.send(SIGKILL)
    case .killConnection:
      for row in try session.run("SELECT id \(Self.connections)") {
        // It may have ended by itself.
        if let id = row[0] { _ = try? session.run("KILL CONNECTION \(id)") }
      }
    }
    let ending = try child.wait()
    // A COMMIT that was sent is carried out for a client that is gone, too.
    try session.wait(until: "SELECT count(*) = 0 \(Self.connections)")
    return (ending, try directory.text(of: "errors"))
  }

  @Test("nothing is lost, nothing is half done, the journal knows", arguments: Way.allCases, [1, 2])
  func ends(way: Way, seed: Int) throws {
    try reset()
    let before = try table()
    var whole = try ask(directory.start(arguments)) { _, _ in false }
    let after = try table()
    // Half a replay would leave less of its changes.
    let length = try #require(try journal()[1])
    #expect(
      try before != after && journal()[0] == "1" && Int(length).map { $0 > 32 * Self.rows.changed } == true)
    #expect(try session.run("SELECT count(*) FROM device_tokens") == [["\(Self.rows.new)"]])

    var ended = 0
    var generator = FixedGenerator(seed: UInt64(seed))
    for index in 0..<Self.moments {
      let moment = moment(index, of: whole, &generator)
      try reset()
      let (ending, errors) = try runAndEnd(way, at: moment, &whole)
      let found = try table()
      #expect(found == before || found == after, "\(moment)")
      #expect(try journal() == (found == after ? ["1", length] : ["0", "0"]), "\(moment)")
      if ending != .exit(0) { ended += 1 }
      if way == .killConnection {
        // Who is told of a failure can rely on it, and the other way round.
        #expect(ending == (found == after ? .exit(0) : .exit(2)), "\(moment): \(errors)")
        let says = ["the connection was lost", "no connection"].contains { errors.contains($0) }
        #expect(found == after || says, "\(moment): \(errors)")
      }
      #expect(try directory.apnsift(arguments).code == 0, "\(moment)")
      #expect(try table() == after, "\(moment)")
      #expect(try journal() == [found == after ? "2" : "1", length], "\(moment)")
    }
    #expect(ended >= Self.moments / 10, "many ends must come to a running replay")
  }
}
