import Basics
import CommandTestSupport
import Testing

/// Tables of one kind in CSV, NDJSON and Arrow, directories with a table of each kind (docs/formats.md#outputs), and databases
/// (docs/formats.md#sqlite), read with SQLite's own tool.
@Suite("Tables") struct TableTests {
  private let directory = TestDirectory()

  private let session = Repository.path(of: "samples/tls-session.bin")
  private let gateway = Repository.path(of: "samples/captures/gateway.pcap")
  private var inputs: [String] {
    "captures/gateway.pcap cut-tail.bin pushes/httpx-clear-late.pcap pushes/case-channels.pcap".words
      .map { Repository.path(of: "samples/\($0)") }
  }

  static let kinds =
    "feedback requests responses pushes broadcasts channels streams findings tokens inputs".words

  @Test("a directory has the tables that single exports write", arguments: ["csv", "arrow"])
  func directoryOfTables(format: String) throws {
    try directory.apnsift(["export", "-t", format, "-o", "tables/"] + inputs).exits(0)
    let ending = format == "arrow" ? "arrows" : "csv"
    #expect(
      try directory.names(in: "tables") == (Self.kinds.map { "\($0).\(ending)" } + ["summary.json"]).sorted())
    for kind in Self.kinds {
      let one = try directory.apnsift(["export", "-t", format, "--records", kind] + inputs)
      #expect(try directory.bytes(of: "tables/\(kind).\(ending)") == one.output, "\(kind)")
    }
  }

  @Test("lines of JSON have the values of CSV, in the order of --columns") func linesOfJSON() throws {
    let columns = ["stream_offset", "command", "token", "outcome", "outcome_status", "identifier"]
    let options = ["--records", "requests", "--columns", columns.joined(separator: ","), gateway]
    let lines = try directory.apnsift(["export", "-t", "ndjson"] + options).lines
    let csv = try directory.apnsift(["export"] + options)
    #expect(lines.count == csv.rows.count && csv.lines.first == columns.joined(separator: ","))
    for (line, row) in zip(lines, csv.rows) {
      let members = zip(columns, row).map { name, value in
        let isText = name == "token" || name == "outcome"
        return "\"\(name)\":" + (value.isEmpty ? "null" : isText ? "\"\(value)\"" : value)
      }
      #expect(line == "{\(members.joined(separator: ","))}")
    }
  }

  @Test("stream_offset is offset in every kind that has it") func alias() throws {
    for kind in ["feedback", "requests", "responses", "pushes", "findings"] {
      let rows = try directory.apnsift(
        ["export", "--records", kind, "--columns", "offset,stream_offset"] + inputs
      ).rows
      #expect(!rows.isEmpty && rows.allSatisfy { $0.count == 2 && $0[0] == $0[1] }, "\(kind)")
    }
  }

  @Test("a stream of Arrow begins with its schema and ends with its mark, also without rows")
  func arrowFrame() throws {
    for kind in Self.kinds {
      let output = try directory.apnsift("export -t arrow --records \(kind) \(session)".words).exits(0).output
      #expect(output.count % 8 == 0)
      #expect(output.prefix(4) == [0xFF, 0xFF, 0xFF, 0xFF])
      #expect(output.suffix(8) == [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    }
  }

  @Test("a directory with files needs --force, and a failed export leaves none") func occupied() throws {
    try directory.write("x", to: "tables/other.txt")
    let export = ["export", "-o", "tables", session]
    try directory.apnsift(export).exits(2, saying: "tables is not empty")
    #expect(try directory.names(in: "tables") == ["other.txt"])
    try directory.apnsift(export + ["--force"]).exits(0)
    #expect(try directory.names(in: "tables").count == Self.kinds.count + 2)
  }

  // MARK: - SQLite

  @Test("of a database, a table of each kind has the rows of its CSV") func databaseTables() throws {
    try directory.apnsift(["export", "-o", "case.sqlite"] + inputs).exits(0)
    for kind in Self.kinds {
      let csv = try directory.apnsift(["export", "--records", kind] + inputs)
      let columns = try #require(csv.lines.first).split(separator: ",").map { "\"\($0)\"" }
      let select = "SELECT \(columns.joined(separator: ",")) FROM \(kind)"
      let rows = try directory.sqlite("case.sqlite", ".mode csv\n.headers on\n\(select)")
      // The tool quotes other fields than we do, and ends lines with two characters.
      let plain = [rows, csv.text].map { text in
        text.replacing("\r\n", with: "\n").replacing("\"", with: "").split(separator: "\n")
      }
      #expect(csv.lines.count == 1 ? rows.isEmpty : plain[0] == plain[1], "\(kind)")
    }
    #expect(try directory.names == ["case.sqlite"])
  }

  @Test("numbers are integers, times and tokens are texts, from 1970 to 2106") func types() throws {
    let times: [UInt32] = [0, 2_147_483_648, 4_294_967_295]
    try directory.write(feedback(times.map { Tuple($0, Array(repeating: 0xA1, count: 32)) }), to: "dump.bin")
    #expect(try directory.apnsift("export", "dump.bin", "-o", "case.db").code == 0)
    let token = String(repeating: "a1", count: 32)
    let rows = try directory.sqlite(
      "case.db", "SELECT timestamp, typeof(timestamp), time, typeof(token), captured_at IS NULL FROM feedback"
    )
    #expect(
      rows == """
        0|integer|1970-01-01T00:00:00Z|text|1
        2147483648|integer|2038-01-19T03:14:08Z|text|1
        4294967295|integer|2106-02-07T06:28:15Z|text|1
        """)
    let plan = try directory.sqlite(
      "case.db", "EXPLAIN QUERY PLAN SELECT * FROM feedback WHERE token = '\(token)'; PRAGMA integrity_check")
    #expect(plan.contains("USING INDEX feedback_token") && plan.hasSuffix("ok"))
    let facts = "SELECT value FROM manifest WHERE name IN ('schema', 'feedback') ORDER BY name"
    #expect(try directory.sqlite("case.db", facts) == "3\napnsift/1")
    let digest = "SELECT json_extract(value, '$[0].sha256') FROM manifest WHERE name = 'inputs'"
    let sum = try directory.shell("sha256sum dump.bin | cut -c1-64")
    #expect(try directory.sqlite("case.db", digest) == sum.lines.first)
  }

  @Test("--records writes one table of a database, and a filter only its records") func chosen() throws {
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let one = hex(token(1))
    try directory.apnsift("export dump.bin -o case.sqlite3 --records feedback --token \(one)".words).exits(0)
    let tables = "SELECT group_concat(name) FROM sqlite_master WHERE type = 'table'"
    #expect(try directory.sqlite("case.sqlite3", tables) == "manifest,feedback")
    #expect(try directory.sqlite("case.sqlite3", "SELECT token FROM feedback") == one)
  }

  @Test("a database replaces no store and no journal, another file with --force") func stores() throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    try directory.makeStore()
    try directory.sqlite("journal.sqlite", "CREATE TABLE apnsift_replays (id INTEGER)")
    for store in ["tokens.sqlite", "journal.sqlite"] {
      let before = try directory.bytes(of: store)
      try directory.apnsift("export dump.bin --force -o \(store)".words)
        .exits(2, saying: "\(store) is a store of apnsift or its journal")
      #expect(try directory.bytes(of: store) == before)
    }
    try directory.write("no database", to: "old.sqlite")
    try directory.apnsift("export dump.bin -o old.sqlite".words).exits(2)
    try directory.apnsift("export dump.bin -o old.sqlite --force".words).exits(0)
    #expect(try directory.sqlite("old.sqlite", "SELECT count(*) FROM feedback") == "2")
    try directory.write("frames", to: "new.sqlite-wal")
    try directory.apnsift("export dump.bin -o new.sqlite".words)
      .exits(2, saying: "new.sqlite-wal is of another database")
  }

  @Test("a database goes to a file", arguments: ["", "-o -", "-o /dev/null", "-o /dev/stdout", "-o out/"])
  func noFile(_ options: String) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift("export dump.bin -t sqlite \(options)".words)
      .exits(options.contains("/dev") ? 2 : 64)
    #expect(outcome.output.isEmpty && outcome.messages.count >= 1)
    #expect(try directory.names == ["dump.bin"])
  }
}
