import Basics
import CommandTestSupport
import Foundation
import Testing

/// A replay that is killed leaves the old table or the new one, and the next run leaves the new one.
@Suite("Replays killed at random moments")
struct KilledReplayTests {
  private static let arguments = [
    "replay", "dump.bin", "--store", "sqlite:tokens.sqlite", "--max-invalidate", "100%",
  ]

  private let directory = TestDirectory()

  /// A store of 100,000 registrations, and a dump of 300,000 tokens, a part of which is in the store.
  init() throws {
    let registrations = (0..<100_000).map { "\(hex(Self.token($0))),\(1_400_000_000 + $0 % 7)\n" }
    try directory.write("token,registered_at\n" + registrations.joined(), to: "list.csv")
    let registered = try directory.apnsift(
      "store", "register", "--csv", "list.csv", "--store", "sqlite:old.sqlite", "--create")
    try #require(registered.code == 0, "\(registered.errors)")
    try directory.write(
      feedback((50_000..<350_000).lazy.map { Tuple(1_400_000_000 + UInt32($0 % 9), Self.token($0)) }),
      to: "dump.bin")
  }

  /// Cheaper than the other tests' tokens, and as scattered.
  private static func token(_ number: Int) -> [UInt8] {
    var generator = FixedGenerator(seed: UInt64(number))
    return (0..<4).flatMap { _ in
      let word = generator.next()
      return (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) | 1 }
    }
  }

  /// Whether two stores hold the same rows. The same work on the same file makes the same bytes; where it does
  /// not, a digest of the rows by SQLite's own tool decides.
  private func isSame(_ store: String, _ other: String) throws -> Bool {
    let (path, otherPath) = (directory.path(of: store), directory.path(of: other))
    if FileManager.default.contentsEqual(atPath: path, andPath: otherPath) { return true }
    let digest = ".sha3sum device_tokens"
    return try directory.sqlite(store, digest) == directory.sqlite(other, digest)
  }

  private func copy(_ from: String, to: String) throws {
    for suffix in ["", "-journal"] {
      let (source, target) = (directory.path(of: from + suffix), directory.path(of: to + suffix))
      try? FileManager.default.removeItem(atPath: target)
      if directory.exists(source) { try FileManager.default.copyItem(atPath: source, toPath: target) }
    }
  }

  /// Runs the replay and kills it that long after its start, or after its journal, unless it ends before.
  private func runAndKill(after delay: Duration, isAfterJournal: Bool) throws -> Ending {
    let child = try directory.start(Self.arguments)
    if isAfterJournal { try awaitJournal(of: child) }
    // Here a timed wait is the point: the moment is to be any.
    usleep(UInt32(max(0, delay / .microseconds(1))))
    child.send(SIGKILL)
    return try child.wait()
  }

  private func awaitJournal(of child: ChildProcess) throws {
    while !directory.exists("tokens.sqlite-journal"), try !child.hasEnded() { sched_yield() }
  }

  @Test("nothing is lost, nothing is half done")
  func kills() throws { try kill(8, seed: 1) }

  @Test("the same, after many kills")
  func manyKills() throws { try kill(26, seed: 2) }

  private func kill(_ kills: Int, seed: UInt64) throws {
    try copy("old.sqlite", to: "tokens.sqlite")
    let start = ContinuousClock.now
    let undisturbed = try directory.start(Self.arguments)
    try awaitJournal(of: undisturbed)
    let journal = ContinuousClock.now
    try #require(try undisturbed.wait() == .exit(0))
    let end = ContinuousClock.now
    try copy("tokens.sqlite", to: "new.sqlite")
    #expect(try directory.sqlite("new.sqlite", "PRAGMA integrity_check;") == "ok")
    #expect(try !isSame("old.sqlite", "new.sqlite"))

    var (killed, index, share) = (0, 0, 1.1)
    var generator = FixedGenerator(seed: seed)
    while index < kills || killed < kills / 2, index < 4 * kills {
      // From before the store is opened to after the end, half of them while it is written; earlier after a
      // replay that ended by itself, as the load of the machine changes.
      let isAfterJournal = index % 2 != 0
      let delay =
        (isAfterJournal ? journal : start).duration(to: end) * Double.random(in: 0...share, using: &generator)
      let moment = "\(delay), \(isAfterJournal)"
      try copy("old.sqlite", to: "tokens.sqlite")
      let isKilled = try runAndKill(after: delay, isAfterJournal: isAfterJournal) == .signal(SIGKILL)
      (killed, index, share) = (isKilled ? killed + 1 : killed, index + 1, isKilled ? 1.1 : share / 2)
      // The tool looks at a copy: apnsift must cope with the leftovers itself.
      try copy("tokens.sqlite", to: "seen.sqlite")
      #expect(try directory.sqlite("seen.sqlite", "PRAGMA integrity_check;") == "ok", "\(moment)")
      #expect(try isSame("seen.sqlite", "old.sqlite") || isSame("seen.sqlite", "new.sqlite"), "\(moment)")
      #expect(try directory.apnsift(Self.arguments).code == 0, "\(moment)")
      #expect(try isSame("tokens.sqlite", "new.sqlite"), "\(moment)")
      #expect(!directory.exists("tokens.sqlite-journal"))
    }
    #expect(killed >= kills / 2, "most kills must hit a running replay")
  }
}
