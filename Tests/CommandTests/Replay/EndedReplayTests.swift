import Basics
import CommandTestSupport
import Foundation
import PrivateServers
import Testing
import Wording

/// A replay into a server that is killed, or whose connection is ended, leaves the old table or the new one, with the
/// journal to match, and the next run leaves the new one.
@Suite("Replays into a server that end at random moments")
struct EndedReplayTests {
  enum Server: CaseIterable, Sendable { case mariaDB, postgreSQL }

  enum Way: CaseIterable, Sendable { case kill, endConnection }

  static let cases = Server.allCases.flatMap { server in Way.allCases.map { (server, $0) } }

  /// What is said of a connection that ends.
  private static let lost: [StoreError] = [
    .connectionLost(.verbatim("")), .uncertain(.verbatim("")), .cannotConnect(.verbatim("")),
  ]

  @Test("nothing is lost, nothing is half done, the journal knows", arguments: cases)
  func ends(_ one: (server: Server, way: Way)) throws { try end(one, moments: 20, seed: 1) }

  @Test("the same, at many moments", arguments: cases, [2, 3])
  func manyEnds(_ one: (server: Server, way: Way), seed: UInt64) throws {
    try end(one, moments: 50, seed: seed)
  }

  private func end(_ one: (server: Server, way: Way), moments: Int, seed: UInt64) throws {
    let replay = try EndingReplay(one.server)
    let directory = replay.directory
    try replay.reset()
    let before = try replay.table()
    var whole = try replay.poll(directory.start(replay.arguments)) { _, _ in false }
    let after = try replay.table()
    // Half a replay would leave less of its changes.
    let length = try #require(try replay.journal()[1])
    let isComplete = Int(length).map { $0 > 32 * EndingReplay.rows.changed } == true
    #expect(try before != after && replay.journal()[0] == "1" && isComplete)
    #expect(try replay.session.run("SELECT count(*) FROM device_tokens") == [["\(EndingReplay.rows.new)"]])

    var ended = 0
    var generator = FixedGenerator(seed: seed)
    for index in 0..<moments {
      let moment = replay.moment(index, of: whole, &generator)
      try replay.reset()
      let (ending, errors) = try replay.runAndEnd(one.way, at: moment, &whole)
      let found = try replay.table()
      #expect(found == before || found == after, "\(moment)")
      #expect(try replay.journal() == (found == after ? ["1", length] : ["0", "0"]), "\(moment)")
      if ending != .exit(0) { ended += 1 }
      if one.way == .endConnection {
        // A reported failure means that nothing changed, and the other way round.
        #expect(ending == (found == after ? .exit(0) : .exit(2)), "\(moment): \(errors)")
        let says = Self.lost.contains { errors.contains($0.remedy.text) }
        #expect(found == after || says, "\(moment): \(errors)")
      }
      #expect(try directory.apnsift(replay.arguments).code == 0, "\(moment)")
      #expect(try replay.table() == after, "\(moment)")
      #expect(try replay.journal() == [found == after ? "2" : "1", length], "\(moment)")
    }
    #expect(ended >= moments / replay.statements.endedOneOf, "many ends must hit a running replay")
  }

  @Test("a replay in batches continues after each end, with the same entry", arguments: Server.allCases)
  func goesOn(_ server: Server) throws {
    var replay = try EndingReplay(server)
    try replay.reset()
    try #require(try replay.directory.apnsift(replay.arguments).code == 0)
    let after = try replay.table()
    replay.arguments += ["--batch", "50"]
    var ended = 0
    var generator = FixedGenerator(seed: 3)
    for _ in 0..<5 {
      try replay.reset()
      var whole = (polls: 100, writing: 40)
      var ending: Ending?
      while ending != .exit(0) {
        let moment = replay.moment(ended, of: whole, &generator)
        ending = try replay.runAndEnd(.kill, at: moment, &whole).ending
        if ending != .exit(0) { ended += 1 }
        let counts = try replay.session.run(
          """
          SELECT (SELECT count(*) FROM device_tokens WHERE invalidated_at IS NOT NULL),
            (SELECT coalesce(sum(changed_rows), 0) FROM apnsift_replays),
            (SELECT count(*) FROM apnsift_replays WHERE changed_rows > 0)
          """)[0]
        #expect(counts[0] == counts[1] && ["0", "1"].contains(counts[2]), "\(moment): \(counts)")
      }
      #expect(try replay.table() == after)
    }
    #expect(ended > 0)
  }
}

/// A replay of 1500 tokens into a table of 1000 registrations, which has 500 of the tokens.
private struct EndingReplay {
  /// Polls of the server before the replay is ended, from its start, or only while its transaction writes. Polls
  /// alternate with the replay, so no time is measured.
  typealias Moment = (isWriting: Bool, polls: Int)

  /// Rows of the old table; of the new one; that the replay changes.
  static let rows = (old: 1000, new: 2000, changed: 1500)

  let directory = TestDirectory()
  let session: any ServerSession
  let statements: Statements
  var arguments: [String]

  init(_ kind: EndedReplayTests.Server) throws {
    let uri: String
    switch kind {
    case .mariaDB:
      let server = try PrivateMariaDB.shared.get()
      let database = try server.makeDatabase()
      (session, statements) = (try MariaDBSession(server, database: database), .mariaDB)
      uri = server.uri(database)
    case .postgreSQL:
      let server = try PrivatePostgreSQL.shared.get()
      let database = try server.makeDatabase()
      (session, statements) = (try PostgreSQLSession(server, database: database), .postgreSQL)
      uri = server.uri(database)
    }
    arguments = ["replay", "dump.bin", "--store", uri, "--max-invalidate", "100%", "--create"]
    try directory.write(feedback(tuples(Self.rows.changed, from: 500)), to: "dump.bin")
    // Makes the tables; the test writes the rows.
    try #require(try directory.apnsift(arguments).code == 0)
    for statement in statements.makeOld((0..<Self.rows.old).map { hex(token($0)) }) {
      try session.run(statement)
    }
  }

  func reset() throws {
    for statement in statements.reset { try session.run(statement) }
  }

  /// The table as one text.
  func table() throws -> String? { try session.run(statements.table)[0][0] }

  /// How many replays the journal has, and how many bytes of changes.
  func journal() throws -> [String?] {
    try session.run(
      "SELECT (SELECT count(*) FROM apnsift_replays), (SELECT coalesce(sum(length(packed)), 0) FROM apnsift_changes)"
    )[0]
  }

  /// Polls the server until `isDue`, or the replay has ended.
  /// - Parameter isDue: given how many polls there were, and how many while the replay wrote.
  func poll(
    _ child: ChildProcess, until isDue: (_ polls: Int, _ writing: Int) -> Bool
  ) throws -> (polls: Int, writing: Int) {
    var (polls, writing) = (0, 0)
    while !isDue(polls, writing), try !child.hasEnded() {
      polls += 1
      if try session.run("SELECT 1 \(statements.writers)").count > 0 { writing += 1 }
    }
    return (polls, writing)
  }

  /// A moment from before the connection to after the end; every second one is while the replay writes.
  func moment(
    _ index: Int, of whole: (polls: Int, writing: Int), _ generator: inout FixedGenerator
  ) -> Moment {
    let share = Double.random(in: 0...1, using: &generator)
    return index % 2 == 0
      ? (false, Int(Double(whole.polls) * share * 1.1))
      : (true, Int(Double(whole.writing) * share) + 1)
  }

  /// Starts the replay and ends it at `moment`, unless it has ended by then. Returns when the server is done with it.
  /// A run that ended by itself updates the polls of a `whole` one: they change with the load of the machine.
  func runAndEnd(
    _ way: EndedReplayTests.Way, at moment: Moment, _ whole: inout (polls: Int, writing: Int)
  ) throws -> (ending: Ending, errors: String) {
    let null = try Descriptor(opening: "/dev/null", O_RDWR)
    let errors = try Descriptor(opening: directory.path(of: "errors"), O_WRONLY | O_CREAT | O_TRUNC)
    let child = try directory.start(
      Command.path, arguments.map { Array($0.utf8) }, input: null.number, output: null.number,
      errors: errors.number)
    let counts = try poll(child) { (moment.isWriting ? $1 : $0) >= moment.polls }
    if try child.hasEnded() { whole = counts }
    if way == .kill {
      child.send(SIGKILL)
    } else {
      for row in try session.run("SELECT \(statements.key) \(statements.connections)") {
        // It may have ended by itself.
        if let key = row[0] { _ = try? session.run(statements.end(key)) }
      }
    }
    let ending = try child.wait()
    // A COMMIT that was sent is carried out after the client is gone, too.
    try session.wait(until: "SELECT count(*) = 0 \(statements.connections)")
    return (ending, try directory.text(of: "errors"))
  }
}

/// The statements of one kind of server.
private struct Statements: Sendable {
  /// Make the table `old` of tokens in hex.
  var makeOld: @Sendable ([String]) -> [String]
  /// Make `device_tokens` a copy of `old`, and empty the journal.
  var reset: [String]
  /// Reads `device_tokens` as one text.
  var table: String
  /// Connections of apnsift, and those of them that have written.
  var connections: String
  var writers: String
  /// The column by which `end` names a connection.
  var key: String
  var end: @Sendable (String) -> String
  /// One of this many runs, at least, must end early.
  var endedOneOf: Int

  static let mariaDB = Statements(
    makeOld: { tokens in
      let values = tokens.map { "('', 'production', X'\($0)', 1300000000, NULL)" }
      return [
        "SET SESSION group_concat_max_len = 10000000", "CREATE TABLE old LIKE device_tokens",
        "INSERT INTO old VALUES \(values.joined(separator: ","))",
      ]
    },
    reset: ["device_tokens", "apnsift_changes", "apnsift_inputs", "apnsift_replays"]
      .map { "DELETE FROM \($0)" } + ["INSERT INTO device_tokens SELECT * FROM old"],
    table: """
      SELECT md5(group_concat(concat_ws(' ', app, environment, hex(token), coalesce(registered_at, '-'),
        coalesce(invalidated_at, '-')) ORDER BY token)) FROM device_tokens
      """,
    connections: "FROM information_schema.PROCESSLIST WHERE db = database() AND id <> connection_id()",
    writers:
      "FROM information_schema.INNODB_TRX WHERE trx_rows_modified > 0 AND trx_mysql_thread_id <> connection_id()",
    key: "id", end: { "KILL CONNECTION \($0)" }, endedOneOf: 10)

  private static let backends =
    "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'apnsift'"

  static let postgreSQL = Statements(
    makeOld: { tokens in
      let values = tokens.map { "('\\x\($0)'::bytea)" }.joined(separator: ",")
      return [
        """
        CREATE TABLE old AS SELECT '' AS app, 'production' AS environment, token, to_timestamp(1300000000), null::timestamptz
        FROM (VALUES \(values)) AS one (token)
        """
      ]
    },
    reset: [
      "TRUNCATE device_tokens, apnsift_changes, apnsift_inputs, apnsift_replays; INSERT INTO device_tokens TABLE old"
    ],
    table: "SELECT md5(string_agg(one::text, ' ' ORDER BY token)) FROM device_tokens AS one",
    connections: backends, writers: "\(backends) AND backend_xid IS NOT NULL",
    key: "pid", end: { "SELECT pg_terminate_backend(\($0))" }, endedOneOf: 5)
}
