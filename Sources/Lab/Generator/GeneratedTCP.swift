/// TCP of a generated connection (RFC 9293): handshake, sequence numbers and end, and its stream in the truth.
struct GeneratedTCP {
  private typealias Flag = GeneratedSegment.Flag

  /// What a side has sent.
  private struct Side {
    /// Initial sequence number.
    let start: UInt32
    /// Offset of the next byte.
    var count = 0
    /// The previous payload, for overlaps, and its offset.
    var last: [UInt8] = []
    var lastOffset = 0
    var hasFinished = false

    /// The sequence number of the next byte, after the SYN and the FIN.
    var sequence: UInt32 { start &+ 1 &+ UInt32(truncatingIfNeeded: count) &+ (hasFinished ? 1 : 0) }
  }

  let peers: Peers
  let isSpared: Bool
  /// Whether the server (true) or the client sends a RST; nil if both send a FIN.
  let resetter: Bool?
  /// Of the truth; it has packets once the first is captured.
  private(set) var stream = TruthWriter.Stream()
  /// Whether the sides may send data after the handshake.
  private(set) var isOpen = true
  private var sides: BothSides<Side>
  /// Segments of the handshake or of the end that are not sent.
  private var steps: ArraySlice<(isFromServer: Bool, flags: UInt8)>
  private var unacknowledged = 0
  /// The number of data segments sent before the capture began.
  private var uncaptured: Int

  /// - Parameters:
  ///   - starts: initial sequence numbers.
  ///   - numbers: draws the length of segments.
  init(
    _ opening: SessionOpening, of all: Scenario, serverPort: UInt16, starts: BothSides<UInt32>,
    _ numbers: inout RandomNumbers
  ) {
    peers = Peers(opening.ports, serverPort: serverPort, isV6: all.capture.isV6)
    isSpared = opening.isSpared
    var endings = RandomNumbers(seed: all.seed, .endings, number: opening.number)
    resetter = endings.happens(all.capture.resets) ? endings.below(2) == 0 : nil
    sides = BothSides(client: Side(start: starts.client), server: Side(start: starts.server))
    uncaptured = opening.isMidstream ? numbers.within(0...20) : 0
    steps = opening.isMidstream ? [] : [(false, Flag.syn), (true, Flag.syn | Flag.ack), (false, Flag.ack)]
  }

  /// The next segment of the handshake or of the end; nil if there is none.
  mutating func next() -> GeneratedSegment? {
    guard let (isFromServer, flags) = steps.popFirst() else { return nil }
    defer { if flags & Flag.fin != 0 { sides[isFromServer].hasFinished = true } }
    return control(fromServer: isFromServer, flags)
  }

  /// Ends the data; returns the first segment of the end.
  /// - Parameter closer: whether the server (true) or the client sends the first FIN.
  mutating func close(by closer: Bool) -> GeneratedSegment? {
    isOpen = false
    steps =
      resetter.map { [($0, Flag.reset | Flag.ack)] }
      ?? [(closer, Flag.fin | Flag.ack), (!closer, Flag.fin | Flag.ack), (closer, Flag.ack)]
    return next()
  }

  /// A segment without payload, for the current state.
  func control(fromServer: Bool, _ flags: UInt8 = GeneratedSegment.Flag.ack) -> GeneratedSegment {
    let sender = sides[fromServer]
    return GeneratedSegment(
      isFromServer: fromServer, sequence: flags & Flag.syn != 0 ? sender.start : sender.sequence,
      acknowledgement: flags & Flag.ack != 0 ? sides[!fromServer].sequence : 0, flags: flags,
      offset: sender.count)
  }

  // MARK: - Data

  /// The acknowledgement of a side's data, if it is due.
  mutating func acknowledgement(ofServer isServer: Bool) -> GeneratedSegment? {
    guard unacknowledged >= 2 else { return nil }
    unacknowledged = 0
    return control(fromServer: !isServer)
  }

  /// The other side sends, which acknowledges what came before.
  mutating func turn() { unacknowledged = 0 }

  /// A segment with the next bytes of a side, and the last `repeated` of its previous payload before them.
  mutating func data(_ bytes: [UInt8], fromServer: Bool, repeated: Int = 0) -> GeneratedSegment {
    var segment = control(fromServer: fromServer, Flag.ack | Flag.push)
    let again = sides[fromServer].last.suffix(repeated)
    segment.sequence &-= UInt32(truncatingIfNeeded: again.count)
    segment.offset -= again.count
    segment.payload = again + bytes
    sides[fromServer].last = bytes
    sides[fromServer].lastOffset = segment.offset
    sides[fromServer].count += bytes.count
    return segment
  }

  /// Whether the data segment just made is sent after the capture began.
  mutating func isCaptured() -> Bool {
    if uncaptured > 0 {
      uncaptured -= 1
      return false
    }
    unacknowledged += 1
    return true
  }

  /// The number of bytes that a side has sent.
  func count(ofServer isServer: Bool) -> Int { sides[isServer].count }

  /// The offset that no later segment of a side begins before: its next one may overlap its last one.
  /// - Parameter delayed: the lowest offset of its delayed segments.
  func frontier(ofServer isServer: Bool, delayed: BothSides<Int?>) -> Int {
    min(delayed[isServer] ?? .max, isOpen ? sides[isServer].lastOffset : .max)
  }

  /// Notes a captured packet. The first gives the stream its number.
  mutating func note(_ location: CapturedLocation, number next: inout Int) {
    if stream.first == nil {
      stream = TruthWriter.Stream(
        number: next, client: peers.text(ofServer: false), server: peers.text(ofServer: true),
        first: location)
      next += 1
    }
    stream.last = location
  }
}
