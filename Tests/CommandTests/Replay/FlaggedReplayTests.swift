import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Replays of flagged records")
struct FlaggedReplayTests {
  private static let time: UInt32 = 1_450_000_000

  /// Odd records between sound ones, and the flag that they carry.
  static let flagged: [(tuple: Tuple, flag: String, isLength: Bool)] = [
    (Tuple(time, token(1, length: 54)), "unexpected-token-length", true),
    (Tuple(time, token(1, length: 100)), "unexpected-token-length", true),
    (Tuple(time, []), "zero-length-token", true),
    (Tuple(12, token(1)), "implausible-timestamp", false),
    (Tuple(.max, token(1)), "implausible-timestamp", false),
    (Tuple(time, Array(token(1).prefix(20)) + [UInt8](repeating: 0, count: 12)), "zero-filled-token", false),
  ]

  private func replay(_ tuple: Tuple, _ options: [String]) throws -> (Outcome, [StoredToken]) {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(1) + [tuple] + tuples(2, from: 5)), to: "dump.bin")
    let outcome = try directory.apnsift(["replay", "dump.bin", "--json"] + options)
    #expect(outcome.code == 0)
    return (outcome, try directory.storedTokens())
  }

  @Test("a token whose records all carry flags is rejected, and the message says which", arguments: flagged)
  func rejected(_ tuple: Tuple, _ flag: String, _ isLength: Bool) throws {
    let (outcome, stored) = try replay(tuple, [])
    let counts = try Evidence.object(outcome.text)
    #expect(counts["rejected"] as? Int == 1 && counts["inserted"] as? Int == 3)
    #expect(!stored.contains { $0.token == tuple.token })
    #expect(outcome.said(.tokensRejected(1, flags: [flag], hasLength: isLength)), "\(outcome.errors)")
  }

  @Test("--include-flagged lets them count", arguments: flagged)
  func included(_ tuple: Tuple, _ flag: String, _ isLength: Bool) throws {
    let (outcome, stored) = try replay(tuple, ["--include-flagged"])
    let counts = try Evidence.object(outcome.text)
    #expect(counts["rejected"] as? Int == 0 && counts["inserted"] as? Int == 4)
    #expect(stored.contains(StoredToken(token: tuple.token, invalidatedAt: Int64(tuple.time))))
  }

  @Test("--token-length makes a length normal", arguments: flagged.filter(\.isLength))
  func normalLength(_ tuple: Tuple, _ flag: String, _ isLength: Bool) throws {
    let (outcome, stored) = try replay(tuple, ["--token-length", "32,\(tuple.token.count)"])
    #expect(try Evidence.object(outcome.text)["rejected"] as? Int == 0)
    #expect(stored.contains(StoredToken(token: tuple.token, invalidatedAt: Int64(tuple.time))))
  }

  @Test("--earliest and --latest make a time plausible")
  func plausibleTime() throws {
    let (outcome, _) = try replay(Tuple(.max, token(1)), ["--latest", "4294967295"])
    #expect(try Evidence.object(outcome.text)["rejected"] as? Int == 0)
  }

  @Test("a token with a sound record dies by that, and not by its flagged ones")
  func soundAndFlagged() throws {
    let directory = try TestDirectory()
    let records = [Tuple(Self.time, token(1)), Tuple(.max, token(1)), Tuple(Self.time - 9, token(1))]
    try directory.write(feedback(records), to: "dump.bin")
    let outcome = try directory.apnsift("replay", "dump.bin", "--json")
    #expect(try Evidence.object(outcome.text)["rejected"] as? Int == 0)
    #expect(try directory.storedTokens() == [StoredToken(token: token(1), invalidatedAt: Int64(Self.time))])
  }

  @Test("records after damage are rejected, those before it are not")
  func damage() throws {
    let directory = try TestDirectory()
    var bytes = feedback(tuples(6))
    bytes.remove(at: 100)
    try directory.write(bytes, to: "dump.bin")
    let outcome = try directory.apnsift("replay", "dump.bin", "--json")
    let counts = try Evidence.object(outcome.text)
    // Tuple 2 is skipped, tuple 3 is the first after it.
    #expect(counts["inserted"] as? Int == 4 && counts["rejected"] as? Int == 1)
    #expect(outcome.said(.tokensRejected(1, flags: ["resynchronised"], hasLength: false)))
    let sound = [0, 1, 4, 5].map { token($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try directory.storedTokens().map(\.token) == sound)
  }
}
