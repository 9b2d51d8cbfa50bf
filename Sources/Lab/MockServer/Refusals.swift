import APNsWire
import Analysis
import Basics
import Conformance

/// What the service refuses by the request alone, by the descriptions of its reasons (docs/serve.md). In which order it looks
/// is not known; here the rules are in this order.
enum Refusals {
  private typealias Rule = (
    status: Int, reason: String, refuses: @Sendable (_ request: ReceivedRequest) -> Bool
  )

  /// Bytes of a payload, and of one of a broadcast or with the push type `voip`.
  private static let (largest, largestOfOthers) = (4096, 5120)
  private static let longestCollapseID = 64
  private static let longestBundleID = 155
  private static let longestChannelID = 64
  private static let priorities: Set = ["1", "5", "10"]
  private static let pushTypes: Set = [
    "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
    "pushtotalk", "voip", "widgets",
  ]

  private static let ofPushes: [Rule] = [
    (400, "MissingDeviceToken", { $0.subject.isEmpty }),
    (400, "BadDeviceToken", { Hex.bytes($0.subject) == nil }),
    (400, "DuplicateHeaders", hasDuplicates),
    (400, "BadMessageId", { $0.has("apns-id") { !isUUID($0) } }),
    (400, "BadExpirationDate", { $0.has("apns-expiration") { UInt64($0) == nil } }),
    (400, "BadPriority", { $0.has("apns-priority") { !priorities.contains($0) } }),
    (400, "BadCollapseId", { $0.has("apns-collapse-id") { $0.utf8.count > longestCollapseID } }),
    (400, "InvalidPushType", { $0.has("apns-push-type") { !pushTypes.contains($0) } }),
    (400, "MissingTopic", { $0.header("apns-topic") == nil }),
    (400, "BadTopic", { $0.has("apns-topic") { $0.allSatisfy(\.isWhitespace) } }),
    (400, "TopicDisallowed", isOfOtherKind),
    (400, "PayloadEmpty", { $0.payloadLength == 0 }),
    (
      413, "PayloadTooLarge",
      { $0.payloadLength > ($0.header("apns-push-type") == "voip" ? largestOfOthers : largest) }
    ),
  ]

  /// Of requests with a bundle id in their path.
  private static let ofApps: [Rule] = [
    (404, "BadPath", { !(1...longestBundleID ~= $0.subject.utf8.count) }),
    (405, "MethodNotAllowed", { $0.method != $0.kind?.method.description }),
    (400, "TopicDisallowed", { kind(ofTopic: $0.subject) != nil }),
    (400, "DuplicateHeaders", hasDuplicates),
    (400, "BadMessageId", { $0.has("apns-request-id") { !isUUID($0) } }),
  ]

  private static let ofChannel: [Rule] = [
    (400, "MissingChannelId", { $0.header("apns-channel-id") == nil }),
    (400, "BadChannelId", { $0.has("apns-channel-id") { !isChannelID($0) } }),
  ]

  private static let ofBroadcasts: [Rule] = [
    (400, "MissingPushType", { $0.header("apns-push-type") == nil }),
    (400, "InvalidPushType", { $0.has("apns-push-type") { $0.lowercased() != "liveactivity" } }),
    (400, "BadPriority", { !priorities.contains($0.header("apns-priority") ?? "") }),
    (400, "BadExpirationDate", { UInt64($0.header("apns-expiration") ?? "") == nil }),
    (400, "PayloadEmpty", { $0.payloadLength == 0 }),
    (413, "PayloadTooLarge", { $0.payloadLength > largestOfOthers }),
  ]

  /// Nil if the token or the channel decides.
  static func refusal(of request: ReceivedRequest) -> PushResponse? {
    rules(request.kind).first { $0.refuses(request) }.map {
      PushResponse(status: $0.status, reason: $0.reason)
    }
  }

  private static func rules(_ kind: ServiceRequest?) -> [Rule] {
    switch kind {
    case .push: ofPushes
    case .broadcast: ofApps + ofChannel + ofBroadcasts
    case .read, .delete: ofApps + ofChannel
    case .create, .list, .channel: ofApps
    case nil: []
    }
  }

  @Sendable private static func hasDuplicates(_ request: ReceivedRequest) -> Bool {
    let ours = request.headers.map(\.name).filter { $0.hasPrefix("apns-") || $0 == "authorization" }
    return Set(ours).count < ours.count
  }

  /// 32 hex digits in groups of 8, 4, 4, 4 and 12.
  private static func isUUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.joined().allSatisfy { Hex.value(ofDigit: $0) != nil }
  }

  /// Base64 with padding (RFC 4648, section 4).
  private static func isChannelID(_ text: String) -> Bool {
    let padding = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
    return 4...longestChannelID ~= text.utf8.count && text.utf8.count % 4 == 0
      && text.utf8.dropLast(padding).allSatisfy {
        Base64.value(ofDigit: $0) != nil && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_")
      }
  }

  /// Whether the topic and the push type are for tokens of two kinds (docs/spec/pushes.md#topics).
  @Sendable private static func isOfOtherKind(_ push: ReceivedRequest) -> Bool {
    guard let topic = push.header("apns-topic"), let type = push.header("apns-push-type") else {
      return false
    }
    let kind = kind(ofTopic: topic) ?? .device
    let named = TokenKind(pushType: 0..<type.utf8.count, in: Array(type.utf8).span.bytes)
    // Passes are updated with any type.
    return kind != .pass && kind != named
  }

  private static func kind(ofTopic topic: String) -> TokenKind? {
    TokenKind.split(0..<topic.utf8.count, in: Array(topic.utf8).span.bytes).kind
  }
}

extension ReceivedRequest {
  fileprivate func has(_ name: String, _ isSo: (String) -> Bool) -> Bool { header(name).map(isSo) ?? false }
}
