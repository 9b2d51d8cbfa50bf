/// Rates of outcomes per 1000 pushes, and of GOAWAYs per 1000 connections. If several outcomes are drawn, the
/// first in this order counts.
package struct PushRates: Sendable, Equatable {
  /// Status 410 with a timestamp.
  package var invalidated = 100
  /// 400 BadDeviceToken.
  package var badTokens = 50
  /// 429 TooManyRequests.
  package var throttled = 20
  package var otherErrors = 20
  /// Streams that the server refuses or the client cancels.
  package var streamResets = 10
  /// Connections that end with a GOAWAY, which excludes the last pushes.
  package var goaways = 100

  package init() {}
}

struct GeneratedPush: Sendable {
  struct ServerAnswer: Sendable {
    var status: Int
    var reason: String?
    /// When the token became invalid, in milliseconds since 1970.
    var time: Int?

    /// Its body is the debug data of a GOAWAY.
    static let goAway = ServerAnswer(status: 503, reason: "Shutdown")

    /// Empty for status 200.
    var body: [UInt8] {
      guard let reason else { return [] }
      let timestamp = time.map { ",\"timestamp\":\($0)" } ?? ""
      return Array("{\"reason\":\"\(reason)\"\(timestamp)}".utf8)
    }
  }

  enum Ending: Sendable {
    case response(ServerAnswer)
    /// RST_STREAM of the server, with the code REFUSED_STREAM.
    case refused
    /// RST_STREAM of the client, with the code CANCEL.
    case cancelled
  }

  let token: [UInt8]
  let topic: String
  let pushType: String?
  let priority: Int?
  /// Seconds since 1970.
  let expiration: Int?
  let collapseID: String?
  /// The apns-id of the request; nil if the server chooses it.
  let requestID: String?
  let responseID: String
  let uniqueID: String?
  let payload: [UInt8]
  let ending: Ending

  /// The push with the given number in the scenario, from 0. It does not depend on other pushes.
  init(_ number: Int, of scenario: Scenario) {
    var random = RandomNumbers(seed: scenario.seed, .requests, number: number)
    var lengthAndToken: [UInt8] = []
    GeneratedToken.append(scenario.token(of: number, &random), of: scenario, to: &lengthAndToken)
    token = Array(lengthAndToken.dropFirst(2))
    let kind = Self.kinds[random.below(Self.kinds.count)]
    topic = Self.apps[random.below(Self.apps.count)] + kind.suffix
    pushType = kind.type
    priority = [nil, 1, 5, 10][random.below(4)]
    let deadline = Int(scenario.capture.start) + random.below(86_400)
    expiration = [nil, 0, deadline, deadline][random.below(4)]
    let collapse = random.below(50)
    collapseID = random.below(8) == 0 ? "item-\(collapse)" : nil
    let id = Self.uuid(&random)
    requestID = random.below(2) == 0 ? id : nil
    responseID = requestID ?? id.uppercased()
    let unique = Self.uuid(&random)
    uniqueID = random.below(4) == 0 ? unique : nil
    payload = GeneratedRequest.payload(number, &random)
    ending = Self.ending(number, of: scenario)
  }

  private static let apps = ["com.example.app", "com.example.app", "com.example.news", "com.example.shop"]

  private static let kinds: [(type: String?, suffix: String)] = [
    ("alert", ""), ("alert", ""), ("alert", ""), ("background", ""), ("voip", ".voip"), (nil, ""),
  ]

  private static func uuid(_ random: inout RandomNumbers) -> String {
    let bytes = bigEndian(random.next()) + bigEndian(random.next())
    return bytes.enumerated().map { index, byte in
      ([4, 6, 8, 10].contains(index) ? "-" : "") + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Apple's statuses and reasons ("Handling notification responses from APNs").
  private static let errors: [(status: Int, reason: String)] = [
    (400, "DeviceTokenNotForTopic"), (400, "TopicDisallowed"), (403, "ExpiredProviderToken"),
    (403, "InvalidProviderToken"), (413, "PayloadTooLarge"), (500, "InternalServerError"),
    (503, "ServiceUnavailable"), (503, "Shutdown"),
  ]

  /// Draws all values, so that a changed rate does not change the draws of other rates.
  private static func ending(_ number: Int, of scenario: Scenario) -> Ending {
    var random = RandomNumbers(seed: scenario.seed, .outcomes, number: number)
    let rates = scenario.pushes
    let drawn = [
      rates.invalidated, rates.badTokens, rates.throttled, rates.otherErrors, rates.streamResets,
    ].map { random.happens($0) }
    let span = Int(scenario.times.upperBound - scenario.times.lowerBound) + 1
    let time = (Int(scenario.times.lowerBound) + random.below(span)) * 1000 + random.below(1000)
    let hasExpired = random.below(4) == 0
    let error = errors[random.below(errors.count)]
    let isRefused = random.below(2) == 0
    return switch drawn.firstIndex(of: true) {
    case 0:
      .response(ServerAnswer(status: 410, reason: hasExpired ? "ExpiredToken" : "Unregistered", time: time))
    case 1: .response(ServerAnswer(status: 400, reason: "BadDeviceToken"))
    case 2: .response(ServerAnswer(status: 429, reason: "TooManyRequests"))
    case 3: .response(ServerAnswer(status: error.status, reason: error.reason))
    case 4: isRefused ? .refused : .cancelled
    default: .response(ServerAnswer(status: 200))
    }
  }

  /// The answer in a log, where every push has a status.
  var answer: ServerAnswer {
    if case .response(let answer) = ending { return answer }
    return ServerAnswer(status: 503, reason: "ServiceUnavailable")
  }
}
