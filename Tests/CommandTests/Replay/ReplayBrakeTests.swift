import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Brakes of a replay")
struct ReplayBrakeTests {
  private let directory = TestDirectory()

  /// A store with a number of live tokens, of which a dump invalidates the first few.
  private func prepare(live: Int, dead: Int) throws {
    try directory.makeStore((0..<live).map { StoredToken(token: token($0), registeredAt: 1_300_000_000) })
    try directory.write(feedback(tuples(dead)), to: "dump.bin")
  }

  private func deadCount() throws -> Int { try directory.storedTokens().count { $0.invalidatedAt != nil } }

  /// How many live tokens, how many of them a dump names, the limit, and how many may die; nil lets all. Which limits
  /// stop what is ReplayRuleTests' business.
  static let limits: [(live: Int, dead: Int, options: [String], most: Int?)] = [
    (1200, 301, [], 300), (1200, 1200, ["--max-invalidate", "100%"], nil),
    (1200, 13, ["--max-invalidate", "1%"], 12), (20, 3, ["--max-invalidate", "2"], 2),
    (20, 2, ["--max-invalidate", "2"], nil), (20, 2, ["--max-invalidate", "5%"], 1),
  ]

  @Test("stops what is too much with exit code 3, and leaves every byte alone", arguments: limits)
  func limit(_ live: Int, _ dead: Int, _ options: [String], _ most: Int?) throws {
    try prepare(live: live, dead: dead)
    let bytes = try directory.bytes(of: "tokens.sqlite")
    let outcome = try directory.apnsift(["replay", "dump.bin"] + options)
    guard let most else {
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(try deadCount() == dead)
      return
    }
    #expect(outcome.code == 3 && outcome.output.isEmpty)
    let reason = Message.limitExceeded(dead, ofLive: live, most: most)
    #expect(outcome.messages.last == Message.storeFailed("sqlite:tokens.sqlite", .stopped(reason)).text)
    #expect(try directory.bytes(of: "tokens.sqlite") == bytes)
    #expect(try directory.names == ["dump.bin", "tokens.sqlite"])
  }

  @Test("live tokens of another app or environment, and tokens that are not in the store, do not count")
  func owners() throws {
    try prepare(live: 20, dead: 3)
    try directory.makeStore((0..<5).map { StoredToken(token: token($0)) }, app: "mail")
    try directory.write(feedback(tuples(3) + tuples(40, from: 100)), to: "dump.bin")
    try directory.apnsift("replay", "dump.bin", "--max-invalidate", "2", "--app", "mail").exits(
      3, saying: .limitExceeded(3, ofLive: 5, most: 2))
    #expect(try directory.apnsift("replay", "dump.bin", "--max-invalidate", "3").code == 0)
  }

  @Test(
    "--json has the object of a dry run, and the message names the store, not a journal's file",
    arguments: [[], ["--journal", "sqlite:journal.sqlite"], ["--no-journal"]])
  func json(_ options: [String]) throws {
    try prepare(live: 20, dead: 5)
    let arguments = ["replay", "dump.bin", "--max-invalidate", "4", "--json"] + options
    let stopped = try directory.apnsift(arguments)
    let reason = Message.limitExceeded(5, ofLive: 20, most: 4)
    #expect(stopped.code == 3)
    #expect(stopped.messages.last == Message.storeFailed("sqlite:tokens.sqlite", .stopped(reason)).text)
    #expect(try Evidence.object(stopped.text)["stopped"] as? String == reason.text)
    let dryRun = try directory.apnsift(arguments + ["--dry-run"]).exits(
      3, saying: "warning: the replay would be stopped: \(reason)")
    #expect(stopped.text.replacing("\"dry_run\":false", with: "\"dry_run\":true") == dryRun.text)
    #expect(try deadCount() == 0)
  }

  @Test(
    "the exit code is 3 before that of findings and of inputs that may be left out, with and without --dry-run",
    arguments: [["--strict"], ["missing.bin", "--partial"], ["missing.bin", "--skip-unreadable"]])
  func precedence(_ options: [String]) throws {
    try prepare(live: 20, dead: 5)
    // A cut tail, which makes the tuple before it doubtful.
    try directory.write(feedback(tuples(6)) + [0, 1, 2], to: "dump.bin")
    let arguments = ["replay", "dump.bin", "--max-invalidate", "4"] + options
    #expect(try directory.apnsift(arguments).code == 3)
    #expect(try directory.apnsift(arguments + ["--dry-run"]).code == 3)
    // An input that stops the replay comes first.
    let stopping = ["replay", "dump.bin", "missing.bin", "--max-invalidate", "4"]
    for more in [[], ["--dry-run"]] { #expect(try directory.apnsift(stopping + more).code == 2) }
    #expect(try deadCount() == 0)
  }

  /// The tuple's time is 100 seconds after the registration.
  static let graces: [(options: [String], isKept: Bool)] = [
    ([], false), (["--grace", "99"], false), (["--grace", "100s"], true), (["--grace", "2m"], true),
    (["--grace", "1h"], true), (["--grace", "1d"], true),
  ]

  @Test("--grace keeps a device that was registered shortly before", arguments: graces)
  func grace(_ options: [String], _ isKept: Bool) throws {
    try directory.makeStore([StoredToken(token: token(1), registeredAt: 1_400_000_000)])
    try directory.write(feedback([Tuple(1_400_000_100, token(1))]), to: "dump.bin")
    try directory.apnsift(["replay", "dump.bin", "--json"] + options).json(["kept": isKept ? 1 : 0])
    #expect(try deadCount() == (isKept ? 0 : 1))
  }

  @Test("a dry run shows up to three tokens of each outcome, with the reason")
  func sample() throws {
    let time: UInt32 = 1_450_000_000
    try directory.makeStore([
      StoredToken(token: [2], registeredAt: 1_400_000_000),
      StoredToken(token: [3], invalidatedAt: 1_300_000_000),
      StoredToken(token: [4], registeredAt: Int64(time)), StoredToken(token: [5], invalidatedAt: Int64(time)),
      StoredToken(token: [6]),
    ])
    try directory.write(feedback((2...10).map { Tuple(time, [UInt8($0)]) }), to: "dump.bin")
    let outcome = try directory.apnsift(
      "replay", "dump.bin", "--from", "raw", "--token-length", "1", "--dry-run")
    let found = "reported invalid at 2015-12-13T09:46:40Z"
    let sample = [
      ("07", "inserted", "not in the store"), ("08", "inserted", "not in the store"),
      ("09", "inserted", "not in the store"), ("04", "kept", "but registered at 2015-12-13T09:46:40Z"),
      ("05", "unchanged", "invalidated at 2015-12-13T09:46:40Z in the store"),
      ("03", "updated", "invalidated at 2011-03-13T07:06:40Z in the store"),
      ("02", "invalidated", "registered at 2014-05-13T16:53:20Z"),
      ("06", "invalidated", "no registration known"),
    ].map { "  \($0)\n    \($1): \(found), \($2)\n" }
    #expect(outcome.text.hasSuffix("\nfor example\n" + sample.joined()), "\(outcome.text)")
  }
}
