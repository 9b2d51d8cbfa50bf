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

  /// A replay of all of them between sound ones.
  private func replay(_ options: String...) throws -> (Outcome, counts: Evidence.Object, [StoredToken]) {
    let directory = TestDirectory()
    // Two have the same token, so each gets an input of its own: flags are not mixed.
    for (number, flagged) in Self.flagged.enumerated() {
      let sound = tuples(2, from: 10 + number * 2)
      try directory.write(feedback([sound[0], flagged.tuple, sound[1]]), to: "dumps/\(number).bin")
    }
    let outcome = try directory.apnsift(["replay", "dumps", "--json"] + options).exits(0)
    return (outcome, try Evidence.object(outcome.text), try directory.storedTokens())
  }

  private static let tokens = Set(flagged.map(\.tuple.token))

  @Test("a token whose records all carry flags is rejected, and the message says which")
  func rejected() throws {
    let (outcome, counts, stored) = try replay()
    #expect(counts["rejected"] as? Int == Self.tokens.count && counts["inserted"] as? Int == 12)
    #expect(Self.tokens.isDisjoint(with: stored.map(\.token)))
    let flags = Set(Self.flagged.map(\.flag)).sorted()
    #expect(
      outcome.said(.tokensRejected(Self.tokens.count, flags: flags, hasLength: true)), "\(outcome.errors)")
  }

  @Test("--include-flagged lets them count")
  func included() throws {
    let (_, counts, stored) = try replay("--include-flagged")
    #expect(counts["rejected"] as? Int == 0 && counts["inserted"] as? Int == 12 + Self.tokens.count)
    #expect(Self.tokens.isSubset(of: stored.map(\.token)))
    #expect(stored.contains(StoredToken(token: token(1), invalidatedAt: Int64(UInt32.max))))
  }

  @Test("--token-length makes a length normal")
  func normalLength() throws {
    let (_, counts, stored) = try replay("--token-length", "32,54,100,0")
    #expect(counts["rejected"] as? Int == Self.tokens.count - 3)
    for length in [0, 54, 100] { #expect(stored.contains { $0.token.count == length }) }
  }

  @Test("--earliest and --latest make a time plausible")
  func plausibleTime() throws {
    let (_, counts, _) = try replay("--latest", "4294967295")
    #expect(counts["rejected"] as? Int == Self.tokens.count - 1)
  }
}
