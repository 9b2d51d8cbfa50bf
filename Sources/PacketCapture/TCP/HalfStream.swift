/// One direction of a connection on its way to a stream.
///
/// Its bytes have *positions*: sequence numbers unrolled into 64 bits, so that a stream may be longer than
/// 4 GiB. Position 0 is the first sequence number that was seen; positions before it are negative. Offset 0
/// of the stream is at `base`.
final class HalfStream {
  /// Position of the next byte to deliver; before the direction has begun, of the number that others are
  /// measured from.
  private(set) var next = 0
  private(set) var nextNumber = SequenceNumber(0)
  /// Whether any of its packets was seen.
  private(set) var isKnown = false
  /// Whether it is known where the stream begins: only then is anything delivered.
  private(set) var hasBegun = false
  private(set) var base = 0
  /// Position behind the last byte that was sent as far as is known, captured or not; far below all others
  /// where none is known.
  private(set) var sent = Int.min
  /// Position behind the last byte that was captured; far below all others where none was.
  private(set) var captured = Int.min
  /// The lowest position that a packet had, payload or not.
  private var lowestSeen = Int.max
  /// Position of the FIN.
  private(set) var fin: Int?
  /// The initial sequence number, once a SYN was seen.
  private(set) var initialNumber: SequenceNumber?
  /// Whether the other side last said that it takes no more bytes.
  var facesClosedWindow = false
  /// The byte of a window probe: it is no more than a question, unless others follow behind it.
  var probe: PendingSegment?
  /// Whether this side broke the connection off.
  var isReset = false
  /// Whether it waits in the calendar of holes.
  var isAwaited = false
  /// What is to be told once offsets are known, with the positions of it.
  var deferred: [(anomaly: StreamAnomaly, position: Int)] = []
  /// Of these the one with the lowest position, and how many packets had been read when it came.
  private var lowestCut: (position: Int, arrival: Int)?
  /// Bytes of copies whose originals are forgotten.
  var uncomparedBytes = 0

  var pending = PendingSegments()
  var delivered = DeliveredBytes()
  var report = StreamReport.Half()

  /// Whether all bytes before its FIN were delivered, or it was broken off.
  var isEnded: Bool { isReset || (fin.map { hasBegun && next >= $0 } ?? false) }

  /// How it ended, as far as was captured. Behind a FIN a RST takes nothing back.
  var end: StreamReport.End? { fin != nil ? .finished : isReset ? .reset : nil }

  /// What is held back costs in memory, about, in bytes.
  var cost: Int { pending.cost &+ deferred.count &* Self.anomalyCost }
  private static let anomalyCost = 256

  /// How many packets had been read when the first of what it holds back came; nil where it holds nothing.
  var waitsSince: Int? {
    guard let cut = lowestCut, !hasBegun, cut.position < pending.firstPosition ?? .max else {
      return pending.first?.arrival
    }
    return cut.arrival
  }

  var isWaiting: Bool { waitsSince != nil }

  /// Position of the first byte that is known to have been sent where the direction has not begun: it is held
  /// back, or the capture has no more than the headers of its packet. Nil where there is none.
  var firstSent: Int? {
    guard let cut = lowestCut?.position else { return pending.firstPosition }
    return min(cut, pending.firstPosition ?? cut)
  }

  /// Keeps what is to be told of `position` until offsets are known.
  func deferTelling(_ anomaly: StreamAnomaly, at position: Int, arrival: Int) {
    deferred.append((anomaly, position))
    if position < lowestCut?.position ?? .max { lowestCut = (position, arrival) }
  }

  /// Offset in the stream of the byte at `position`.
  func offset(_ position: Int) -> Int { position &- base }

  /// Position of the byte that has `number`, by the shorter way round from the next one.
  func position(of number: SequenceNumber) -> Int {
    if !isKnown {
      isKnown = true
      nextNumber = number
    }
    let position = next &+ number.distance(from: nextNumber)
    lowestSeen = min(lowestSeen, position)
    return position
  }

  /// How far behind the byte that follows on a SYN with `number` the direction begins, as far as it is known; nil
  /// where none of its packets was seen.
  func distanceBehind(syn number: SequenceNumber) -> Int? {
    guard isKnown else { return nil }
    return (hasBegun ? base : lowestSeen) &- (next &+ (number + 1).distance(from: nextNumber))
  }

  /// Whether `count` bytes from `number` on go beyond all that is known.
  func goesOn(at number: SequenceNumber, count: Int) -> Bool {
    !isKnown || next &+ number.distance(from: nextNumber) &+ count > max(next, sent)
  }

  /// A SYN came. It may come late: a direction that began without it keeps its beginning.
  /// - Parameter position: of the byte behind it.
  func synchronise(_ number: SequenceNumber, at position: Int) {
    initialNumber = number
    report.isSYNSeen = true
    if !hasBegun { begin(at: position) }
  }

  func begin(at position: Int) {
    hasBegun = true
    base = position
    nextNumber = nextNumber + (position &- next)
    next = position
    sent = max(sent, position)
  }

  func noteSent(to position: Int) {
    sent = max(sent, position)
  }

  func noteCaptured(to position: Int) {
    captured = max(captured, position)
    sent = max(sent, position)
  }

  /// Whether one byte at `position` says no more than that its sender is still there (RFC 9293, section
  /// 3.8.4): it lies before the next one, and the FIN counts as a byte.
  func isKeepAlive(at position: Int) -> Bool {
    position == fin || position &+ 1 == (captured == .min && hasBegun ? base : captured)
  }

  func noteFIN(at position: Int) {
    // Of several FINs the first is true: the others are copies, or nobody's.
    if fin == nil { fin = position }
    sent = max(sent, position)
  }

  /// The next `count` bytes were delivered, or given up.
  func advance(_ count: Int) {
    next &+= count
    nextNumber = nextNumber + count
    sent = max(sent, next)
  }
}
