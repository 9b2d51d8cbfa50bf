import CommandTestSupport
import TestSupport
import Testing

/// `export --since` and `--until` (docs/spec/interface.md#export).
@Suite("Records of a time")
struct ChosenTimesTests {
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
    ("--since 2017-01-01 --until 2018-01-01", [3], [8]),
    ("--since 2018-01-01", [], []),
    // Of 14 May in Tokyo are the first times, which are of 13 May in UTC.
    ("--since 2014-05-14", [3], [8]),
    ("--since 2014-05-14 --until 2014-05-15 --time-zone Asia/Tokyo", [0, 1, 2], [7, 6]),
    ("--until 2014-05-13T16:53:20Z --time-zone Asia/Tokyo", [0], []),
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
}
