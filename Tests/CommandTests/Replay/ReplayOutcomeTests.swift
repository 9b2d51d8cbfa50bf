import Basics
import CommandTestSupport
import Testing
import Wording

/// The rule on real SQLite files (docs/spec/interface.md#replay-rule), seen through SQLite's own tool.
@Suite("What a replay does")
struct ReplayOutcomeTests {
  static let time: UInt32 = 1_450_000_000
  static let keys = [
    "schema", "store", "dry_run", "app", "environment", "replay", "inputs", "tuples", "pushes",
    "pushes_of_other_kinds", "pushes_of_other_apps", "pushes_without_app", "apps", "tokens",
    "rows",
    "stopped", "files", "findings", "flags",
    "invalidated", "updated", "inserted", "unchanged", "kept", "unknown", "rejected",
  ]

  /// A token in the store, what a tuple of `time` does to it, and when it is dead afterwards.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var registeredAt: Int64?
    var invalidatedAt: Int64?
    var isStored = true
    var outcome: String
    var after: Int64?
  }

  static let cases: [Case] = {
    let time = Int64(Self.time)
    return [
      Case(testDescription: "not in the store", isStored: false, outcome: "inserted", after: time),
      Case(
        testDescription: "alive, registered before", registeredAt: time - 1, outcome: "invalidated",
        after: time),
      Case(testDescription: "valid, registration time unknown", outcome: "invalidated", after: time),
      Case(testDescription: "alive, registered at that time", registeredAt: time, outcome: "kept"),
      Case(testDescription: "alive, registered later", registeredAt: time + 1, outcome: "kept"),
      Case(testDescription: "alive, registered in a far future", registeredAt: 1 << 40, outcome: "kept"),
      Case(testDescription: "dead before", invalidatedAt: time - 1, outcome: "updated", after: time),
      Case(
        testDescription: "dead before, registered before", registeredAt: time - 5, invalidatedAt: time - 1,
        outcome: "updated", after: time),
      Case(testDescription: "dead at that time", invalidatedAt: time, outcome: "unchanged", after: time),
      Case(testDescription: "dead later", invalidatedAt: time + 1, outcome: "unchanged", after: time + 1),
      Case(
        testDescription: "registered at that time and dead later", registeredAt: time,
        invalidatedAt: time + 9,
        outcome: "kept", after: time + 9),
      Case(
        testDescription: "registered before the year 1970", registeredAt: -5, outcome: "invalidated",
        after: time),
    ]
  }()

  private func json(_ outcome: Outcome) throws -> Evidence.Object { try Evidence.object(outcome.text) }

  @Test("one outcome", arguments: cases)
  func oneOutcome(_ test: Case) throws {
    let directory = try TestDirectory()
    let stored = StoredToken(
      token: token(1), registeredAt: test.registeredAt, invalidatedAt: test.invalidatedAt)
    try directory.makeStore(test.isStored ? [stored] : [])
    try directory.write(feedback([Tuple(Self.time, token(1))]), to: "dump.bin")
    let outcome = try directory.apnsift("replay", "dump.bin", "--json", "--store", "sqlite:tokens.sqlite")
    #expect(outcome.code == 0)
    let object = try json(outcome)
    for name in Self.keys.suffix(7) {
      #expect(object[name] as? Int == (name == test.outcome ? 1 : 0), "\(name)")
    }
    let after = StoredToken(
      token: token(1), registeredAt: test.registeredAt, invalidatedAt: test.after)
    #expect(try directory.storedTokens() == [after])
  }

  /// All cases at once, each with its own token, and a rejected one.
  private func prepareAll() throws -> TestDirectory {
    let directory = try TestDirectory()
    let rows = Self.cases.enumerated().filter { $1.isStored }.map { index, test in
      StoredToken(token: token(index), registeredAt: test.registeredAt, invalidatedAt: test.invalidatedAt)
    }
    try directory.makeStore(rows)
    let sound = Self.cases.indices.map { Tuple(Self.time, token($0)) }
    let flagged = [Tuple(Self.time, token(90, length: 54)), Tuple(4_000_000_000, token(91))]
    try directory.write(feedback(flagged + sound), to: "dump.bin")
    return directory
  }

  private func expectedCounts() -> [String: Int] {
    var counts = Dictionary(grouping: Self.cases, by: \.outcome).mapValues(\.count)
    counts["rejected"] = 2
    counts["unknown"] = 0
    return counts
  }

  @Test("all outcomes in one flat object with every key")
  func allOutcomes() throws {
    let directory = try prepareAll()
    let outcome = try directory.apnsift("replay", "dump.bin", "--json", "--store", "sqlite:tokens.sqlite")
    let object = try json(outcome)
    #expect(object.keys.sorted() == Self.keys.sorted())
    for (name, count) in expectedCounts() { #expect(object[name] as? Int == count, "\(name)") }
    #expect(object["schema"] as? String == "apnsift/1")
    #expect(object["store"] as? String == "sqlite:tokens.sqlite")
    #expect(object["dry_run"] as? Bool == false)
    #expect(object["app"] as? String == "")
    #expect(object["environment"] as? String == "production")
    #expect(object["replay"] as? Int == 1)
    #expect(object["inputs"] as? Int == 1)
    #expect(object["tuples"] as? Int == Self.cases.count + 2)
    #expect(object["tokens"] as? Int == Self.cases.count + 2)
    let flags = ["implausible-timestamp", "unexpected-token-length"]
    #expect(outcome.said(.tokensRejected(2, flags: flags, hasLength: true)))
  }

  @Test("people see the same counts as a table")
  func table() throws {
    let directory = try prepareAll()
    let outcome = try directory.apnsift("replay", "dump.bin", "--store", "sqlite:tokens.sqlite")
    let counts = outcome.lines.compactMap { line -> (String, Int)? in
      let words = line.split(separator: " ")
      return words.count > 2 ? Int(words[1]).map { (String(words[0]), $0) } : nil
    }
    #expect(Dictionary(uniqueKeysWithValues: counts) == expectedCounts().filter { $0.value > 0 })
  }

  @Test("a dry run counts the same and leaves every byte alone")
  func dryRun() throws {
    let directory = try prepareAll()
    let arguments = ["replay", "dump.bin", "--json", "--store", "sqlite:tokens.sqlite"]
    let before = try directory.bytes(of: "tokens.sqlite")
    var dry = try json(try directory.apnsift(arguments + ["--dry-run"]))
    #expect(try directory.bytes(of: "tokens.sqlite") == before)
    #expect(dry["dry_run"] as? Bool == true)
    dry["dry_run"] = false
    #expect(dry["replay"] is Null)
    dry["replay"] = 1
    #expect(Evidence.same([dry], [try json(try directory.apnsift(arguments))]))
    #expect(try directory.names == ["dump.bin", "tokens.sqlite"])
  }

  @Test("the same input twice changes nothing the second time")
  func twice() throws {
    let directory = try prepareAll()
    let arguments = ["replay", "dump.bin", "--json", "--store", "sqlite:tokens.sqlite"]
    _ = try directory.apnsift(arguments)
    let after = try directory.storedTokens()
    let second = try json(try directory.apnsift(arguments))
    for name in ["inserted", "invalidated", "updated"] { #expect(second[name] as? Int == 0, "\(name)") }
    #expect(try directory.storedTokens() == after)
    let both = try directory.apnsift(arguments + ["dump.bin"])
    #expect(try json(both)["inputs"] as? Int == 2)
    #expect(try directory.storedTokens() == after)
  }

  @Test("of several tuples for a token the latest counts, in whatever order and input")
  func severalTuples() throws {
    let directory = try TestDirectory()
    try directory.makeStore([StoredToken(token: token(2), registeredAt: Int64(Self.time) + 15)])
    let times: [UInt32] = [10, 30, 20]
    try directory.write(feedback(times.map { Tuple(Self.time + $0, token(1)) }), to: "a.bin")
    try directory.write(feedback([15, 5].map { Tuple(Self.time + $0, token(2)) }), to: "b.bin")
    try directory.write(
      feedback([Tuple(Self.time + 16, token(2)), Tuple(Self.time, token(3))]), to: "c/d.hex")
    let outcome = try directory.apnsift(
      "replay", "a.bin", "b.bin", "c", "--json", "--store", "sqlite:tokens.sqlite")
    let object = try json(outcome)
    #expect(object["inputs"] as? Int == 3 && object["tuples"] as? Int == 7 && object["tokens"] as? Int == 3)
    let dead = Set(try directory.storedTokens().map { "\(hex($0.token).prefix(8)) \($0.invalidatedAt ?? 0)" })
    let expected = [(1, 30), (2, 16), (3, 0)].map { number, offset in
      "\(hex(token(number)).prefix(8)) \(Int64(Self.time) + Int64(offset))"
    }
    #expect(dead == Set(expected))
  }

  @Test("--known-only counts unknown tokens and does not store them")
  func knownOnly() throws {
    let directory = try prepareAll()
    let before = try directory.storedTokens()
    let arguments = ["replay", "dump.bin", "--json", "--known-only", "--store", "sqlite:tokens.sqlite"]
    let dry = try json(try directory.apnsift(arguments + ["--dry-run"]))
    let object = try json(try directory.apnsift(arguments))
    for counts in [dry, object] {
      #expect(counts["unknown"] as? Int == 1 && counts["inserted"] as? Int == 0)
      #expect(counts["invalidated"] as? Int == expectedCounts()["invalidated"])
    }
    #expect(try directory.storedTokens().map(\.token) == before.map(\.token))
  }
}
