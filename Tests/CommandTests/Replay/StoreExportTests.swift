import Basics
import CommandTestSupport
import Testing

@Suite("store export")
struct StoreExportTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.makeStore([
      StoredToken(token: [0xaa, 1, 2, 3, 4], registeredAt: 1_367_400_600),
      StoredToken(token: [0xbb], invalidatedAt: 1_450_000_000),
      StoredToken(token: [0xcc], registeredAt: 0, invalidatedAt: 1_400_000_000),
    ])
    try directory.makeStore([StoredToken(token: [0xaa])], app: "mail;, \"x\"", environment: "sandbox")
  }

  private func exporting(_ options: [String]) throws -> Outcome {
    try directory.apnsift(["store", "export"] + options)
  }

  static let exports: [(options: [String], text: String)] = [
    (
      [],
      """
      token,registered_at,invalidated_at,app,environment
      aa01020304,2013-05-01T09:30:00Z,,,production
      bb,,2015-12-13T09:46:40Z,,production
      cc,1970-01-01T00:00:00Z,2014-05-13T16:53:20Z,,production
      aa,,,"mail;, ""x""\",sandbox

      """
    ),
    (["--live", "--columns", "token"], "token\naa01020304\naa\n"),
    (
      ["--dead", "--columns", "invalidated_at,token", "--no-header"],
      "2015-12-13T09:46:40Z,bb\n2014-05-13T16:53:20Z,cc\n"
    ),
    (
      ["--environment", "sandbox", "--columns", "app,token", "--delimiter", ";"],
      "app;token\n\"mail;, \"\"x\"\"\";aa\n"
    ),
    (["--app", "com.none"], "token,registered_at,invalidated_at,app,environment\n"),
    (
      [
        "--app", "", "--live", "--no-header", "--token-form", "bracketed-hex", "--time-form", "milliseconds",
        "--columns", "token,registered_at",
      ],
      "<aa010203 04>,1367400600000\n"
    ),
    (
      [
        "--app", "", "--live", "--no-header", "--token-form", "base64", "--time-form",
        "timestamp:Europe/Berlin", "--delimiter", "tab", "--columns", "token,registered_at",
      ], "qgECAwQ=\t2013-05-01 11:30:00\n"
    ),
  ]

  @Test("columns, forms and filters", arguments: exports)
  func export(_ options: [String], _ text: String) throws {
    #expect(try exporting(options).exits(0).text == text)
  }

  @Test("a time that the form cannot represent is reported with its token, and no file is created")
  func impossibleTime() throws {
    try directory.makeStore([StoredToken(token: [0xdd], registeredAt: 1 << 60)])
    try exporting(["-o", "out.csv"]).exits(
      2,
      saying:
        "token dd: its registered_at is \(1 << 60), which the form iso cannot represent: correct the row, "
        + "or choose --time-form seconds")
    #expect(try directory.names == ["tokens.sqlite"])
    #expect(try exporting(["--time-form", "seconds"]).text.contains("dd,1152921504606846976"))
  }

  static let forms: [(token: String, time: String, delimiter: String)] = [
    ("hex", "auto", ","), ("upper-hex", "seconds", ";"), ("spaced-hex", "milliseconds", " "),
    ("bracketed-hex", "iso", "tab"), ("base64", "timestamptz", ","), ("base64", "timestamp", "+"),
    ("hex", "timestamp:America/St_Johns", ":"), ("bytes", "timestamp:Asia/Kolkata", "2"),
  ]

  @Test("what is exported, imported and exported again is the same", arguments: forms)
  func roundTrip(_ token: String, _ time: String, _ delimiter: String) throws {
    var generator = FixedGenerator(seed: 3)
    // No token has 20 bytes.
    let lengths = Array(1...19) + Array(21...70)
    // Summer time begins and ends in March and October: times from May to August are never doubled.
    let rows = (0..<300).map { number in
      StoredToken(
        token: CommandTestSupport.token(number, length: lengths[number % lengths.count]),
        registeredAt: 1_369_000_000 + Int64.random(in: 0...8_000_000, using: &generator))
    }
    try directory.makeStore(rows, in: "first.sqlite")
    let options = ["--token-form", token, "--time-form", time, "--delimiter", delimiter]
    let columns = ["--columns", "token,registered_at"]
    try exporting(["--store", "sqlite:first.sqlite", "-o", "first.csv"] + columns + options).exits(0)
    try directory.apnsift(
      ["store", "import", "first.csv", "--store", "sqlite:second.sqlite", "--create"] + options
    ).exits(0)
    let second = try exporting(["--store", "sqlite:second.sqlite"] + columns + options)
    #expect(second.text == (try directory.text(of: "first.csv")))
    #expect(try directory.storedTokens("second.sqlite") == directory.storedTokens("first.sqlite"))
  }
}
