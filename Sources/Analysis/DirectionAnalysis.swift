import APNsWire
import PacketCapture
import WireBytes

/// One direction of a stream: a chain of runs with gaps between them, the first of which decides what it carries.
struct DirectionAnalysis {
  enum Content {
    /// The bytes of the first run are too few so far.
    case undecided([UInt8])
    case ciphertext, other
    case decoded(RunDecoder)
  }

  /// Where something is in the file.
  struct Location {
    var fileOffset: Int?
    var packet: PacketReference?
  }

  let side: Side
  var content = Content.undecided([])
  var trail = OriginTrail()
  /// What the source found in bytes that are not decided yet.
  var early = EarlyFindings()
  var records = 0
  var bytes = 0
  var gapBytes = 0
  /// Whether its first byte is the first that was sent: not so where the capture began later.
  var beginsStream = true
  /// Offset where the first run begins.
  var start = 0
  /// Offset after the last byte or gap.
  var end = 0
  /// The location of its first byte, or of the mark of the gap that it begins with: kept as long as it may be ciphertext.
  private var first: Box<Location>?
  /// Where bytes are being skipped from: a search may last longer than the trail reaches back.
  private var skip: Box<(offset: Int, origin: ByteOrigin?)>?

  init(_ side: Side) { self.side = side }

  /// Offset up to which all has been said of its bytes, apart from what the source found; nil where nothing is decoded.
  var coveredOffset: Int? {
    switch content {
    case .undecided: start
    case .decoded(let decoder): decoder.coveredOffset
    case .ciphertext, .other: nil
    }
  }

  /// As sinks get it.
  func state(of stream: Int) -> DirectionState {
    switch content {
    case .undecided: DirectionState(stream: stream, side: side, content: nil, isDecided: false)
    case .decoded(let decoder):
      DirectionState(stream: stream, side: side, content: decoder.content, isDecided: true)
    case .ciphertext, .other: DirectionState(stream: stream, side: side, content: nil, isDecided: true)
    }
  }

  // MARK: - Locations

  var firstLocation: Location? { first?.value }

  mutating func noteFirst(_ fileOffset: Int?, _ packet: PacketReference?) {
    guard first == nil, bytes == 0, gapBytes == 0 else { return }
    first = Box(Location(fileOffset: fileOffset, packet: packet))
  }

  mutating func forgetFirst() { first = nil }

  /// The decoder needs bytes: remembers what it is skipping from, and forgets the origins of what it has decided.
  mutating func forgetDecided(by decoder: RunDecoder) {
    if let offset = decoder.pendingSkip, skip?.value.offset != offset {
      skip = Box((offset, trail.origin(at: offset)))
    }
    trail.forget(before: decoder.undecidedOffset)
  }

  /// The origin of the first skipped byte, at `offset`: the skip is over.
  mutating func endSkip(at offset: Int) -> ByteOrigin? {
    let known = skip.flatMap { $0.value.offset == offset ? $0.value.origin : nil }
    skip = nil
    return known ?? trail.origin(at: offset)
  }
}

/// Remembers the origins of a direction's bytes that may still be asked about.
struct OriginTrail {
  /// Those before `first` are forgotten, and removed now and then.
  private var origins: [ByteOrigin] = []
  private var first = 0
  private static let mostForgotten = 16
  /// Offset after the last byte that has one.
  private var end = 0
  /// Index of the extent that was asked for last: questions come in the order of the stream.
  private var cursor = 0

  /// Adds the extents of the next bytes, which end at `end` of the stream.
  mutating func append(_ more: Span<ByteOrigin>, end: Int) {
    for index in more.indices {
      let origin = more[index]
      let isNext = index > 0 || origin.streamOffset == self.end
      if isNext, let last = origins.last, last.isContinued(by: origin) { continue }
      origins.append(origin)
    }
    self.end = end
  }

  /// The extent that holds the byte at `offset`, and the offset after the extent. Nil only before any byte came.
  mutating func extent(at offset: Int) -> (origin: ByteOrigin, end: Int)? {
    guard !origins.isEmpty else { return nil }
    moveCursor(to: offset)
    return (origins[cursor], cursor + 1 < origins.count ? origins[cursor + 1].streamOffset : end)
  }

  private mutating func moveCursor(to offset: Int) {
    if cursor >= origins.count || origins[cursor].streamOffset > offset {
      cursor = max(first, origins.index(of: offset))
    }
    while cursor + 1 < origins.count, origins[cursor + 1].streamOffset <= offset { cursor += 1 }
  }

  mutating func origin(at offset: Int) -> ByteOrigin? {
    extent(at: offset)?.origin
  }

  /// Forgets the extents before the one that holds `offset`, which is not before any that was asked about.
  mutating func forget(before offset: Int) {
    guard !origins.isEmpty else { return }
    moveCursor(to: offset)
    first = cursor
    guard first >= Self.mostForgotten else { return }
    origins.removeFirst(first)
    cursor = 0
    first = 0
  }
}
