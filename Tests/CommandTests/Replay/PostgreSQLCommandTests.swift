import Basics
import CommandTestSupport
import PrivateServers
import Testing
import Wording

/// The commands on a store of a server: what they do is the business of SQLite's tests and of EveryStoreTests.
@Suite("Stores in PostgreSQL")
struct PostgreSQLCommandTests {
  private let directory = TestDirectory()
  private let database: String
  private let session: PostgreSQLSession
  private let store: String
  /// The store in messages.
  private let name: String

  init() throws {
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let server = try PrivatePostgreSQL.shared.get()
    database = try server.makeDatabase()
    session = try PostgreSQLSession(server, database: database)
    store = server.uri(database, user: "postgres:secret")
    name = server.uri(database)
  }

  /// Runs the command; whatever it says, it says without the password.
  private func apnsift(_ arguments: String...) throws -> Outcome {
    let outcome = try directory.apnsift(arguments + ["--store", store])
    #expect(!outcome.errors.contains("secret") && !outcome.text.contains("secret"))
    return outcome
  }

  @Test("a table is made with --create alone; a dry run makes none")
  func create() throws {
    try apnsift("replay", "dump.bin").exits(2, saying: .storeFailed(name, .noTable))
    #expect(try apnsift("replay", "dump.bin", "--create", "--dry-run").code == 0)
    #expect(try session.run("SELECT to_regclass('device_tokens')") == [[nil]])
    try apnsift("replay", "dump.bin", "--create", "--json").json(["inserted": 3])
    let rows = try session.run("SELECT encode(token, 'hex') FROM device_tokens ORDER BY token")
    #expect(rows.map { $0[0] } == (0..<3).map { hex(token($0)) }.sorted())
  }

  @Test("a role that may only read the table makes dry runs, and learns what a replay would lack")
  func reader() throws {
    #expect(try apnsift("replay", "dump.bin", "--create").code == 0)
    let role = "reader_\(database)"
    try session.run("CREATE ROLE \(role) LOGIN; GRANT SELECT ON device_tokens TO \(role)")
    try session.run("CREATE POLICY p ON device_tokens USING (true)")
    try session.run("ALTER TABLE device_tokens ENABLE ROW LEVEL SECURITY")
    defer { _ = try? session.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try directory.write(feedback(tuples(4)), to: "four.bin")
    let arguments = ["replay", "four.bin", "--store", name.replacing("postgres@", with: "\(role)@")]
    let outcome = try directory.apnsift(arguments + ["--dry-run"]).exits(0)
    #expect(outcome.text.contains("inserted    1") && outcome.errors.contains("may hide rows from this role"))
    #expect(outcome.errors.contains("were replayed before are not known: permission denied"))
    #expect(outcome.errors.contains("the replay would be refused: permission denied (it lacks INSERT on"))
    try directory.apnsift(arguments).exits(2, saying: "it lacks INSERT on public.device_tokens")
  }

  @Test("a list that is replayed in batches names what it leaves, as one in a transaction does")
  func listInBatches() throws {
    #expect(try apnsift("replay", "dump.bin", "--create", "--dry-run", "-o", "rows.csv").code == 0)
    try apnsift("store", "register", hex(token(0)), "--at", "2020-01-01", "--create").exits(0)
    for options in [["--dry-run"], ["--batch", "1"]] {
      let outcome = try directory.apnsift(["replay", "rows.csv", "--store", store] + options).exits(0)
      #expect(outcome.errors.contains("1 row of the list is not changed"), "\(outcome.errors)")
      #expect(outcome.errors.contains("\(hex(token(0))) (kept)"), "\(outcome.errors)")
    }
    #expect(try session.run("SELECT count(invalidated_at) FROM device_tokens") == [["2"]])
  }
}
