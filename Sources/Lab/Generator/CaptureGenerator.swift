/// Generates a capture of connections and its truth. Memory depends on the number of open
/// connections, not on their length.
struct CaptureGenerator<Connection: GeneratedConnection> {
  private let scenario: Scenario
  private let capture: CaptureScenario
  private var file: CaptureFileWriter
  private var encoder: PacketEncoder
  private var truth: TruthWriter
  private var disturbances: RandomNumbers
  private var pace: RandomNumbers
  private var moment: Moment

  /// The open connections by slot; nil if the last connection in the slot has ended.
  private var slots: [Connection?]
  private let isGateway: Bool
  /// The number of connections that each slot has had.
  private var uses: [Int]
  private var opened = 0
  private var delayed = DelayedPackets()
  private var nextStream = 0
  private var fileDamages: FileDamageSource
  private var fragmentations: RandomNumbers
  /// An acknowledgement of the connection that ended last, and its peers.
  private var lastAcknowledgement: (segment: GeneratedSegment, peers: Peers)?

  /// - Parameter source: the name of the capture in expected records.
  init(
    _ scenario: Scenario, isGateway: Bool = false, source: String, to output: any GeneratorOutput,
    truth: any GeneratorOutput
  ) throws {
    self.scenario = scenario
    capture = scenario.capture
    file = try CaptureFileWriter(output, capture)
    encoder = PacketEncoder(capture)
    self.truth = TruthWriter(
      truth, source: source, digits: capture.container.hasNanoseconds ? 9 : 6,
      isOfDamaged: Connection.isUncertain(scenario))
    fileDamages = FileDamageSource(scenario)
    fragmentations = RandomNumbers(seed: scenario.seed, .fragments)
    disturbances = RandomNumbers(seed: scenario.seed, .disturbances)
    pace = RandomNumbers(seed: scenario.seed, .pace)
    moment = Moment(seconds: capture.start, nanoseconds: 0)
    self.isGateway = isGateway
    let slotCount = max(1, min(capture.openConnections, capture.connections))
    slots = Array(repeating: nil, count: slotCount)
    uses = Array(repeating: 0, count: slotCount)
  }

  consuming func run() throws -> Int {
    for slot in slots.indices { open(slot) }
    while true {
      if let packet = delayed.removeDue(at: file.packets) {
        try write(packet.segment, of: packet.slot)
      } else if let slot = nextSender() {
        if let segment = slots[slot]?.next() { try send(segment, of: slot) } else { try end(slot) }
      } else {
        break
      }
    }
    if scenario.fileDamage.cutsTail { try writeCut() }
    try file.finish()
    try truth.finish()
    return file.count
  }

  // MARK: - Connections

  private mutating func open(_ slot: Int) {
    guard opened < capture.connections else { return }
    // Only the first connections, which are also the first with their ports, can begin before the capture.
    let isMidstream = capture.beginsMidstream && opened < slots.count
    // Two handshakes on the same ports must have different sequence numbers.
    let wraps = capture.wrapsSequence && (!capture.reusesPorts || uses[slot] % 2 == 0)
    let opening = SessionOpening(
      number: opened, ports: capture.reusesPorts ? slot : opened, wraps: wraps, isMidstream: isMidstream,
      isFirstOfPorts: uses[slot] == 0 || !capture.reusesPorts, isSpared: isSpared(opened),
      isGateway: isGateway)
    slots[slot] = Connection(opening, of: scenario)
    opened += 1
    uses[slot] += 1
  }

  /// About half of the connections are spared from damage of the file.
  private func isSpared(_ number: Int) -> Bool {
    if scenario.fileDamage.isNone { return true }
    var choice = RandomNumbers(seed: scenario.seed, .fileDamage, number: number + 1)
    return choice.below(2) == 0
  }

  /// The slot of the connection that sends the next packet; nil if none is open.
  private mutating func nextSender() -> Int? {
    let open = slots.indices.filter { slots[$0] != nil }
    return open.isEmpty ? nil : open[disturbances.below(open.count)]
  }

  /// Ends a connection, after its delayed packets.
  private mutating func end(_ slot: Int) throws {
    while delayed.contains(slot: slot), let packet = delayed.removeDue(at: nil) {
      try write(packet.segment, of: packet.slot)
    }
    if let session = slots[slot] { lastAcknowledgement = (session.acknowledgement, session.tcp.peers) }
    try slots[slot]?.finish(&truth)
    slots[slot] = nil
    open(slot)
  }

  // MARK: - Packets

  /// Sends a segment, which may be lost or delayed.
  private mutating func send(_ segment: GeneratedSegment, of slot: Int) throws {
    guard !segment.payload.isEmpty, !segment.isProtected else { return try write(segment, of: slot) }
    if !segment.mustArrive, disturbances.happens(capture.loss) { return try writeSettled(slot) }
    if disturbances.happens(capture.reordering) { return delay(segment, of: slot) }
    try write(segment, of: slot)
  }

  private mutating func delay(_ segment: GeneratedSegment, of slot: Int) {
    let due = file.packets + disturbances.within(1...CaptureScenario.longestDelay)
    delayed.add(DelayedPackets.Packet(due: due, slot: slot, segment: segment))
  }

  private mutating func write(_ segment: GeneratedSegment, of slot: Int) throws {
    guard let session = slots[slot] else { return }
    if !segment.payload.isEmpty, fragmentations.happens(capture.fragments),
      try writeFragments(segment, between: session.tcp.peers, of: slot)
    {
      return try followUp(segment, of: slot)
    }
    let packet = encoder.packet(segment, between: session.tcp.peers)
    let length = min(packet.bytes.count, capture.snapLength ?? .max)
    var segment = segment
    segment.missing = max(0, packet.payloadStart + segment.payload.count - length)
    let isExposed = !session.tcp.isSpared && !segment.payload.isEmpty
    let damage = isExposed ? drawDamage(packet, length) : nil
    if damage != nil { try acknowledge(FileDamageSource.cushion.before, slot) }
    advanceTime()
    let record = file.record(packet.bytes[..<length], sentLength: packet.bytes.count, moment)
    var location = try write(record, damage)
    location.fileOffset += packet.payloadStart
    let part = CapturedPart(range: 0..<segment.payload.count - segment.missing, location: location)
    slots[slot]?.tcp.note(location, number: &nextStream)
    try slots[slot]?.captured(segment, [part], &truth)
    if damage != nil { try acknowledge(FileDamageSource.cushion.after, slot) }
    try followUp(segment, of: slot)
  }

  private mutating func followUp(_ segment: GeneratedSegment, of slot: Int) throws {
    if !segment.isProtected { copy(segment, of: slot) }
    try writeSettled(slot)
  }

  /// Writes a segment as fragments, in order or in reverse; false if it is too short.
  private mutating func writeFragments(
    _ segment: GeneratedSegment, between peers: Peers, of slot: Int
  ) throws -> Bool {
    var fragments = encoder.fragments(segment, fragmentations.within(2...4), between: peers)
    guard !fragments.isEmpty else { return false }
    if fragmentations.below(2) == 0 { fragments.reverse() }
    var parts: [CapturedPart] = []
    var completion: CapturedLocation?
    for fragment in fragments {
      advanceTime()
      let record = file.record(fragment.bytes[...], sentLength: fragment.bytes.count, moment)
      let location = try file.write(record, at: moment)
      completion = location
      var first = location
      first.fileOffset += fragment.payloadStart
      parts.append(CapturedPart(range: fragment.payload, location: first))
    }
    guard let completion else { return false }
    slots[slot]?.tcp.note(completion, number: &nextStream)
    try slots[slot]?.captured(segment, parts, &truth)
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

  private mutating func write(_ record: [UInt8], _ damage: FileDamage?) throws -> CapturedLocation {
    guard let damage else { return try file.write(record, at: moment) }
    let left = damage.applied(to: record)
    let start = file.count + damage.index
    let changed = damage.lost > 0 ? 0 : min(damage.changes.count, record.count - damage.index)
    try truth.damage(damage.kind, start..<start + changed, lost: record.count - left.count)
    return try file.write(left, at: moment)
  }

  private mutating func acknowledge(_ count: Int, _ slot: Int) throws {
    for _ in 0..<count {
      guard let acknowledgement = slots[slot]?.acknowledgement else { return }
      try write(acknowledgement, of: slot)
    }
  }

  /// Writes one more acknowledgement, which the end of the file cuts off.
  private mutating func writeCut() throws {
    guard let lastAcknowledgement else { return }
    advanceTime()
    let packet = encoder.packet(lastAcknowledgement.segment, between: lastAcknowledgement.peers).bytes
    let record = file.record(packet[...], sentLength: packet.count, moment)
    let left = fileDamages.tail(length: record.count)
    _ = try file.write(Array(record[..<left]), at: moment)
    try truth.damage("file-cut-tail", file.count..<file.count, lost: record.count - left)
  }

  /// May retransmit a captured segment, unchanged or with other bytes. A copy of a single byte would be a keep-alive
  /// (RFC 9293, section 3.8.4).
  private mutating func copy(_ segment: GeneratedSegment, of slot: Int) {
    guard segment.payload.count > 1 else { return }
    var copy = segment
    copy.isProtected = true
    if disturbances.happens(capture.retransmission) { delay(copy, of: slot) }
    guard segment.missing == 0, disturbances.happens(capture.conflicts) else { return }
    let start = disturbances.below(copy.payload.count)
    let range = start..<min(start + disturbances.within(1...3), copy.payload.count)
    for index in range { copy.payload[index] ^= UInt8(truncatingIfNeeded: disturbances.within(1...255)) }
    copy.altered = range
    delay(copy, of: slot)
  }

  private mutating func writeSettled(_ slot: Int) throws {
    let first = BothSides(
      client: delayed.firstOffset(of: slot, isFromServer: false),
      server: delayed.firstOffset(of: slot, isFromServer: true))
    try slots[slot]?.writeSettled(delayed: first, to: &truth)
  }

  private mutating func advanceTime() {
    let nanoseconds = moment.nanoseconds + UInt32(truncatingIfNeeded: pace.within(1000...2_000_000))
    moment.seconds &+= nanoseconds / 1_000_000_000
    moment.nanoseconds = nanoseconds % 1_000_000_000
  }
}
