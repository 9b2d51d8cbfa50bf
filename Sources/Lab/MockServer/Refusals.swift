import Basics
import Conformance

/// What the service refuses whatever the token, by the descriptions of its reasons (docs/serve.md#strict-answers). In which
/// order it looks is not known; here the rules are in this order.
enum StrictAnswers {
  private typealias Rule = (
    status: Int, reason: String, refuses: @Sendable (_ push: ReceivedPush, _ token: String) -> Bool
  )

  /// Bytes of a payload, and of one with the push type `voip`.
  private static let (largest, largestVoIP) = (4096, 5120)
  private static let longestCollapseID = 64
  private static let priorities: Set = ["1", "5", "10"]
  private static let pushTypes: Set = [
    "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
    "pushtotalk", "voip", "widgets",
  ]

  private static let rules: [Rule] = [
    (400, "MissingDeviceToken", { $1.isEmpty }),
    (400, "BadDeviceToken", { Hex.bytes($1) == nil }),
    (400, "DuplicateHeaders", { push, _ in hasDuplicates(push.headers.map(\.name)) }),
    (400, "BadMessageId", { push, _ in push.has("apns-id") { !isUUID($0) } }),
    (400, "BadExpirationDate", { push, _ in push.has("apns-expiration") { UInt64($0) == nil } }),
    (400, "BadPriority", { push, _ in push.has("apns-priority") { !priorities.contains($0) } }),
    (400, "BadCollapseId", { push, _ in push.has("apns-collapse-id") { $0.utf8.count > longestCollapseID } }),
    (400, "InvalidPushType", { push, _ in push.has("apns-push-type") { !pushTypes.contains($0) } }),
    (400, "MissingTopic", { push, _ in push.header("apns-topic") == nil }),
    (400, "BadTopic", { push, _ in push.has("apns-topic") { $0.allSatisfy(\.isWhitespace) } }),
    (400, "PayloadEmpty", { push, _ in push.payloadLength == 0 }),
    (
      413, "PayloadTooLarge",
      { push, _ in
        push.payloadLength > (push.header("apns-push-type") == "voip" ? largestVoIP : largest)
      }
    ),
  ]

  /// Nil if the token decides.
  static func refusal(of push: ReceivedPush, token: String) -> PushResponse? {
    rules.first { $0.refuses(push, token) }.map { PushResponse(status: $0.status, reason: $0.reason) }
  }

  private static func hasDuplicates(_ names: [String]) -> Bool {
    let ours = names.filter { $0.hasPrefix("apns-") || $0 == "authorization" }
    return Set(ours).count < ours.count
  }

  /// 32 hex digits in groups of 8, 4, 4, 4 and 12.
  private static func isUUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.joined().allSatisfy { Hex.value(ofDigit: $0) != nil }
  }
}

extension ReceivedPush {
  /// Whether it has the header, and its value is so.
  fileprivate func has(_ name: String, _ isSo: (String) -> Bool) -> Bool { header(name).map(isSo) ?? false }
}
