import APNsWire
import WireBytes

/// A direction that carries feedback.
final class FeedbackDirection: RunDirection {
  private let rules: FeedbackRules
  private let log: EvidenceLog
  private var decoder: FeedbackDecoder
  private var skips = SkipFindings()
  private(set) var records = 0

  var coveredOffset: Int { decoder.pendingSkip ?? decoder.undecidedOffset }

  /// - Parameter beginsStream: whether the first run begins where the stream does.
  init(rules: FeedbackRules, log: EvidenceLog, offset: Int, beginsStream: Bool) {
    self.rules = rules
    self.log = log
    decoder = FeedbackDecoder(rules: rules, offset: offset, beginsStream: beginsStream)
  }

  func beginRun(at offset: Int) {
    decoder = FeedbackDecoder(rules: rules, offset: offset, beginsStream: false)
  }

  func endRun(of direction: DirectionAnalysis) throws {
    decoder.finish()
    try decode(RawSpan(), of: direction)
  }

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
        try skips.skipped(offset: offset, length: length, of: "tuple", in: direction)
      case .truncated(let offset, let length):
        try skips.truncated(offset: offset, length: length, of: "tuple", in: direction)
      case .needsBytes:
        skips.remember(decoder.pendingSkip, in: direction)
        direction.trail.forget(before: decoder.undecidedOffset)
        return
      case .finished:
        return
      }
    }
  }

  private func hand(on run: RecordRun, in bytes: RawSpan, of direction: DirectionAnalysis) throws {
    let times = run.times(in: bytes)
    log.summary.count(run, times: times)
    records &+= run.count
    var done = 0
    while done < run.count {
      let offset = run.offset &+ done &* run.stride
      guard let (origin, stretchEnd) = direction.trail.stretch(at: offset) else { return }
      let end = try min(stretchEnd, direction.endOfTurn(from: offset))
      let inStretch = (end &- offset &+ run.stride &- 1) / run.stride
      let count = max(1, min(inStretch, run.count &- done))
      let records = FeedbackRecords(
        labels: direction.labels(origin), direction: direction.role,
        run: run.slice(from: done, count: count), origin: origin, times: times)
      try log.add(records, in: bytes)
      done &+= count
    }
  }
}
