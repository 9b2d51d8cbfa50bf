import Basics
import Conformance
import StreamInputs

/// The channels of apps, shared by all clients of a server, and the answers that follow from them
/// (docs/serve.md#broadcasts-and-channels).
struct ChannelStore {
  private struct App {
    /// The number of channels so far, with deleted ones.
    var created = 0
    /// By id.
    var channels: [String: Channel] = [:]
  }

  private struct Channel {
    /// From 0, in the order of their requests.
    var number: Int
    var policy: Int
  }

  private static let mostOfApp = 10_000
  /// Apps and channels in all: about 20 MB.
  private static let most = 100_000
  private static let (typeName, policyName) = ("push-type", "message-storage-policy")
  private static let pushType = "LiveActivity"

  private var apps: [String: App] = [:]
  private var count = 0

  /// The answer to a request for channels, or to a broadcast, that no rule refuses.
  /// - Parameter body: of a request to create a channel.
  mutating func answer(_ request: inout ReceivedRequest, body: [UInt8]) -> PushResponse {
    switch request.kind {
    case .create: return create(request, body)
    case .list: return list(request.subject)
    default: break
    }
    let id = request.header("apns-channel-id") ?? ""
    guard let channel = apps[request.subject]?.channels[id] else {
      return Self.refusal("ChannelNotRegistered")
    }
    var response = PushResponse(status: 200)
    switch request.kind {
    case .read:
      request.storagePolicy = channel.policy
      response.content = Self.text([
        (Self.policyName, .int(channel.policy)), (Self.typeName, .string(Self.pushType)),
      ])
    case .delete:
      apps[request.subject]?.channels[id] = nil
      count -= 1
      response.status = 204
    default:
      let expiration = request.header("apns-expiration").flatMap { UInt64($0) }
      if channel.policy == 0, expiration != 0 { return Self.refusal("BadExpirationDate") }
    }
    return response
  }

  /// The policy in the body of a request to create a channel; nil without one.
  static func policy(in body: [UInt8]) -> Int? {
    (try? JSONReader.value(of: body[...]))?[policyName]?.intValue
  }

  private mutating func create(_ request: ReceivedRequest, _ body: [UInt8]) -> PushResponse {
    guard case .object(let members)? = try? JSONReader.value(of: body[...]) else {
      return Self.refusal("BadRequestPayload")
    }
    let type = JSONValue.object(members)[Self.typeName]?.stringValue
    guard let type else { return Self.refusal("MissingPushType") }
    guard type.lowercased() == Self.pushType.lowercased() else { return Self.refusal("InvalidPushType") }
    guard members.count == 2, let policy = request.storagePolicy, 0...1 ~= policy else {
      return Self.refusal("BadRequestParams")
    }
    var app = apps[request.subject] ?? App()
    let added = app.created == 0 ? 2 : 1
    guard app.channels.count < Self.mostOfApp, count + added <= Self.most else {
      return Self.refusal("CannotCreateChannelConfig")
    }
    var response = PushResponse(status: 201)
    let id = Self.id(app.created, of: request.subject)
    app.channels[id] = Channel(number: app.created, policy: policy)
    app.created += 1
    apps[request.subject] = app
    count += added
    response.channelID = id
    return response
  }

  /// The same in every run: of 16 bytes, as Apple's are.
  private static func id(_ number: Int, of app: String) -> String {
    let digest = InputHash()
    digest.update(Array("\(app) \(number)".utf8).span.bytes)
    return Base64.text(of: Array((Hex.bytes(digest.hexDigest() ?? "") ?? []).prefix(16)))
  }

  private func list(_ app: String) -> PushResponse {
    let channels = (apps[app]?.channels ?? [:]).sorted { $0.value.number < $1.value.number }
    var response = PushResponse(status: 200)
    response.content = Self.text([("channels", .array(channels.map { .string($0.key) }))])
    return response
  }

  private static func text(_ members: [(String, JSONValue)]) -> String { JSONValue.object(members).text }
  private static func refusal(_ reason: String) -> PushResponse { PushResponse(status: 400, reason: reason) }
}
