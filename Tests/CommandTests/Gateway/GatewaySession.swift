import CaptureWriting
import CommandTestSupport

/// A session of notifications with commands 0, 1 and 2 in turn, of which one is refused: what the client sent, what
/// the gateway answered, and what became of each by the rule (docs/spec/decoding-rules.md#correlation).
struct GatewaySession: Sendable {
  let pushes: [Push]
  /// Offsets of the requests, and after the last one.
  let offsets: [Int]
  /// The number of the request that the response names.
  let refused: Int
  let status: UInt8
  /// How many requests were captured before the response was.
  let before: Int

  /// - Parameters:
  ///   - refused: the number of the request that the response names; its command has an identifier.
  ///   - seed: tokens and identifiers of other seeds are others.
  init(_ count: Int, refused: Int, status: UInt8 = 8, seed: Int = 0) {
    pushes = (0..<count).map { number in
      let command = UInt8(number % 3)
      return Push(
        command, 0x5100_0000 + UInt32(seed + number) * 3, token: token(seed + number),
        payload: #"{"aps":{"alert":"No. \#(number), \"ü\""},"n":\#(number)}"#)
    }
    offsets = pushes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.bytes.count) }
    self.refused = refused
    self.status = status
    before = min(count, refused + count / 10 + 1)
  }

  var requestBytes: [UInt8] { pushes.flatMap(\.bytes) }
  var responseBytes: [UInt8] { refusal(status, pushes[refused].identifier ?? 0) }

  /// The response comes when a tenth more was sent, and the client goes on for a while.
  var conversation: Conversation {
    var conversation = Conversation([
      .init(.client, pushes[..<before].flatMap(\.bytes)), .init(.server, responseBytes),
      .init(.client, pushes[before...].flatMap(\.bytes)),
    ])
    conversation.server.port = 2195
    conversation.segmentSizes = [1460]
    return conversation
  }

  /// What becomes of the request with that number.
  func outcome(_ number: Int) -> String {
    if number == refused { return status == 10 ? "accepted" : "rejected" }
    return number < refused ? "accepted" : "discarded"
  }

  /// The rows of all requests.
  func requests(stream: Int = 0) -> [ReportedRequest] {
    pushes.indices.map { number in
      let outcome = outcome(number)
      return ReportedRequest(
        pushes[number], stream: stream, offset: offsets[number], outcome: outcome,
        status: outcome == "rejected" ? Int(status) : nil)
    }
  }

  /// The rows where no response is found for any of them.
  func unknownRequests(stream: Int = 0) -> [ReportedRequest] {
    pushes.indices.map {
      ReportedRequest(pushes[$0], stream: stream, offset: offsets[$0], outcome: "unknown")
    }
  }

  func response(stream: Int = 0) -> ReportedResponse {
    ReportedResponse(
      stream: stream, status: Int(status), identifier: Int(pushes[refused].identifier ?? 0),
      requestOffset: offsets[refused], token: hex(pushes[refused].token))
  }

  func uncorrelatedResponse(stream: Int = 0) -> ReportedResponse {
    ReportedResponse(
      stream: stream, status: Int(status), identifier: Int(pushes[refused].identifier ?? 0),
      flags: ["uncorrelated"])
  }
}
