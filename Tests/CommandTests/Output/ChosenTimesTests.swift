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

  struct Case: Sendable, CustomTestStringConvertible {
    var options: [String]
    var tuples: [Int]
    var pushes: [Int]
    var testDescription: String { options.joined(separator: " ") }
  }

  static let cases = [
    Case(options: ["--since", "1400000000"], tuples: [1, 2, 3], pushes: [7, 8, 6]),
    Case(options: ["--until", "2014-05-13T16:53:20Z"], tuples: [0], pushes: []),
    Case(options: ["--since", "1400000000", "--until", "1400000001"], tuples: [1], pushes: [7, 6]),
    Case(options: ["--since", "2017-01-01", "--until", "2018-01-01"], tuples: [3], pushes: [8]),
    Case(options: ["--since", "2018-01-01"], tuples: [], pushes: []),
    // Of 14 May in Tokyo are the first times, which are of 13 May in UTC.
    Case(options: ["--since", "2014-05-14"], tuples: [3], pushes: [8]),
    Case(
      options: ["--since", "2014-05-14", "--until", "2014-05-15", "--time-zone", "Asia/Tokyo"],
      tuples: [0, 1, 2], pushes: [7, 6]),
    Case(
      options: ["--until", "2014-05-13T16:53:20Z", "--time-zone", "Asia/Tokyo"], tuples: [0], pushes: []),
  ]

  @Test("the first moment counts, the last one does not", arguments: cases)
  func chosen(_ example: Case) throws {
    let tuples = try directory.apnsift(["export", "--columns", "token", "dump.bin"] + example.options)
    #expect(tuples.lines.dropFirst() == ArraySlice(example.tuples.map { hex(token($0)) }))
    let pushes = try directory.apnsift(
      ["export", "--records", "pushes", "--columns", "token", "pushes.ndjson"] + example.options)
    #expect(pushes.lines.dropFirst() == ArraySlice(example.pushes.map { hex(token($0)) }))
    #expect(pushes.errors.contains("1 record without a time left out"), "\(pushes.errors)")
  }

  @Test("tokens are those of the chosen records")
  func tokens() throws {
    let rows = try directory.apnsift(
      "export", "--records", "tokens", "--columns", "token", "--until", "1400000001", "dump.bin",
      "pushes.ndjson")
    #expect(rows.lines.dropFirst().sorted() == [0, 1, 6, 7].map { hex(token($0)) }.sorted())
    #expect(rows.errors.contains("exported 4 tokens of 2 inputs"), "\(rows.errors)")
    let all = try directory.apnsift("export", "-o", "tables/", "--until", "1400000001", "dump.bin")
    #expect(all.errors.contains("exported 2 records"), "\(all.errors)")
  }
}
