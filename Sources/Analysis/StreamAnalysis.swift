import APNsWire
import PacketCapture
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

  let log: EvidenceLog
  private let options: AnalysisOptions
  private let space: GatewaySpace
  private let identity: StreamIdentity
  /// What it speaks, as soon as that is known.
  private var expected: StreamProtocol?
  private let source: (_ input: UInt16) -> String
  private var server: Side
  /// Whether the roles stand; a guess may be corrected by what the directions carry.
  private var isSettled: Bool
  private var unsettled: [StreamFinding] = []
  private var first: DirectionAnalysis?
  private var second: DirectionAnalysis?
  /// Made when something of it is decoded.
  private var madeGateway: GatewayConnection?
  private var findings = 0
  /// The labels that were used last, and the input they are for.
  private var lastLabels: (input: UInt16, labels: StreamLabels)?

  /// - Parameter source: the name of an input by its place among those that are read as one.
  init(
    _ identity: StreamIdentity, options: AnalysisOptions, space: GatewaySpace, log: EvidenceLog,
    source: @escaping (UInt16) -> String
  ) {
    self.identity = identity
    self.options = options
    self.space = space
    self.log = log
    self.source = source
    expected = options.choice.expected(of: identity)
    server = identity.server
    switch identity.serverEvidence {
    case .handshake, .port, .pair: isSettled = true
    case .guess: isSettled = false
    case .dump:
      isSettled = options.choice.dumpServer != nil
      server = options.choice.dumpServer ?? server
    }
  }

  private var gateway: GatewayConnection {
    if let madeGateway { return madeGateway }
    let gateway = GatewayConnection(of: self, space: space)
    madeGateway = gateway
    return gateway
  }

  /// The direction of `side`, made when it is first asked for.
  func direction(_ side: Side) -> DirectionAnalysis {
    if let known = side == .first ? first : second { return known }
    let direction = DirectionAnalysis(of: self, side: side)
    if side == .first { first = direction } else { second = direction }
    return direction
  }

  func role(of side: Side) -> Direction { side == server ? .server : .client }
  func side(of role: Direction) -> Side { role == .server ? server : server.other }

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
    if isSettled, expected != nil { return Ciphertext.headLength }
    return identity.serverEvidence == .dump ? ContentProbe.dumpHeadLength : ContentProbe.headLength
  }

  /// What `side` sends, whose first bytes are `head`; nil where it is nothing to decode.
  func content(of head: [UInt8], from side: Side) -> DirectionContent? {
    switch expected {
    case .feedback: return side == server ? .feedback : nil
    case .gateway:
      // Where the roles are a guess, the bytes know better.
      if !isSettled, let carried = options.probe.content(of: head), carried != .feedback { return carried }
      return side == server ? .responses : .requests
    case .encrypted, .other: return nil
    case nil: return recognise(head, from: side)
    }
  }

  private func recognise(_ head: [UInt8], from side: Side) -> DirectionContent? {
    let carried = options.probe.content(of: head)
    // A dump that is like nothing was given to be read as feedback.
    if identity.serverEvidence == .dump { return carried ?? .feedback }
    let isServer = carried != .requests
    return isSettled && carried != .feedback && (side == server) != isServer ? nil : carried
  }

  /// What `side` sent is what clients, or servers, send.
  func recognised(_ carried: DirectionContent, from side: Side) throws {
    if !isSettled { server = carried == .requests ? side.other : side }
    if expected == nil { expected = carried == .feedback ? .feedback : .gateway }
    try settle()
  }

  /// What decodes a direction's bytes from `offset` on.
  func decoding(_ carried: DirectionContent, offset: Int, beginsStream: Bool) -> any RunDirection {
    switch carried {
    case .feedback:
      FeedbackDirection(rules: options.rules, log: log, offset: offset, beginsStream: beginsStream)
    case .requests:
      RequestDirection(
        rules: options.requestRules, connection: gateway, offset: offset, beginsStream: beginsStream)
    case .responses:
      ResponseDirection(connection: gateway, offset: offset, beginsStream: beginsStream)
    }
  }

  private func settle() throws {
    guard !isSettled else { return }
    isSettled = true
    lastLabels = nil
    let waiting = unsettled
    unsettled = []
    for finding in waiting { try find(finding) }
  }

  /// Where a byte stands in the order in which the capture holds what both sides sent: by its packet, else by its
  /// place in the file. Of a pair of dumps, all requests come first.
  func captureOrder(of offset: Int, _ origin: ByteOrigin, from direction: Direction) -> Int {
    if let number = origin.packet?.number { return Int(origin.packet?.input ?? 0) << 47 | number }
    if identity.serverEvidence == .pair { return direction == .client ? 0 : 1 }
    return origin.fileOffset(of: offset)
  }

  // MARK: - Findings

  func find(_ finding: StreamFinding) throws {
    guard isSettled else {
      unsettled.append(finding)
      if unsettled.count > Self.maxUnsettled { try settle() }
      return
    }
    try announce(finding)
    if let side = finding.side, let gateway = madeGateway, try gateway.takes(finding, from: role(of: side)) {
      return
    }
    try report(finding)
  }

  /// Tells those who asked of a finding, before it is its turn.
  func announce(_ finding: StreamFinding) throws {
    if log.takesEarlyFindings { try log.announce(placed(finding)) }
  }

  /// Writes a finding down, when all that must come before it has.
  func report(_ finding: StreamFinding) throws {
    findings += 1
    try log.add(placed(finding))
  }

  private func placed(_ finding: StreamFinding) -> Finding {
    Finding(
      source: source(finding.packet?.input ?? 0), stream: identity.number,
      direction: finding.side.map { role(of: $0) }, offset: finding.offset, length: finding.length,
      packet: finding.packet?.number, fileOffset: finding.fileOffset, code: finding.code,
      message: finding.message)
  }

  // MARK: - The end

  func close(_ report: StreamReport) throws {
    for direction in [first, second] { try direction?.close() }
    try settle()
    try madeGateway?.close()
    let labels = labels(input: report.firstPacket?.input ?? 0)
    var summary = StreamSummary(source: labels.source, number: identity.number, speaks: speaks)
    summary.client = labels.client
    summary.server = labels.server
    summary.serverSide = server
    summary.setPackets(report)
    for direction in [first, second] {
      guard let direction else { continue }
      summary.records &+= direction.records
      summary.add(bytes: direction.bytes, gapBytes: direction.gapBytes, from: direction.role)
    }
    summary.findings = findings
    summary.gateway = madeGateway?.counts
    try log.add(summary)
  }

  private var speaks: StreamProtocol {
    let contents = [first, second].compactMap { $0?.content }
    let isDecoded = contents.contains { if case .decoded = $0 { true } else { false } }
    if isDecoded { return expected ?? .other }
    let isCiphertext = contents.contains { if case .ciphertext = $0 { true } else { false } }
    if isCiphertext { return .encrypted }
    // A dump without a byte is one of nothing: it was given to be read as feedback.
    return expected ?? (identity.serverEvidence == .dump ? .feedback : .other)
  }
}
