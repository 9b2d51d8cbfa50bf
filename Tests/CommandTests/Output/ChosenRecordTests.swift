import CommandTestSupport
import TestSupport
import Testing

/// `export --since`, `--until`, `--token` and `--flagged` (docs/spec/interface.md#export).
@Suite("Export of chosen records")
struct ChosenRecordTests {
  private let directory = TestDirectory()

  init() throws {
    let times: [UInt32] = [1_399_999_999, 1_400_000_000, 1_400_000_001, 1_500_000_000]
    try directory.write(
      times.enumerated().flatMap { Tuples.of(token($0.offset), time: $0.element) }, to: "dump.bin")
    let lines = [
      #"{"token":"\#(hex(token(7)))","status":410,"timestamp":1400000000999}"#,
      #"{"token":"\#(hex(token(8)))","status":410,"timestamp":1500000000000}"#,
      #"{"token":"\#(hex(token(9)))","status":200}"#,
      #"{"token":"\#(hex(token(6)))","status":200,"time":"2014-05-13T16:53:20Z"}"#,
    ]
    try directory.write(lines.joined(separator: "\n") + "\n", to: "pushes.ndjson")
  }

  /// Options, and the numbers of the tokens of the tuples and pushes that they choose.
  static let cases: [(options: String, tuples: [Int], pushes: [Int])] = [
    ("--since 1400000000", [1, 2, 3], [7, 8, 6]), ("--until 2014-05-13T16:53:20Z", [0], []),
    ("--since 1400000000 --until 1400000001", [1], [7, 6]),
    ("--since 2017-01-01 --until 2018-01-01", [3], [8]), ("--since 2018-01-01", [], []),
    // Of 14 May in Tokyo are the first times, which are of 13 May in UTC.
    ("--since 2014-05-14", [3], [8]), ("--until 2014-05-13T16:53:20Z --time-zone Asia/Tokyo", [0], []),
    ("--since 2014-05-14 --until 2014-05-15 --time-zone Asia/Tokyo", [0, 1, 2], [7, 6]),
  ]

  @Test("the first moment counts, the last one does not", arguments: cases)
  func chosen(_ options: String, _ tuples: [Int], _ pushes: [Int]) throws {
    let chosen = try directory.apnsift("export --columns token dump.bin \(options)".words)
    #expect(chosen.lines.dropFirst().map { $0 } == tuples.map { hex(token($0)) })
    let pushed = try directory.apnsift(
      "export --records pushes --columns token pushes.ndjson \(options)".words)
    #expect(pushed.lines.dropFirst().map { $0 } == pushes.map { hex(token($0)) })
    #expect(pushed.errors.contains("1 record without a time left out"), "\(pushed.errors)")
  }

  @Test("tokens are those of the chosen records")
  func tokens() throws {
    let rows = try directory.apnsift(
      "export --records tokens --columns token --until 1400000001 dump.bin pushes.ndjson".words)
    #expect(rows.lines.dropFirst().sorted() == [0, 1, 6, 7].map { hex(token($0)) }.sorted())
    #expect(rows.errors.contains("exported 4 tokens of 2 inputs"), "\(rows.errors)")
    try directory.apnsift("export -o tables/ --until 1400000001 dump.bin".words)
      .exits(0, saying: "exported 2 records")
  }

  // MARK: - By token and flags: what a plain search finds in the export of everything

  /// Recordings of all kinds.
  private static let recordings = [
    "samples/unusual-length.bin", "samples/gateway-odd-frames.requests.bin",
    "samples/pushes/httpx-clear.pcap", "samples/pushes/httpx-clear-late.pcap",
    "samples/captures/gateway.pcap",
  ]

  private func lines(_ input: String, _ options: [String]) throws -> [Substring] {
    let outcome = try directory.apnsift(["export", Repository.path(of: input), "-t", "ndjson"] + options)
      .exits(0)
    return outcome.text.split(separator: "\n").filter { line in
      ["feedback", "request", "response", "push"].contains { line.hasPrefix(#"{"type":"\#($0)""#) }
    }
  }

  @Test("--flagged has the records with flags", arguments: recordings)
  func flagged(_ input: String) throws {
    let all = try lines(input, [])
    #expect(try lines(input, ["--flagged"]) == all.filter { !$0.contains(#""flags":[]"#) })
  }

  @Test("--token has the records of a token", arguments: recordings)
  func ofToken(_ input: String) throws {
    let all = try lines(input, [])
    let tokens = Set(
      all.compactMap { $0.split(separator: #""token":""#).dropFirst().first?.prefix { $0 != "\"" } })
    #expect(tokens.contains { !$0.isEmpty })
    for token in tokens.sorted().prefix(4) where !token.isEmpty {
      let found = try lines(input, ["--token", String(token)])
      #expect(found == all.filter { $0.contains("\"token\":\"\(token)\"") })
    }
  }

  @Test("the last line counts the records that were written")
  func count() throws {
    let input = Repository.path(of: "samples/unusual-length.bin")
    let outcome = try directory.apnsift("export", input, "--flagged")
    #expect(outcome.text.split(separator: "\n").count == 2)
    #expect(outcome.errors.contains("exported 1 record of 1 input"))
  }
}
