import APNsWire
import StreamSources
import WireBytes

/// Turns streams into records and findings with their evidence, one input after another.
///
/// A direction is a chain of runs with gaps between them. The first bytes of the first run tell whether it
/// is ciphertext; if not, each run goes through a decoder of its own.
package final class Analyzer {
  /// Counts over all inputs so far.
  package private(set) var summary = Summary()

  private let rules: FeedbackRules
  private let sinks: [any EvidenceSink]
  private var source = ""
  private var stream = StreamSummary(source: "", number: 0, speaks: .feedback)
  private var trail = OriginTrail()
  private var content = Content.undecided
  /// The first run's bytes while they are too few to tell what it is.
  private var opening: [UInt8] = []
  private var decoder: FeedbackDecoder
  /// Offset behind the last byte or gap of the stream.
  private var end = 0
  /// Where the stream's first byte stands in the file, or the mark of the gap that it begins with.
  private var firstFileOffset: Int?
  /// The first of the bytes that are being skipped, and its place in the file.
  private var skip: (offset: Int, fileOffset: Int?)?

  private enum Content {
    case undecided, feedback, ciphertext
  }

  package init(rules: FeedbackRules, sinks: [any EvidenceSink]) {
    self.rules = rules
    self.sinks = sinks
    self.decoder = FeedbackDecoder(rules: rules)
  }

  /// What follows comes from the input that reports call `source`.
  package func begin(source: String) {
    self.source = source
  }

  /// Adds a finding about an input as a whole.
  package func report(_ finding: Finding) throws {
    summary.findings[finding.code, default: 0] += 1
    for sink in sinks { try sink.finding(finding) }
  }
}

// MARK: - The stream's events

extension Analyzer: StreamReceiver {
  package func opened(_ identity: StreamIdentity) {
    stream = StreamSummary(source: source, number: identity.number, speaks: .feedback)
    trail = OriginTrail()
    content = .undecided
    opening.removeAll()
    decoder = FeedbackDecoder(rules: rules)
    end = 0
    firstFileOffset = nil
    skip = nil
  }

  package func bytes(
    _ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>
  ) throws {
    if firstFileOffset == nil, !origins.isEmpty { firstFileOffset = origins[0].fileOffset }
    end &+= bytes.byteCount
    trail.append(origins, end: end)
    stream.serverBytes &+= bytes.byteCount
    switch content {
    case .feedback:
      try decode(bytes)
    case .undecided:
      bytes.withUnsafeBytes { opening.append(contentsOf: $0) }
      if opening.count >= Ciphertext.headLength { try decide() }
    case .ciphertext:
      trail.forget(before: end)
    }
  }

  package func gap(_ gap: StreamGap, in direction: StreamDirection) throws {
    let (offset, length, fileOffset) = (gap.offset, gap.length, gap.fileOffset)
    if firstFileOffset == nil { firstFileOffset = fileOffset }
    end = offset &+ length
    stream.serverGapBytes &+= length
    // One finding stands for all of a ciphertext, and it comes last, when its length is known.
    if content == .ciphertext { return }
    try endRun()
    try find(
      .streamGap, offset: offset, length: length, fileOffset: fileOffset,
      "\(Count.of(length, "byte")) of the stream missing here")
    decoder = FeedbackDecoder(rules: rules, offset: end, beginsStream: false)
  }

  package func anomaly(_ anomaly: StreamAnomaly) throws {}

  package func closed(_ report: StreamReport) throws {
    try endRun()
    if content == .ciphertext {
      stream.speaks = .encrypted
      summary.undecodedBytes &+= stream.serverBytes
      let gaps = stream.serverGapBytes
      let missing = gaps > 0 ? "; \(Count.of(gaps, "byte")) of it missing" : ""
      try find(
        .encryptedStream, offset: 0, length: end, fileOffset: firstFileOffset,
        "the stream is TLS ciphertext: nothing in it can be decoded without its keys\(missing)")
    } else {
      summary.streamBytes &+= stream.serverBytes
    }
    summary.streams += 1
    summary.gapBytes &+= stream.serverGapBytes
    for sink in sinks { try sink.stream(stream) }
  }

  /// Tells what the stream is by the first bytes of its first run, and lets those go their way.
  private func decide() throws {
    if Ciphertext.begins(opening) {
      content = .ciphertext
    } else {
      content = .feedback
      let bytes = opening
      try decode(bytes.span.bytes)
    }
    opening.removeAll()
  }

  private func endRun() throws {
    if content == .undecided, !opening.isEmpty { try decide() }
    guard content == .feedback else { return }
    decoder.finish()
    try decode(RawSpan())
  }
}

// MARK: - Records and findings of a run

extension Analyzer {
  /// Hands on all that the decoder has to say of `piece`.
  private func decode(_ piece: RawSpan) throws {
    while true {
      switch decoder.next(in: piece) {
      case .records(let run):
        if run.window == .piece {
          try hand(on: run, in: piece)
        } else {
          let held = decoder.held
          try hand(on: run, in: held.span.bytes)
        }
      case .skipped(let offset, let length):
        try findSkipped(offset: offset, length: length)
      case .truncated(let offset, let length):
        summary.truncatedBytes &+= length
        try find(
          .truncatedRecord, offset: offset, length: length, fileOffset: trail.fileOffset(at: offset),
          "\(Count.of(length, "byte")) at the end: a tuple that is cut off")
      case .needsBytes:
        rememberSkip()
        trail.forget(before: decoder.undecidedOffset)
        return
      case .finished:
        return
      }
    }
  }

  private func findSkipped(offset: Int, length: Int) throws {
    summary.skippedBytes &+= length
    let known = skip.flatMap { $0.offset == offset ? $0.fileOffset : nil }
    skip = nil
    try find(
      .skippedBytes, offset: offset, length: length, fileOffset: known ?? trail.fileOffset(at: offset),
      "\(Count.of(length, "byte")) skipped: no tuple here can be trusted")
  }

  /// A search may last longer than the trail reaches back: what it began at is asked for in time.
  private func rememberSkip() {
    guard let offset = decoder.pendingSkip, skip?.offset != offset else { return }
    skip = (offset, trail.fileOffset(at: offset))
  }

  private func hand(on run: RecordRun, in bytes: RawSpan) throws {
    let times = run.times(in: bytes)
    summary.count(run, times: times)
    stream.records &+= run.count
    var done = 0
    while done < run.count {
      let offset = run.offset &+ done &* run.stride
      guard let (origin, stretchEnd) = trail.stretch(at: offset) else { return }
      let inStretch = (stretchEnd &- offset &+ run.stride &- 1) / run.stride
      let count = max(1, min(inStretch, run.count &- done))
      let records = FeedbackRecords(
        source: source, stream: stream.number, direction: .server,
        run: run.slice(from: done, count: count), origin: origin, times: times)
      for sink in sinks { try sink.records(records, in: bytes) }
      done &+= count
    }
  }

  private func find(
    _ code: FindingCode, offset: Int, length: Int, fileOffset: Int?, _ message: String
  ) throws {
    stream.findings += 1
    try report(
      Finding(
        source: source, stream: stream.number, direction: .server, offset: offset, length: length,
        fileOffset: fileOffset, code: code, message: message))
  }
}
