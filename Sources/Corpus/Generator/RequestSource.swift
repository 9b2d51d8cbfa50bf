/// The requests that a client sends over one connection, one after the other (protocol.md, Gateway requests).
struct RequestSource {
  private let scenario: Scenario
  /// Numbers of the connection's requests among all of the scenario, from 0.
  private let share: Range<Int>
  private var next: Int
  private let verdict: GatewayVerdict?

  /// The request that was made last.
  private(set) var bytes: [UInt8] = []
  private(set) var request = GeneratedRequest()
  private var outcome = GatewayVerdict.Outcome.unknown
  private(set) var mustArrive = false

  init(_ scenario: Scenario, connection: Int, of count: Int, verdict: GatewayVerdict?) {
    self.scenario = scenario
    self.verdict = verdict
    share = scenario.share(of: connection, among: count)
    next = share.lowerBound
  }
}

extension RequestSource: RecordSource {
  typealias Reach = RequestReach

  static var isFromServer: Bool { false }

  mutating func advance() -> Bool {
    guard next < share.upperBound else { return false }
    request = GeneratedRequest(next, of: scenario, inConnection: next - share.lowerBound)
    request.encode(to: &bytes)
    outcome = verdict?.outcome(of: next) ?? .unknown
    mustArrive = verdict?.request == next
    next += 1
    return true
  }

  var isAtEnd: Bool { next >= share.upperBound }

  var canStart: Bool { request.token.count == Scenario.normalLength }

  func tell(
    _ standing: Standing, of stream: TruthWriter.Stream, at offset: Int, _ place: CapturedPlace?,
    to truth: inout TruthWriter
  ) throws {
    try truth.request(
      standing, request, length: bytes.count, outcome, status: outcome == .rejected ? verdict?.status : nil,
      of: stream,
      at: offset, place)
  }
}
