import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// `replay --from-errors`: tokens that a gateway called invalid.
@Suite("Replays of rejected requests")
struct ErrorReplayTests {
  private let directory = TestDirectory()
  /// The time of the packet with the response, in whole seconds: 2013-05-01T09:30:05Z; the capture has more digits.
  private static let refusedAt: Int64 = 1_367_400_605

  /// A capture in which `script` is a connection; the response comes in the sixth second.
  private func write(_ script: String, tuples: [Tuple] = []) throws -> [[UInt8]] {
    let script = GatewayScript(script)
    var segments = script.segments
    for index in segments.indices where segments[index].payload.first == 8 {
      segments[index].time = UInt64(Self.refusedAt) * 1_000_000_000 + 999_999_999
    }
    if !tuples.isEmpty {
      var other = Conversation(serverSends: feedback(tuples))
      other.client.port = 50_000
      segments += other.segments()
    }
    try directory.writeCapture(segments)
    return script.pushes.map(\.token)
  }

  private func replay(_ options: String..., input: [String] = ["capture.pcap"]) throws -> (
    Outcome, Evidence.Object
  ) {
    let words = "replay --store sqlite:tokens.sqlite --create --json".words
    let outcome = try directory.apnsift(words + input + options).exits(0)
    return (outcome, try Evidence.object(outcome.text))
  }

  @Test("is off by default, and a message says so")
  func off() throws {
    _ = try write("1 2 3 !8:2")
    let (outcome, json) = try replay()
    #expect(json["tokens"] as? Int == 0)
    #expect(outcome.errors.contains("skipped 1 error response; --from-errors"), "\(outcome.errors)")
    #expect(try directory.storedTokens().isEmpty)
  }

  @Test("marks the token dead at the packet's time, rounded down")
  func on() throws {
    let tokens = try write("1 2 3 !8:2")
    let (outcome, json) = try replay("--from-errors")
    #expect(json["tokens"] as? Int == 1 && json["inserted"] as? Int == 1 && json["tuples"] as? Int == 0)
    #expect(try directory.storedTokens() == [StoredToken(token: tokens[1], invalidatedAt: Self.refusedAt)])
    #expect(!outcome.errors.contains("--from-errors"), "\(outcome.errors)")
    let (_, again) = try replay("--from-errors")
    #expect(again["unchanged"] as? Int == 1 && again["inserted"] as? Int == 0)
  }

  static let harmless = [
    "1 2 !8:9", "1 2 !1:2", "1 2 !10:2", "1 2 !5:2", "1 2 !255:2", "1 2 !128:2", "1 2 !0:2", "1 2 !7:2",
    "0 0 !8:0", "c0 !8:0", "!8:1 1",
  ]

  @Test(
    "other statuses, and responses without a request, kill nothing", arguments: harmless,
    [[], ["--include-flagged"]])
  func killsNothing(_ script: String, _ options: [String]) throws {
    _ = try write(script)
    let (_, json) = try replay("--from-errors", input: ["capture.pcap"] + options)
    #expect(json["tokens"] as? Int == 0 && json["rejected"] as? Int == 0)
    #expect(try directory.storedTokens().isEmpty)
  }

  static let flagged: [(script: String, dead: Int, flag: String)] = [
    ("1 2 !8:2000000", 1, "identifier-swapped"), ("1 2 !1:2 !8:1", 0, "after-close"),
  ]

  @Test("flagged responses count only if that is asked for", arguments: flagged)
  func countsIfAsked(_ script: String, _ dead: Int, _ flag: String) throws {
    let tokens = try write(script)
    let (outcome, json) = try replay("--from-errors")
    #expect(json["rejected"] as? Int == 1 && json["inserted"] as? Int == 0)
    #expect(outcome.said(.tokensRejected(1, flags: [flag], hasLength: false)), "\(outcome.errors)")
    #expect(try directory.storedTokens().isEmpty)
    _ = try replay("--from-errors", "--include-flagged")
    #expect(try directory.storedTokens() == [StoredToken(token: tokens[dead], invalidatedAt: Self.refusedAt)])
  }

  @Test("a doubtful token of a request counts as flagged, too")
  func doubtfulToken() throws {
    let push = Push(1, 1, token: token(1, length: 40))
    var conversation = Conversation(gateway: [.init(.client, push.bytes), .init(.server, refusal(8, 1))])
    conversation.start = UInt64(Self.refusedAt) * 1_000_000_000
    try directory.writeCapture(conversation.segments())
    let (_, json) = try replay("--from-errors")
    #expect(json["rejected"] as? Int == 1)
    let (_, normal) = try replay("--from-errors", "--token-length", "32,40")
    #expect(normal["inserted"] as? Int == 1)
    #expect(try directory.storedTokens() == [StoredToken(token: push.token, invalidatedAt: Self.refusedAt)])
  }

  @Test("without a capture time nothing says since when: a pair of dumps, simple packet blocks")
  func skippedCount() throws {
    let script = GatewayScript("1 2 !8:2")
    let conversation = script.conversation
    try directory.writePair(conversation.bytes(of: .client), conversation.bytes(of: .server))
    var writer = PcapngWriter()
    writer.isSimple = true
    try directory.write(writer.file(FrameWriter().packets(script.segments)), to: "capture.pcapng")
    for input in [pair, ["capture.pcapng"]] { try expectSkipped(input) }
    #expect(try directory.storedTokens().isEmpty)
  }

  private func expectSkipped(_ input: [String]) throws {
    let (outcome, json) = try replay("--from-errors", input: input)
    #expect(json["tokens"] as? Int == 0)
    #expect(outcome.errors.contains("skipped 1 invalid-token response: "), "\(outcome.errors)")
  }

  @Test("nor does a clock that cannot be right", arguments: [0, 1_000_000_000, 4_200_000_000])
  func wrongClock(_ seconds: UInt64) throws {
    var segments = GatewayScript("1 2 !8:2").segments
    for index in segments.indices { segments[index].time = seconds * 1_000_000_000 }
    try directory.writeCapture(segments)
    try expectSkipped(["capture.pcap"])
  }

  @Test("of a tuple and a refusal of the same token the later counts", arguments: [-100, 0, 100])
  func laterTime(_ difference: Int64) throws {
    let script = "1 2 !8:2"
    let dead = GatewayScript(script).pushes[1].token
    let tuple = Tuple(UInt32(Self.refusedAt + difference), dead)
    _ = try write(script, tuples: [tuple, Tuple(1_400_000_000, token(99))])
    let (_, json) = try replay("--from-errors")
    #expect(json["tuples"] as? Int == 2 && json["tokens"] as? Int == 2 && json["inserted"] as? Int == 2)
    let stored = try directory.storedTokens().first { $0.token == dead }
    #expect(stored?.invalidatedAt == Self.refusedAt + max(0, difference))
  }
}
