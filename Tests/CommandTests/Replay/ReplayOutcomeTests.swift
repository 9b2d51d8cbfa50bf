import Basics
import CommandTestSupport
import Testing
import Wording

/// What a command says of the outcomes of the rule (docs/spec/interface.md#replay-rule), and what SQLite's own tool sees.
@Suite("What a replay does")
struct ReplayOutcomeTests {
  static let time: UInt32 = 1_450_000_000
  private let directory = TestDirectory()

  /// Tokens 1 to 5 are in the store, for one outcome each; token 0 is not; two more are rejected.
  init() throws {
    let time = Int64(Self.time)
    try directory.makeStore([
      StoredToken(token: token(1), registeredAt: time - 1), StoredToken(token: token(2)),
      StoredToken(token: token(3), registeredAt: time), StoredToken(token: token(4), invalidatedAt: time - 1),
      StoredToken(token: token(5), invalidatedAt: time + 1),
    ])
    let sound = (0...5).map { Tuple(Self.time, token($0)) }
    let flagged = [Tuple(Self.time, token(90, length: 54)), Tuple(4_000_000_000, token(91))]
    try directory.write(feedback(flagged + sound), to: "dump.bin")
  }

  private static let counts = [
    "inserted": 1, "invalidated": 2, "kept": 1, "updated": 1, "unchanged": 1, "unknown": 0, "rejected": 2,
  ]

  private func replay(_ arguments: String...) throws -> Outcome {
    try directory.apnsift(["replay", "dump.bin", "--store", "sqlite:tokens.sqlite"] + arguments)
  }

  @Test(
    "all outcomes in one flat object, as in a dry run before; a second replay changes nothing")
  func allOutcomes() throws {
    var dry = try replay("--json", "--dry-run").exits(0).json()
    #expect(dry["dry_run"] as? Bool == true && dry["replay"] is Null)
    let outcome = try replay("--json")
    let flags = ["implausible-timestamp", "unexpected-token-length"]
    #expect(outcome.said(.tokensRejected(2, flags: flags, hasLength: true)))
    let object = try outcome.json(Self.counts)
    try outcome.json(["replay": 1, "inputs": 1, "tuples": 8, "tokens": 8])
    for (name, text) in [
      ("schema", "apnsift/1"), ("store", "sqlite:tokens.sqlite"), ("app", ""), ("environment", "production"),
    ] { #expect(object[name] as? String == text) }
    #expect(object["dry_run"] as? Bool == false)
    (dry["dry_run"], dry["replay"]) = (false, 1)
    #expect(Evidence.same([dry], [object]))
    let after = try directory.storedTokens()
    let dead = [0, 1, 2, 4].map { token($0) }
    #expect(Set(after.filter { $0.invalidatedAt == Int64(Self.time) }.map(\.token)) == Set(dead))
    let again = try replay("dump.bin", "--json").exits(0)
    try again.json(["inputs": 2, "inserted": 0, "invalidated": 0, "updated": 0])
    #expect(try directory.storedTokens() == after)
  }

  @Test("--known-only counts unknown tokens and does not store them")
  func knownOnly() throws {
    let before = try directory.storedTokens()
    for outcome in [try replay("--known-only", "--json", "--dry-run"), try replay("--known-only", "--json")] {
      try outcome.exits(0).json(["unknown": 1, "inserted": 0, "invalidated": 2])
    }
    #expect(try directory.storedTokens().map(\.token) == before.map(\.token))
  }
}
