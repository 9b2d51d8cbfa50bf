/// A TCP connection: handshake, data from one side (the sender), and termination. The other side (the receiver)
/// acknowledges, and may send one error response if it is a gateway (docs/spec/protocol.md#error-responses).
struct Session: GeneratedConnection {
  var tcp: GeneratedTCP
  private let senderIsServer: Bool
  private var bytes: RecordBytes
  private var numbers: RandomNumbers
  private let scenario: CaptureScenario
  /// The receiver's error response, which names the record that must be captured.
  private let response: GeneratedResponse?
  /// Segments to send before the next one of the response; nil until the first byte of the record is captured: a
  /// response can only name a request captured before it (docs/spec/decoding-rules.md#correlation).
  private var segmentsToAnswer: Int?
  /// The bytes of the response that are not sent.
  private var unanswered: ArraySlice<UInt8>

  private var extents = CapturedExtents()
  private var expected: ExpectedRecords
  /// Offset after the last byte that is known to be sent, from captured packets.
  private var known = 0
  /// Packets that the snap length cut, not written yet: offsets of the missing bytes.
  private var cuts: [(range: Range<Int>, location: CapturedLocation?)] = []

  init(_ opening: SessionOpening, of all: Scenario) {
    scenario = all.capture
    senderIsServer = !opening.isGateway
    numbers = RandomNumbers(seed: all.seed, .segments, number: opening.number)
    // Without a response if the named request may be before the capture, damaged or cut.
    let isAnswered =
      opening.isGateway && all.damage.isNone && !opening.isMidstream && opening.isSpared
      && scenario.snapLength == nil
    response = isAnswered ? GeneratedResponse(all, connection: opening.number, of: scenario.connections) : nil
    unanswered = response?.bytes[...] ?? []
    let source = RecordSource(
      all, isFromServer: senderIsServer, connection: opening.number, of: scenario.connections,
      response: response)
    let records = SentRecords(source, all, connection: opening.number)
    bytes = RecordBytes(records)
    expected = ExpectedRecords(
      records, isMidstream: opening.isMidstream, expectation: opening.isSpared ? .whole : .near)
    let receiver = UInt32(truncatingIfNeeded: numbers.within(opening.starts))
    var starts = BothSides(client: receiver, server: receiver)
    // So close to the maximum that a few segments wrap around.
    starts[senderIsServer] =
      opening.wraps
      ? UInt32.max &- UInt32(truncatingIfNeeded: numbers.below(4096))
      : UInt32(truncatingIfNeeded: numbers.within(opening.starts))
    tcp = GeneratedTCP(opening, of: all, serverPort: senderIsServer ? 2196 : 2195, starts: starts, &numbers)
  }

  static func isUncertain(_ scenario: Scenario) -> Bool { scenario.isDamaged }

  // MARK: - Sending

  mutating func next() -> GeneratedSegment? { tcp.next() ?? (tcp.isOpen ? nextData() : nil) }

  private mutating func nextData() -> GeneratedSegment? {
    if let segment = answer() ?? tcp.acknowledgement(ofServer: senderIsServer) { return segment }
    while true {
      let payload = bytes.take(numbers.within(scenario.segmentSizes))
      if payload.isEmpty { return lastOfData() }
      var segment = tcp.data(
        payload, fromServer: senderIsServer, repeated: numbers.overlap(scenario.overlaps))
      segment.mustArrive = bytes.important?.overlaps(segment.range) ?? false
      if tcp.isCaptured() { return segment }
    }
  }

  /// Ends the data. A pending response waits until the named request, which is delayed, is captured.
  private mutating func lastOfData() -> GeneratedSegment? {
    guard !unanswered.isEmpty else { return tcp.close(by: senderIsServer) }
    if segmentsToAnswer != nil { segmentsToAnswer = 0 }
    return answer() ?? acknowledgement
  }

  /// The next segment of the receiver's error response, if it is due.
  private mutating func answer() -> GeneratedSegment? {
    guard !unanswered.isEmpty, let left = segmentsToAnswer else { return nil }
    guard left == 0 else {
      segmentsToAnswer = left - 1
      return nil
    }
    let payload = unanswered.prefix(numbers.within(scenario.segmentSizes))
    var segment = tcp.data(Array(payload), fromServer: !senderIsServer)
    segment.isProtected = true
    unanswered = unanswered.dropFirst(payload.count)
    segmentsToAnswer = numbers.below(4)
    return segment
  }

  /// Of the receiver.
  var acknowledgement: GeneratedSegment { tcp.control(fromServer: !senderIsServer) }

  // MARK: - Captured packets

  mutating func captured(
    _ segment: GeneratedSegment, _ parts: [CapturedPart], _ truth: inout TruthWriter
  ) throws {
    expected.stream = tcp.stream
    guard !segment.payload.isEmpty else { return }
    guard segment.isFromServer == senderIsServer else {
      guard segment.offset == 0, let response, let request = bytes.important else { return }
      let location = parts.first { $0.range.lowerBound == 0 }?.location ?? tcp.stream.last
      return try truth.response(response, to: request.lowerBound, of: tcp.stream, location)
    }
    if let important = bytes.important, segmentsToAnswer == nil, segment.range.contains(important.lowerBound)
    {
      segmentsToAnswer = numbers.below(4)
    }
    for part in parts { extents.add(part, of: segment) }
    let end = segment.range.upperBound
    known = max(known, end)
    if segment.missing > 0 { cuts.append((end - segment.missing..<end, tcp.stream.last)) }
  }

  mutating func writeSettled(delayed: BothSides<Int?>, to truth: inout TruthWriter) throws {
    let frontier = tcp.frontier(ofServer: senderIsServer, delayed: delayed)
    while let extent = extents.removeFirst(before: frontier) { try expected.take(extent, to: &truth) }
    guard expected.hasBegun else { return }
    for cut in cuts { try expected.find("truncated-packet", cut.range, cut.location, to: &truth) }
    cuts = []
  }

  mutating func finish(_ truth: inout TruthWriter) throws {
    try writeSettled(delayed: BothSides(client: nil, server: nil), to: &truth)
    // A RST does not show how many bytes were sent before it (docs/spec/captures.md#gaps-and-flushing).
    let end = tcp.resetter == nil ? tcp.count(ofServer: senderIsServer) : known
    try expected.finish(at: end, to: &truth)
    guard tcp.stream.first != nil else { return }
    let answered = tcp.count(ofServer: !senderIsServer)
    var totals = TruthWriter.StreamTotals(protocolName: senderIsServer ? "feedback" : "gateway")
    totals.bytes[senderIsServer] = expected.bytes
    totals.bytes[!senderIsServer] = answered
    totals.gapBytes[senderIsServer] = expected.gapBytes
    totals.records = expected.count + (answered > 0 ? 1 : 0)
    totals.findings = expected.findings
    try truth.stream(tcp.stream, totals)
  }
}
