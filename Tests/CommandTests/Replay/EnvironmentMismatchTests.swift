import Basics
import CommandTestSupport
import Testing
import Wording

/// An input that is not of the app, environment or store named: docs/stores.md#wrong-app-or-environment.
@Suite("Doubts about whose tokens an input has")
struct EnvironmentMismatchTests {
  private let directory = TestDirectory()

  private func register(_ numbers: Range<Int>, app: String = "", environment: String = "production") throws {
    try directory.makeStore(
      numbers.map { StoredToken(token: token($0), registeredAt: 1_300_000_000) }, app: app,
      environment: environment)
  }

  private func warnings(_ arguments: [String] = ["--dry-run"]) throws -> [String] {
    let outcome = try directory.apnsift(["replay", "dump.bin"] + arguments).exits(0)
    return outcome.messages.filter { $0.hasPrefix("warning:") }
  }

  /// The warning of a replay for `production`.
  private func others(_ count: Int, of looked: Int, as other: String, andOthers: Bool = false) -> String {
    Message.tokensOfAnotherOwner(
      count, of: looked, in: "sqlite:tokens.sqlite", as: other, andOthers: andOthers, notOf: "production"
    ).text
  }

  static let ways = [[], ["--dry-run"], ["--known-only"], ["--dry-run", "--json"]]

  @Test("tokens of the other environment are noticed, in a dry run, too", arguments: ways)
  func otherEnvironment(_ way: [String]) throws {
    try register(0..<30, environment: "sandbox")
    try register(100..<110)
    try directory.write(feedback(tuples(30)), to: "dump.bin")
    #expect(try warnings(way + ["--environment", "production"]) == [others(30, of: 30, as: "sandbox")])
    #expect(try warnings(way + ["--environment", "sandbox"]).isEmpty)
  }

  @Test("tokens of another app are noticed, and it is named that has most of them")
  func otherApp() throws {
    try register(0..<4, app: "chat")
    try register(4..<10, app: "mail")
    try register(10..<11)
    try directory.write(feedback(tuples(12)), to: "dump.bin")
    #expect(try warnings() == [others(10, of: 12, as: "mail, production", andOthers: true)])
  }

  /// How many tokens of twelve another app has, and how many of them the named one has, too.
  static let shares: [(other: Int, own: Int, isWarned: Bool)] = [
    (7, 0, true), (6, 0, false), (12, 6, false), (12, 5, true), (12, 12, false),
  ]

  @Test("more than half is most", arguments: shares)
  func most(_ other: Int, _ own: Int, _ isWarned: Bool) throws {
    try register(0..<other, app: "mail")
    try register(0..<own)
    try register(100..<101)
    try directory.write(feedback(tuples(12)), to: "dump.bin")
    #expect(try warnings().isEmpty == !isWarned)
  }

  @Test("of many tokens 200 are looked up, from the whole of the input")
  func sample() throws {
    // The low half in the order of bytes is the sandbox's.
    let low = (0..<1000).map { [1, UInt8($0 >> 8), UInt8($0 & 255)] as [UInt8] }
    let high = low.map { [200] + $0.dropFirst() }
    try directory.makeStore(low.map { StoredToken(token: $0) }, environment: "sandbox")
    try directory.makeStore(high.prefix(900).map { StoredToken(token: $0) })
    func write(_ tokens: [[UInt8]]) throws {
      try directory.write(feedback(tokens.map { Tuple(1_400_000_000, $0) }), to: "dump.bin")
    }
    try write(low + high)
    let options = ["--dry-run", "--token-length", "3", "--from", "raw", "--environment"]
    #expect(try warnings(options + ["production"]).isEmpty)
    #expect(try warnings(options + ["sandbox"]).isEmpty)
    try write(low + high.prefix(900))
    let warnings = try warnings(options + ["production"])
    // 1000 of 1900 are elsewhere: of 200 spread evenly 105 or 106.
    let expected = [105, 106].map { others($0, of: 200, as: "sandbox") }
    #expect(warnings.count == 1 && expected.contains(warnings[0]), "\(warnings)")
  }

  /// How many live and dead tokens the store has, how many unknown ones the input, and whether that is warned of.
  static let unknowns: [(live: Int, dead: Int, unknown: Int, isWarned: Bool)] = [
    (1001, 0, 10, true), (1000, 0, 10, false), (1001, 0, 9, false), (0, 1500, 100, false),
    (1001, 500, 100, true),
  ]

  @Test("unknown tokens are noticed where a store knows many live ones", arguments: unknowns)
  func unknown(_ live: Int, _ dead: Int, _ unknown: Int, _ isWarned: Bool) throws {
    try register(0..<live)
    try directory.makeStore((live..<live + dead).map { StoredToken(token: token($0), invalidatedAt: 1) })
    try directory.write(feedback(tuples(unknown, from: 5000)), to: "dump.bin")
    let warning =
      "warning: \(unknown) of \(unknown) tokens of the input that were looked up are not in sqlite:tokens.sqlite, "
      + "which has more than 1000 live tokens of production: another app, environment, or store?"
    #expect(try warnings([]) == (isWarned ? [warning] : []))
  }

  @Test("half unknown tokens are no wonder, one more is", arguments: [20, 21])
  func halfUnknown(_ unknown: Int) throws {
    try register(0..<1001)
    try directory.write(feedback(tuples(20) + tuples(unknown, from: 5000)), to: "dump.bin")
    #expect(try warnings().count == unknown - 20)
  }

  @Test("a new store knows nothing, and is not asked", arguments: [["--create"], ["--create", "--dry-run"]])
  func newStore(_ options: [String]) throws {
    try directory.write(feedback(tuples(300)), to: "dump.bin")
    #expect(try warnings(options + ["--store", "sqlite:new.sqlite"]).isEmpty)
  }

  @Test("a store without a token of the owner is noticed, whatever the input")
  func noneOfOwner() throws {
    try register(0..<3, app: "mail")
    try directory.write(feedback(tuples(2, from: 100)), to: "dump.bin")
    #expect(
      try warnings() == [
        "warning: sqlite:tokens.sqlite has no tokens of production, only of mail, production: are --app and "
          + "--environment meant?"
      ])
  }

  @Test("an unreadable row of another app stops no replay")
  func foreignRow() throws {
    try register(0..<3)
    try directory.sqlite(
      "tokens.sqlite",
      "INSERT INTO device_tokens (app, environment, token, registered_at) VALUES ('mail', 'production', "
        + "x'\(hex(token(1)))', 'soon')")
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    #expect(try warnings([]).isEmpty)
    #expect(try directory.storedTokens().allSatisfy { $0.invalidatedAt != nil })
  }
}
