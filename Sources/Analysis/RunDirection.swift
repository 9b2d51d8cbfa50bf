import APNsWire
import PacketCapture
import WireBytes

/// A direction whose bytes are decoded: its runs through a decoder each, and what that says with its evidence.
protocol RunDirection: AnyObject {
  /// Records so far.
  var records: Int { get }
  /// Offset in the stream up to which all has been said, apart from what the source found.
  var coveredOffset: Int { get }
  /// Hands on all that the decoder has to say of the run's next bytes.
  func decode(_ piece: RawSpan, of direction: DirectionAnalysis) throws
  /// The run has ended.
  func endRun(of direction: DirectionAnalysis) throws
  /// Another begins behind a gap, at `offset`.
  func beginRun(at offset: Int)
}

/// Bytes that a decoder leaves out, as findings. What a search began at is remembered, since it may last longer than
/// the direction's trail reaches back.
struct SkipFindings {
  private var pending: (offset: Int, origin: ByteOrigin?)?

  /// The decoder wants more bytes, and is skipping from `offset` of the stream on, if at all.
  mutating func remember(_ offset: Int?, in direction: DirectionAnalysis) {
    guard let offset, pending?.offset != offset else { return }
    pending = (offset, direction.trail.origin(at: offset))
  }

  /// - Parameter records: what the direction consists of, as the message calls one: `tuple`.
  mutating func skipped(offset: Int, length: Int, of record: String, in direction: DirectionAnalysis) throws {
    direction.log.summary.skippedBytes &+= length
    let known = pending.flatMap { $0.offset == offset ? $0.origin : nil }
    pending = nil
    try direction.find(
      .skippedBytes, offset: offset, length: length, origin: known ?? direction.trail.origin(at: offset),
      "\(Count.of(length, "byte")) skipped: no \(record) here can be trusted")
  }

  func truncated(offset: Int, length: Int, of record: String, in direction: DirectionAnalysis) throws {
    direction.log.summary.truncatedBytes &+= length
    let article = record.first == "e" ? "an" : "a"
    try direction.find(
      .truncatedRecord, offset: offset, length: length, origin: direction.trail.origin(at: offset),
      "\(Count.of(length, "byte")) at the end: \(article) \(record) that is cut off")
  }
}
