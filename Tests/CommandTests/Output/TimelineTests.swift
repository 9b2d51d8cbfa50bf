import CommandTestSupport
import Testing

/// Lines for Timesketch and mactime (docs/formats.md#timelines).
@Suite("Timelines") struct TimelineTests {
  private let directory = TestDirectory()

  private static let token = String(repeating: "a1", count: 32)

  /// Seconds, and the same as Timesketch gets them, by hand.
  static let times: [(seconds: UInt32, date: String)] = [
    (0, "1970-01-01T00:00:00"), (1_400_000_000, "2014-05-13T16:53:20"),
    (2_147_483_648, "2038-01-19T03:14:08"), (4_294_967_295, "2106-02-07T06:28:15"),
  ]

  /// What is after the sentence about a tuple: times before the service and after its end are in doubt.
  private static func doubt(_ seconds: UInt32) -> String {
    seconds == 1_400_000_000 ? "" : "; implausible-timestamp"
  }

  @Test("a tuple has a line with its time in microseconds, from 1970 to 2106", arguments: times)
  func timesketch(seconds: UInt32, date: String) throws {
    let tuple = Tuple(seconds, Array(repeating: 0xA1, count: 32)).bytes
    try directory.write(tuple + tuple, to: "dump.bin")
    try directory.apnsift("export", "-t", "timesketch", "dump.bin", "-o", "all.jsonl").exits(0)
    let lines = try directory.text(of: "all.jsonl").split(separator: "\n")
    #expect(lines.count == 2)
    let micros = seconds == 0 ? "0" : "\(seconds)000000"
    let start =
      "{\"message\":\"Token \(Self.token) was invalidated (dump.bin, stream 0, offset 38)\(Self.doubt(seconds))\","
      + "\"datetime\":\"\(date).000000+00:00\",\"timestamp\":\(micros),"
      + "\"timestamp_desc\":\"Token invalidated\",\"data_type\":\"apnsift:feedback\","
      + "\"source\":\"dump.bin\",\"stream\":0,\"direction\":\"server\",\"offset\":38,\"file_offset\":38,"
      + "\"time\":\"\(date)Z\",\"token_length\":32,\"token\":\"\(Self.token)\",\"flags\":["
    #expect(lines[1].hasPrefix(start), "\(lines[1])")
    #expect(!lines[1].contains("null"))
  }

  @Test("a body file has the time in all four fields, and no field of a name", arguments: times)
  func bodyfile(seconds: UInt32, date: String) throws {
    try directory.write(Tuple(seconds, Array(repeating: 0xA1, count: 32)).bytes, to: "a|b\n.bin")
    let outcome = try directory.apnsift("export", "-t", "bodyfile", "a|b\n.bin").exits(0)
    let sentence =
      "Token \(Self.token) was invalidated (a\\u007cb\\n.bin, stream 0, offset 0)\(Self.doubt(seconds))"
    let all = Array(repeating: String(seconds), count: 4).joined(separator: "|")
    #expect(outcome.lines == ["0|apnsift: \(sentence)|0|0|0|0|0|\(all)"])
  }

  @Test("a capture has lines for its packets and streams: one for each time of a row") func capture() throws {
    let inputs = ["captures/gateway.pcap", "pushes/httpx-clear-late.pcap", "captures/uplinks-one.pcap"]
      .map { Repository.path(of: "samples/\($0)") }
    let columns = [
      "feedback": ["time", "captured_at"], "requests": ["captured_at"], "responses": ["captured_at"],
      "pushes": ["time", "captured_at", "logged_at"], "streams": ["started_at", "ended_at"],
      "tokens": ["first_seen", "last_seen", "invalidated_at"], "inputs": ["modified_at"],
    ]
    for (kind, times) in columns {
      let lines = try directory.apnsift(["export", "-t", "timesketch", "--records", kind] + inputs).lines
      var expected: [String] = []
      for time in times {
        let rows = try directory.apnsift(["export", "--records", kind, "--columns", time] + inputs).lines
        expected += rows.dropFirst().filter { !$0.isEmpty }.map { String($0.prefix(19)) }
      }
      #expect(!lines.isEmpty, "\(kind)")
      let found = lines.compactMap {
        $0.split(separator: "\"datetime\":\"").last.map { String($0.prefix(19)) }
      }
      #expect(found.sorted() == expected.sorted(), "\(kind)")
    }
  }

  @Test("a line of a log has lines for its own time and for Apple's") func log() throws {
    let push = #"{"time":"2023-11-20T08:00:00.5Z","token":"\#(Self.token)","status":410,"#
    try directory.write(push + #""timestamp":1700000000123}"# + "\n", to: "a.log")
    let lines = try directory.apnsift("export", "-t", "timesketch", "a.log").lines
    let starts = [
      #"{"message":"Token \#(Self.token) was invalidated (a.log, stream 0, offset 0)","#
        + #""datetime":"2023-11-14T22:13:20.123000+00:00","timestamp":1700000000123000,"#
        + #""timestamp_desc":"Token invalidated","#,
      #"{"message":"Push to token \#(Self.token) was logged: invalidated (a.log, stream 0, offset 0)","#
        + #""datetime":"2023-11-20T08:00:00.500000+00:00","timestamp":1700467200500000,"#
        + #""timestamp_desc":"Line logged","#,
    ]
    #expect(lines.count == 2)
    for (line, start) in zip(lines, starts) { #expect(line.hasPrefix(start), "\(line)") }
  }
}
