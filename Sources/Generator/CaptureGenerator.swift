/// Generates a capture of feedback or gateway connections and its truth. What it holds at a time depends on how many connections
/// are open, not on how long they are.
struct CaptureGenerator {
  private let scenario: Scenario
  private let capture: CaptureScenario
  private var file: CaptureFileWriter
  private var encoder: PacketEncoder
  private var truth: TruthWriter
  private var disturbances: RandomNumbers
  private var pace: RandomNumbers
  private var moment: Moment

  /// The open connections, each in a place of its own; nil where the last one has ended.
  private var slots: [Session?]
  private let isGateway: Bool
  /// How many connections each place has had.
  private var uses: [Int]
  private var opened = 0
  private var delayed = DelayedPackets()
  private var nextStream = 0
  private var fileDamages: FileDamageSource
  private var fragmentations: RandomNumbers
  /// What the connection that ended last could say once more.
  private var lastWord: (segment: GeneratedSegment, peers: Peers)?

  /// - Parameter source: the capture, as `export` will be told its name.
  init(
    _ scenario: Scenario, isGateway: Bool, source: String, to output: any GeneratorOutput,
    truth: any GeneratorOutput
  ) throws {
    self.scenario = scenario
    capture = scenario.capture
    file = try CaptureFileWriter(output, capture)
    encoder = PacketEncoder(capture)
    self.truth = TruthWriter(
      truth, source: source, digits: capture.container.hasNanoseconds ? 9 : 6,
      isOfDamaged: scenario.isDamaged)
    fileDamages = FileDamageSource(scenario)
    fragmentations = RandomNumbers(seed: scenario.seed, .fragments)
    disturbances = RandomNumbers(seed: scenario.seed, .disturbances)
    pace = RandomNumbers(seed: scenario.seed, .pace)
    moment = Moment(seconds: capture.start, nanoseconds: 0)
    self.isGateway = isGateway
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
    if scenario.fileDamage.cutsTail { try writeCut() }
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
    let opening = SessionOpening(
      number: opened, ports: capture.reusesPorts ? slot : opened, wraps: wraps, isMidstream: isMidstream,
      isFirstOfPorts: uses[slot] == 0 || !capture.reusesPorts, isSpared: isSpared(opened))
    slots[slot] = Session(opening, of: scenario, isGateway: isGateway)
    opened += 1
    uses[slot] += 1
  }

  /// About every other connection is spared where the file is damaged.
  private func isSpared(_ number: Int) -> Bool {
    if scenario.fileDamage.isNone { return true }
    var choice = RandomNumbers(seed: scenario.seed, .fileDamage, number: number + 1)
    return choice.below(2) == 0
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
    if let session = slots[slot] { lastWord = (session.acknowledgement, session.peers) }
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
    guard let session = slots[slot] else { return }
    if !segment.payload.isEmpty, fragmentations.happens(capture.fragments),
      try writeFragments(segment, of: slot)
    {
      return try followUp(segment, of: slot)
    }
    let packet = encoder.packet(segment, between: session.peers)
    let length = min(packet.bytes.count, capture.snapLength ?? .max)
    var segment = segment
    segment.missing = max(0, packet.payloadStart + segment.payload.count - length)
    let isExposed = !session.isSpared && !segment.payload.isEmpty
    let damage = isExposed ? drawDamage(packet, length) : nil
    if damage != nil { try acknowledge(FileDamageSource.cushion.before, slot) }
    advanceTime()
    let record = file.record(packet.bytes[..<length], sentLength: packet.bytes.count, moment)
    var place = try write(record, damage)
    place.fileOffset += packet.payloadStart
    try slots[slot]?.captured(segment, at: place, number: &nextStream, &truth)
    if damage != nil { try acknowledge(FileDamageSource.cushion.behind, slot) }
    try followUp(segment, of: slot)
  }

  private mutating func followUp(_ segment: GeneratedSegment, of slot: Int) throws {
    if !segment.isProtected { copy(segment, of: slot) }
    try tell(slot)
  }

  /// Writes a segment as fragments, from the first or from the last on; false where it is too short.
  private mutating func writeFragments(_ segment: GeneratedSegment, of slot: Int) throws -> Bool {
    guard let peers = slots[slot]?.peers else { return false }
    var fragments = encoder.fragments(segment, fragmentations.within(2...4), between: peers)
    guard !fragments.isEmpty else { return false }
    if fragmentations.below(2) == 0 { fragments.reverse() }
    var parts: [Session.Part] = []
    var completion: CapturedPlace?
    for fragment in fragments {
      advanceTime()
      let record = file.record(fragment.bytes[...], sentLength: fragment.bytes.count, moment)
      let place = try file.write(record, at: moment)
      completion = place
      var first = place
      first.fileOffset += fragment.payloadStart
      parts.append((fragment.payload, first))
    }
    guard let completion else { return false }
    try slots[slot]?.captured(segment, parts, completion, number: &nextStream, &truth)
    return true
  }

  private mutating func drawDamage(_ packet: PacketEncoder.Packet, _ length: Int) -> FileDamage? {
    let endpoints = packet.endpoints(payloadAt: file.recordHeader + packet.payloadStart)
    guard let damage = fileDamages.next(length: file.recordHeader + length, endpoints: endpoints) else {
      return nil
    }
    let record = file.record(packet.bytes[..<length], sentLength: packet.bytes.count, moment)
    let claims = file.claims(damage.applied(to: record))
    return claims.allSatisfy { FileDamageSource.isContained($0, length: record.count) } ? damage : nil
  }

  private mutating func write(_ record: [UInt8], _ damage: FileDamage?) throws -> CapturedPlace {
    guard let damage else { return try file.write(record, at: moment) }
    let left = damage.applied(to: record)
    let start = file.count + damage.place
    let changed = damage.lost > 0 ? 0 : min(damage.changes.count, record.count - damage.place)
    try truth.fileDamage(damage.kind, start..<start + changed, lost: record.count - left.count)
    return try file.write(left, at: moment)
  }

  private mutating func acknowledge(_ count: Int, _ slot: Int) throws {
    for _ in 0..<count {
      guard let acknowledgement = slots[slot]?.acknowledgement else { return }
      try write(acknowledgement, of: slot)
    }
  }

  /// One more acknowledgement, of which the file has no more than the beginning.
  private mutating func writeCut() throws {
    guard let lastWord else { return }
    advanceTime()
    let packet = encoder.packet(lastWord.segment, between: lastWord.peers).bytes
    let record = file.record(packet[...], sentLength: packet.count, moment)
    let left = fileDamages.tail(length: record.count)
    _ = try file.write(Array(record[..<left]), at: moment)
    try truth.fileDamage("file-cut-tail", file.count..<file.count, lost: record.count - left)
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
    let first = delayed.firstOffset(of: slot, isFromServer: !isGateway)
    try slots[slot]?.tell(delayed: first, to: &truth)
  }

  private mutating func advanceTime() {
    let nanoseconds = moment.nanoseconds + UInt32(truncatingIfNeeded: pace.within(1000...2_000_000))
    moment.seconds &+= nanoseconds / 1_000_000_000
    moment.nanoseconds = nanoseconds % 1_000_000_000
  }
}
