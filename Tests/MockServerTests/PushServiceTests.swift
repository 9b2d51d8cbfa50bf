import APNsWire
import Analysis
import Conformance
import Generator
import MockServer
import TestSupport
import Testing

/// Answers to pushes, by a client that writes its own frames.
@Suite("Answers to pushes") struct PushServiceTests {
  // MARK: - Inputs

  /// A push of an input: its token in hex, and what is known of it and of its answer.
  private struct Known {
    var token: String
    var topic: String?
    var status: UInt16?
    var reason: String?
    var timestamp: Int64?
    var flags: PushFlags = []
  }

  private func collector(_ pushes: [Known]) throws -> PushAnswerCollector {
    let collector = PushAnswerCollector(memory: 1 << 20)
    var texts: [UInt8] = []
    let records = pushes.map { push in
      var fields = PushFields()
      let known: KeyValuePairs<PushFields.Text, String?> = [
        .tokenText: push.token, .reason: push.reason, .topic: push.topic,
      ]
      for case (let field, let text?) in known {
        fields[field] = texts.count..<texts.count + text.utf8.count
        texts += text.utf8
      }
      (fields.status, fields.timestamp, fields.flags) = (push.status, push.timestamp, push.flags)
      return PushRecord(fields, direction: .server, offset: 0, fileOffset: 0, packet: nil)
    }
    let labels = StreamLabels(source: "input", stream: 0)
    try collector.pushes(PushRecords(labels: labels, records: records[...]), in: texts.span.bytes)
    return collector
  }

  @Test("answers are those of the input by token, in their order; lasting ones last") func order() throws {
    let answers = PushAnswers(
      try collector([
        Known(token: "aa", status: 200), Known(token: "bb", status: 429, reason: "TooManyRequests"),
        Known(token: "aa", status: 410, reason: "Unregistered", timestamp: 7),
        Known(token: "cc", flags: [.goaway, .noResponse]), Known(token: "dd"),
      ]).recorded)
    let gone = PushAnswer.response(PushResponse(status: 410, reason: "Unregistered", timestamp: 7))
    #expect((0..<4).map { _ in answers.next(for: "aa") } == [.accepted, gone, gone, gone])
    #expect(answers.next(for: "AA") == gone)
    let busy = PushAnswer.response(PushResponse(status: 429, reason: "TooManyRequests"))
    #expect((0..<2).map { _ in answers.next(for: "bb") } == [busy, .accepted])
    #expect((0..<2).map { _ in answers.next(for: "cc") } == [.goaway, .accepted])
    #expect(answers.next(for: "dd") == .accepted)
  }

  @Test(
    "the answer to a push without a status",
    arguments: [
      ([.goaway, .noResponse], .goaway), ([.streamReset, .refused, .noResponse], .refuse),
      ([.streamReset, .noResponse], .cancel), ([.noResponse], .silence),
    ] as [(PushFlags, PushAnswer)]) func withoutStatus(_ flags: PushFlags, _ answer: PushAnswer) throws
  {
    let answers = PushAnswers(try collector([Known(token: "aa", flags: flags)]).recorded)
    #expect(answers.next(for: "aa") == answer)
  }

  @Test("pushes without an outcome are counted, and more than the memory are refused") func limits() throws {
    let unknown = try collector([Known(token: "aa", flags: .unknownHeaders), Known(token: "bb", status: 200)])
    #expect((unknown.count, unknown.skipped) == (1, 1))
    let many = try collector((0..<10_000).map { Known(token: "\($0)", status: 200) })
    #expect(many.exceedsMemory)
  }

  @Test("a body has the reason as JSON") func bodies() {
    #expect(PushResponse(status: 200).body == "")
    #expect(
      PushResponse(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123).body
        == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
    #expect(PushResponse(status: 400, reason: "a\"b\\c\n").body == #"{"reason":"a\"b\\c\n"}"#)
  }

  // MARK: - Connections

  private func request(
    _ stream: UInt32, token: String,
    headers: [(String, String)] = [("apns-topic", "com.example.app"), ("apns-priority", "5")]
  ) -> [UInt8] { ClientRequest.push(to: token, headers).frames(stream) }

  private func server(
    _ pushes: [Known], demanded: [PushAnswer] = [],
    configure: (inout MockServer.Configuration) -> Void = { _ in }
  ) throws -> TestServer {
    let answers = PushAnswers(try collector(pushes).recorded, demanded: [.push: demanded])
    return try TestServer(.pushes(answers), configure: configure)
  }

  @Test("a response has the status and the body of the input, and the record what was sent")
  func responses() throws {
    let server = try server([
      Known(token: "aa", status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123)
    ])
    let connection = try HTTP2Connection(server)
    let headers = [("apns-topic", "com.example.app"), ("apns-id", "4711"), ("authorization", "bearer a.b.c")]
    try connection.client.send(request(1, token: "aa", headers: headers) + request(3, token: "bb"))
    // The body may come after the other response.
    let frames = try connection.frames(untilEndOf: [1, 3])
    #expect(frames.body(of: 1) == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
    // HEADERS with END_STREAM, and status 200 by its index.
    let accepted = try #require(frames.first { $0.type == 1 && $0.stream == 3 })
    #expect(accepted.flags & 1 != 0 && accepted.payload.first == 0x88)
    let pushes = try server.received(closing: connection)
    #expect(pushes.map(\.token) == ["aa", "bb"] && pushes.map(\.http2Stream) == [1, 3])
    #expect(pushes[0].headers.map { [$0.name, $0.value] } == headers.map { [$0.0, $0.1] })
    #expect(pushes[0].payloadLength == 10 && pushes[1].ending == .answered(.accepted))
    // As sha256sum prints it.
    let digest = "4a81bb4d90a8236190b13e3eb683015de1baec4c0735e825767b37d3e03d5f97"
    #expect(pushes[0].payloadDigest == digest)
  }

  /// It is read once the server has stopped.
  private final class Captured: GeneratorOutput, @unchecked Sendable {
    var bytes: [UInt8] = []
    func write(_ bytes: RawSpan) throws { bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) } }
  }

  @Test("the settings are sent to a client, but not to one above the limit", arguments: [1, 0])
  func settings(limit: Int) throws {
    let output = Captured()
    let capture = try ServedCapture(output)
    let server = try server([]) { ($0.maxConcurrentClients, $0.capture) = (limit, capture) }
    let client = try server.connect()
    _ = try? client.read()
    client.close()
    server.server.stop()
    // SETTINGS_MAX_CONCURRENT_STREAMS, 1000 (RFC 9113, section 6.5.2).
    #expect(output.bytes.contains([0, 3, 0, 0, 3, 232]) == (limit == 1))
  }

  @Test("resets, silence and GOAWAY are played") func endings() throws {
    let server = try server([
      Known(token: "aa", flags: [.streamReset, .refused, .noResponse]),
      Known(token: "bb", flags: .noResponse), Known(token: "cc", flags: [.goaway, .noResponse]),
    ])
    let connection = try HTTP2Connection(server)
    try connection.client.send(request(1, token: "aa") + request(3, token: "bb") + request(5, token: "ee"))
    let frames = try connection.frames(untilEndOf: [5])
    // REFUSED_STREAM is 7 (RFC 9113, section 7).
    #expect(frames.filter { $0.stream == 1 }.map { [$0.type] + $0.payload } == [[3, 0, 0, 0, 7]])
    #expect(!frames.contains { $0.stream == 3 })
    try connection.client.send(request(7, token: "cc") + request(9, token: "ee"))
    let last = try connection.frames { _ in false }
    let goaway = try #require(last.first { $0.type == 7 })
    #expect(goaway.payload.prefix(8) == [0, 0, 0, 5, 0, 0, 0, 0])
    #expect(String(decoding: goaway.payload.dropFirst(8), as: UTF8.self) == #"{"reason":"Shutdown"}"#)
    #expect(!last.contains { $0.stream >= 7 })
    // What follows the GOAWAY is not received.
    #expect(
      try server.received(closing: connection).map(\.ending) == [
        .answered(.refuse), .answered(.silence), .answered(.accepted), .answered(.goaway),
      ])
  }

  @Test("answers that were demanded: late ones come after others, and the last repeats")
  func demanded() throws {
    var busy = PushResponse(status: 429, reason: "TooManyRequests")
    busy.retryAfter = 30
    let late = PushAnswer.late(.accepted, milliseconds: 3_600_000)
    let server = try server([], demanded: [late, .late(.response(busy), milliseconds: 0), .cancel])
    let connection = try HTTP2Connection(server)
    try connection.client.send((0..<4).flatMap { request(2 * $0 + 1, token: "aa") })
    let frames = try connection.frames(untilEndOf: [3, 5, 7])
    #expect(!frames.contains { $0.stream == 1 })
    // RST_STREAM with CANCEL (RFC 9113, section 7).
    for stream in [5, 7] {
      #expect(frames.filter { $0.stream == stream }.map { [$0.type] + $0.payload } == [[3, 0, 0, 0, 8]])
    }
    let pushes = try server.received(closing: connection).sorted { $0.http2Stream < $1.http2Stream }
    #expect(
      pushes.map(\.ending) == [
        .abandoned, .answered(.response(busy)), .answered(.cancel), .answered(.cancel),
      ])
    #expect(pushes[1].answerHeaders.contains { ($0.name, $0.value) == ("retry-after", "30") })
  }

  @Test("answers to requests that come together are shuffled, and bodies are in two parts")
  func shuffled() throws {
    let known = [Known(token: "aa", status: 400, reason: "BadTopic"), Known(token: "bb", status: 410)]
    let server = try server(known) { $0.shufflesAnswers = true }
    let connection = try HTTP2Connection(server)
    try connection.client.send(request(1, token: "aa") + request(3, token: "bb") + request(5, token: "cc"))
    let frames = try connection.frames(untilEndOf: [1]).filter { $0.type <= 1 }
    #expect(frames.map { [Int($0.type), $0.stream] } == [[1, 5], [1, 3], [1, 1], [0, 1], [0, 1]])
    #expect(frames.body(of: 1) == #"{"reason":"BadTopic"}"#)
  }

  private static let voip = "com.example.app.voip"
  private static let liveActivity = "com.example.app.push-type.liveactivity"

  @Test(
    "strict answers",
    arguments: [
      .push("a right push", "200"),
      .push("no token", "400 MissingDeviceToken") { $0.path = "/3/device/" },
      .push("a token that is not hex", "400 BadDeviceToken") { $0.path = "/3/device/xyz1" },
      .push("half a byte", "400 BadDeviceToken") { $0.path = "/3/device/abc" },
      .push("no topic", "400 MissingTopic") { $0.headers = [] },
      .push("an empty topic", "400 BadTopic") { $0.headers = [("apns-topic", "")] },
      .push("two topics", "400 DuplicateHeaders") { $0.headers += $0.headers },
      .push("an id that is no UUID", "400 BadMessageId") { $0.headers += [("apns-id", "4711")] },
      .push("a UUID", "200") { $0.headers += [("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")] },
      .push("a priority of 7", "400 BadPriority") { $0.headers += [("apns-priority", "7")] },
      .push("an expiration in words", "400 BadExpirationDate") { $0.headers += [("apns-expiration", "now")] },
      .push("64 bytes of collapse id", "200") {
        $0.headers += [("apns-collapse-id", String(repeating: "c", count: 64))]
      },
      .push("65 bytes of collapse id", "400 BadCollapseId") {
        $0.headers += [("apns-collapse-id", String(repeating: "c", count: 65))]
      },
      .push("an unknown push type", "400 InvalidPushType", as: "silent"),
      .push("a push type of another topic", "400 TopicDisallowed", as: "liveactivity"),
      .push("an alert to the topic of a Live Activity", "400 TopicDisallowed", to: liveActivity, as: "alert"),
      .push("the push type of its topic", "200", to: liveActivity, as: "liveactivity"),
      .push("a pass", "200", to: "pass.com.example", as: "background"),
      .push("another topic than in the input", "400 DeviceTokenNotForTopic") { $0.path = "/3/device/CC" },
      .push("the topic of the input", "200", to: voip) { $0.path = "/3/device/cc" },
      .push("the topic of a refused push says nothing", "400 BadTopic") { $0.path = "/3/device/dd" },
      .push("no payload", "400 PayloadEmpty") { $0.payload = "" },
      .push("4096 bytes", "200") { $0.payload = String(repeating: "1", count: 4096) },
      .push("4097 bytes", "413 PayloadTooLarge") { $0.payload = String(repeating: "1", count: 4097) },
      .push("5120 bytes to VoIP", "200", to: voip, as: "voip") {
        $0.payload = String(repeating: "1", count: 5120)
      },
      .push("5121 bytes to VoIP", "413 PayloadTooLarge", to: voip, as: "voip") {
        $0.payload = String(repeating: "1", count: 5121)
      },
    ] as [Conversation])
  func strict(_ conversation: Conversation) throws {
    let known = [
      Known(token: "bb", status: 410), Known(token: "cc", topic: "com.example.app.voip", status: 200),
      Known(token: "dd", topic: "com.example.other", status: 400, reason: "BadTopic"),
    ]
    try conversation.expect(of: server(known) { $0.isStrict = true })
  }

  @Test("a request that the client resets is recorded without an answer") func abandoned() throws {
    let server = try server([Known(token: "aa", status: 200)])
    let connection = try HTTP2Connection(server)
    // Only the HEADERS of a request, and then a RST_STREAM with CANCEL.
    let begun = request(3, token: "aa").dropLast(9 + 10)
    try connection.client.send(Array(begun) + HTTP2Bytes.reset(3, code: 8) + request(5, token: "aa"))
    _ = try connection.frames(untilEndOf: [5])
    #expect(
      try server.received(closing: connection).map(\.ending) == [.abandoned, .answered(.accepted)])
  }

  @Test(
    "bytes that are no HTTP/2 end the connection with a reason of ours",
    arguments: [
      (
        [HTTP2Bytes.preface + HTTP2Bytes.settings, [UInt8](repeating: 0xff, count: 64)],
        "the client broke the rules of HTTP/2: "
      ),
      (
        [Array("POST /3/device/aa HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)],
        "the client did not begin with HTTP/2"
      ),
    ])
  func noHTTP2(_ parts: [[UInt8]], _ start: String) throws {
    let server = try server([])
    let client = try server.connect()
    for part in parts { try client.send(part) }
    guard case .failed(let reason) = try server.report().end else {
      Issue.record("the connection did not fail")
      return
    }
    #expect(reason.text.hasPrefix(start) && !reason.text.contains("swift"), "\(reason.text)")
    client.close()
  }
}
