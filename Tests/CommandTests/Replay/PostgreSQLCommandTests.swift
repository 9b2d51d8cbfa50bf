import Basics
import CommandTestSupport
import PrivateServers
import Testing
import Wording

/// The commands on a store of a server.
@Suite("Stores in PostgreSQL")
struct PostgreSQLCommandTests {
  private let directory: TestDirectory
  private let server: PrivatePostgreSQL
  private let database: String
  private let session: PostgreSQLSession
  private let store: String
  /// The store in messages.
  private let name: String

  init() throws {
    directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    server = try PrivatePostgreSQL.shared.get()
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

  @Test("a table is made with --create alone; twice is once; a dry run changes nothing")
  func replay() throws {
    let refused = try apnsift("replay", "dump.bin")
    #expect(refused.code == 2)
    #expect(refused.said(.storeFailed(name, .noTable)) && refused.errors.contains("--create"))
    #expect(try apnsift("replay", "dump.bin", "--create", "--dry-run").code == 0)
    #expect(try session.run("SELECT to_regclass('device_tokens')") == [[nil]])
    let first = try apnsift("replay", "dump.bin", "--create", "--json")
    #expect(first.code == 0, "\(first.errors)")
    #expect(try Evidence.object(first.text)["inserted"] as? Int == 3)
    let second = try Evidence.object(try apnsift("replay", "dump.bin", "--json").text)
    #expect(second["unchanged"] as? Int == 3 && second["inserted"] as? Int == 0)
    let rows = try session.run("SELECT encode(token, 'hex') FROM device_tokens ORDER BY token")
    #expect(rows.map { $0[0] } == (0..<3).map { hex(token($0)) }.sorted())
  }

  @Test("register, show and list as from SQLite")
  func storeCommands() throws {
    let registered = try apnsift("store", "register", "aa", "bb", "--at", "1400000000", "--create")
    #expect(registered.code == 0, "\(registered.errors)")
    #expect(
      registered.said(
        .registrations(in: name, added: 2, revived: 0, raised: 0, unchanged: 0, unknown: 0)))
    #expect(
      try session.run("SELECT count(*) FROM device_tokens WHERE registered_at = to_timestamp(1400000000)")
        == [["2"]])
    try session.run(
      "INSERT INTO device_tokens VALUES ('mail', 'sandbox', '\\xaa', NULL, to_timestamp(1450000000))")
    let listed = try apnsift("store", "list")
    #expect(
      listed.text
        == """
        app,environment,token,registered_at,invalidated_at
        ,production,aa,2014-05-13T16:53:20Z,
        ,production,bb,2014-05-13T16:53:20Z,
        mail,sandbox,aa,,2015-12-13T09:46:40Z

        """)
    let shown = try apnsift("store", "show", "aa", "ee", "--json", "--app", "mail")
    #expect(try Evidence.objects(shown.text).map { $0["environment"] as? String } == ["sandbox"])
    #expect(shown.messages.first == "ee: not in \(name)")
  }

  @Test("history, undo and the brake as in SQLite")
  func journal() throws {
    _ = try apnsift("store", "register", hex(token(0)), "--at", "1000000000", "--create")
    let stopped = try apnsift("replay", "dump.bin", "--max-invalidate", "0")
    #expect(stopped.code == 3 && stopped.said(.limitExceeded(1, ofLive: 1, most: 0)))
    #expect(try apnsift("store", "history", "--json").text == "[]\n")
    #expect(try apnsift("replay", "dump.bin").code == 0)
    let again = try apnsift("replay", "dump.bin", "--dry-run")
    let records = try Evidence.objects(try apnsift("store", "history", "--json").text)
    #expect(records.map { $0["inserted"] as? Int } == [2])
    let number = records.first?["id"] as? Int ?? 0
    let id = String(number)
    #expect(again.said(.about("dump.bin", .alreadyReplayed(by: number))))
    #expect(parseCSV(try apnsift("store", "history", id).text).count == 4)
    let undone = try apnsift("store", "undo", id)
    let restored = Message.undid(
      number, of: name, as: number + 1, restored: 3, skipped: 0, reasons: [])
    #expect(undone.code == 0 && undone.said(restored), "\(undone.errors)")
    #expect(
      try session.run("SELECT encode(token, 'hex'), invalidated_at FROM device_tokens") == [
        [hex(token(0)), nil]
      ])
    #expect(try apnsift("store", "undo", id).code == 2)
  }

  @Test("a role that may only read the table makes dry runs, and learns what a replay would lack")
  func reader() throws {
    #expect(try apnsift("replay", "dump.bin", "--create").code == 0)
    let role = "reader_\(database)"
    try session.run("CREATE ROLE \(role) LOGIN")
    defer { _ = try? session.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try session.run("GRANT SELECT ON device_tokens TO \(role)")
    try directory.write(feedback(tuples(4)), to: "dump.bin")
    let arguments = ["replay", "dump.bin", "--store", name.replacing("postgres@", with: "\(role)@")]
    let outcome = try directory.apnsift(arguments + ["--dry-run"])
    #expect(outcome.code == 0 && outcome.text.contains("inserted    1"), "\(outcome.errors)")
    #expect(outcome.errors.contains("inputs that were replayed before are not known: permission denied"))
    #expect(outcome.errors.contains("the replay would be refused: permission denied (it lacks INSERT on"))
    let refused = try directory.apnsift(arguments)
    #expect(refused.code == 2 && refused.errors.contains("it lacks INSERT on public.device_tokens"))
  }

  @Test("PG* variables fill in what the URI leaves open")
  func variables() throws {
    try session.run("SELECT 1")
    let parts = store.split(separator: "?host=")
    let database = parts[0].split(separator: "/").last.map(String.init) ?? ""
    let outcome = try directory.apnsift(
      ["replay", "dump.bin", "--store", "postgres:", "--create"],
      environment: ["PGHOST": server.directory, "PGDATABASE": database, "PGUSER": "postgres"])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(try session.run("SELECT count(*) FROM device_tokens") == [["3"]])
  }

  @Test("a server that is not there, and a URI that cannot be read")
  func errors() throws {
    let absent = try directory.apnsift("store", "list", "--store", "postgres://me:secret@/db?host=/nowhere")
    #expect(absent.code == 2)
    #expect(absent.errors.contains("postgresql://me@/db?host=/nowhere: ") && !absent.errors.contains("\t"))
    #expect(absent.said(StoreError.cannotConnect(.verbatim("")).message))
    let unreadable = try directory.apnsift("store", "list", "--store", "postgres://h/db?nothing=secret")
    #expect(unreadable.code == 64)
    #expect(!absent.errors.contains("secret") && !unreadable.errors.contains("secret"))
  }
}
