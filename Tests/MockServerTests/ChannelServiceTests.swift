import APNsWire
import Conformance
import MockServer
import TestSupport
import Testing

@Suite("Channels") struct ChannelServiceTests {
  private static let conversations: KeyValuePairs<String, [Exchange]> = [
    "a channel is created, read, listed, used and deleted": [
      Exchange(.list, #"200 {"channels":[]}"#), Exchange(.create, "201 \(Exchange.first)"),
      .create(Exchange.notStored, "201 \(Exchange.second)"),
      Exchange(.read, #"200 {"message-storage-policy":1,"push-type":"LiveActivity"}"#),
      Exchange(.read, #"200 {"message-storage-policy":0,"push-type":"LiveActivity"}"#) {
        $0.headers = [("apns-channel-id", Exchange.second)]
      },
      Exchange(.list, "200 {\"channels\":[\"\(Exchange.first)\",\"\(Exchange.second)\"]}"),
      Exchange(.broadcast, "200"), Exchange(.delete, "204"),
      Exchange(.delete, "400 ChannelNotRegistered"), Exchange(.read, "400 ChannelNotRegistered"),
      Exchange(.broadcast, "400 ChannelNotRegistered"),
      Exchange(.list, "200 {\"channels\":[\"\(Exchange.second)\"]}"),
    ],
    "apps have their own channels": [
      Exchange(.create, "201 \(Exchange.first)"),
      Exchange(.read, "400 ChannelNotRegistered") { $0.path = "/1/apps/com.example.other/channels" },
      Exchange(.list, #"200 {"channels":[]}"#) { $0.path = "/1/apps/com.example.other/all-channels" },
    ],
    "bodies of a request to create": [
      .create("{", "400 BadRequestPayload"), .create("[]", "400 BadRequestPayload"),
      .create("", "400 BadRequestPayload"),
      .create(#"{"message-storage-policy":1}"#, "400 MissingPushType"),
      .create(#"{"push-type":"Alert","message-storage-policy":1}"#, "400 InvalidPushType"),
      .create(#"{"push-type":"LiveActivity","message-storage-policy":2}"#, "400 BadRequestParams"),
      .create(#"{"push-type":"LiveActivity"}"#, "400 BadRequestParams"),
      .create(#"{"push-type":"LiveActivity","message-storage-policy":1,"more":1}"#, "400 BadRequestParams"),
      .create(String(repeating: " ", count: 4097), "413 PayloadTooLarge"),
      Exchange(.list, #"200 {"channels":[]}"#),
    ],
    "paths, methods and headers": [
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
    ],
    "an expiration where nothing is stored": [
      .create(Exchange.notStored, "201 \(Exchange.first)"),
      Exchange(.broadcast, "400 BadExpirationDate"),
      Exchange(.broadcast, "200") { $0.headers[3].1 = "0" },
    ],
  ]

  private static let broadcasts: [Conversation] = [
    .broadcast("no channel", "400 MissingChannelId") { $0.headers.removeFirst() },
    .broadcast("no push type", "400 MissingPushType") { $0.headers.remove(at: 1) },
    .broadcast("another push type", "400 InvalidPushType") { $0.headers[1].1 = "alert" },
    .broadcast("no priority", "400 BadPriority") { $0.headers.remove(at: 2) },
    .broadcast("a priority of 7", "400 BadPriority") { $0.headers[2].1 = "7" },
    .broadcast("no expiration", "400 BadExpirationDate") { $0.headers.removeLast() },
    .broadcast("an expiration in words", "400 BadExpirationDate") { $0.headers[3].1 = "now" },
    .broadcast("no payload", "400 PayloadEmpty") { $0.payload = "" },
    .broadcast("5120 bytes", "200") { $0.payload = String(repeating: "1", count: 5120) },
    .broadcast("5121 bytes", "413 PayloadTooLarge") { $0.payload = String(repeating: "1", count: 5121) },
  ]

  private func server(_ demanded: [ServiceRequest: [PushAnswer]] = [:], clients: Int = 1) throws -> TestServer
  {
    try TestServer(.pushes(PushAnswers(RecordedAnswers(), demanded: demanded)), limit: clients)
  }

  @Test("answers", arguments: conversations.map(Conversation.init) + broadcasts)
  func conversation(_ conversation: Conversation) throws { try conversation.expect(of: server()) }

  @Test("answers that were demanded come before the channels, each once, and the last repeats")
  func demanded() throws {
    let busy = PushAnswer.response(PushResponse(status: 503, reason: "Service Unavailable"))
    let server = try server([.create: [busy, .accepted], .list: [.cancel]])
    let connection = try HTTP2Connection(server)
    let bodies = try connection.bodies(
      of: [Exchange(.create), Exchange(.create), Exchange(.list), Exchange(.read)])
    #expect(bodies[0] == #"{"reason":"Service Unavailable"}"# && bodies[2] == "")
    #expect(bodies[3] == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    let received = try server.received(closing: connection)
    #expect(received[0].ending == .answered(busy) && received[2].ending == .answered(.cancel))
    #expect(received.map(\.storagePolicy) == [1, 1, nil, 1])
  }

  @Test("answers have the id of the request, and broadcasts another") func identifiers() throws {
    let server = try server()
    let connection = try HTTP2Connection(server)
    let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
    _ = try connection.bodies(of: [
      Exchange(.create) { $0.headers = [("apns-request-id", id)] }, Exchange(.broadcast),
      Exchange(.broadcast) { $0.payload = "" },
    ])
    let answers = try server.received(closing: connection).map(\.answerHeaders)
    #expect(
      answers.map { $0.map(\.name) } == [
        ["apns-request-id", "apns-channel-id"], ["apns-request-id", "apns-unique-id"], ["apns-request-id"],
      ])
    #expect(answers[0].map(\.value) == [id, Exchange.first])
  }

  @Test("clients share the channels, of which an app has 10,000") func limit() throws {
    let server = try server(clients: 2)
    let (first, second) = (try HTTP2Connection(server), try HTTP2Connection(server))
    let most = 10_000
    for start in stride(from: 0, through: most, by: 500) {
      let streams = (start..<min(start + 500, most + 1)).map { 2 * $0 + 1 }
      try first.client.send(streams.flatMap { Exchange(.create).request.frames(UInt32($0)) })
      _ = try first.frames(untilEndOf: Set(streams))
    }
    // WINDOW_UPDATE of the connection; SETTINGS_INITIAL_WINDOW_SIZE.
    try second.client.send(
      HTTP2Bytes.frame(8, 0, stream: 0, HTTP2Bytes.bytes(1 << 20))
        + HTTP2Bytes.frame(4, 0, stream: 0, [0, 4] + HTTP2Bytes.bytes(1 << 20)))
    let list = try second.bodies(of: [Exchange(.list), Exchange(.delete), Exchange(.create)])[0]
    #expect(list.split(separator: ",").count == most && list.hasSuffix("]}"))
    first.client.close()
    let statuses = try server.received(closing: second).compactMap { request -> Int? in
      if case .answered(.response(let response)) = request.ending { response.status } else { nil }
    }
    #expect(statuses == Array(repeating: 201, count: most) + [400, 200, 204, 201])
  }
}
