import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Replays of flagged records")
struct FlaggedReplayTests {
  private static let time: UInt32 = 1_450_000_000

  /// Odd records between sound ones, and the flag that they carry.
  private static let flagged: [(tuple: Tuple, flag: String)] = [
    (Tuple(time, token(1, length: 54)), "unexpected-token-length"),
    (Tuple(time, token(1, length: 100)), "unexpected-token-length"),
    (Tuple(time, []), "zero-length-token"), (Tuple(12, token(1)), "implausible-timestamp"),
    (Tuple(.max, token(1)), "implausible-timestamp"),
    (Tuple(time, Array(token(1).prefix(20)) + [UInt8](repeating: 0, count: 12)), "zero-filled-token"),
  ]

  /// A replay of all of them between sound ones: how many are rejected and inserted, and the rows.
  private func replay(_ options: String..., rejected: Int, inserted: Int) throws -> (Outcome, [StoredToken]) {
    let directory = TestDirectory()
    // Two have the same token, so each gets an input of its own: flags are not mixed.
    for (number, flagged) in Self.flagged.enumerated() {
      let sound = tuples(2, from: 10 + number * 2)
      try directory.write(feedback([sound[0], flagged.tuple, sound[1]]), to: "dumps/\(number).bin")
    }
    let outcome = try directory.apnsift(["replay", "dumps", "--json"] + options).exits(0)
    try outcome.json(["rejected": rejected, "inserted": inserted])
    return (outcome, try directory.storedTokens())
  }

  private static let tokens = Set(flagged.map(\.tuple.token))

  @Test("a token whose records all carry flags is rejected, and the message says which")
  func rejected() throws {
    let (outcome, stored) = try replay(rejected: Self.tokens.count, inserted: 12)
    #expect(Self.tokens.isDisjoint(with: stored.map(\.token)))
    let flags = Set(Self.flagged.map(\.flag)).sorted()
    #expect(
      outcome.said(.tokensRejected(Self.tokens.count, flags: flags, hasLength: true)), "\(outcome.errors)")
  }

  @Test("--include-flagged lets them count")
  func included() throws {
    let (_, stored) = try replay("--include-flagged", rejected: 0, inserted: 12 + Self.tokens.count)
    #expect(Self.tokens.isSubset(of: stored.map(\.token)))
    #expect(stored.contains(StoredToken(token: token(1), invalidatedAt: Int64(UInt32.max))))
  }

  @Test("--token-length makes a length normal")
  func normalLength() throws {
    let (_, stored) = try replay(
      "--token-length", "32,54,100,0", rejected: Self.tokens.count - 3, inserted: 15)
    for length in [0, 54, 100] { #expect(stored.contains { $0.token.count == length }) }
  }

  @Test("--earliest and --latest make a time plausible")
  func plausibleTime() throws {
    _ = try replay("--latest", "4294967295", rejected: Self.tokens.count - 1, inserted: 13)
  }

  @Test(
    "a token is rejected if a push is accepted later than the answers that call it invalid",
    arguments: [
      ("410 1, 200 2", 1), ("200 2, 410 1", 1), ("410 1, 200 2, 429 3", 1), ("410 1, 400 2, 200 3", 1),
      ("200 1, 410 2", 0), ("410 1, 200 2, 410 3", 0), ("410 1, 200 2, 400 3", 0), ("410 1, 429 2", 0),
      ("410 -, 200 2", 1), ("410 1, 200 -", 1), ("200 -, 410 -", 0), ("410 1, 200 2, 410 -", 0),
    ])
  func acceptedAgain(answers: String, rejected: Int) throws {
    let lines = answers.split(separator: ", ").map { answer in
      let time = answer.hasSuffix("-") ? "" : "\"time\":\"2023-11-15T0\(answer.suffix(1)):00:00Z\","
      let dead = answer.hasPrefix("410") ? ",\"timestamp\":1700000000000" : ""
      return "{\(time)\"token\":\"\(hex(token(1)))\",\"status\":\(answer.prefix(3)),"
        + "\"reason\":\"BadDeviceToken\"\(dead)}\n"
    }
    let directory = TestDirectory()
    try directory.write(lines.joined(), to: "pushes.log")
    for (options, count) in [([], rejected), (["--include-flagged"], 0)] {
      let outcome = try directory.apnsift(["replay", "pushes.log", "--json", "--dry-run"] + options).exits(0)
      try outcome.json(["rejected": count, "inserted": 1 - count])
    }
  }
}
