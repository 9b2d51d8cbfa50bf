/// A TCP connection with pushes in HTTP/2, without TLS.
struct PushSession: GeneratedConnection {
  private enum TCPPhase {
    case syn, accept, acknowledge, data, reset, firstFIN, secondFIN, lastACK, ended
  }

  private static let serverPort: UInt16 = 2197

  let peers: Peers
  let isSpared: Bool
  private let scenario: CaptureScenario
  private var phase: TCPPhase
  private var numbers: RandomNumbers
  private var conversation: PushConversation
  private var client: PushSide
  private var server: PushSide
  private var ledger: PushLedger
  /// Whether the server (true) or the client sends.
  private var serverSends = false
  /// The number of data segments sent before the capture began.
  private var uncaptured: Int
  /// Segments since the last acknowledgement.
  private var unacknowledged = 0
  /// Whether the server (true) or the client sends a RST; nil if both send a FIN.
  private let resetter: Bool?
  /// Number of the stream, from 0; nil before its first packet is captured.
  private var number: Int?
  private var first: CapturedLocation?
  private var lastLocation: CapturedLocation?

  init(_ opening: SessionOpening, of all: Scenario) {
    scenario = all.capture
    isSpared = opening.isSpared
    peers = Peers(opening.ports, serverPort: Self.serverPort, isV6: scenario.isV6)
    var endings = RandomNumbers(seed: all.seed, .endings, number: opening.number)
    resetter = endings.happens(scenario.resets) ? endings.below(2) == 0 : nil
    conversation = PushConversation(
      all, connection: opening.number, of: scenario.connections, isCutOff: resetter != nil)
    numbers = RandomNumbers(seed: all.seed, .segments, number: opening.number)
    client = PushSide(start: Self.start(opening, &numbers), isMidstream: opening.isMidstream)
    server = PushSide(start: Self.start(opening, &numbers), isMidstream: opening.isMidstream)
    uncaptured = opening.isMidstream ? numbers.within(0...20) : 0
    phase = opening.isMidstream ? .data : .syn
    ledger = PushLedger(isSpared: opening.isSpared)
  }

  /// An initial sequence number: close to the maximum if it wraps, otherwise above those of earlier
  /// connections with these ports (RFC 6528): a SYN with a lower number could be a late one.
  private static func start(_ opening: SessionOpening, _ numbers: inout RandomNumbers) -> UInt32 {
    let starts = opening.isFirstOfPorts ? 0x1000_0000...0x3fff_ffff : 0x4000_0000...0x6fff_ffff
    let (high, low) = (numbers.below(4096), numbers.within(starts))
    return opening.wraps
      ? UInt32.max &- UInt32(truncatingIfNeeded: high) : UInt32(truncatingIfNeeded: low)
  }

  /// After lost bytes, a decoder knows less about later pushes.
  static func isUncertain(_ scenario: Scenario) -> Bool {
    let capture = scenario.capture
    return scenario.isDamaged || capture.loss > 0 || capture.beginsMidstream || capture.snapLength != nil
  }

  // MARK: - Sending

  mutating func next() -> GeneratedSegment? {
    typealias Flag = GeneratedSegment.Flag
    let closer = conversation.endsWithGoaway
    switch phase {
    case .syn:
      phase = .accept
      return control(fromServer: false, Flag.syn)
    case .accept:
      phase = .acknowledge
      return control(fromServer: true, Flag.syn | Flag.ack)
    case .acknowledge:
      phase = .data
      return control(fromServer: false, Flag.ack)
    case .data: return nextData()
    case .reset:
      phase = .ended
      return control(fromServer: resetter ?? true, Flag.reset | Flag.ack)
    case .firstFIN:
      phase = .secondFIN
      return finish(fromServer: closer)
    case .secondFIN:
      phase = .lastACK
      return finish(fromServer: !closer)
    case .lastACK:
      phase = .ended
      return control(fromServer: closer, Flag.ack)
    case .ended: return nil
    }
  }

  private mutating func finish(fromServer: Bool) -> GeneratedSegment {
    let segment = control(fromServer: fromServer, GeneratedSegment.Flag.fin | GeneratedSegment.Flag.ack)
    if fromServer { server.hasFinished = true } else { client.hasFinished = true }
    return segment
  }

  private mutating func nextData() -> GeneratedSegment? {
    if unacknowledged >= 2 {
      unacknowledged = 0
      return control(fromServer: !serverSends, GeneratedSegment.Flag.ack)
    }
    while true {
      if serverSends ? server.isEmpty : client.isEmpty {
        guard takeTurn() else { break }
        continue
      }
      let segment = data()
      if uncaptured == 0 {
        unacknowledged += 1
        return segment
      }
      uncaptured -= 1
    }
    phase = resetter == nil ? .firstFIN : .reset
    return next()
  }

  /// Takes the next turn; false at the end of the conversation.
  private mutating func takeTurn() -> Bool {
    guard let turn = conversation.next() else { return false }
    if serverSends != turn.isFromServer { unacknowledged = 0 }
    serverSends = turn.isFromServer
    let start = turn.isFromServer ? server.add(turn.bytes) : client.add(turn.bytes)
    for event in turn.events {
      let frames = ledger.note(event, at: start)
      if turn.isFromServer { server.add(frames) } else { client.add(frames) }
    }
    return true
  }

  private mutating func data() -> GeneratedSegment {
    let size = numbers.within(scenario.segmentSizes)
    var repeated = 0
    if numbers.happens(scenario.overlaps) { repeated = numbers.within(1...CaptureScenario.longestOverlap) }
    var segment = control(
      fromServer: serverSends, GeneratedSegment.Flag.ack | GeneratedSegment.Flag.push)
    let (offset, payload) =
      serverSends ? server.take(size, repeated: repeated) : client.take(size, repeated: repeated)
    segment.sequence = segment.sequence &- UInt32(truncatingIfNeeded: segment.offset - offset)
    segment.offset = offset
    segment.payload = payload
    return segment
  }

  /// A segment without payload, for the current state.
  private func control(fromServer: Bool, _ flags: UInt8) -> GeneratedSegment {
    let (sender, receiver) = fromServer ? (server, client) : (client, server)
    let isSYN = flags & GeneratedSegment.Flag.syn != 0
    var segment = GeneratedSegment(
      isFromServer: fromServer, sequence: isSYN ? sender.start : sender.sequence, acknowledgement: 0,
      flags: flags)
    segment.offset = sender.sentCount
    if flags & GeneratedSegment.Flag.ack != 0 { segment.acknowledgement = receiver.sequence }
    return segment
  }

  var acknowledgement: GeneratedSegment { control(fromServer: false, GeneratedSegment.Flag.ack) }

  // MARK: - Captured packets

  mutating func captured(
    _ segment: GeneratedSegment, _ parts: [CapturedPart], _ location: CapturedLocation,
    number next: inout Int, _ truth: inout TruthWriter
  ) throws {
    if number == nil {
      number = next
      next += 1
      first = location
    }
    lastLocation = location
    for part in parts where !part.range.isEmpty {
      func sent(_ range: Range<Int>) -> Range<Int> {
        range.lowerBound + segment.offset..<range.upperBound + segment.offset
      }
      let altered = segment.altered.map { sent($0.clamped(to: part.range)) }
      if segment.isFromServer {
        server.captured(sent(part.range), part.location, altered: altered)
      } else {
        client.captured(sent(part.range), part.location, altered: altered)
      }
    }
  }

  private var stream: TruthWriter.Stream {
    var stream = TruthWriter.Stream(number: number ?? 0)
    stream.client = peers.text(ofServer: false)
    stream.server = peers.text(ofServer: true)
    return stream
  }

  mutating func writeSettled(delayed: DelayedOffsets, to truth: inout TruthWriter) throws {
    // A side's next segment may overlap its last one.
    let isOpen = phase == .data
    let clientFrontier = min(delayed.client ?? .max, isOpen ? client.lastOffset : .max)
    let serverFrontier = min(delayed.server ?? .max, isOpen ? server.lastOffset : .max)
    client.settle(before: clientFrontier)
    server.settle(before: serverFrontier)
    try writeSettledFrames(&truth)
  }

  private mutating func writeSettledFrames(_ truth: inout TruthWriter) throws {
    guard number != nil else { return }
    for frames in client.settledFrames { ledger.settle(frames, isFromServer: false) }
    for frames in server.settledFrames { ledger.settle(frames, isFromServer: true) }
    for (range, packet) in client.conflicts {
      try ledger.conflict(range, packet: packet, of: stream, isFromServer: false, to: &truth)
    }
    for (range, packet) in server.conflicts {
      try ledger.conflict(range, packet: packet, of: stream, isFromServer: true, to: &truth)
    }
    client.removeSettled()
    server.removeSettled()
    try ledger.write(of: stream, bases: (client.base ?? 0, server.base ?? 0), to: &truth)
  }

  mutating func finish(_ truth: inout TruthWriter) throws {
    try writeSettled(delayed: DelayedOffsets(), to: &truth)
    client.finish()
    server.finish()
    guard number != nil else { return }
    try writeSettledFrames(&truth)
    var totals = TruthWriter.StreamTotals()
    totals.protocolName = "http2"
    totals.first = first
    totals.last = lastLocation
    totals.clientBytes = client.bytes
    totals.serverBytes = server.bytes
    totals.records = ledger.count
    totals.findings = ledger.findings
    try truth.stream(stream, totals)
  }
}
