import APNsWire
import Conformance
import MockServer
import Testing

/// A request, and its answer: the status, then the id of a channel, the reason or the body.
struct Exchange: Sendable {
  var request: ClientRequest
  var answer: String

  init(_ operation: ServiceRequest, _ answer: String = "", _ change: (inout ClientRequest) -> Void = { _ in })
  {
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
    case .push: request = .push(to: "aa", [])
    default: break
    }
    if operation == .read || operation == .list { request.method = "GET" }
    if operation == .delete { request.method = "DELETE" }
    self.answer = answer
    change(&request)
  }

  static func create(_ payload: String, _ answer: String) -> Exchange {
    Exchange(.create, answer) { $0.payload = payload }
  }

  /// `printf 'com.example.app 0' | openssl dgst -sha256 -binary | head -c 16 | base64`
  static let first = "pENK4mZKUnNQvdDwVOv27Q=="
  static let second = "iL/ZiKJCE0WUc+0fUpHrpQ=="
  static let stored = #"{"push-type":"LiveActivity","message-storage-policy":1}"#
  static let notStored = #"{"push-type":"LiveActivity","message-storage-policy":0}"#
}

/// Exchanges on one connection.
struct Conversation: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var exchanges: [Exchange]

  init(_ text: String, _ exchanges: [Exchange]) { (testDescription, self.exchanges) = (text, exchanges) }

  /// A push alone.
  static func push(
    _ text: String, _ answer: String, to topic: String = "com.example.app", as type: String? = nil,
    _ change: (inout ClientRequest) -> Void = { _ in }
  ) -> Conversation {
    let push = Exchange(.push, answer) { request in
      request.headers = [("apns-topic", topic)] + (type.map { [("apns-push-type", $0)] } ?? [])
      change(&request)
    }
    return Conversation(text, [push])
  }

  /// A broadcast to a channel that stores messages.
  static func broadcast(
    _ text: String, _ answer: String, _ change: (inout ClientRequest) -> Void
  ) -> Conversation {
    Conversation(text, [Exchange(.create, "201 \(Exchange.first)"), Exchange(.broadcast, answer, change)])
  }

  func expect(of server: borrowing TestServer) throws {
    let connection = try HTTP2Connection(server)
    let bodies = try connection.bodies(of: exchanges)
    let answers = try zip(server.received(closing: connection), bodies).map { request, body -> String in
      guard case .answered(.response(let response)) = request.ending else { return "none" }
      // What is said of the answer, or what came.
      let said = response.reason ?? response.channelID ?? (body.isEmpty ? nil : body)
      #expect(response.reason.map { "{\"reason\":\"\($0)\"}" == body } ?? true)
      return [String(response.status), said].compactMap { $0 }.joined(separator: " ")
    }
    #expect(answers == exchanges.map(\.answer))
  }
}
