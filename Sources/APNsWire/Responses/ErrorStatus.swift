/// The status of an error response, by Apple's table (protocol.md, "Error response").
public enum ErrorStatus: UInt8, CaseIterable, Sendable {
  case noErrors = 0
  case processingError, missingToken, missingTopic, missingPayload, invalidTokenSize, invalidTopicSize
  case invalidPayloadSize, invalidToken
  case shutdown = 10
  case protocolError = 128
  case unknown = 255

  /// The table's wording.
  public var text: String {
    switch self {
    case .noErrors: "no errors encountered"
    case .processingError: "processing error"
    case .missingToken: "missing device token"
    case .missingTopic: "missing topic"
    case .missingPayload: "missing payload"
    case .invalidTokenSize: "invalid token size"
    case .invalidTopicSize: "invalid topic size"
    case .invalidPayloadSize: "invalid payload size"
    case .invalidToken: "invalid token"
    case .shutdown: "shutdown"
    case .protocolError: "protocol error (APNs could not parse the notification)"
    case .unknown: "none (unknown)"
    }
  }
}
