import WireBytes

/// The reasons of the service and their statuses (docs/spec/pushes.md#reasons).
package enum PushReason {
  package static let statuses: [(status: UInt16, reasons: [StaticString])] = [
    (
      400,
      [
        "BadChannelId", "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority",
        "BadRequestParams", "BadRequestPayload", "BadTopic", "CannotCreateChannelConfig",
        "ChannelNotRegistered", "DeviceTokenNotForTopic", "DuplicateHeaders", "FeatureNotEnabled",
        "IdleTimeout", "InvalidPushType", "MissingChannelId", "MissingDeviceToken", "MissingPushType",
        "MissingTopic", "PayloadEmpty", "TopicDisallowed",
      ]
    ),
    (
      403,
      [
        // Apple's table has the first spelling, the service sends the second.
        "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken",
        "BadEnvironmentKeyInToken", "ExpiredProviderToken", "Forbidden", "InvalidProviderToken",
        "MissingProviderToken", "TopicMismatch", "UnrelatedKeyIdInToken",
      ]
    ),
    (404, ["BadPath"]),
    (405, ["MethodNotAllowed"]),
    (410, ["ExpiredToken", "Unregistered"]),
    (413, ["PayloadTooLarge"]),
    (429, ["TooManyProviderTokenUpdates", "TooManyRequests"]),
    (500, ["InternalServerError"]),
    // Channel management has the space.
    (503, ["Service Unavailable", "ServiceUnavailable", "Shutdown"]),
  ]

  /// The status of a reason; nil for an unknown reason.
  package static func status(of reason: Range<Int>, in bytes: RawSpan) -> UInt16? {
    for entry in statuses where entry.reasons.contains(where: { PushText.matches(reason, $0, in: bytes) }) {
      return entry.status
    }
    return nil
  }

  /// Infers a lost status from the body; nil if the body is inconclusive or contradictory.
  package static func status(of answer: PushBody, in bytes: RawSpan) -> UInt16? {
    let ofReason = answer.reason.flatMap { status(of: $0, in: bytes) }
    guard answer.timestamp != nil else { return ofReason }
    // Only status 410 has a timestamp.
    if let ofReason, ofReason != 410 { return nil }
    return 410
  }
}
