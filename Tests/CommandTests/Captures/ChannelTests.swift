import CommandTestSupport
import Testing

/// samples/pushes/case-channels.pcap, with its truth: broadcasts and requests for channels among pushes
/// (docs/spec/pushes.md#broadcasts-and-channels).
@Suite("Broadcasts and channels")
struct ChannelTests {
  private static let capture = Repository.path(of: "samples/pushes/case-channels.pcap")
  private let directory = TestDirectory()
  /// The exchanges that the capture was written of, by HTTP/2 stream.
  private let truth: [Int: [String: Any]]

  init() throws {
    let lines = try directory.text(of: Repository.path(of: "samples/pushes/case-channels.truth.ndjson"))
      .split(separator: "\n")
    truth = try Dictionary(
      uniqueKeysWithValues: lines.map {
        let item = try Evidence.object(String($0))
        return (item["stream"] as? Int ?? 0, item)
      })
  }

  private func asked(_ start: String, _ end: String = "") -> [[String: Any]] {
    truth.values.filter {
      let path = $0["path"] as? String ?? ""
      return path.hasPrefix(start) && path.hasSuffix(end) && path.split(separator: "/").count < 5
        && path != "/1/apps/channels"
    }
  }

  @Test(
    "export has a record of each, in NDJSON, JSON, CSV, SQLite and in tables",
    arguments: ["broadcasts", "channels"])
  func export(_ kind: String) throws {
    let expected = kind == "channels" ? asked("/1/apps/", "channels") : asked("/4/broadcasts/apps/")
    let lines = try directory.apnsift(["export", Self.capture, "--records", kind, "-t", "ndjson"]).exits(0)
    let records = try lines.text.split(separator: "\n").map { try Evidence.object(String($0)) }
      .filter { $0["type"] as? String == String(kind.dropLast()) }
    #expect(records.count == expected.count)
    for record in records {
      let item = try #require(truth[record["http2_stream"] as? Int ?? 0])
      for name in ["status", "reason", "channel_id"] {
        #expect("\(record[name] ?? "")" == "\(item[name] ?? "")", "\(name) of \(item)")
      }
    }
    let csv = try directory.apnsift(["export", Self.capture, "--records", kind])
    #expect(csv.text.split(separator: "\n").count == expected.count + 1)
    try directory.apnsift(["export", Self.capture, "-t", "csv", "-o", "tables/"]).exits(0)
    #expect(try directory.text(of: "tables/\(kind).csv") == csv.text)
    _ = try directory.apnsift(["export", Self.capture, "-o", "all.sqlite"])
    #expect(try directory.sqlite("all.sqlite", "SELECT count(*) FROM \(kind)") == "\(expected.count)")
  }

  @Test("neither is one of a token, nor in a replay")
  func tokens() throws {
    let pushes = try directory.apnsift(["export", Self.capture, "--records", "pushes", "--columns", "token"])
    let tokens = try directory.apnsift(["export", Self.capture, "--records", "tokens", "--columns", "token"])
    #expect(Set(tokens.text.split(separator: "\n")) == Set(pushes.text.split(separator: "\n")))
    let replay = try directory.apnsift([
      "replay", Self.capture, "--store", "sqlite:tokens.sqlite", "--create", "--json", "--from-errors",
    ])
    let gone = asked("/3/device/").count { $0["status"] as? Int == 410 }
    #expect(try Evidence.object(replay.text)["pushes"] as? Int == gone, "\(replay.errors)")
  }

  @Test("inspect and the report count both, and pushes by kind of token")
  func counts() throws {
    let (sent, requests) = (asked("/4/broadcasts/apps/").count, asked("/1/apps/", "channels").count)
    let text = try directory.apnsift(["inspect", Self.capture]).text
    #expect(text.contains("\n\(sent) broadcasts (") && text.contains("\n\(requests) channel requests ("))
    #expect(text.contains("\nPushes by kind of token\n"))
    let inspected = try Evidence.object(directory.apnsift(["inspect", Self.capture, "--json"]).text)
    let summary = try #require(inspected["summary"] as? [String: Any])
    #expect(summary["broadcasts"] as? Int == sent && summary["channels"] as? Int == requests)
    let kinds = try #require(summary["push_kinds"] as? [[String: Any]])
    let sums = kinds.map { row in row.values.compactMap { $0 as? Int }.reduce(0, +) }
    #expect(sums.reduce(0, +) == summary["pushes"] as? Int)
    try directory.apnsift(["report", Self.capture, "-o", "report.html"]).exits(0)
    let page = try directory.text(of: "report.html")
    #expect(page.contains("<h2>Broadcasts and channels</h2>") && page.contains("Kinds of tokens"))
  }

  /// Rule 3 of docs/spec/pushes.md#exchanges, from the truth.
  @Test("answers without their requests have their kinds")
  func answersAlone() throws {
    let answers = truth.values.filter { ($0["request_id"] as? String ?? "").hasPrefix("SERVER-") }
    let statuses = [200, 201, 204]
    for (kind, isBroadcast) in [("broadcasts", true), ("channels", false)] {
      let expected = answers.filter {
        statuses.contains($0["status"] as? Int ?? 0) && ($0["apns_unique_id"] is String) == isBroadcast
      }
      let text = try directory.apnsift([
        "export", Self.capture, "--filter", "tcp src port 2197", "--records", kind, "--columns",
        "status,request_id",
      ]).text
      let found = text.split(separator: "\n").map(String.init)
        .filter { line in statuses.contains { line.hasPrefix("\($0),") } }
      let lines = expected.map { "\($0["status"] ?? ""),\($0["request_id"] ?? "")" }
      #expect(Set(found) == Set(lines))
    }
  }

  @Test("show finds one by its offset")
  func show() throws {
    let record = try directory.apnsift([
      "export", Self.capture, "--records", "broadcasts", "--columns", "offset,unique_id",
    ]).text.split(separator: "\n")[1].split(separator: ",")
    let shown = try directory.apnsift([
      "show", Self.capture, "--offset", "\(record[0])", "--direction", "server",
    ])
    #expect(
      shown.text.contains("broadcast") && shown.text.contains("apns-unique-id: \(record[1])"), "\(shown.text)"
    )
  }
}
