import APNsWire
import Conformance
import MockServer
import TestSupport
import Testing

/// Channels, and broadcasts to them.
@Suite("Channels") struct ChannelServiceTests {
  /// A request, and its answer: the status, then the id of a channel, the reason or the body.
  struct Exchange: Sendable {
    var request: ClientRequest
    var answer: String

    init(_ operation: ServiceRequest, _ answer: String, _ change: (inout ClientRequest) -> Void = { _ in }) {
      request = ClientRequest(path: "/1/apps/com.example.app/channels")
      request.headers = [("apns-channel-id", Exchange.first)]
      switch operation {
      case .create: (request.headers, request.payload) = ([], Exchange.stored)
      case .list: (request.path, request.headers) = ("/1/apps/com.example.app/all-channels", [])
      case .broadcast:
        request.path = "/4/broadcasts/apps/com.example.app"
        request.headers += [
          ("apns-push-type", "liveactivity"), ("apns-priority", "10"), ("apns-expiration", "1800000000"),
        ]
        request.payload = "{\"aps\":{}}"
      default: break
      }
      request.method = operation == .read || operation == .list ? "GET" : "POST"
      if operation == .delete { request.method = "DELETE" }
      self.answer = answer
      change(&request)
    }

    /// `printf 'com.example.app 0' | openssl dgst -sha256 -binary | head -c 16 | base64`
    static let first = "pENK4mZKUnNQvdDwVOv27Q=="
    static let second = "iL/ZiKJCE0WUc+0fUpHrpQ=="
    static let stored = #"{"push-type":"LiveActivity","message-storage-policy":1}"#
    static let notStored = #"{"push-type":"LiveActivity","message-storage-policy":0}"#
  }

  struct Conversation: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var exchanges: [Exchange]

    init(_ text: String, _ exchanges: [Exchange]) { (testDescription, self.exchanges) = (text, exchanges) }

    /// Of a broadcast to a channel that stores messages.
    init(_ text: String, _ answer: String, _ change: @escaping (inout ClientRequest) -> Void) {
      let created = Exchange(.create, "201 \(Exchange.first)")
      self.init(text, [created, Exchange(.broadcast, answer, change)])
    }
  }

  private static let life = [
    Conversation(
      "a channel is created, read, listed, used and deleted",
      [
        Exchange(.list, #"200 {"channels":[]}"#), Exchange(.create, "201 \(Exchange.first)"),
        Exchange(.create, "201 \(Exchange.second)") { $0.payload = Exchange.notStored },
        Exchange(.read, #"200 {"message-storage-policy":1,"push-type":"LiveActivity"}"#),
        Exchange(.read, #"200 {"message-storage-policy":0,"push-type":"LiveActivity"}"#) {
          $0.headers = [("apns-channel-id", Exchange.second)]
        },
        Exchange(.list, "200 {\"channels\":[\"\(Exchange.first)\",\"\(Exchange.second)\"]}"),
        Exchange(.broadcast, "200"), Exchange(.delete, "204"),
        Exchange(.delete, "400 ChannelNotRegistered"), Exchange(.read, "400 ChannelNotRegistered"),
        Exchange(.broadcast, "400 ChannelNotRegistered"),
        Exchange(.list, "200 {\"channels\":[\"\(Exchange.second)\"]}"),
      ]),
    Conversation(
      "apps have their own channels",
      [
        Exchange(.create, "201 \(Exchange.first)"),
        Exchange(.read, "400 ChannelNotRegistered") { $0.path = "/1/apps/com.example.other/channels" },
        Exchange(.list, #"200 {"channels":[]}"#) { $0.path = "/1/apps/com.example.other/all-channels" },
      ]),
  ]

  private static let requests = [
    Conversation(
      "bodies of a request to create",
      [
        Exchange(.create, "400 BadRequestPayload") { $0.payload = "{" },
        Exchange(.create, "400 BadRequestPayload") { $0.payload = "[]" },
        Exchange(.create, "400 BadRequestPayload") { $0.payload = "" },
        Exchange(.create, "400 MissingPushType") { $0.payload = #"{"message-storage-policy":1}"# },
        Exchange(.create, "400 InvalidPushType") {
          $0.payload = #"{"push-type":"Alert","message-storage-policy":1}"#
        },
        Exchange(.create, "400 BadRequestParams") {
          $0.payload = #"{"push-type":"LiveActivity","message-storage-policy":2}"#
        },
        Exchange(.create, "400 BadRequestParams") { $0.payload = #"{"push-type":"LiveActivity"}"# },
        Exchange(.create, "400 BadRequestParams") {
          $0.payload = #"{"push-type":"LiveActivity","message-storage-policy":1,"more":1}"#
        },
        Exchange(.create, "413 PayloadTooLarge") { $0.payload = String(repeating: " ", count: 4097) },
        Exchange(.list, #"200 {"channels":[]}"#),
      ]),
    Conversation(
      "paths, methods and headers",
      [
        Exchange(.list, "404 BadPath") { $0.path = "/1/apps//all-channels" },
        Exchange(.list, "404 BadPath") { $0.path = "/1/apps/com.example.app/channel" },
        Exchange(.list, "405 MethodNotAllowed") { $0.method = "POST" },
        Exchange(.read, "405 MethodNotAllowed") { $0.method = "PUT" },
        Exchange(.broadcast, "405 MethodNotAllowed") { $0.method = "GET" },
        Exchange(.list, "400 TopicDisallowed") {
          $0.path = "/1/apps/com.example.app.push-type.liveactivity/all-channels"
        },
        Exchange(.read, "400 DuplicateHeaders") { $0.headers += $0.headers },
        Exchange(.list, "400 BadMessageId") { $0.headers = [("apns-request-id", "4711")] },
        Exchange(.read, "400 MissingChannelId") { $0.headers = [] },
        Exchange(.delete, "400 BadChannelId") { $0.headers = [("apns-channel-id", "a-_=")] },
        Exchange(.delete, "400 BadChannelId") { $0.headers = [("apns-channel-id", "abc")] },
        Exchange(.delete, "400 BadChannelId") {
          $0.headers = [("apns-channel-id", String(repeating: "A", count: 68))]
        },
      ]),
  ]

  private static let broadcasts = [
    Conversation("no channel", "400 MissingChannelId") { $0.headers.removeFirst() },
    Conversation("no push type", "400 MissingPushType") { $0.headers.remove(at: 1) },
    Conversation("another push type", "400 InvalidPushType") { $0.headers[1].1 = "alert" },
    Conversation("no priority", "400 BadPriority") { $0.headers.remove(at: 2) },
    Conversation("a priority of 7", "400 BadPriority") { $0.headers[2].1 = "7" },
    Conversation("no expiration", "400 BadExpirationDate") { $0.headers.removeLast() },
    Conversation("an expiration in words", "400 BadExpirationDate") { $0.headers[3].1 = "now" },
    Conversation("no payload", "400 PayloadEmpty") { $0.payload = "" },
    Conversation("5120 bytes", "200") { $0.payload = String(repeating: "1", count: 5120) },
    Conversation("5121 bytes", "413 PayloadTooLarge") { $0.payload = String(repeating: "1", count: 5121) },
    Conversation(
      "an expiration where nothing is stored",
      [
        Exchange(.create, "201 \(Exchange.first)") { $0.payload = Exchange.notStored },
        Exchange(.broadcast, "400 BadExpirationDate"),
        Exchange(.broadcast, "200") { $0.headers[3].1 = "0" },
      ]),
  ]

  private func start(
    _ demanded: [ServiceRequest: [PushAnswer]] = [:], clients: Int = 1, log: EventLog
  ) throws -> MockServer {
    var configuration = MockServer.Configuration()
    configuration.clientLimit = clients
    let answers = PushAnswers(RecordedAnswers(), demanded: demanded)
    return try MockServer.start(.pushes(answers), configuration) { log.add($0) }
  }

  @Test("answers", arguments: life + requests + broadcasts)
  func conversation(_ conversation: Conversation) throws {
    let log = EventLog()
    let server = try start(log: log)
    let connection = try HTTP2Connection(server)
    var bodies: [String] = []
    for (number, exchange) in conversation.exchanges.enumerated() {
      bodies.append(try connection.body(of: exchange.request, on: UInt32(2 * number + 1)))
    }
    connection.client.close()
    let answers = try zip(log.received(), bodies).map { request, body -> String in
      guard case .answered(.response(let response)) = request.ending else { return "none" }
      // What is said of the answer, or what came.
      let said = response.reason ?? response.channelID ?? (body.isEmpty ? nil : body)
      #expect(response.reason.map { "{\"reason\":\"\($0)\"}" == body } ?? true)
      return [String(response.status), said].compactMap { $0 }.joined(separator: " ")
    }
    #expect(answers == conversation.exchanges.map(\.answer))
    server.stop()
  }

  @Test("answers that were demanded come before the channels, each once, and the last repeats")
  func demanded() throws {
    let log = EventLog()
    let busy = PushAnswer.response(PushResponse(status: 503, reason: "Service Unavailable"))
    let server = try start([.create: [busy, .accepted], .list: [.cancel]], log: log)
    let connection = try HTTP2Connection(server)
    let requests = [
      Exchange(.create, "").request, Exchange(.create, "").request, Exchange(.list, "").request,
      Exchange(.read, "").request,
    ]
    let bodies = try requests.enumerated().map { try connection.body(of: $1, on: UInt32(2 * $0 + 1)) }
    #expect(bodies[0] == #"{"reason":"Service Unavailable"}"# && bodies[2] == "")
    #expect(bodies[3] == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    connection.client.close()
    let received = try log.received()
    #expect(received[0].ending == .answered(busy) && received[2].ending == .answered(.cancel))
    #expect(received.map(\.storagePolicy) == [1, 1, nil, 1])
    server.stop()
  }

  @Test("answers have the id of the request, and broadcasts another") func identifiers() throws {
    let log = EventLog()
    let server = try start(log: log)
    let connection = try HTTP2Connection(server)
    let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
    let requests = [
      Exchange(.create, "") { $0.headers = [("apns-request-id", id)] }, Exchange(.broadcast, ""),
      Exchange(.broadcast, "") { $0.payload = "" },
    ]
    for (number, exchange) in requests.enumerated() {
      _ = try connection.body(of: exchange.request, on: UInt32(2 * number + 1))
    }
    connection.client.close()
    let received = try log.received()
    #expect(
      received.map { $0.answerHeaders.map(\.name) } == [
        ["apns-request-id", "apns-channel-id"], ["apns-request-id", "apns-unique-id"], ["apns-request-id"],
      ])
    #expect(received[0].answerHeaders.map(\.value) == [id, Exchange.first])
    server.stop()
  }

  @Test("clients share the channels, of which an app has 10,000") func limit() throws {
    let log = EventLog()
    let server = try start(clients: 2, log: log)
    let (first, second) = (try HTTP2Connection(server), try HTTP2Connection(server))
    let create = Exchange(.create, "").request
    let most = 10_000
    for start in stride(from: 0, through: most, by: 500) {
      let streams = (start..<min(start + 500, most + 1)).map { UInt32(2 * $0 + 1) }
      try first.client.send(streams.flatMap { create.frames($0) })
      var ended = 0
      _ = try first.frames { frame in
        if frame.isLast { ended += 1 }
        return ended == streams.count
      }
    }
    // WINDOW_UPDATE of the connection; SETTINGS_INITIAL_WINDOW_SIZE.
    try second.client.send(
      HTTP2Bytes.frame(8, 0, stream: 0, HTTP2Bytes.bytes(1 << 20))
        + HTTP2Bytes.frame(4, 0, stream: 0, [0, 4] + HTTP2Bytes.bytes(1 << 20)))
    let list = try second.body(of: Exchange(.list, "").request, on: 1)
    #expect(list.split(separator: ",").count == most && list.hasSuffix("]}"))
    _ = try second.body(of: Exchange(.delete, "").request, on: 3)
    _ = try second.body(of: create, on: 5)
    first.client.close()
    second.client.close()
    let statuses = try log.received().compactMap { request -> Int? in
      if case .answered(.response(let response)) = request.ending { response.status } else { nil }
    }
    #expect(statuses == Array(repeating: 201, count: most) + [400, 200, 204, 201])
    server.stop()
  }
}
