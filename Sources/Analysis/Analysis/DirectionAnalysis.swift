import APNsWire
import Basics
import PacketCapture

/// One direction of a stream: runs with gaps between them. The first run decides the content.
struct DirectionAnalysis {
  enum Decoding {
    /// The first run, from offset `start` on, has too few bytes so far.
    case undecided([UInt8], start: Int)
    case ciphertext, other
    case decoded(any BoxedDecoder)
  }

  var content = Decoding.undecided([], start: 0)
  var trail = OriginTrail()
  /// Findings of the source in undecided bytes.
  var pendingFindings = PendingFindings()
  /// What is between tuples of a dump; nil until there is something.
  var separators: Box<(count: Int, bytes: Int, fileOffset: Int?)>?
  var uncertain = UncertainRanges()
  var records = 0
  var bytes = 0
  var gapBytes = 0
  /// Bytes in clear before TLS.
  var bytesBeforeTLS = 0
  /// Whether the first byte is the first one sent; false if the capture began later.
  var beginsStream = true
  let side: Side
  /// Offset after the last byte or gap.
  var end = 0
  /// The location of the first byte, or of the mark of an initial gap. Kept while the content may be ciphertext.
  var first: Box<(fileOffset: Int?, packet: PacketReference?)>?
  /// The first byte of the current skip, once `trail` does not cover it.
  private var skip: Box<(offset: Int, origin: SourceExtent?)>?

  init(_ side: Side) { self.side = side }

  /// Offset up to which the decoder has covered the bytes; nil if nothing is decoded.
  var coveredOffset: Int? {
    switch content {
    case .undecided(_, let start): start
    case .decoded(let decoder): decoder.coveredOffset
    case .ciphertext, .other: nil
    }
  }

  /// Whether its tuples are decoded.
  var isFeedback: Bool {
    if case .decoded(let decoder) = content { decoder is Box<FeedbackDecoder> } else { false }
  }

  func state(of stream: Int) -> DirectionState {
    var state = DirectionState(stream: stream, side: side, content: nil, isDecided: true)
    if case .undecided = content { state.isDecided = false }
    if case .decoded(let decoder) = content { state.content = decoder.content }
    return state
  }

  /// A finding about `length` bytes from `offset` on.
  /// - Parameter origin: the extent with the first of them; nil if it is not known.
  func finding(
    _ code: FindingCode, _ offset: Int, _ length: Int, _ origin: SourceExtent?, _ message: Message
  ) -> StreamFinding {
    StreamFinding(
      code, side: side, offset: offset, length: length, fileOffset: origin?.fileOffset(of: offset),
      packet: origin?.packet, message: message)
  }

  mutating func noteFirst(_ fileOffset: Int?, _ packet: PacketReference?) {
    let isFirst = bytes == 0 && gapBytes == 0 && first == nil
    guard isFirst || bytesBeforeTLS > 0 && end == bytesBeforeTLS else { return }
    first = Box((fileOffset, packet))
  }

  /// Called when the decoder needs bytes: remembers the start of a skip, and forgets the origins of decided bytes.
  mutating func forget(before undecided: Int, skippedFrom pendingSkip: Int?) {
    if let offset = pendingSkip, skip?.value.offset != offset {
      let origin = trail.origin(at: offset)
      if origin?.streamOffset != trail.origin(at: undecided)?.streamOffset { skip = Box((offset, origin)) }
    }
    trail.forget(before: undecided)
  }

  /// Ends a skip; returns the origin of its first byte, at `offset`.
  mutating func endSkip(at offset: Int) -> SourceExtent? {
    let known = skip.flatMap { $0.value.offset == offset ? $0.value.origin : nil }
    skip = nil
    return known ?? trail.origin(at: offset)
  }
}

/// Bytes of a direction of which the capture has two versions, as offsets in the order of the stream.
struct UncertainRanges {
  private var ranges: [Range<Int>] = []

  mutating func append(_ range: Range<Int>) { ranges.append(range) }

  /// The first range that ends after `offset`; those before it are forgotten.
  mutating func first(after offset: Int) -> Range<Int>? {
    if ranges.isEmpty { return nil }
    ranges.removeFirst(ranges.firstIndex { $0.upperBound > offset } ?? ranges.count)
    return ranges.first
  }

  /// Whether one of `count` bytes from `offset` on is in doubt.
  @inline(__always)
  mutating func contains(_ offset: Int, _ count: Int) -> Bool {
    !ranges.isEmpty && first(after: offset).map { $0.lowerBound < offset &+ count } ?? false
  }
}
