/// How a connection begins.
struct SessionOpening {
  /// From 0, among all connections.
  var number: Int
  /// Which ports it has: connections with the same number here have the same ones.
  var ports: Int
  /// Whether sequence numbers of the side that speaks wrap around.
  var wraps: Bool
  /// Whether the capture begins when it is open.
  var isMidstream: Bool
  /// Whether no connection before it had its ports.
  var isFirstOfPorts: Bool
  /// Whether no damage of the file may touch it.
  var isSpared: Bool
}

/// A TCP connection as its two ends have it: handshake, what one side has to say, farewell. The other side
/// acknowledges, and may answer once: a gateway with an error response.
struct Session {
  private enum Phase {
    case syn, accept, acknowledge, data, reset, speakerFIN, listenerFIN, lastACK, ended
  }

  let peers: Peers
  /// Whether the side that speaks is the server.
  let speaksAsServer: Bool
  /// Number of the stream, from 0; nil before its first packet was captured.
  private(set) var number: Int?
  private var phase = Phase.syn
  private var bytes: RecordBytes
  private var numbers: RandomNumbers
  private let scenario: CaptureScenario
  /// Initial sequence numbers.
  private let speakerStart: UInt32
  private let listenerStart: UInt32
  /// Offset in what is said of the next byte.
  private var said = 0
  /// The payload before, for overlaps, and where it began.
  private var last: [UInt8] = []
  private var lastOffset = 0
  /// How many data segments passed before the capture began.
  private var uncaptured: Int
  /// Segments since the listener acknowledged any.
  private var unacknowledged = 0
  /// What the other side answers to a record that must arrive.
  private let verdict: GatewayVerdict?
  /// How many more segments come before the answer; nil while the capture lacks the record's first byte: a response
  /// is about what was captured before it (docs/spec/decoding-rules.md#correlation).
  private var segmentsToAnswer: Int?
  private var hasAnswered = false

  private var stretches = CapturedStretches()
  private var expected: ExpectedRecords
  private var first: CapturedPlace?
  private var lastPlace: CapturedPlace?
  /// Offset behind the last byte that is known to have been sent: of a packet that was captured, or by a FIN.
  private var known = 0
  /// Packets that the snap length cut, not told yet: where what is missing begins, and how much it is.
  private var cuts: [(start: Int, length: Int, place: CapturedPlace)] = []
  /// Which side breaks the connection off; nil where both say farewell.
  private let resetter: Bool?
  /// Whether no damage of the file may touch it.
  let isSpared: Bool

  init(_ opening: SessionOpening, of all: Scenario, isGateway: Bool) {
    let scenario = all.capture
    let speaksAsServer = !isGateway
    peers = Peers(opening.ports, serverPort: speaksAsServer ? 2196 : 2195, isV6: scenario.isV6)
    numbers = RandomNumbers(seed: all.seed, .segments, number: opening.number)
    self.scenario = scenario
    self.speaksAsServer = speaksAsServer
    isSpared = opening.isSpared
    // What a response is about may lie before a capture that begins later, be damaged or be cut.
    let isAnswered =
      isGateway && all.damage.isNone && !opening.isMidstream && isSpared && scenario.snapLength == nil
    verdict =
      isAnswered ? GatewayVerdict(all, connection: opening.number, of: scenario.connections) : nil
    let source = RecordSource(
      all, isFromServer: speaksAsServer, connection: opening.number, of: scenario.connections,
      verdict: verdict)
    let records = SentRecords(source, all, connection: opening.number)
    bytes = RecordBytes(records)
    expected = ExpectedRecords(
      records, isMidstream: opening.isMidstream, expectation: isSpared ? .whole : .near)
    var endings = RandomNumbers(seed: all.seed, .endings, number: opening.number)
    resetter = endings.happens(scenario.resets) ? endings.below(2) == 0 : nil
    // Higher than what the ports had before, as RFC 6528 asks: a SYN with a lower number could be one that is late.
    let starts = opening.isFirstOfPorts ? 0x1000_0000...0x3fff_ffff : 0x4000_0000...0x6fff_ffff
    listenerStart = UInt32(truncatingIfNeeded: numbers.within(starts))
    // So near the end of the numbers that a few segments reach beyond it.
    speakerStart =
      opening.wraps
      ? UInt32.max &- UInt32(truncatingIfNeeded: numbers.below(4096))
      : UInt32(truncatingIfNeeded: numbers.within(starts))
    uncaptured = opening.isMidstream ? numbers.within(0...20) : 0
    if opening.isMidstream { phase = .data }
  }

  // MARK: - What is sent

  /// The next segment that passes where the capture is made; nil where the connection has ended.
  mutating func next() -> GeneratedSegment? {
    typealias Flag = GeneratedSegment.Flag
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
    case .speakerFIN:
      phase = .listenerFIN
      return control(fromServer: speaksAsServer, Flag.fin | Flag.ack)
    case .listenerFIN:
      phase = .lastACK
      return control(fromServer: !speaksAsServer, Flag.fin | Flag.ack)
    case .lastACK:
      phase = .ended
      return control(fromServer: speaksAsServer, Flag.ack)
    case .ended: return nil
    }
  }

  private mutating func nextData() -> GeneratedSegment? {
    if let answer = answer() { return answer }
    if unacknowledged >= 2 {
      unacknowledged = 0
      return control(fromServer: !speaksAsServer, GeneratedSegment.Flag.ack)
    }
    repeat {
      let payload = bytes.take(numbers.within(scenario.segmentSizes))
      if payload.isEmpty { return lastOfData() }
      uncaptured -= 1
      let segment = data(payload)
      if uncaptured < 0 {
        unacknowledged += 1
        return segment
      }
    } while true
  }

  /// Nothing more is to be said. An answer that is still to come waits for what it is about, which is late.
  private mutating func lastOfData() -> GeneratedSegment? {
    if verdict != nil, !hasAnswered {
      if segmentsToAnswer != nil { segmentsToAnswer = 0 }
      return answer() ?? control(fromServer: !speaksAsServer, GeneratedSegment.Flag.ack)
    }
    phase = resetter == nil ? .speakerFIN : .reset
    return next()
  }

  /// The other side's answer, if its time has come.
  private mutating func answer() -> GeneratedSegment? {
    guard let verdict, !hasAnswered, let left = segmentsToAnswer else { return nil }
    guard left == 0 else {
      segmentsToAnswer = left - 1
      return nil
    }
    var segment = control(
      fromServer: !speaksAsServer, GeneratedSegment.Flag.ack | GeneratedSegment.Flag.push)
    hasAnswered = true
    segment.offset = 0
    segment.payload = verdict.bytes
    segment.isProtected = true
    return segment
  }

  private mutating func data(_ payload: [UInt8]) -> GeneratedSegment {
    var repeated = 0
    if numbers.happens(scenario.overlaps) {
      repeated = min(last.count, numbers.within(1...CaptureScenario.longestOverlap))
    }
    var segment = control(
      fromServer: speaksAsServer, GeneratedSegment.Flag.ack | GeneratedSegment.Flag.push)
    segment.offset = said - repeated
    segment.sequence = segment.sequence &- UInt32(truncatingIfNeeded: repeated)
    segment.payload = last.suffix(repeated) + payload
    lastOffset = segment.offset
    last = payload
    said += payload.count
    segment.mustArrive = bytes.important?.overlaps(segment.range) ?? false
    return segment
  }

  /// A segment without payload, by what was said so far.
  private func control(fromServer: Bool, _ flags: UInt8) -> GeneratedSegment {
    let isSYN = flags & GeneratedSegment.Flag.syn != 0
    let hasFINs = resetter == nil
    let (hasSpeakerFIN, hasListenerFIN) = (
      hasFINs && (phase == .lastACK || phase == .ended), hasFINs && phase == .ended
    )
    let speaker =
      isSYN ? speakerStart : speakerStart &+ 1 &+ UInt32(truncatingIfNeeded: said) &+ (hasSpeakerFIN ? 1 : 0)
    let answered = hasAnswered ? UInt32(truncatingIfNeeded: verdict?.bytes.count ?? 0) : 0
    let listener = isSYN ? listenerStart : listenerStart &+ 1 &+ answered &+ (hasListenerFIN ? 1 : 0)
    let isFromSpeaker = fromServer == speaksAsServer
    var segment = GeneratedSegment(
      isFromServer: fromServer, sequence: isFromSpeaker ? speaker : listener, acknowledgement: 0, flags: flags
    )
    segment.offset = said
    if flags & GeneratedSegment.Flag.ack != 0 {
      let acknowledged = isFromSpeaker ? listener : speaker
      segment.acknowledgement = isSYN ? acknowledged &+ 1 : acknowledged
    }
    return segment
  }

  /// What the other side can say at any time.
  var acknowledgement: GeneratedSegment {
    control(fromServer: !speaksAsServer, GeneratedSegment.Flag.ack)
  }

  // MARK: - What was captured

  /// Bytes of a payload that one packet brought: where they lie in the payload, and where the first of them lies.
  typealias Part = (range: Range<Int>, place: CapturedPlace)

  /// A packet of it is in the capture.
  /// - Parameters:
  ///   - number: the next stream's.
  ///   - place: of its payload's first byte, or of where that would be.
  mutating func captured(
    _ segment: GeneratedSegment, at place: CapturedPlace, number next: inout Int, _ truth: inout TruthWriter
  ) throws {
    let part = 0..<segment.payload.count - segment.missing
    try captured(segment, [(part, place)], place, number: &next, &truth)
  }

  /// A segment of it is in the capture, in one packet or in several.
  /// - Parameter place: of the packet that came last.
  mutating func captured(
    _ segment: GeneratedSegment, _ parts: [Part], _ place: CapturedPlace, number next: inout Int,
    _ truth: inout TruthWriter
  ) throws {
    if number == nil { begin(at: place, number: &next) }
    lastPlace = place
    guard !segment.payload.isEmpty else { return }
    guard segment.isFromServer == speaksAsServer else {
      return try tellAnswer(at: parts.first { $0.range.lowerBound == 0 }?.place ?? place, to: &truth)
    }
    if let important = bytes.important, segmentsToAnswer == nil, segment.range.contains(important.lowerBound)
    {
      segmentsToAnswer = numbers.below(4)
    }
    for part in parts { add(part, of: segment) }
    known = max(known, segment.range.upperBound)
    if segment.missing > 0 {
      cuts.append((segment.range.upperBound - segment.missing, segment.missing, place))
    }
  }

  private mutating func add(_ part: Part, of segment: GeneratedSegment) {
    let altered = segment.altered?.clamped(to: part.range)
    func sent(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound + segment.offset..<range.upperBound + segment.offset
    }
    stretches.add(sent(part.range), part.place, altered: altered.map(sent))
  }

  private mutating func begin(at place: CapturedPlace, number next: inout Int) {
    number = next
    var stream = TruthWriter.Stream(number: next)
    stream.client = peers.text(ofServer: false)
    stream.server = peers.text(ofServer: true)
    expected.name(stream)
    first = place
    next += 1
  }

  private mutating func tellAnswer(at place: CapturedPlace, to truth: inout TruthWriter) throws {
    guard let verdict, let request = bytes.important else { return }
    try truth.response(verdict, to: request.lowerBound, of: expected.stream, place)
  }

  /// Tells what no packet can change any more.
  /// - Parameter delayed: the lowest offset among segments that are still to come.
  mutating func tell(delayed: Int?, to truth: inout TruthWriter) throws {
    // The next segment may begin in the last one.
    let frontier = phase == .data ? min(delayed ?? lastOffset, lastOffset) : delayed ?? .max
    while let stretch = stretches.removeFirst(before: frontier) { try expected.take(stretch, to: &truth) }
    guard expected.hasBegun else { return }
    for cut in cuts { try expected.writeTruncated(cut.start, cut.length, cut.place, to: &truth) }
    cuts = []
  }

  /// All of its packets are in the capture that ever will be.
  mutating func finish(_ truth: inout TruthWriter) throws {
    try tell(delayed: nil, to: &truth)
    // A RST says nothing of what was sent before it (docs/formats.md, Streams).
    try expected.finish(at: resetter == nil ? said : known, to: &truth)
    guard number != nil else { return }
    var totals = TruthWriter.StreamTotals()
    totals.first = first
    totals.last = lastPlace
    if speaksAsServer {
      totals.serverBytes = expected.bytes
      totals.serverGapBytes = expected.gapBytes
    } else {
      totals.protocolName = "gateway"
      totals.serverBytes = hasAnswered ? verdict?.bytes.count ?? 0 : 0
      totals.clientBytes = expected.bytes
      totals.clientGapBytes = expected.gapBytes
    }
    totals.records = expected.count + (hasAnswered ? 1 : 0)
    totals.findings = expected.findings
    try truth.stream(expected.stream, totals)
  }
}
