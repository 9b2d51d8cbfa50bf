import CommandTestSupport
import Testing

/// samples/pushes/case-channels.pcap, with its truth: broadcasts and requests for channels among pushes
/// (docs/spec/pushes.md#broadcasts-and-channels).
@Suite("Broadcasts and channels")
struct ChannelTests {
  private static let capture = Repository.path(of: "samples/pushes/case-channels.pcap")
  private let directory = TestDirectory()
  /// The exchanges that the capture was written of, by HTTP/2 stream.
  private let truth: [Int: Evidence.Object]

  init() throws {
    let text = try directory.text(of: Repository.path(of: "samples/pushes/case-channels.truth.ndjson"))
    let items = try Evidence.lines(text).map { ($0["stream"] as? Int ?? 0, $0) }
    truth = Dictionary(uniqueKeysWithValues: items)
  }

  private func asked(_ start: String, _ end: String = "") -> [Evidence.Object] {
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
    let exported = try directory.export(Self.capture, ["--records", kind])
    let records = exported.objects(String(kind.dropLast()))
    #expect(exported.outcome.code == 0 && records.count == expected.count)
    for record in records {
      let item = try #require(truth[record["http2_stream"] as? Int ?? 0])
      for name in ["status", "reason", "channel_id"] {
        #expect("\(record[name] ?? "")" == "\(item[name] ?? "")", "\(name) of \(item)")
      }
    }
    let csv = try directory.apnsift("export", Self.capture, "--records", kind)
    #expect(csv.lines.count == expected.count + 1)
    try directory.apnsift("export", Self.capture, "-t", "csv", "-o", "tables/").exits(0)
    #expect(try directory.text(of: "tables/\(kind).csv") == csv.text)
    _ = try directory.apnsift("export", Self.capture, "-o", "all.sqlite")
    #expect(try directory.sqlite("all.sqlite", "SELECT count(*) FROM \(kind)") == "\(expected.count)")
  }

  @Test("neither is one of a token, nor in a replay")
  func tokens() throws {
    let tokens = try ["pushes", "tokens"].map { kind in
      Set(try directory.apnsift("export", Self.capture, "--records", kind, "--columns", "token").lines)
    }
    #expect(tokens[0] == tokens[1])
    let replay = try directory.apnsift(
      "replay --store sqlite:tokens.sqlite --create --json --from-errors".words + [Self.capture])
    let gone = asked("/3/device/").count { $0["status"] as? Int == 410 }
    #expect(try Evidence.object(replay.text)["pushes"] as? Int == gone, "\(replay.errors)")
  }

  @Test("inspect and the report count both, and pushes by kind of token")
  func counts() throws {
    let (sent, requests) = (asked("/4/broadcasts/apps/").count, asked("/1/apps/", "channels").count)
    let text = try directory.apnsift("inspect", Self.capture).text
    #expect(text.contains("\n\(sent) broadcasts (") && text.contains("\n\(requests) channel requests ("))
    #expect(text.contains("\nPushes by kind of token\n"))
    let inspected = try Evidence.object(directory.apnsift("inspect", Self.capture, "--json").text)
    let summary = try #require(inspected["summary"] as? Evidence.Object)
    #expect(summary["broadcasts"] as? Int == sent && summary["channels"] as? Int == requests)
    let kinds = try #require(summary["push_kinds"] as? [Evidence.Object])
    let sums = kinds.map { row in row.values.compactMap { $0 as? Int }.reduce(0, +) }
    #expect(sums.reduce(0, +) == summary["pushes"] as? Int)
    let page = try directory.report([Self.capture]).html
    #expect(page.contains("<h2>Broadcasts and channels</h2>") && page.contains("Kinds of tokens"))
  }

  /// Rule 3 of docs/spec/pushes.md#exchanges, from the truth.
  @Test(
    "answers without their requests have their kinds", arguments: [("broadcasts", true), ("channels", false)])
  func answersAlone(_ kind: String, _ isBroadcast: Bool) throws {
    let statuses = [200, 201, 204]
    let expected = truth.values.filter {
      ($0["request_id"] as? String ?? "").hasPrefix("SERVER-") && statuses.contains($0["status"] as? Int ?? 0)
        && ($0["apns_unique_id"] is String) == isBroadcast
    }
    let words = "--records \(kind) --columns status,request_id".words
    let answers = try directory.apnsift(
      ["export", Self.capture, "--filter", "tcp src port 2197"] + words)
    let found = answers.lines.filter { line in statuses.contains { line.hasPrefix("\($0),") } }
    #expect(Set(found) == Set(expected.map { "\($0["status"] ?? ""),\($0["request_id"] ?? "")" }))
  }

  @Test("show finds one by its offset")
  func show() throws {
    let record = try directory.apnsift(
      "export --records broadcasts --columns offset,unique_id".words + [Self.capture]
    ).rows[0]
    let shown = try directory.apnsift("show --direction server --offset".words + [record[0], Self.capture])
      .text
    #expect(shown.contains("broadcast") && shown.contains("apns-unique-id: \(record[1])"), "\(shown)")
  }
}
