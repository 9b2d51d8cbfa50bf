/// A TCP connection: handshake, data from one side (the sender), and termination. The other side (the receiver)
/// acknowledges, and may send one error response if it is a gateway (docs/spec/protocol.md#error-responses).
struct Session: GeneratedConnection {
  private enum TCPPhase {
    case syn, accept, acknowledge, data, reset, senderFIN, receiverFIN, lastACK, ended
  }

  let peers: Peers
  let senderIsServer: Bool
  /// Number of the stream, from 0; nil before its first packet is captured.
  private(set) var number: Int?
  private var phase = TCPPhase.syn
  private var bytes: RecordBytes
  private var numbers: RandomNumbers
  private let scenario: CaptureScenario
  /// Initial sequence numbers.
  private let senderStart: UInt32
  private let receiverStart: UInt32
  /// Offset of the next byte to send.
  private var sentCount = 0
  /// The previous payload, for overlaps, and its offset.
  private var last: [UInt8] = []
  private var lastOffset = 0
  /// The number of data segments sent before the capture began.
  private var uncaptured: Int
  /// Segments since the last acknowledgement.
  private var unacknowledged = 0
  /// The receiver's error response, which names the record that must be captured.
  private let response: GeneratedResponse?
  /// Segments to send before the next one of the response; nil until the first byte of the record is captured: a
  /// response can only name a request captured before it (docs/spec/decoding-rules.md#correlation).
  private var segmentsToAnswer: Int?
  /// The bytes of the response that are not sent.
  private var unanswered: ArraySlice<UInt8>

  private var extents = CapturedExtents()
  private var expected: ExpectedRecords
  private var first: CapturedLocation?
  private var lastLocation: CapturedLocation?
  /// Offset after the last byte that is known to be sent, from captured packets.
  private var known = 0
  /// Packets that the snap length cut, not written yet: offset and number of the missing bytes.
  private var cuts: [(start: Int, length: Int, location: CapturedLocation)] = []
  /// Whether the server (true) or the client sends a RST; nil if both send a FIN.
  private let resetter: Bool?
  /// Whether it is spared from damage of the file.
  let isSpared: Bool

  init(_ opening: SessionOpening, of all: Scenario) {
    let isGateway = opening.isGateway
    let scenario = all.capture
    let senderIsServer = !isGateway
    peers = Peers(opening.ports, serverPort: senderIsServer ? 2196 : 2195, isV6: scenario.isV6)
    numbers = RandomNumbers(seed: all.seed, .segments, number: opening.number)
    self.scenario = scenario
    self.senderIsServer = senderIsServer
    isSpared = opening.isSpared
    // Without a response if the named request may be before the capture, damaged or cut.
    let isAnswered =
      isGateway && all.damage.isNone && !opening.isMidstream && isSpared && scenario.snapLength == nil
    response =
      isAnswered ? GeneratedResponse(all, connection: opening.number, of: scenario.connections) : nil
    unanswered = response?.bytes[...] ?? []
    let source = RecordSource(
      all, isFromServer: senderIsServer, connection: opening.number, of: scenario.connections,
      response: response)
    let records = SentRecords(source, all, connection: opening.number)
    bytes = RecordBytes(records)
    expected = ExpectedRecords(
      records, isMidstream: opening.isMidstream, expectation: isSpared ? .whole : .near)
    var endings = RandomNumbers(seed: all.seed, .endings, number: opening.number)
    resetter = endings.happens(scenario.resets) ? endings.below(2) == 0 : nil
    // Higher than the previous ones with these ports (RFC 6528): a SYN with a lower number could be a late one.
    let starts = opening.isFirstOfPorts ? 0x1000_0000...0x3fff_ffff : 0x4000_0000...0x6fff_ffff
    receiverStart = UInt32(truncatingIfNeeded: numbers.within(starts))
    // So close to the maximum that a few segments wrap around.
    senderStart =
      opening.wraps
      ? UInt32.max &- UInt32(truncatingIfNeeded: numbers.below(4096))
      : UInt32(truncatingIfNeeded: numbers.within(starts))
    uncaptured = opening.isMidstream ? numbers.within(0...20) : 0
    if opening.isMidstream { phase = .data }
  }

  static func isUncertain(_ scenario: Scenario) -> Bool { scenario.isDamaged }

  // MARK: - Sending

  /// The next segment at the capture point; nil at the end of the connection.
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
    case .senderFIN:
      phase = .receiverFIN
      return control(fromServer: senderIsServer, Flag.fin | Flag.ack)
    case .receiverFIN:
      phase = .lastACK
      return control(fromServer: !senderIsServer, Flag.fin | Flag.ack)
    case .lastACK:
      phase = .ended
      return control(fromServer: senderIsServer, Flag.ack)
    case .ended: return nil
    }
  }

  private mutating func nextData() -> GeneratedSegment? {
    if let answer = answer() { return answer }
    if unacknowledged >= 2 {
      unacknowledged = 0
      return control(fromServer: !senderIsServer, GeneratedSegment.Flag.ack)
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

  /// Ends the data. A pending response waits until the named request, which is delayed, is captured.
  private mutating func lastOfData() -> GeneratedSegment? {
    if !unanswered.isEmpty {
      if segmentsToAnswer != nil { segmentsToAnswer = 0 }
      return answer() ?? control(fromServer: !senderIsServer, GeneratedSegment.Flag.ack)
    }
    phase = resetter == nil ? .senderFIN : .reset
    return next()
  }

  /// The number of sent bytes of the error response.
  private var answeredCount: Int { unanswered.startIndex }

  /// The next segment of the receiver's error response, if it is due.
  private mutating func answer() -> GeneratedSegment? {
    guard !unanswered.isEmpty, let left = segmentsToAnswer else { return nil }
    guard left == 0 else {
      segmentsToAnswer = left - 1
      return nil
    }
    var segment = control(
      fromServer: !senderIsServer, GeneratedSegment.Flag.ack | GeneratedSegment.Flag.push)
    segment.offset = answeredCount
    segment.payload = Array(unanswered.prefix(numbers.within(scenario.segmentSizes)))
    segment.isProtected = true
    unanswered = unanswered.dropFirst(segment.payload.count)
    segmentsToAnswer = numbers.below(4)
    return segment
  }

  private mutating func data(_ payload: [UInt8]) -> GeneratedSegment {
    var repeated = 0
    if numbers.happens(scenario.overlaps) {
      repeated = min(last.count, numbers.within(1...CaptureScenario.longestOverlap))
    }
    var segment = control(
      fromServer: senderIsServer, GeneratedSegment.Flag.ack | GeneratedSegment.Flag.push)
    segment.offset = sentCount - repeated
    segment.sequence = segment.sequence &- UInt32(truncatingIfNeeded: repeated)
    segment.payload = last.suffix(repeated) + payload
    lastOffset = segment.offset
    last = payload
    sentCount += payload.count
    segment.mustArrive = bytes.important?.overlaps(segment.range) ?? false
    return segment
  }

  /// A segment without payload, for the current state.
  private func control(fromServer: Bool, _ flags: UInt8) -> GeneratedSegment {
    let isSYN = flags & GeneratedSegment.Flag.syn != 0
    let hasFINs = resetter == nil
    let (hasSenderFIN, hasReceiverFIN) = (
      hasFINs && (phase == .lastACK || phase == .ended), hasFINs && phase == .ended
    )
    let sender =
      isSYN
      ? senderStart : senderStart &+ 1 &+ UInt32(truncatingIfNeeded: sentCount) &+ (hasSenderFIN ? 1 : 0)
    let answered = UInt32(truncatingIfNeeded: answeredCount)
    let receiver = isSYN ? receiverStart : receiverStart &+ 1 &+ answered &+ (hasReceiverFIN ? 1 : 0)
    let isFromSender = fromServer == senderIsServer
    var segment = GeneratedSegment(
      isFromServer: fromServer, sequence: isFromSender ? sender : receiver, acknowledgement: 0, flags: flags
    )
    segment.offset = sentCount
    if flags & GeneratedSegment.Flag.ack != 0 {
      let acknowledged = isFromSender ? receiver : sender
      segment.acknowledgement = isSYN ? acknowledged &+ 1 : acknowledged
    }
    return segment
  }

  /// An acknowledgement of the receiver, which is valid at any time.
  var acknowledgement: GeneratedSegment {
    control(fromServer: !senderIsServer, GeneratedSegment.Flag.ack)
  }

  // MARK: - Captured packets

  /// A segment was captured in one or more packets.
  /// - Parameter location: location of the last packet.
  mutating func captured(
    _ segment: GeneratedSegment, _ parts: [CapturedPart], _ location: CapturedLocation,
    number next: inout Int, _ truth: inout TruthWriter
  ) throws {
    if number == nil { begin(at: location, number: &next) }
    lastLocation = location
    guard !segment.payload.isEmpty else { return }
    guard segment.isFromServer == senderIsServer else {
      guard segment.offset == 0 else { return }
      return try writeAnswer(at: parts.first { $0.range.lowerBound == 0 }?.location ?? location, to: &truth)
    }
    if let important = bytes.important, segmentsToAnswer == nil, segment.range.contains(important.lowerBound)
    {
      segmentsToAnswer = numbers.below(4)
    }
    for part in parts { add(part, of: segment) }
    known = max(known, segment.range.upperBound)
    if segment.missing > 0 {
      cuts.append((segment.range.upperBound - segment.missing, segment.missing, location))
    }
  }

  private mutating func add(_ part: CapturedPart, of segment: GeneratedSegment) {
    let altered = segment.altered?.clamped(to: part.range)
    func sent(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound + segment.offset..<range.upperBound + segment.offset
    }
    extents.add(sent(part.range), part.location, altered: altered.map(sent))
  }

  private mutating func begin(at location: CapturedLocation, number next: inout Int) {
    number = next
    var stream = TruthWriter.Stream(number: next)
    stream.client = peers.text(ofServer: false)
    stream.server = peers.text(ofServer: true)
    expected.name(stream)
    first = location
    next += 1
  }

  private mutating func writeAnswer(at location: CapturedLocation, to truth: inout TruthWriter) throws {
    guard let response, let request = bytes.important else { return }
    try truth.response(response, to: request.lowerBound, of: expected.stream, location)
  }

  /// Writes the truth of the bytes that no later packet can affect.
  /// - Parameter delayed: the lowest offsets of delayed segments.
  mutating func writeSettled(delayed: DelayedOffsets, to truth: inout TruthWriter) throws {
    let delayed = delayed.offset(isFromServer: senderIsServer)
    // The next segment may overlap the last one.
    let frontier = phase == .data ? min(delayed ?? lastOffset, lastOffset) : delayed ?? .max
    while let extent = extents.removeFirst(before: frontier) { try expected.take(extent, to: &truth) }
    guard expected.hasBegun else { return }
    for cut in cuts { try expected.writeTruncated(cut.start, cut.length, cut.location, to: &truth) }
    cuts = []
  }

  /// Ends the connection, after its last captured packet.
  mutating func finish(_ truth: inout TruthWriter) throws {
    try writeSettled(delayed: DelayedOffsets(), to: &truth)
    // A RST does not show how many bytes were sent before it (docs/formats.md, Streams).
    try expected.finish(at: resetter == nil ? sentCount : known, to: &truth)
    guard number != nil else { return }
    var totals = TruthWriter.StreamTotals()
    totals.first = first
    totals.last = lastLocation
    if senderIsServer {
      totals.serverBytes = expected.bytes
      totals.serverGapBytes = expected.gapBytes
    } else {
      totals.protocolName = "gateway"
      totals.serverBytes = answeredCount
      totals.clientBytes = expected.bytes
      totals.clientGapBytes = expected.gapBytes
    }
    totals.records = expected.count + (answeredCount > 0 ? 1 : 0)
    totals.findings = expected.findings
    try truth.stream(expected.stream, totals)
  }
}
