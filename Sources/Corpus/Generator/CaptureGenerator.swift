/// Generates a capture of feedback or gateway connections and its truth. What it holds at a time depends on how many connections
/// are open, not on how long they are.
struct CaptureGenerator<Source: RecordSource> {
  private let scenario: Scenario
  private let capture: CaptureScenario
  private var file: CaptureFileWriter
  private var encoder: PacketEncoder
  private var truth: TruthWriter
  private var disturbances: RandomNumbers
  private var pace: RandomNumbers
  private var moment: Moment

  /// The open connections, each in a place of its own; nil where the last one has ended.
  private var slots: [Session<Source>?]
  private let makeSession: (Session<Source>.Opening) -> Session<Source>
  /// How many connections each place has had.
  private var uses: [Int]
  private var opened = 0
  private var delayed = DelayedPackets()
  private var nextStream = 0

  /// - Parameters:
  ///   - source: the capture, as `export` will be told its name.
  ///   - makeSession: makes a connection that begins.
  init(
    _ scenario: Scenario, source: String, to output: any GeneratorOutput, truth: any GeneratorOutput,
    makeSession: @escaping (Session<Source>.Opening) -> Session<Source>
  ) throws {
    self.scenario = scenario
    capture = scenario.capture
    file = try CaptureFileWriter(output, capture)
    encoder = PacketEncoder(capture)
    self.truth = TruthWriter(truth, source: source, digits: capture.container.hasNanoseconds ? 9 : 6)
    disturbances = RandomNumbers(seed: scenario.seed, .disturbances)
    pace = RandomNumbers(seed: scenario.seed, .pace)
    moment = Moment(seconds: capture.start, nanoseconds: 0)
    self.makeSession = makeSession
    let places = max(1, min(capture.openConnections, capture.connections))
    slots = Array(repeating: nil, count: places)
    uses = Array(repeating: 0, count: places)
  }

  mutating func run() throws -> GeneratedCounts {
    for slot in slots.indices { open(slot) }
    while true {
      if let packet = delayed.removeDue(at: file.packets) {
        try write(packet.segment, of: packet.slot)
      } else if let slot = speaker() {
        if let segment = slots[slot]?.next() { try send(segment, of: slot) } else { try end(slot) }
      } else {
        break
      }
    }
    try file.finish()
    try truth.finish()
    return GeneratedCounts(bytes: file.count)
  }

  // MARK: - Connections

  private mutating func open(_ slot: Int) {
    guard opened < capture.connections else { return }
    // A connection whose beginning lies before the capture is one of the first, and the first of its ports.
    let isMidstream = capture.beginsMidstream && opened < slots.count
    // Two handshakes on the same ports must differ in their numbers.
    let wraps = capture.wrapsSequence && (!capture.reusesPorts || uses[slot] % 2 == 0)
    slots[slot] = makeSession(
      Session.Opening(
        number: opened, ports: capture.reusesPorts ? slot : opened, wraps: wraps, isMidstream: isMidstream,
        isFirstOfPorts: uses[slot] == 0 || !capture.reusesPorts))
    opened += 1
    uses[slot] += 1
  }

  /// Which of the open connections has the next packet; nil where none is open.
  private mutating func speaker() -> Int? {
    let open = slots.count { $0 != nil }
    guard open > 0 else { return nil }
    var choice = disturbances.below(open)
    for slot in slots.indices where slots[slot] != nil {
      if choice == 0 { return slot }
      choice -= 1
    }
    return nil
  }

  /// A connection has nothing more to say. What is left of it comes first.
  private mutating func end(_ slot: Int) throws {
    while delayed.holdsAny(of: slot), let packet = delayed.removeDue(at: nil) {
      try write(packet.segment, of: packet.slot)
    }
    try slots[slot]?.finish(&truth)
    slots[slot] = nil
    open(slot)
  }

  // MARK: - Packets

  /// What the network and the capture make of a segment.
  private mutating func send(_ segment: GeneratedSegment, of slot: Int) throws {
    guard !segment.payload.isEmpty, !segment.isProtected else { return try write(segment, of: slot) }
    if !segment.mustArrive, disturbances.happens(capture.loss) { return try tell(slot) }
    if disturbances.happens(capture.reordering) {
      return delay(segment, of: slot)
    }
    try write(segment, of: slot)
  }

  private mutating func delay(_ segment: GeneratedSegment, of slot: Int) {
    let due = file.packets + disturbances.within(1...CaptureScenario.longestDelay)
    delayed.add(DelayedPackets.Packet(due: due, slot: slot, segment: segment))
  }

  private mutating func write(_ segment: GeneratedSegment, of slot: Int) throws {
    guard let peers = slots[slot]?.peers else { return }
    advanceTime()
    let packet = encoder.packet(segment, between: peers)
    var place = try file.write(packet.bytes, at: moment)
    place.fileOffset += packet.payloadStart
    try slots[slot]?.captured(segment, at: place, number: &nextStream, &truth)
    if !segment.isProtected { copy(segment, of: slot) }
    try tell(slot)
  }

  /// What was captured may come again, as it was or otherwise. Of one byte a copy would be a question whether the
  /// other side is still there (RFC 9293, section 3.8.4).
  private mutating func copy(_ segment: GeneratedSegment, of slot: Int) {
    guard segment.payload.count > 1 else { return }
    var copy = segment
    copy.isProtected = true
    if disturbances.happens(capture.retransmission) { delay(copy, of: slot) }
    guard disturbances.happens(capture.conflicts) else { return }
    let start = disturbances.below(copy.payload.count)
    let range = start..<min(start + disturbances.within(1...3), copy.payload.count)
    for place in range { copy.payload[place] ^= UInt8(truncatingIfNeeded: disturbances.within(1...255)) }
    copy.altered = range
    delay(copy, of: slot)
  }

  private mutating func tell(_ slot: Int) throws {
    let first = delayed.firstOffset(of: slot, isFromServer: Source.isFromServer)
    try slots[slot]?.tell(delayed: first, to: &truth)
  }

  private mutating func advanceTime() {
    let nanoseconds = moment.nanoseconds + UInt32(truncatingIfNeeded: pace.within(1000...2_000_000))
    moment.seconds &+= nanoseconds / 1_000_000_000
    moment.nanoseconds = nanoseconds % 1_000_000_000
  }
}
