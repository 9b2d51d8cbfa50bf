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
  /// Position of the FIN.
  private(set) var fin: Int?
  /// The initial sequence number, once a SYN was seen.
  private(set) var initialNumber: SequenceNumber?
  /// Whether it waits in the calendar of holes.
  var isAwaited = false
  /// What is to be told once offsets are known, with the positions of it.
  var deferred: [(anomaly: StreamAnomaly, position: Int)] = []
  /// Bytes of copies whose originals are forgotten.
  var uncomparedBytes = 0

  var pending = PendingSegments()
  var delivered = DeliveredBytes()
  var report = StreamReport.Half()

  /// Whether all bytes before its FIN were delivered.
  var isEnded: Bool { fin.map { hasBegun && next >= $0 } ?? false }

  /// Whether bytes are held back.
  var isWaiting: Bool { !pending.isEmpty }

  /// Position of the first byte that is known to have been sent where the direction has not begun: it is held
  /// back, or the capture has no more than the headers of its packet. Nil where there is none.
  var firstSent: Int? {
    let cut = deferred.map(\.position).min()
    return pending.firstPosition.map { min($0, cut ?? $0) } ?? cut
  }

  /// Offset in the stream of the byte at `position`.
  func offset(_ position: Int) -> Int { position &- base }

  /// Position of the byte that has `number`, by the shorter way round from the next one.
  func position(of number: SequenceNumber) -> Int {
    if !isKnown {
      isKnown = true
      nextNumber = number
    }
    return next &+ number.distance(from: nextNumber)
  }

  /// Whether a SYN with `number` can be this direction's own, `position` being that of the byte behind it.
  /// - Parameter reach: how far before the bytes that are known it may lie, in bytes.
  func accepts(syn number: SequenceNumber, position: Int, reach: Int) -> Bool {
    if let initialNumber { return initialNumber == number }
    if let lowest = hasBegun ? base : (firstSent ?? fin) { return (0...reach).contains(lowest &- position) }
    // Only acknowledgements are known; those of a keep-alive have the number before.
    return (-1...reach).contains(next &- position)
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
