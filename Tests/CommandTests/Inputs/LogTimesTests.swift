import Basics
import CommandTestSupport
import Testing
import Wording

/// Replays of providers' logs, whose lines have times of their own.
@Suite("Times of providers' logs")
struct LogTimesTests {
  private let directory = TestDirectory()
  private static let token = String(repeating: "ab", count: 32)
  private static let rfc3339 = failures(1) { _ in "\"2026-11-20T10:00:00.000Z\"" }

  /// Writes the log, and registers the token.
  private func prepare(_ log: String) throws {
    try directory.write(log, to: "a.log")
    _ = try directory.apnsift("store register \(Self.token) --at 2013-05-01T09:30:00Z --create".words)
  }

  private func findings() throws -> [String] {
    try directory.apnsift("export a.log --records findings --columns code,severity".words).lines
  }

  /// A log of failures alone, with a time as loggers write it.
  private static func failures(_ count: Int, _ time: (Int) -> String) -> String {
    (0..<count).map { #"{"timestamp":\#(time($0)),"event":"apns","token":"\#(token)","status":410}"# + "\n" }
      .joined()
  }

  /// Logs, and the number of their lines with doubtful times.
  private static let doubtful: [(name: String, log: String, count: Int)] = [
    ("RFC 3339", rfc3339, 1),
    ("rising milliseconds", failures(24) { "\(1_795_168_800_000 + $0 * 1700)" }, 24),
  ]

  @Test("Doubtful times stop the replay", arguments: doubtful)
  func stop(_ name: String, _ log: String, _ count: Int) throws {
    try prepare(log)
    let times = Message.logTimes(count, first: 1, areDoubtful: true)
    try directory.apnsift("replay", "a.log").exits(
      2,
      saying:
        "sqlite:tokens.sqlite is unchanged: a.log: \(times); with a name that is not in it, no time is taken")
    #expect(try directory.storedTokens().allSatisfy { $0.invalidatedAt == nil })
    #expect(try findings() == ["code,severity", "doubtful-times,error"])
  }

  @Test("--map decides", arguments: [("timestamp", [Int64(1_795_168_800)]), ("none", [])])
  func mapped(_ name: String, _ times: [Int64]) throws {
    try prepare(Self.rfc3339)
    try directory.apnsift("replay", "a.log", "--map", "timestamp=\(name)").exits(0)
    #expect(try directory.storedTokens().compactMap(\.invalidatedAt) == times)
  }

  @Test("Log times are a note, and invalidate nothing")
  func ofLines() throws {
    let line = #"{"timestamp":1795168800000,"level":"error","token":"\#(Self.token)","status":410}"#
    try directory.write(line + "\n", to: "a.log")
    try directory.apnsift("replay", "a.log", "--create").exits(0)
    #expect(try directory.storedTokens().isEmpty)
    #expect(try findings() == ["code,severity", "log-times,note"])
  }
}
