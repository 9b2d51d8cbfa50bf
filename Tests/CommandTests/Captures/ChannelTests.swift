import CommandTestSupport
import Testing

/// samples/pushes/case-channels.pcap, with its truth: broadcasts and requests for channels among pushes
/// (docs/spec/pushes.md#broadcasts-and-channels). scripts/check-pushes compares their records with the truth.
@Suite("Broadcasts and channels")
struct ChannelTests {
  private static let capture = Repository.path(of: "samples/pushes/case-channels.pcap")
  private let directory = TestDirectory()
  /// The exchanges that the capture was written of.
  private let truth: [Evidence.Object]

  init() throws {
    truth = try Evidence.lines(
      directory.text(of: Repository.path(of: "samples/pushes/case-channels.truth.ndjson")))
  }

  private func asked(_ start: String, _ end: String = "") -> [Evidence.Object] {
    truth.filter {
      let path = $0["path"] as? String ?? ""
      return path.hasPrefix(start) && path.hasSuffix(end) && path.split(separator: "/").count < 5
        && path != "/1/apps/channels"
    }
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
