import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

private typealias Bytes = HTTP2Bytes

/// Keeps broadcasts and requests for channels as their kind and the fields that have a value.
private final class ExchangeRecording: EvidenceSink {
  private(set) var records: [String] = []
  private(set) var pushes = 0

  func pushes(_ pushes: PushRecords, in bytes: RawSpan) { self.pushes += pushes.records.count }

  func exchanges(_ exchanges: PushRecords, in bytes: RawSpan) {
    for record in exchanges.records {
      let fields = record.fields
      let texts = [PushFields.Text.app, .channelID, .requestID, .uniqueID, .pushType, .reason].map {
        fields[$0].map { bytes.extracting($0).withUnsafeBytes { String(decoding: $0, as: UTF8.self) } } ?? "-"
      }
      let numbers = [
        fields.priority.map(Int.init), fields.expiration.map { Int($0) }, fields.payloadLength,
        fields.storagePolicy.map(Int.init), fields.channels, fields.status.map(Int.init),
      ].map { $0.map(String.init) ?? "-" }
      records.append(
        ([fields.service.rawValue] + texts + numbers + fields.flags.codes).joined(separator: " "))
    }
  }
}

/// docs/spec/pushes.md#broadcasts-and-channels. The expected records follow from the specification.
@Suite("Broadcasts and requests for channels") struct ChannelConnectionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var client: [UInt8]
    var server: [UInt8]
    /// Kind, app, channel id, request id, unique id, push type, reason; priority, expiration, length, policy, channels,
    /// status; flags.
    var records: [String]
  }

  private static func asked(
    _ stream: UInt32, _ method: String, _ path: String, _ fields: [(String, String)] = [], body: String = ""
  ) -> [UInt8] {
    message(stream, [(":method", method), (":path", path)] + fields, body)
  }

  private static func answered(
    _ stream: UInt32, _ status: String, _ fields: [(String, String)] = [], body: String = ""
  ) -> [UInt8] {
    message(stream, [(":status", status)] + fields, body)
  }

  private static func message(_ stream: UInt32, _ fields: [(String, String)], _ body: String) -> [UInt8] {
    let block = Bytes.block(fields)
    if body.isEmpty { return Bytes.frame(1, 0x05, stream: stream, block) }
    let parts = stride(from: 0, to: body.utf8.count, by: 16_000).map {
      Array(body.utf8.dropFirst($0).prefix(16_000))
    }
    return Bytes.frame(1, 0x04, stream: stream, block)
      + parts.enumerated().flatMap {
        Bytes.frame(0, $0.offset == parts.count - 1 ? 1 : 0, stream: stream, $0.element)
      }
  }

  private static let send = "/4/broadcasts/apps/com.example.app"
  private static let channels = "/1/apps/com.example.app/channels"
  private static let all = "/1/apps/com.example.app/all-channels"
  private static let id = ("apns-channel-id", "dGVzdA==")
  private static let whole = [
    id, ("apns-expiration", "0"), ("apns-priority", "5"), ("apns-push-type", "liveactivity"),
  ]

  static let broadcasts = [
    Case(
      testDescription: "a broadcast, with the ids of its answer",
      client: asked(1, "POST", send, whole + [("apns-request-id", "mine")], body: "{}"),
      server: answered(1, "200", [("apns-request-id", "R"), ("apns-unique-id", "U")]),
      records: ["broadcast com.example.app dGVzdA== R U liveactivity - 5 0 2 - - 200"]),
    Case(
      testDescription: "status 410 invalidates no token of a broadcast",
      client: asked(1, "POST", send, whole),
      server: answered(1, "410", body: #"{"reason":"X","timestamp":5}"#),
      records: ["broadcast com.example.app dGVzdA== - - liveactivity X 5 0 0 - - 410"]),
    Case(
      testDescription: "a required field is missing",
      client: asked(1, "POST", send, Array(whole.dropLast())), server: [],
      records: ["broadcast com.example.app dGVzdA== - - - - 5 0 0 - - - missing-header no-response"]),
    Case(
      testDescription: "a cut request",
      client: Bytes.frame(1, 0x04, stream: 1, Bytes.block([(":method", "POST"), (":path", send)] + whole))
        + Bytes.frame(0, 0, stream: 1, [1, 2, 3]), server: [],
      records: ["broadcast com.example.app dGVzdA== - - liveactivity - 5 0 - - - - no-response"]),
    Case(
      testDescription: "an answer without its request is one of a broadcast if it has the id of a request",
      client: Bytes.request(3, "aa"),
      server: answered(1, "400", [("apns-request-id", "R")], body: #"{"reason":"BadChannelId"}"#),
      records: ["broadcast - - R - - BadChannelId - - - - - 400 uncorrelated"]),
  ]

  private static func list(of count: Int) -> String {
    "{\"channels\":[" + (0..<count).map { _ in "\"AAAAAAAAAAAAAAAAAAAAAA==\"" }.joined(separator: ",") + "]}"
  }

  static let requests = [
    Case(
      testDescription: "each of the four requests",
      client: asked(1, "POST", channels, body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        + asked(3, "GET", channels, [id]) + asked(5, "GET", all) + asked(7, "DELETE", channels, [id]),
      server: answered(1, "201", [id])
        + answered(3, "200", body: #"{"push-type":"LiveActivity","message-storage-policy":0}"#)
        + answered(5, "200", body: #"{"channels":["dGVzdA==","YQ=="]}"#) + answered(7, "204"),
      records: [
        "create com.example.app dGVzdA== - - LiveActivity - - - 0 1 - 201",
        "read com.example.app dGVzdA== - - LiveActivity - - - 55 0 - 200",
        "list com.example.app - - - - - - - 32 - 2 200",
        "delete com.example.app dGVzdA== - - - - - - 0 - - 204",
      ]),
    Case(
      testDescription: "10,000 channels, the most that an app has", client: asked(1, "GET", all),
      server: answered(1, "200", body: list(of: 10_000)),
      records: ["list com.example.app - - - - - - - 270014 - 10000 200"]),
    Case(
      testDescription: "a list that is longer than what is read", client: asked(1, "GET", all),
      server: answered(1, "200", body: list(of: 40_000)),
      records: ["list com.example.app - - - - - - - 1080014 - - 200 body-too-long"]),
    Case(
      testDescription: "a longer answer than any but a list has", client: asked(1, "GET", channels, [id]),
      server: answered(1, "400", body: String(repeating: " ", count: 4097)),
      records: ["read com.example.app dGVzdA== - - - - - - 4097 - - 400 body-too-long"]),
    Case(
      testDescription: "a body to create a channel that is too long",
      client: asked(1, "POST", channels, body: String(repeating: " ", count: 65_537)), server: [],
      records: ["create com.example.app - - - - - - - - - - - body-too-long no-response"]),
    Case(
      testDescription:
        "a list whose body is cut, one that is reset, and one in a padded frame that is malformed",
      client: asked(1, "GET", all) + asked(3, "GET", all) + asked(5, "GET", all),
      server: Bytes.frame(1, 0x04, stream: 1, Bytes.block([(":status", "200")]))
        + Bytes.frame(0, 0, stream: 1, Array(list(of: 3).utf8.dropLast(3)))
        + Bytes.frame(1, 0x04, stream: 3, Bytes.block([(":status", "200")])) + Bytes.reset(3, code: 2)
        + Bytes.frame(1, 0x04, stream: 5, Bytes.block([(":status", "200")]))
        + Bytes.frame(0, 0x08, stream: 5, [99, 1]) + Bytes.frame(0, 0x01, stream: 5, Array(list(of: 1).utf8)),
      records: []),
    Case(
      testDescription: "another method, and paths of other services",
      client: asked(1, "PUT", channels) + asked(3, "GET", "/1/apps/a/b/channels")
        + asked(5, "GET", "/1/apps/channels") + asked(7, "GET", "/1/apps//channels", [id]),
      server: answered(1, "405", body: #"{"reason":"MethodNotAllowed"}"#) + answered(3, "404")
        + answered(5, "404") + answered(7, "404"),
      records: [
        "channel com.example.app - - - - MethodNotAllowed - - 29 - - 405",
        "read  dGVzdA== - - - - - - 0 - - 404",
      ]),
  ]

  @Test("records", arguments: broadcasts + requests.filter { !$0.records.isEmpty }) func records(
    _ example: Case
  ) throws {
    let (records, pushes) = try read(example)
    #expect(records == example.records)
    #expect(pushes == (example.client == Bytes.request(3, "aa") ? 1 : 0))
  }

  @Test(
    "the ids of channels",
    arguments: [
      ("dGVzdA==", true), ("YWI=", true), ("YWJj", true), ("", false), ("abc", false), ("ab=c", false),
      ("====", false), ("a===", false), ("-_-_", false), ("dGVz dA==", false), ("dGVzdA", false),
    ]) func ids(_ text: String, _ isValid: Bool) throws
  {
    let client = Self.asked(1, "GET", Self.channels, [("apns-channel-id", text)])
    let found = try read(Case(testDescription: "", client: client, server: [], records: [])).records
    #expect(found.first?.contains("channel-id-not-base64") == !isValid)
  }

  @Test(
    "bodies of channels",
    arguments: [
      (#"{"push-type":"A","message-storage-policy":255}"#, "A - - - - 255"),
      (
        #" { "x" : [1,{"push-type":"no"}] , "message-storage-policy" : 0 , "push-type" : "" } "#, " - - - - 0"
      ),
      (#"{"push-type":"A","message-storage-policy":256}"#, nil), (#"{"push-type":"A"}"#, nil),
      (#"{"message-storage-policy":1}"#, nil), (#"{"push-type":1,"message-storage-policy":1}"#, nil),
      (#"{"push-type":"A","push-type":"A","message-storage-policy":1}"#, nil),
      (#"{"push-type":"A","message-storage-policy":1}x"#, nil), (#"["push-type"]"#, nil), ("{}", nil),
      ("null", nil),
      (#"{"push-type":"A","message-storage-policy":1.0}"#, nil),
      (#"{"push-type":"A","message-storage-policy":1"#, nil),
      (#"{"push-type":"\u0041","message-storage-policy":1}"#, nil),
      (#"{"push-type":"A","message-storage-policy":1,}"#, nil),
    ] as [(String, String?)]) func bodies(_ body: String, _ members: String?) throws
  {
    let example = Case(
      testDescription: "", client: Self.asked(1, "POST", Self.channels, body: body), server: [], records: [])
    let start = "create com.example.app - - - "
    let expected =
      members.map { "\(start)\($0) - - no-response" } ?? "\(start)- - - - - - - - malformed-json no-response"
    #expect(try read(example).records == [expected])
  }

  @Test(
    "lists",
    arguments: [
      (#"{"channels":[]}"#, 0, nil), (#"{ "channels" : [ ] , "x":1}"#, 0, nil),
      (#"{"channels":["YQ==" , "YWI="]}"#, 2, nil),
      (#"{"channels":["YQ==","b"]}"#, 2, "channel-id-not-base64"),
      (#"{"channels":["YQ==",null]}"#, nil, "malformed-json"), (#"{"channels":{}}"#, nil, "malformed-json"),
      (#"{"channels":[["YQ=="]]}"#, nil, "malformed-json"),
      (#"{"channels":["YQ=="],"channels":[]}"#, nil, "malformed-json"),
      (#"{"channels":["YQ=="]"#, nil, "malformed-json"), (#"["YQ=="]"#, nil, "malformed-json"),
      (#"{"Channels":[]}"#, nil, "malformed-json"), ("", nil, "malformed-json"),
    ] as [(String, Int?, String?)]) func lists(_ body: String, _ count: Int?, _ flag: String?) throws
  {
    let example = Case(
      testDescription: "", client: Self.asked(1, "GET", Self.all),
      server: Self.answered(1, "200", body: body),
      records: [])
    let record =
      "list com.example.app - - - - - - - \(body.utf8.count) - \(count.map(String.init) ?? "-") 200"
    #expect(try read(example).records == [record + (flag.map { " \($0)" } ?? "")])
  }

  @Test("an answer that is not whole is not read") func parts() throws {
    let example = try #require(Self.requests.first { $0.records.isEmpty })
    let records = try read(example).records.map { $0.split(separator: " ").suffix(3).joined(separator: " ") }
    #expect(Set(records) == ["- 200 body-lost", "- 200 stream-reset"])
  }

  private func read(_ example: Case) throws -> (records: [String], pushes: Int) {
    let recording = ExchangeRecording()
    let analyzer = Analyzer(AnalysisOptions(), sinks: [recording])
    try analyzer.log.begin(source: "a.pcap")
    let identity = StreamIdentity(number: 0, server: .second, serverEvidence: .handshake)
    try analyzer.opened(identity)
    for (side, bytes) in [
      (Side.first, Bytes.preface + Bytes.settings + example.client),
      (.second, Bytes.settings + example.server),
    ] {
      try analyzer.bytes(
        bytes.span.bytes, of: StreamDirection(stream: 0, side: side),
        origins: [SourceExtent(streamOffset: 0, fileOffset: 0, stride: 1)])
    }
    try analyzer.closed(StreamReport(identity))
    try analyzer.log.finish()
    return (recording.records, recording.pushes)
  }
}
