import CaptureWriting
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// What `inspect` and the report say of pushes over time (docs/spec/pushes.md#over-time), and of the keys of their senders.
/// The expected numbers are by hand.
@Suite("Pushes over time") struct PushTimesTests {
  private let directory = TestDirectory()
  /// 2023-11-20T08:00:00Z, in milliseconds.
  private static let start = 1_700_467_200_000
  private static let hour = 3_600_000

  /// A line of a log.
  /// - Parameters:
  ///   - time: milliseconds after `start`; nil for a line without a time.
  ///   - lag: milliseconds from Apple's time to that time.
  private static func line(_ number: Int, _ status: Int, at time: Int?, lag: Int? = nil) -> String {
    let members = [
      time.map { #""time":\#(start + $0)"# }, #""token":"\#(hex(token(number)))""#, #""status":\#(status)"#,
      lag.map { #""reason":"Unregistered","timestamp":\#(start + (time ?? 0) - $0)"# },
    ]
    return "{" + members.compactMap { $0 }.joined(separator: ",") + "}\n"
  }

  private func summary(_ arguments: String...) throws -> Evidence.Object {
    let outcome = try directory.apnsift(["inspect", "--json"] + arguments).exits(0)
    return try #require(try Evidence.object(outcome.text)["summary"] as? Evidence.Object)
  }

  private static let hours = [
    line(1, 200, at: 0), line(2, 200, at: hour - 1), line(3, 503, at: hour), line(4, 418, at: hour),
    line(5, 410, at: 30 * hour), line(6, 200, at: 30 * hour), line(7, 200, at: nil),
  ].joined()

  @Test("a status is counted in the hour of its answer, UTC") func counts() throws {
    try directory.write(Self.hours, to: "a.log")
    let summary = try summary("a.log")
    let hours = try #require(summary["push_hours"] as? [Evidence.Object])
    let names = ["2023-11-20T08:00:00Z", "2023-11-20T09:00:00Z", "2023-11-21T14:00:00Z"]
    #expect(hours.map { $0["hour"] as? String } == names)
    let statuses = hours.compactMap { $0["statuses"] as? [String: Int] }
    #expect(statuses == [["200": 2], ["503": 1, "other": 1], ["200": 1, "410": 1]])
    #expect(summary["undated_pushes"] as? Int == 1 && summary["pushes_in_other_hours"] as? Int == 0)
    let text = try directory.apnsift("inspect", "a.log").text
    #expect(text.contains("  2023-11-20 09:00    0    0    1      1\n"), "\(text)")
    #expect(text.contains("not shown: 1 push without a time"))
  }

  @Test("hours above the limit are counted together") func limit() throws {
    try directory.write(Self.hours, to: "a.log")
    let limited = "a.log --max-hours 2".words
    let summary = try summary("a.log", "--max-hours", "2")
    #expect((summary["push_hours"] as? [Any])?.count == 2 && summary["pushes_in_other_hours"] as? Int == 2)
    let text = try directory.apnsift(["inspect"] + limited).text
    #expect(text.contains("not shown: 2 pushes of other hours (--max-hours), 1 push without a time"))
    let section = try directory.report(limited).section("hours")
    #expect(
      section.contains("2 pushes of other hours, above the limit --max-hours, 1 push without a time."))
    try directory.apnsift("inspect a.log --max-hours 0".words).exits(64)
  }

  /// Lags in milliseconds, and their median, 90th percentile and maximum: the first two have three digits.
  private static let lags: [(lags: [Int], median: Int, p90: Int, maximum: Int)] = [
    ([3, 9, 1, 7, 10, 2, 8, 4, 6, 5].map { $0 * hour }, 5 * hour, 9 * hour, 10 * hour),
    ([3_723_456], 3_720_000, 3_720_000, 3_723_456), ([600_001, 900_000], 600_000, 900_000, 900_000),
  ]

  @Test("the lag of a 410 is from Apple's time to the answer", arguments: lags)
  func lag(_ lags: [Int], _ median: Int, _ p90: Int, _ maximum: Int) throws {
    // Answers with other statuses lack the time, which shows that it is Apple's.
    let lines = lags.enumerated().map { Self.line($0, 410, at: $0 * 1000, lag: $1) }
    try directory.write(lines.joined() + Self.line(99, 200, at: 0), to: "a.log")
    let found = try summary("a.log")["invalidation_lag"] as? [String: Int]
    #expect(found?["answers"] == lags.count && found?["max_ms"] == maximum)
    #expect(found?["median_ms"] == median && found?["p90_ms"] == p90)
  }

  @Test("the lag of captured answers is that of their packets") func capturedLag() throws {
    let capture = Repository.path(of: "samples/pushes/httpx-clear-late.pcap")
    let doubts: Set = ["status-inferred", "uncorrelated", "token-not-hex", "unexpected-token-length"]
    let sound = try directory.apnsift(
      "export \(capture) --records pushes --columns captured_at,timestamp_ms,flags".words
    ).rows.filter { !$0[1].isEmpty && doubts.isDisjoint(with: $0[2].split(separator: ";").map(String.init)) }
    let lags = try sound.map { row in
      let printed = try directory.shell("date -u -d '\(row[0])' +%s%3N").text
      return try #require(Int(printed.filter(\.isNumber))) - (Int(row[1]) ?? 0)
    }
    let found = try summary(capture)["invalidation_lag"] as? [String: Int]
    #expect(!lags.isEmpty && found?["answers"] == lags.count && found?["max_ms"] == lags.max())
  }

  @Test("sends after the first 410 of a token are counted by time, in any order of inputs")
  func after410() throws {
    let (one, two, three, hour) = (1, 2, 3, Self.hour)
    let second = [
      Self.line(one, 410, at: 2 * hour, lag: hour), Self.line(one, 200, at: 5 * hour),
      Self.line(three, 200, at: 9 * hour),
    ]
    let first = [
      Self.line(one, 200, at: 0), Self.line(one, 410, at: 3 * hour, lag: 2 * hour),
      Self.line(one, 200, at: 2 * hour), Self.line(one, 200, at: nil),
      Self.line(two, 410, at: 4 * hour, lag: hour), Self.line(two, 200, at: 3 * hour),
    ]
    try directory.write(second.joined(), to: "b.log")
    try directory.write(first.joined(), to: "a.log")
    for (left, right) in [("a.log", "b.log"), ("b.log", "a.log")] {
      #expect(
        try summary(left, right)["tokens"] as? [String: Int] == [
          "all": 3, "sent_to": 3, "invalidated": 2, "doubtful": 0, "recovered": 0, "sent_after_410": 1,
          "sends_after_410": 2,
        ])
      let text = try directory.apnsift("inspect", left, right).text
      #expect(text.contains("2 sends to 1 token after a 410\n"))
      let rows = try directory.apnsift(
        "export --records tokens --columns token,sends_after_410 \(left) \(right)".words)
      let expected = [(one, 2), (two, 0), (three, 0)].map { [hex(token($0.0)), "\($0.1)"] }
      #expect(Set(rows.rows) == Set(expected) && rows.rows.count == 3)
    }
    #expect(try directory.report(["a.log", "b.log"]).text.contains("2 pushes were still sent to 1 token."))
  }

  @Test("counts of tokens are those of the rows of tokens") func tokenCounts() throws {
    let samples = ["pushes", "corpus/pushes"].map { Repository.path(of: "samples/\($0)") }
    let rows = try directory.export(["--records", "tokens"] + samples).objects("token")
    func count(_ name: String) -> Int { rows.count { ($0[name] as? Int ?? 0) > 0 } }
    #expect(rows.count > 400)
    #expect(
      try summary(samples[0], samples[1])["tokens"] as? [String: Int] == [
        "all": rows.count, "sent_to": count("sends"), "doubtful": count("doubtful"),
        "recovered": count("recovered"), "invalidated": rows.count { $0["invalidated_at"] is String },
        "sent_after_410": count("sends_after_410"),
        "sends_after_410": rows.reduce(0) { $0 + ($1["sends_after_410"] as? Int ?? 0) },
      ])
    #expect(try summary(samples[0], samples[1], "--no-distinct")["tokens"] == nil)
  }

  // MARK: - Keys

  private static let signature = "c2lnbmF0dXJl"

  /// A provider token: a header and claims in base64url, and a signature that is none.
  private func bearer(_ header: String, _ claims: String) -> String {
    let parts = [header, claims].map { part in
      Data(part.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    return "bearer \(parts.joined(separator: ".")).\(Self.signature)"
  }

  private func writeCapture(_ authorizations: [String?]) throws {
    let requests = authorizations.enumerated().flatMap { number, authorization in
      let fields = [(":method", "POST"), (":path", "/3/device/\(hex(token(number)))")]
      let block = HTTP2Bytes.block(fields + (authorization.map { [("authorization", $0)] } ?? []))
      return HTTP2Bytes.frame(1, 0x05, stream: UInt32(2 * number + 1), block)
    }
    var conversation = Conversation([
      .init(.client, HTTP2Bytes.preface + HTTP2Bytes.settings + requests),
      .init(.server, HTTP2Bytes.settings),
    ])
    conversation.server = .v4(20, port: 443)
    try directory.writeCapture(conversation.segments(), to: "a.pcap")
  }

  @Test("a key has its pushes, its tokens and the shortest interval between them; never a signature")
  func keys() throws {
    let header = #"{"alg":"ES256","kid":"ABC123DEFG"}"#
    let tokens = [1_700_000_000, 1_700_003_000, 1_700_003_041].map {
      bearer(header, #"{"iss":"DEF123GHIJ","iat":\#($0)}"#)
    }
    let other = bearer(#"{"kid":"k<2>"}"#, #"{"iat":5}"#)
    try writeCapture([
      tokens[2], tokens[2], tokens[0], tokens[1], tokens[0], nil, other, "bearer x.y", "Basic a.b.c",
    ])
    let summary = try summary("a.pcap")
    let keys = try #require(summary["provider_keys"] as? [[String: Any]])
    let (ids, teams): ([String?], [String?]) = (["ABC123DEFG", "k<2>"], ["DEF123GHIJ", nil])
    #expect(keys.map { $0["kid"] as? String } == ids)
    #expect(keys.map { $0["iss"] as? String } == teams)
    let counts: [(name: String, values: [Int?])] = [
      ("pushes", [5, 1]), ("tokens", [3, 1]), ("shortest_interval", [41, nil]),
    ]
    for (name, values) in counts { #expect(keys.map { $0[name] as? Int } == values, "\(name)") }
    #expect(summary["other_provider_tokens"] as? Int == 2)
    let line = "key ABC123DEFG of team DEF123GHIJ: 5 pushes, 3 provider tokens, two of them 41 s apart"
    let text = try directory.apnsift("inspect", "a.pcap").text
    #expect(
      text.contains("  \(line)\n") && text.contains("  2 pushes with another provider token\n"), "\(text)")
    let page = try directory.report(["a.pcap"])
    #expect(page.texts("ul", "keys").joined().contains(line))
    try directory.write(String(repeating: "k", count: 32), to: "key.txt")
    let redacted = try directory.report(["a.pcap", "--redact", "key.txt"])
    #expect(redacted.html.contains(/key key-[0-9a-f]{16} of team team-[0-9a-f]{16}: 5 pushes, 3/))
    for name in ["ABC123DEFG", "DEF123GHIJ", "k&lt;2"] { #expect(!redacted.html.contains(name)) }
    for output in [text, page.html, try directory.apnsift("export", "-t", "json", "a.pcap").text] {
      #expect(!output.contains(Self.signature))
    }
  }
}
