import Basics
import CommandTestSupport
import Testing
import Wording

/// Each changed row is traced to the record that decided: before a replay by `--dry-run -o`, after it by the journal.
@Suite("Rows traced to their records")
struct TracedReplayTests {
  private let directory = TestDirectory()

  /// Token 1 in two dumps, the later time in the second one, after token 2; token 3 was registered later.
  init() throws {
    try directory.makeStore([
      StoredToken(token: token(1), registeredAt: 1_400_000_000),
      StoredToken(token: token(3), registeredAt: 1_500_000_000),
    ])
    try directory.write(feedback([Tuple(1_450_000_000, token(1))]), to: "first.bin")
    try directory.write(feedback([2, 1, 3].map { Tuple(1_460_000_000, token($0)) }), to: "second.bin")
  }

  private static let inputs = ["first.bin", "second.bin"]

  /// The origin of each row as `token source stream offset`, in the order of the tokens.
  private static let origins = [1: "second.bin 0 38", 2: "second.bin 0 0"].sorted {
    token($0.key).lexicographicallyPrecedes(token($1.key))
  }.map { "\(hex(token($0.key))) \($0.value)" }

  private func csv(_ text: String) -> [[String: String]] {
    let lines = parseCSV(text)
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }

  private func origins(_ rows: [[String: String]]) -> [String] {
    rows.map { row in ["token", "source", "stream", "offset"].map { row[$0] ?? "?" }.joined(separator: " ") }
  }

  @Test("a dry run writes every row that would change, and the journal has the same of the replay")
  func rows() throws {
    let before = try directory.storedTokens()
    #expect(try directory.apnsift(["replay", "--dry-run", "-o", "rows.csv"] + Self.inputs).code == 0)
    #expect(try directory.storedTokens() == before)
    let foreseen = csv(try directory.text(of: "rows.csv"))
    #expect(origins(foreseen) == Self.origins)

    #expect(try directory.apnsift(["replay"] + Self.inputs).code == 0)
    let recorded = csv(try directory.apnsift("store", "history", "1", "--changes").text)
    #expect(origins(recorded) == Self.origins && recorded.map { $0["replay"] } == ["1", "1"])
    #expect(recorded.map { $0["sha256"]?.count } == [64, 64])
    for name in ["outcome", "registered_at", "invalidated_before", "invalidated_at", "sha256"] {
      #expect(foreseen.map { $0[name] } == recorded.map { $0[name] }, "\(name)")
    }
    // Of all replays, and as objects.
    let objects = try directory.history(["--changes"])
    #expect(objects.map { $0["offset"] as? Int } == recorded.map { Int($0["offset"] ?? "") })
  }

  @Test("a table of one's own has the row's key")
  func keys() throws {
    try directory.writeMapping(to: "m.yml")
    try directory.sqlite(
      "tokens.sqlite",
      "CREATE TABLE devices (shop TEXT, id INTEGER, token TEXT, PRIMARY KEY (shop, id)); "
        + "INSERT INTO devices VALUES ('a', 7, '\(hex(token(2)))'), ('b', 8, '\(hex(token(2)).uppercased())')"
    )
    let mapped = ["--store", "sqlite:tokens.sqlite", "--mapping", "m.yml"]
    #expect(try directory.apnsift(["replay", "second.bin"] + mapped).code == 0)
    let objects = try directory.history(["1", "--changes"] + mapped)
    #expect(objects.map { $0["key"] as? String } == ["'a',7", "'b',8"])
    let replays = try directory.history(mapped)
    #expect(replays.map { $0["rows"] as? Int } == [2] && replays.map { $0["invalidated"] as? Int } == [1])
    try directory.apnsift(["store", "undo", "last"] + mapped).exits(
      0, saying: .undid(1, of: "sqlite:tokens.sqlite", as: 2, restored: 2, skipped: 0, reasons: []))
  }
}
