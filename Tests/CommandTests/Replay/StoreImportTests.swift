import Basics
import CommandTestSupport
import TestSupport
import Testing
import Wording

@Suite("store import")
struct StoreImportTests {
  private let directory = TestDirectory()

  private func importing(_ text: String, _ options: [String] = []) throws -> Outcome {
    try directory.write(text, to: "list.csv")
    return try run(["list.csv"] + options)
  }

  private func run(_ arguments: [String], input: StandardInput = .nothing) throws -> Outcome {
    try directory.apnsift(
      ["store", "import", "--store", "sqlite:tokens.sqlite", "--create"] + arguments, input: input)
  }

  /// Rows as `aa 1400000000`; a time that is missing as `-`.
  private func rows(app: String = "", environment: String = "production") throws -> [String] {
    guard directory.exists("tokens.sqlite") else { return [] }
    return try directory.storedTokens(app: app, environment: environment).map {
      "\(hex($0.token)) \($0.registeredAt.map { String($0) } ?? "-")"
    }
  }

  @Test(
    "files of all kinds",
    arguments: Fixtures.rows("imports", in: "command-cases") as [(String, [String], [String])])
  func reads(_ text: String, _ options: [String], _ expected: [String]) throws {
    let outcome = try importing(text, options)
    #expect(outcome.code == (options.contains("--skip-invalid") ? 2 : 0), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(try rows() == expected)
  }

  private static let digits = "18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0"
  private func importing(case name: String, _ options: [String] = []) throws -> Outcome {
    let path = Repository.path(of: "Tests/Fixtures/cases/public/\(name)")
    return try run([path, "--token-column", "device", "--registered-column", "last_seen"] + options)
  }

  @Test("psql writes bytea with a backslash and an x")
  func bytea() throws {
    #expect(try importing(case: "bytea.csv").code == 0)
    #expect(try rows() == ["\(Self.digits) 1367400600"])
  }

  @Test("ids of devices are no tokens")
  func deviceIDs() throws {
    let ids = [
      "5513e3eabba6d75402c1c34c7365c6fac0102458", "18d6e1cac2a8adaf25577cca14db7753507f4f03",
      "98ce94b2b196906ca4859e068b8ef92e6de9e641",
    ]
    let problems = ids.enumerated().map { Self.located(.deviceID($1, column: "device"), $0 + 2, 1) }
    let name = Repository.path(of: "Tests/Fixtures/cases/public/device-ids.csv")
    let failed = try importing(case: "device-ids.csv")
    #expect(failed.code == 2 && failed.messages == [Message.nothingImported(name, problems[0]).text])
    let skipped = try importing(case: "device-ids.csv", ["--skip-invalid"])
    #expect(skipped.code == 2 && skipped.errors.contains("; 3 invalid rows skipped"))
    #expect(skipped.messages.dropLast() == problems.map { "\(name): \($0); row skipped" }[...])
    #expect(try rows().isEmpty)
  }

  private static func located(_ problem: Message, _ line: Int, _ column: Int? = nil) -> Message {
    .located(problem, line: line, column: column)
  }

  private static func header(_ column: String, of header: [String]) -> Message {
    let option = column == "token" ? "--token-column" : "--registered-column"
    return located(.headerWithout(column, option: option, header: header), 1)
  }

  static let headerErrors: [(text: String, options: [String], problem: Message)] = [
    ("", [], header("token", of: [])), ("device,at\naa,1\n", [], header("token", of: ["device", "at"])),
    ("token,at\naa,1\n", ["--registered-column", "since"], header("since", of: ["token", "at"])),
    (
      "token,token\naa,1\n", [],
      located("two columns have the name token: rename one, or choose another with --token-column", 1)
    ),
    ("\"token\"x,registered_at\n", [], located(.textAfterQuote, 1, 8)),
    (
      "token,failed_at\naa,1\n", [],
      located(
        "expected the column registered_at, found failed_at, perhaps since when tokens are invalid: replay "
          + "reads such lists; --registered-column or --at says when they were registered", 1)
    ),
    ("n,token,registered_at\n\"a\nb\",aa,1\n,zz,2\n", [], located(.notAToken("zz"), 4, 2)),
    // Where the structure is lost, --skip-invalid does not help.
    ("x\n", ["--skip-invalid"], header("token", of: ["x"])),
  ]

  /// What follows the header line, and where the error is.
  private static let errorsOfRows: [(text: String, options: [String], problem: Message)] = [
    ("aa,1\nzz,2\n", [], located(.notAToken("zz"), 3, 1)),
    ("aa,1\nabc,2\n", [], located(.notAToken("abc"), 3, 1)), (",2\n", [], located(.notAToken(""), 2, 1)),
    ("aa,1\n\"x\ny\",2\n", [], located(.notAToken("x\ny"), 3, 1)),
    (
      "GNbhysKora8lV3zKFNt3U1B/TwM=,1\n", ["--token-form", "base64"],
      located(.deviceID("18d6e1cac2a8adaf25577cca14db7753507f4f03", column: "token"), 2, 1)
    ),
    ("aa,soon\n", [], located(.notARegistrationTime("soon"), 2, 4)),
    ("aa,-1\n", [], located(.notARegistrationTime("-1"), 2, 4)),
    ("aa,4294967296\n", [], located(.notARegistrationTime("4294967296"), 2, 4)),
    (
      "aa,2106-02-08\n", ["--time-form", "iso"],
      located(.notARegistrationTime("2106-02-08", form: "iso", example: "2013-05-01T09:30:00Z"), 2, 4)
    ),
    (
      "aa,1367400600\n", ["--time-form", "milliseconds"],
      located(
        .notARegistrationTime("1367400600", form: "milliseconds", example: "1367400600000"), 2, 4)
    ),
    ("Cg=,1\n", ["--token-form", "base64"], located(.notAToken("Cg="), 2, 1)),
    ("aa\n", [], located(.wrongFieldCount(1, expected: 2), 2, 1)),
    ("aa,1,\n", [], located(.wrongFieldCount(3, expected: 2), 2, 1)),
    ("\"aa\"b,1\n", [], located(.textAfterQuote, 2, 5)), ("aa,1\nbb,\"2\n", [], located(.openQuote, 3, 4)),
    ("bb,1\naa,\"1\n", ["--skip-invalid"], located(.openQuote, 3, 4)),
    (
      "\"" + String(repeating: "a\n", count: 600_000), [],
      located(
        "the record is longer than 1.0 MiB: expected one record in each line, and a closing quote", 2, 1)
    ),
    (String(repeating: ",", count: 1_200_000), [], located(.lineTooLong(limit: 1 << 20), 2)),
  ]

  static let rowErrors = errorsOfRows.map { ("token,registered_at\n" + $0.text, $0.options, $0.problem) }

  @Test("an error names file, line and column, and nothing is imported", arguments: headerErrors + rowErrors)
  func refuses(_ text: String, _ options: [String], _ problem: Message) throws {
    try directory.makeStore()
    let outcome = try importing(text, options).exits(2, saying: .nothingImported("list.csv", problem))
    #expect(outcome.errors.utf8.count < 1000)
    #expect(try rows().isEmpty)
  }

  @Test("--skip-invalid skips invalid rows, reports the first ten and counts the others")
  func skipInvalid() throws {
    let bad = (0..<12).map { "zz\($0),1\n" }.joined()
    let text = "token,registered_at\naa,1\n" + bad + "\"bb\"x,\"1\ncc,soon\ndd,4\nee,\n"
    let outcome = try importing(text, ["--skip-invalid"]).exits(2)
    #expect(try rows() == ["aa 1", "dd 4"])
    let skipped = (0..<10).map { number in
      "list.csv: \(Self.located(.notAToken("zz\(number)"), number + 3, 1)); row skipped"
    }
    let registrations = Message.registrations(
      in: "sqlite:tokens.sqlite", added: 2, revived: 0, raised: 0, unchanged: 0, unknown: 0)
    let last = Message.imported(registrations, skipped: 14, untimed: 1).text
    #expect(outcome.messages == skipped + ["skipped 4 rows more", last])
  }

  @Test("several files are one transaction, and belong to the owner that was named")
  func severalFiles() throws {
    try directory.write("token,registered_at\naa,1\n", to: "one.csv")
    try directory.write("registered_at,token\n2,bb\n", to: "two.csv")
    try directory.write("registered_at,token\n2,zz\n", to: "bad.csv")
    let owner = ["--app", "mail", "--environment", "sandbox"]
    try run(owner + ["one.csv", "bad.csv", "two.csv"]).exits(
      2, saying: .nothingImported("bad.csv", Self.located(.notAToken("zz"), 2, 3)))
    try run(owner + ["one.csv", "-"], input: .file("two.csv")).exits(0)
    #expect(try rows(app: "mail", environment: "sandbox") == ["aa 1", "bb 2"])
    #expect(try rows().isEmpty)
  }

  @Test("tokens without any time are registered now")
  func now() throws {
    let before = try #require(Int64(try directory.sqlite("clock", "SELECT unixepoch()")))
    #expect(try importing("token\naa\n").code == 0)
    let time = try #require(try directory.storedTokens().first?.registeredAt)
    #expect(time >= before && time < before + 3600)
  }

  @Test("columns that say whose a token is, or that it is invalid, are ignored with a message")
  func ignoredColumns() throws {
    let lists = [
      (
        "app,environment,token,registered_at,invalidated_at\na,sandbox,aa,1,2\n", [],
        "app, environment, invalidated_at"
      ),
      ("token,Failed-At\naa,2\n", ["--at", "1"], "Failed-At"),
    ]
    for (text, options, names) in lists {
      let note = "list.csv: ignored columns: \(names); each row registers a token of production"
      #expect(try importing(text, options).exits(0).messages.first == note)
      #expect(try rows() == ["aa 1"])
    }
  }

  @Test("a times column of another name is missed, unless the time is given")
  func otherTimesColumn() throws {
    let note = Message.registeredNow("list.csv", without: "registered_at").text
    #expect(try importing("token,updated_at\naa,1\n").errors.contains(note))
    for (text, options) in [("token,updated_at\naa,1\n", ["--at", "7"]), ("token\naa\n", [])] {
      #expect(try !importing(text, options).exits(0).errors.contains(note))
    }
  }
}
