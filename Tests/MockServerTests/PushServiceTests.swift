import APNsWire
import Analysis
import Basics
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
      fields[.tokenText] = texts.count..<texts.count + push.token.utf8.count
      texts += push.token.utf8
      for (field, text) in [(PushFields.Text.reason, push.reason), (.topic, push.topic)] {
        guard let text else { continue }
        fields[field] = texts.count..<texts.count + text.utf8.count
        texts += text.utf8
      }
      fields.status = push.status
      fields.timestamp = push.timestamp
      fields.flags = push.flags
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
    headers: [(String, String)] = [("apns-topic", "com.example.app"), ("apns-priority", "5")],
    payload: String = "{\"aps\":{}}"
  ) -> [UInt8] {
    ClientRequest(path: "/3/device/\(token)", headers: headers, payload: payload).frames(stream)
  }

  private func start(
    _ pushes: [Known], demanded: [PushAnswer] = [], log: EventLog,
    configure: (inout MockServer.Configuration) -> Void = { _ in }
  ) throws -> MockServer {
    var configuration = MockServer.Configuration()
    configuration.clientLimit = 1
    configure(&configuration)
    let answers = PushAnswers(try collector(pushes).recorded, demanded: [.push: demanded])
    return try MockServer.start(.pushes(answers), configuration) { log.add($0) }
  }

  @Test("a response has the status and the body of the input, and the record what was sent") func responses()
    throws
  {
    let log = EventLog()
    let server = try start(
      [Known(token: "aa", status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123)], log: log)
    let connection = try HTTP2Connection(server)
    let headers = [("apns-topic", "com.example.app"), ("apns-id", "4711"), ("authorization", "bearer a.b.c")]
    try connection.client.send(request(1, token: "aa", headers: headers) + request(3, token: "bb"))
    // The body may come after the other response.
    var ended: Set<Int> = []
    let frames = try connection.frames { frame in
      if frame.type <= 1, frame.flags & 1 != 0 { ended.insert(frame.stream) }
      return ended == [1, 3]
    }
    let body = frames.filter { $0.type == 0 && $0.stream == 1 }.flatMap(\.payload)
    #expect(String(decoding: body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
    // HEADERS with END_STREAM, and status 200 by its index.
    let accepted = try #require(frames.first { $0.type == 1 && $0.stream == 3 })
    #expect(accepted.flags & 1 != 0 && accepted.payload.first == 0x88)
    connection.client.close()
    let pushes = try log.received()
    #expect(pushes.map(\.token) == ["aa", "bb"] && pushes.map(\.http2Stream) == [1, 3])
    #expect(pushes[0].headers.map { [$0.name, $0.value] } == headers.map { [$0.0, $0.1] })
    #expect(pushes[0].payloadLength == 10 && pushes[1].ending == .answered(.accepted))
    // As sha256sum prints it.
    let digest = "4a81bb4d90a8236190b13e3eb683015de1baec4c0735e825767b37d3e03d5f97"
    #expect(pushes[0].payloadDigest == digest)
    server.stop()
  }

  /// It is read once the server has stopped.
  private final class Captured: GeneratorOutput, @unchecked Sendable {
    var bytes: [UInt8] = []
    func write(_ bytes: RawSpan) throws { bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) } }
  }

  @Test("the settings are sent to a client, but not to one above the limit", arguments: [1, 0])
  func settings(limit: Int) throws {
    let (log, output) = (EventLog(), Captured())
    let capture = try ServedCapture(output)
    let server = try start([], log: log) {
      $0.maxConcurrentClients = limit
      $0.capture = capture
    }
    let client = try TestClient(port: server.port)
    _ = try? client.read()
    client.close()
    server.stop()
    // SETTINGS_MAX_CONCURRENT_STREAMS, 1000 (RFC 9113, section 6.5.2).
    #expect(output.bytes.contains([0, 3, 0, 0, 3, 232]) == (limit == 1))
  }

  @Test("resets, silence and GOAWAY are played") func endings() throws {
    let log = EventLog()
    let server = try start(
      [
        Known(token: "aa", flags: [.streamReset, .refused, .noResponse]),
        Known(token: "bb", flags: .noResponse), Known(token: "cc", flags: [.goaway, .noResponse]),
      ], log: log)
    let connection = try HTTP2Connection(server)
    try connection.client.send(request(1, token: "aa") + request(3, token: "bb") + request(5, token: "ee"))
    let frames = try connection.frames { $0.stream == 5 && $0.flags & 1 != 0 }
    // REFUSED_STREAM is 7 (RFC 9113, section 7).
    #expect(frames.filter { $0.stream == 1 }.map { [$0.type] + $0.payload } == [[3, 0, 0, 0, 7]])
    #expect(!frames.contains { $0.stream == 3 })
    try connection.client.send(request(7, token: "cc") + request(9, token: "ee"))
    let last = try connection.frames { _ in false }
    let goaway = try #require(last.first { $0.type == 7 })
    #expect(goaway.payload.prefix(8) == [0, 0, 0, 5, 0, 0, 0, 0])
    #expect(String(decoding: goaway.payload.dropFirst(8), as: UTF8.self) == #"{"reason":"Shutdown"}"#)
    #expect(!last.contains { $0.stream >= 7 })
    connection.client.close()
    // What follows the GOAWAY is not received.
    #expect(
      try log.received().map(\.ending) == [
        .answered(.refuse), .answered(.silence), .answered(.accepted), .answered(.goaway),
      ])
    server.stop()
  }

  @Test("answers that were demanded: late ones come after others, and the last repeats") func demanded()
    throws
  {
    let log = EventLog()
    var busy = PushResponse(status: 429, reason: "TooManyRequests")
    busy.retryAfter = 30
    let server = try start(
      [],
      demanded: [
        .late(.accepted, milliseconds: 3_600_000), .late(.response(busy), milliseconds: 0), .cancel,
      ], log: log)
    let connection = try HTTP2Connection(server)
    try connection.client.send((0..<4).flatMap { request(2 * $0 + 1, token: "aa") })
    var ended: Set<Int> = []
    let frames = try connection.frames { frame in
      if frame.type == 3 || frame.type <= 1 && frame.flags & 1 != 0 { ended.insert(frame.stream) }
      return ended == [3, 5, 7]
    }
    #expect(!frames.contains { $0.stream == 1 })
    // RST_STREAM with CANCEL (RFC 9113, section 7).
    for stream in [5, 7] {
      #expect(frames.filter { $0.stream == stream }.map { [$0.type] + $0.payload } == [[3, 0, 0, 0, 8]])
    }
    connection.client.close()
    let pushes = try log.received().sorted { $0.http2Stream < $1.http2Stream }
    #expect(
      pushes.map(\.ending) == [
        .abandoned, .answered(.response(busy)), .answered(.cancel), .answered(.cancel),
      ])
    #expect(pushes[1].answerHeaders.contains { ($0.name, $0.value) == ("retry-after", "30") })
    server.stop()
  }

  @Test("answers to requests that come together are shuffled, and bodies are in two parts") func shuffled()
    throws
  {
    let log = EventLog()
    let known = [Known(token: "aa", status: 400, reason: "BadTopic"), Known(token: "bb", status: 410)]
    let server = try start(known, log: log) { $0.shufflesAnswers = true }
    let connection = try HTTP2Connection(server)
    try connection.client.send(request(1, token: "aa") + request(3, token: "bb") + request(5, token: "cc"))
    let frames = try connection.frames { $0.stream == 1 && $0.flags & 1 != 0 }.filter { $0.type <= 1 }
    #expect(frames.map { [Int($0.type), $0.stream] } == [[1, 5], [1, 3], [1, 1], [0, 1], [0, 1]])
    #expect(String(decoding: frames.suffix(2).flatMap(\.payload), as: UTF8.self) == #"{"reason":"BadTopic"}"#)
    connection.client.close()
    server.stop()
  }

  /// A request that the service refuses, and the answer.
  struct Refusal: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var answer: String
    var token = "aa"
    var headers = [("apns-topic", "com.example.app")]
    var payload = "{}"

    init(_ text: String, _ answer: String, _ change: (inout Refusal) -> Void) {
      (testDescription, self.answer) = (text, answer)
      change(&self)
    }
  }

  @Test(
    "strict answers",
    arguments: [
      Refusal("a right push", "200") { _ in },
      Refusal("no token", "400 MissingDeviceToken") { $0.token = "" },
      Refusal("a token that is not hex", "400 BadDeviceToken") { $0.token = "xyz1" },
      Refusal("half a byte", "400 BadDeviceToken") { $0.token = "abc" },
      Refusal("no topic", "400 MissingTopic") { $0.headers = [] },
      Refusal("an empty topic", "400 BadTopic") { $0.headers = [("apns-topic", "")] },
      Refusal("two topics", "400 DuplicateHeaders") { $0.headers += $0.headers },
      Refusal("an id that is no UUID", "400 BadMessageId") { $0.headers += [("apns-id", "4711")] },
      Refusal("a UUID", "200") { $0.headers += [("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")] },
      Refusal("a priority of 7", "400 BadPriority") { $0.headers += [("apns-priority", "7")] },
      Refusal("an expiration in words", "400 BadExpirationDate") {
        $0.headers += [("apns-expiration", "now")]
      },
      Refusal("64 bytes of collapse id", "200") {
        $0.headers += [("apns-collapse-id", String(repeating: "c", count: 64))]
      },
      Refusal("65 bytes of collapse id", "400 BadCollapseId") {
        $0.headers += [("apns-collapse-id", String(repeating: "c", count: 65))]
      },
      Refusal("an unknown push type", "400 InvalidPushType") { $0.headers += [("apns-push-type", "silent")] },
      Refusal("a push type of another topic", "400 TopicDisallowed") {
        $0.headers += [("apns-push-type", "liveactivity")]
      },
      Refusal("an alert to the topic of a Live Activity", "400 TopicDisallowed") {
        $0.headers = [
          ("apns-topic", "com.example.app.push-type.liveactivity"), ("apns-push-type", "alert"),
        ]
      },
      Refusal("the push type of its topic", "200") {
        $0.headers = [
          ("apns-topic", "com.example.app.push-type.liveactivity"), ("apns-push-type", "liveactivity"),
        ]
      },
      Refusal("a pass", "200") {
        $0.headers = [("apns-topic", "pass.com.example"), ("apns-push-type", "background")]
      },
      Refusal("another topic than in the input", "400 DeviceTokenNotForTopic") {
        $0.token = "CC"
        $0.headers = [("apns-topic", "com.example.app")]
      },
      Refusal("the topic of the input", "200") {
        $0.token = "cc"
        $0.headers = [("apns-topic", "com.example.app.voip")]
      },
      Refusal("the topic of a refused push says nothing", "400 BadTopic") {
        $0.token = "dd"
        $0.headers = [("apns-topic", "com.example.app")]
      },
      Refusal("no payload", "400 PayloadEmpty") { $0.payload = "" },
      Refusal("4096 bytes", "200") { $0.payload = String(repeating: "1", count: 4096) },
      Refusal("4097 bytes", "413 PayloadTooLarge") { $0.payload = String(repeating: "1", count: 4097) },
      Refusal("5120 bytes to VoIP", "200") {
        $0.headers = [("apns-topic", "com.example.app.voip"), ("apns-push-type", "voip")]
        $0.payload = String(repeating: "1", count: 5120)
      },
      Refusal("5121 bytes to VoIP", "413 PayloadTooLarge") {
        $0.headers = [("apns-topic", "com.example.app.voip"), ("apns-push-type", "voip")]
        $0.payload = String(repeating: "1", count: 5121)
      },
    ]) func strict(_ refusal: Refusal) throws
  {
    let log = EventLog()
    let known = [
      Known(token: "bb", status: 410), Known(token: "cc", topic: "com.example.app.voip", status: 200),
      Known(token: "dd", topic: "com.example.other", status: 400, reason: "BadTopic"),
    ]
    let server = try start(known, log: log) { $0.isStrict = true }
    let connection = try HTTP2Connection(server)
    try connection.client.send(
      request(1, token: refusal.token, headers: refusal.headers, payload: refusal.payload))
    _ = try connection.frames { $0.stream == 1 && $0.flags & 1 != 0 }
    connection.client.close()
    let answers = try log.received().map { push -> String in
      guard case .answered(.response(let response)) = push.ending else { return "none" }
      return [String(response.status), response.reason].compactMap { $0 }.joined(separator: " ")
    }
    #expect(answers == [refusal.answer])
    server.stop()
  }

  @Test("bytes that are no frames end the connection with a reason of ours") func brokenFrames() throws {
    let log = EventLog()
    let server = try start([Known(token: "aa", status: 200)], log: log)
    let connection = try HTTP2Connection(server)
    try connection.client.send([UInt8](repeating: 0xff, count: 64))
    let ends = try log.events { $0 == .finished }.compactMap { event -> String? in
      guard case .ended(_, let report) = event, case .failed(let reason) = report.end else { return nil }
      return reason.text
    }
    #expect(ends.count == 1 && ends[0].hasPrefix("the client broke the rules of HTTP/2: "), "\(ends)")
    #expect(!ends.joined().contains("swift"))
    connection.client.close()
    server.stop()
  }

  @Test("a request that the client resets is recorded without an answer") func abandoned() throws {
    let log = EventLog()
    let server = try start([Known(token: "aa", status: 200)], log: log)
    let connection = try HTTP2Connection(server)
    // Only the HEADERS of a request, and then a RST_STREAM with CANCEL.
    let begun = request(3, token: "aa").dropLast(9 + 10)
    try connection.client.send(Array(begun) + HTTP2Bytes.reset(3, code: 8) + request(5, token: "aa"))
    _ = try connection.frames { $0.stream == 5 && $0.flags & 1 != 0 }
    connection.client.close()
    #expect(try log.received().map(\.ending) == [.abandoned, .answered(.accepted)])
    server.stop()
  }

  @Test("a client that does not speak HTTP/2 is reported") func otherProtocol() throws {
    let log = EventLog()
    let server = try start([Known(token: "aa", status: 200)], log: log)
    let client = try TestClient(port: server.port)
    try client.send(Array("POST /3/device/aa HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    let events = try log.events { $0 == .finished }
    let ends = events.compactMap { event -> ServedReport.End? in
      if case .ended(_, let report) = event { report.end } else { nil }
    }
    guard case .failed(let reason)? = ends.first else { throw EventLog.Missing(events: events) }
    #expect(ends.count == 1 && reason.text.contains("did not begin with HTTP/2"))
    client.close()
    server.stop()
  }
}
