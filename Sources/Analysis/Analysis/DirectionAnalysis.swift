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
  /// What few directions have; nil until it is needed.
  private(set) var extras: Extras?
  var records = 0
  var gapBytes = 0
  /// Offset after the last byte or gap.
  var end = 0
  /// The location of the first byte, or of the mark of an initial gap. Kept while the content may be ciphertext.
  var first: Box<(fileOffset: Int?, packet: PacketReference?)>?
  /// Whether the first byte is the first one sent; false if the capture began later.
  var beginsStream = true
  let side: Side

  final class Extras {
    /// What is between tuples of a dump; nil until there is something.
    var separators: (count: Int, bytes: Int, fileOffset: Int?)?
    /// Bytes of which the capture has two versions, as offsets in the order of the stream.
    var uncertain: [Range<Int>] = []
    /// Bytes in clear before TLS.
    var bytesBeforeTLS = 0
    /// The first byte of the current skip, once the trail does not cover it.
    fileprivate var skip: (offset: Int, origin: SourceExtent?)?

    /// The first range of bytes in doubt that ends after `offset`; those before it are forgotten.
    func uncertainRange(after offset: Int) -> Range<Int>? {
      uncertain.removeFirst(uncertain.firstIndex { $0.upperBound > offset } ?? uncertain.count)
      return uncertain.first
    }
  }

  init(_ side: Side) { self.side = side }

  mutating func makeExtras() -> Extras {
    let made = extras ?? Extras()
    extras = made
    return made
  }

  var bytes: Int { end &- gapBytes }
  var bytesBeforeTLS: Int { extras?.bytesBeforeTLS ?? 0 }

  /// Whether one of `count` bytes from `offset` on is in doubt.
  @inline(__always)
  func isUncertain(_ offset: Int, _ count: Int) -> Bool {
    extras?.uncertainRange(after: offset).map { $0.lowerBound < offset &+ count } ?? false
  }

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
    let isFirst = end == 0 && first == nil
    guard isFirst || bytesBeforeTLS > 0 && end == bytesBeforeTLS else { return }
    first = Box((fileOffset, packet))
  }

  /// Called when the decoder needs bytes: remembers the start of a skip, and forgets the origins of decided bytes.
  mutating func forget(before undecided: Int, skippedFrom pendingSkip: Int?) {
    if let offset = pendingSkip, extras?.skip?.offset != offset {
      let (first, next) = (trail.origin(at: offset), trail.origin(at: undecided))
      if first?.streamOffset != next?.streamOffset { makeExtras().skip = (offset, first) }
    }
    trail.forget(before: undecided)
  }

  /// Ends a skip; returns the origin of its first byte, at `offset`.
  mutating func endSkip(at offset: Int) -> SourceExtent? {
    let known = extras?.skip
    extras?.skip = nil
    return (known?.offset == offset ? known?.origin : nil) ?? trail.origin(at: offset)
  }
}
