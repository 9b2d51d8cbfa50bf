/// What a gateway says of a connection's requests: one error response, drawn before any request is made, so that
/// every request's outcome is known when it is told (decoding-rules.md, Correlation).
struct GatewayVerdict: Sendable {
  enum Outcome: Sendable {
    case accepted, rejected, discarded, unknown
  }

  /// Number, among all of the scenario, of the request that it names.
  let request: Int
  let identifier: UInt32
  let status: UInt8
  let token: [UInt8]

  /// By protocol.md, Error response.
  private static let statuses: [(status: UInt8, text: StaticString)] = [
    (0, "no errors encountered"), (1, "processing error"), (2, "missing device token"), (3, "missing topic"),
    (4, "missing payload"), (5, "invalid token size"), (6, "invalid topic size"), (7, "invalid payload size"),
    (8, "invalid token"), (10, "shutdown"),
    (128, "protocol error (APNs could not parse the notification)"), (255, "none (unknown)"),
  ]

  /// Nil where the connection has no response, or no request that one could name was found.
  init?(_ scenario: Scenario, connection: Int, of count: Int) {
    var random = RandomNumbers(seed: scenario.seed, .connections, number: connection)
    let share = scenario.share(of: connection, among: count)
    guard random.happens(scenario.responses), !share.isEmpty else { return nil }
    // About 6 of 10 requests have an identifier.
    for _ in 0..<16 {
      let number = share.lowerBound + random.below(share.count)
      let named = GeneratedRequest(number, of: scenario, inConnection: number - share.lowerBound)
      // Behind a gap decoding begins with a normal length only: the named request must not be passed over.
      let isDecoded = scenario.capture.loss == 0 || named.token.count == Scenario.normalLength
      guard isDecoded, let identifier = named.identifier else { continue }
      request = number
      self.identifier = identifier
      status = Self.statuses[random.below(Self.statuses.count)].status
      token = Array(named.token)
      return
    }
    return nil
  }

  var statusText: StaticString {
    Self.statuses.first { $0.status == status }?.text ?? ""
  }

  func outcome(of number: Int) -> Outcome {
    if status == 0 { return .unknown }
    if number < request { return .accepted }
    if number > request { return .discarded }
    return status == 10 ? .accepted : .rejected
  }

  /// The response (protocol.md, Error response).
  var bytes: [UInt8] {
    var bytes: [UInt8] = [8, status]
    appendBigEndian(identifier, to: &bytes)
    return bytes
  }
}
