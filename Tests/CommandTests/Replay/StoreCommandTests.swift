import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("store register, show and list")
struct StoreCommandTests {
  private let directory = TestDirectory()

  private func register(_ arguments: [String], input: StandardInput = .nothing) throws -> Outcome {
    try directory.apnsift(["store", "register"] + arguments, input: input)
  }

  /// TokenTextTests has all spellings.
  @Test("tokens as arguments, as people copy them")
  func registerArguments() throws {
    for (number, spelling) in [hex(token(1)).uppercased(), "<\(hex(token(1)))>", Base64.text(of: token(1))]
      .enumerated()
    {
      let outcome = try register([spelling, "--at", String(1_400_000_000 + number)])
      #expect(outcome.code == 0 && outcome.output.isEmpty, "\(spelling): \(outcome.errors)")
    }
    #expect(try directory.storedTokens() == [StoredToken(token: token(1), registeredAt: 1_400_000_002)])
  }

  @Test(
    "what is no token is named, and nothing is registered",
    arguments: [("zz", Message.verbatim("tokens are hex, ")), (udid, .deviceID(udid))])
  func registerNoToken(_ argument: String, _ problem: Message) throws {
    try register([hex(token(1)), argument, "--create"]).exits(64, saying: problem)
    #expect(!directory.exists("tokens.sqlite"))
  }

  static let udid = "5513e3eabba6d75402c1c34c7365c6fac0102458"

  /// What a registration does is ReplayRuleTests' business.
  @Test("the message counts what registrations did")
  func registration() throws {
    try directory.makeStore([
      StoredToken(token: [0xaa], registeredAt: 40), StoredToken(token: [0xbb], registeredAt: 60),
      StoredToken(token: [0xcc], invalidatedAt: 50),
    ])
    let counts = Message.registrations(
      in: "sqlite:tokens.sqlite", added: 1, revived: 1, raised: 1, unchanged: 1, unknown: 0)
    #expect(
      try register(["aa", "bb", "cc", "dd", "--at", "50"]).messages == [Message.registered(counts).text])
    #expect(try directory.storedTokens().map(\.registeredAt) == [50, 60, 50, 50])
    #expect(try directory.storedTokens().allSatisfy { $0.invalidatedAt == nil })
  }

  @Test("a CSV file or standard input: seconds, RFC 3339, empty is now", arguments: ["list.csv", "-"])
  func registerCSV(_ name: String) throws {
    let text = "token,registered_at\r\naa,1400000000\n\"bb\",2013-05-01T11:30:00+02:00\n\ncc,\ndd"
    try directory.write("\u{feff}" + text, to: "list.csv")
    let before = try directory.sqlite("clock", "SELECT unixepoch()")
    try register(["--csv", name, "--app", "mail"], input: .file("list.csv")).exits(0)
    let rows = try directory.storedTokens(app: "mail")
    #expect(rows.map { hex($0.token) } == ["aa", "bb", "cc", "dd"])
    #expect(rows.prefix(2).map(\.registeredAt) == [1_400_000_000, 1_367_400_600])
    let now = try #require(Int64(before))
    #expect(
      rows.suffix(2).allSatisfy { ($0.registeredAt ?? 0) >= now && ($0.registeredAt ?? 0) < now + 3600 })
  }

  /// What can be wrong is StoreImportTests' business.
  @Test("a bad line names file and line, and nothing is registered")
  func badCSV() throws {
    try directory.makeStore()
    try directory.write("token,registered_at\naa,1\nzz,2\n", to: "list.csv")
    let message = Message.nothingImported("list.csv", .located(.notAToken("zz"), line: 3, column: 1))
    #expect(try register(["--csv", "list.csv"]).exits(2).messages == [message.text])
    #expect(try directory.storedTokens().isEmpty)
  }

  @Test("a list that is missing, a directory, or no list", arguments: ["missing.csv", ".", "noise"])
  func unreadableCSV(_ name: String) throws {
    try directory.makeStore()
    try directory.write([UInt8](repeating: 0x41, count: 3 << 20), to: "noise")
    let outcome = try register(["--csv", name]).exits(2)
    #expect(outcome.errors.contains("\(name): ") && outcome.errors.utf8.count < 1000)
  }

  /// Alive, dead, and dead again after a registration.
  private func fill() throws {
    try directory.makeStore([
      StoredToken(token: [0xaa], registeredAt: 1_400_000_000),
      StoredToken(token: [0xbb], invalidatedAt: 1_450_000_000),
      StoredToken(token: [0xcc], registeredAt: -1, invalidatedAt: 1 << 33),
    ])
    try directory.makeStore([StoredToken(token: [0xaa])], app: "mail", environment: "sandbox")
  }

  static let header = "app,environment,token,registered_at,invalidated_at\n"
  static let selections: [(options: [String], rows: [Int])] = [
    ([], [0, 1, 2, 3]), (["--dead"], [1, 2]), (["--live"], [0, 3]), (["--app", "mail"], [3]),
    (["--app", ""], [0, 1, 2]), (["--environment", "sandbox"], [3]), (["--live", "--app", ""], [0]),
    (["--app", "com.none"], []),
  ]

  @Test("list as CSV", arguments: selections)
  func listCSV(_ options: [String], _ rows: [Int]) throws {
    try fill()
    let all = [
      ",production,aa,2014-05-13T16:53:20Z,\n", ",production,bb,,2015-12-13T09:46:40Z\n",
      ",production,cc,-1,8589934592\n", "mail,sandbox,aa,,\n",
    ]
    let outcome = try directory.apnsift(["store", "list"] + options).exits(0)
    #expect(outcome.text == Self.header + rows.map { all[$0] }.joined())
  }

  @Test("show reports the state of each token, and which are missing")
  func show() throws {
    try fill()
    let outcome = try directory.apnsift("store", "show", "BB", "ee", "aa").exits(0)
    let expected = """
      bb
        production: invalidated at 2015-12-13T09:46:40Z
        registered: unknown
      aa
        production: active
        registered: 2014-05-13T16:53:20Z
      aa
        mail, sandbox: active
        registered: unknown

      """
    #expect(outcome.text == expected)
    #expect(outcome.messages.first == "ee: not in sqlite:tokens.sqlite")
    let objects = try Evidence.objects(
      try directory.apnsift("store", "show", "--json", "bb", "ee", "aa", "--environment", "production").text)
    #expect(objects.map { $0["token"] as? String } == ["bb", "aa"])
  }
}
