import Basics
import CommandTestSupport
import TestSupport
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

  @Test(
    "columns, forms and filters",
    arguments: Fixtures.rows("exports", in: "command-cases") as [([String], String)])
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
