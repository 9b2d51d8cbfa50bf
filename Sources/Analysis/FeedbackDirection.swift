import APNsWire
import StreamSources
import WireBytes

/// A direction that carries feedback: its runs through a decoder each, and what that says with its evidence.
final class FeedbackDirection {
  private let rules: FeedbackRules
  private let log: EvidenceLog
  private var decoder: FeedbackDecoder
  /// The first of the bytes that are being skipped, and its place in the file.
  private var skip: (offset: Int, origin: ByteOrigin?)?
  private(set) var records = 0

  /// - Parameter beginsStream: whether the first run begins where the stream does.
  init(rules: FeedbackRules, log: EvidenceLog, offset: Int, beginsStream: Bool) {
    self.rules = rules
    self.log = log
    decoder = FeedbackDecoder(rules: rules, offset: offset, beginsStream: beginsStream)
  }

  /// The run has ended; another begins behind a gap, at `offset`.
  func beginRun(at offset: Int) {
    decoder = FeedbackDecoder(rules: rules, offset: offset, beginsStream: false)
  }

  func endRun(of direction: DirectionAnalysis) throws {
    decoder.finish()
    try decode(RawSpan(), of: direction)
  }

  /// Hands on all that the decoder has to say of `piece`.
  func decode(_ piece: RawSpan, of direction: DirectionAnalysis) throws {
    try decode(piece, with: &decoder, of: direction)
  }

  private func decode(
    _ piece: RawSpan, with decoder: inout FeedbackDecoder, of direction: DirectionAnalysis
  ) throws {
    while true {
      switch decoder.next(in: piece) {
      case .records(let run):
        if run.window == .piece {
          try hand(on: run, in: piece, of: direction)
        } else {
          let held = decoder.held
          try hand(on: run, in: held.span.bytes, of: direction)
        }
      case .skipped(let offset, let length):
        try findSkipped(offset: offset, length: length, in: direction)
      case .truncated(let offset, let length):
        log.summary.truncatedBytes &+= length
        try direction.find(
          .truncatedRecord, offset: offset, length: length, origin: direction.trail.origin(at: offset),
          "\(Count.of(length, "byte")) at the end: a tuple that is cut off")
      case .needsBytes:
        rememberSkip(decoder.pendingSkip, in: direction)
        direction.trail.forget(before: decoder.undecidedOffset)
        return
      case .finished:
        return
      }
    }
  }

  private func findSkipped(offset: Int, length: Int, in direction: DirectionAnalysis) throws {
    log.summary.skippedBytes &+= length
    let known = skip.flatMap { $0.offset == offset ? $0.origin : nil }
    skip = nil
    try direction.find(
      .skippedBytes, offset: offset, length: length, origin: known ?? direction.trail.origin(at: offset),
      "\(Count.of(length, "byte")) skipped: no tuple here can be trusted")
  }

  /// A search may last longer than the trail reaches back: what it began at is asked for in time.
  private func rememberSkip(_ offset: Int?, in direction: DirectionAnalysis) {
    guard let offset, skip?.offset != offset else { return }
    skip = (offset, direction.trail.origin(at: offset))
  }

  private func hand(on run: RecordRun, in bytes: RawSpan, of direction: DirectionAnalysis) throws {
    let times = run.times(in: bytes)
    log.summary.count(run, times: times)
    records &+= run.count
    var done = 0
    while done < run.count {
      let offset = run.offset &+ done &* run.stride
      guard let (origin, stretchEnd) = direction.trail.stretch(at: offset) else { return }
      let inStretch = (stretchEnd &- offset &+ run.stride &- 1) / run.stride
      let count = max(1, min(inStretch, run.count &- done))
      let records = FeedbackRecords(
        labels: direction.labels(origin), direction: direction.role,
        run: run.slice(from: done, count: count), origin: origin, times: times)
      try log.add(records, in: bytes)
      done &+= count
    }
  }
}
