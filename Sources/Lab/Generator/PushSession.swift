/// A TCP connection with pushes in HTTP/2, without TLS.
struct PushSession: GeneratedConnection {
  var tcp: GeneratedTCP
  private let scenario: CaptureScenario
  private var numbers: RandomNumbers
  private var conversation: PushConversation
  private var sides: BothSides<PushSide>
  private var ledger: PushLedger
  private var findings = 0
  /// Whether the server (true) or the client sends.
  private var serverSends = false

  init(_ opening: SessionOpening, of all: Scenario) {
    scenario = all.capture
    numbers = RandomNumbers(seed: all.seed, .segments, number: opening.number)
    let client = Self.start(opening, &numbers)
    tcp = GeneratedTCP(
      opening, of: all, serverPort: 2197,
      starts: BothSides(client: client, server: Self.start(opening, &numbers)), &numbers)
    conversation = PushConversation(
      all, connection: opening.number, of: scenario.connections, isCutOff: tcp.resetter != nil)
    let side = PushSide(isMidstream: opening.isMidstream)
    sides = BothSides(client: side, server: side)
    ledger = PushLedger(isSpared: opening.isSpared)
  }

  /// An initial sequence number, close to the maximum if it wraps.
  private static func start(_ opening: SessionOpening, _ numbers: inout RandomNumbers) -> UInt32 {
    let (high, low) = (numbers.below(4096), numbers.within(opening.starts))
    return opening.wraps ? UInt32.max &- UInt32(truncatingIfNeeded: high) : UInt32(truncatingIfNeeded: low)
  }

  /// After lost bytes, a decoder knows less about later pushes.
  static func isUncertain(_ scenario: Scenario) -> Bool {
    let capture = scenario.capture
    return scenario.isDamaged || capture.loss > 0 || capture.beginsMidstream || capture.snapLength != nil
  }

  mutating func next() -> GeneratedSegment? { tcp.next() ?? (tcp.isOpen ? nextData() : nil) }

  private mutating func nextData() -> GeneratedSegment? {
    if let segment = tcp.acknowledgement(ofServer: serverSends) { return segment }
    while !sides[serverSends].isEmpty || takeTurn() {
      guard !sides[serverSends].isEmpty else { continue }
      let (size, repeated) = (numbers.within(scenario.segmentSizes), numbers.overlap(scenario.overlaps))
      let segment = tcp.data(sides[serverSends].take(size), fromServer: serverSends, repeated: repeated)
      if tcp.isCaptured() { return segment }
    }
    return tcp.close(by: conversation.endsWithGoaway)
  }

  /// Takes the next turn; false at the end of the conversation.
  private mutating func takeTurn() -> Bool {
    guard let turn = conversation.next() else { return false }
    if serverSends != turn.isFromServer { tcp.turn() }
    serverSends = turn.isFromServer
    let start = sides[serverSends].add(turn.bytes)
    for event in turn.events { sides[serverSends].add(ledger.note(event, at: start)) }
    return true
  }

  var acknowledgement: GeneratedSegment { tcp.control(fromServer: false) }

  mutating func captured(
    _ segment: GeneratedSegment, _ parts: [CapturedPart], _ truth: inout TruthWriter
  ) throws {
    for part in parts { sides[segment.isFromServer].extents.add(part, of: segment) }
  }

  mutating func writeSettled(delayed: BothSides<Int?>, to truth: inout TruthWriter) throws {
    for isServer in [false, true] {
      sides[isServer].settle(before: tcp.frontier(ofServer: isServer, delayed: delayed))
    }
    try writeSettledFrames(&truth)
  }

  private mutating func writeSettledFrames(_ truth: inout TruthWriter) throws {
    guard tcp.stream.first != nil else { return }
    for isServer in [false, true] {
      for frames in sides[isServer].settledFrames { ledger.settle(frames, isFromServer: isServer) }
      for (range, packet) in sides[isServer].conflicts {
        findings += 1
        try truth.finding(
          "conflicting-overlap", of: tcp.stream, isFromServer: isServer, range, at: (packet, nil))
      }
      sides[isServer].removeSettled()
    }
    let bases = BothSides(client: sides.client.base ?? 0, server: sides.server.base ?? 0)
    try ledger.write(of: tcp.stream, bases: bases, to: &truth)
  }

  mutating func finish(_ truth: inout TruthWriter) throws {
    try writeSettled(delayed: BothSides(client: nil, server: nil), to: &truth)
    for isServer in [false, true] { sides[isServer].finish(at: tcp.count(ofServer: isServer)) }
    guard tcp.stream.first != nil else { return }
    try writeSettledFrames(&truth)
    var totals = TruthWriter.StreamTotals(protocolName: "http2")
    totals.bytes = BothSides(client: sides.client.bytes, server: sides.server.bytes)
    totals.records = ledger.count
    totals.findings = findings
    try truth.stream(tcp.stream, totals)
  }
}
