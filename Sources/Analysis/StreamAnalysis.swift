import APNsWire
import StreamSources
import WireBytes

/// A finding while it is not settled which side is the server.
struct StreamFinding {
  var code: FindingCode
  /// Nil where it concerns both directions.
  var side: Side?
  var offset: Int?
  var length: Int?
  var fileOffset: Int?
  var packet: PacketReference?
  var message: String
}

/// One stream on its way: who is who, what each direction carries, and what was found in it.
final class StreamAnalysis {
  /// Findings that may wait for the roles to be settled.
  private static let maxUnsettled = 64

  let rules: FeedbackRules
  let log: EvidenceLog
  private let identity: StreamIdentity
  private let expected: StreamProtocol?
  private let source: (_ input: UInt16) -> String
  private var server: Side
  /// Whether the roles stand; a guess may be corrected by what the directions carry.
  private var isSettled: Bool
  private var unsettled: [StreamFinding] = []
  private var first: DirectionAnalysis?
  private var second: DirectionAnalysis?
  private var findings = 0
  /// The labels that were used last, and the input they are for.
  private var lastLabels: (input: UInt16, labels: StreamLabels)?

  /// - Parameter source: the name of an input by its place among those that are read as one.
  init(
    _ identity: StreamIdentity, rules: FeedbackRules, choice: ProtocolChoice, log: EvidenceLog,
    source: @escaping (UInt16) -> String
  ) {
    self.identity = identity
    self.rules = rules
    self.log = log
    self.source = source
    expected = choice.expected(of: identity)
    server = identity.server
    isSettled = identity.serverEvidence != .guess
  }

  /// The direction of `side`, made when it is first asked for.
  func direction(_ side: Side) -> DirectionAnalysis {
    if let known = side == .first ? first : second { return known }
    let direction = DirectionAnalysis(of: self, side: side)
    if side == .first { first = direction } else { second = direction }
    return direction
  }

  func role(of side: Side) -> Direction { side == server ? .server : .client }

  func labels(input: UInt16) -> StreamLabels {
    if let lastLabels, lastLabels.input == input { return lastLabels.labels }
    let labels = StreamLabels(
      source: source(input), stream: identity.number, client: identity.endpoint(server.other)?.text,
      server: identity.endpoint(server)?.text)
    lastLabels = (input, labels)
    return labels
  }

  // MARK: - What it is

  /// Bytes of a direction's first run that decide what it carries.
  func headLength(_ side: Side) -> Int {
    expected == nil ? ProtocolChoice.headLength : Ciphertext.headLength
  }

  func isFeedback(_ head: [UInt8], from side: Side) -> Bool {
    guard let expected else { return FeedbackProbe.isFeedback(head, rules: rules) }
    return expected == .feedback && side == server
  }

  /// What `side` sent is what servers send.
  func recognisedServer(_ side: Side) throws {
    if !isSettled { server = side }
    try settle()
  }

  private func settle() throws {
    guard !isSettled else { return }
    isSettled = true
    lastLabels = nil
    let waiting = unsettled
    unsettled = []
    for finding in waiting { try find(finding) }
  }

  // MARK: - Findings

  func find(_ finding: StreamFinding) throws {
    guard isSettled else {
      unsettled.append(finding)
      if unsettled.count > Self.maxUnsettled { try settle() }
      return
    }
    findings += 1
    try log.add(
      Finding(
        source: source(finding.packet?.input ?? 0), stream: identity.number,
        direction: finding.side.map { role(of: $0) }, offset: finding.offset, length: finding.length,
        packet: finding.packet?.number, fileOffset: finding.fileOffset, code: finding.code,
        message: finding.message))
  }

  // MARK: - The end

  func close(_ report: StreamReport) throws {
    for direction in [first, second] { try direction?.close() }
    try settle()
    let labels = labels(input: report.firstPacket?.input ?? 0)
    var summary = StreamSummary(source: labels.source, number: identity.number, speaks: speaks)
    summary.client = labels.client
    summary.server = labels.server
    summary.setPackets(report)
    for direction in [first, second] {
      guard let direction else { continue }
      summary.records &+= direction.records
      summary.add(bytes: direction.bytes, gapBytes: direction.gapBytes, from: direction.role)
    }
    summary.findings = findings
    try log.add(summary)
  }

  private var speaks: StreamProtocol {
    let contents = [first, second].compactMap { $0?.content }
    let isFeedback = contents.contains { if case .feedback = $0 { true } else { false } }
    if isFeedback { return .feedback }
    let isCiphertext = contents.contains { if case .ciphertext = $0 { true } else { false } }
    if isCiphertext { return .encrypted }
    return expected ?? .other
  }
}
