import Basics
import PacketCapture
import StreamTestSupport

/// What a source says of a stream, in a form that does not depend on how bytes are divided into events.
struct StreamEvents: Equatable {
  fileprivate(set) var identity: StreamIdentity?
  fileprivate(set) var report: StreamReport?
  /// The hash of the bytes of each direction.
  fileprivate var hashes: [UInt64] = []
  /// Gaps and findings. Directions are independent of each other, so lines are compared sorted.
  fileprivate var lines: [String] = []
}

/// The events of each stream, and violations of the contract of sources.
struct StreamLaws: StreamRecorder {
  /// By the number of the stream; -1 for what concerns none.
  private var streams: [Int: StreamEvents] = [:]
  private var bytes: [StreamDirection: (hash: Hash, end: Int, count: Int, gaps: Int)] = [:]
  private var open: Set<Int> = []
  /// The content: each byte must come from an offset in it, and if `isRaw` have the value there.
  let content: [UInt8]
  let isRaw: Bool

  init(content: [UInt8], isRaw: Bool) { (self.content, self.isRaw) = (content, isRaw) }

  mutating func opened(_ stream: StreamIdentity) {
    expect(streams[stream.number] == nil, "stream \(stream.number) is opened once")
    open.insert(stream.number)
    streams[stream.number] = StreamEvents(identity: stream)
  }

  mutating func bytes(_ chunk: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) {
    expect(open.contains(direction.stream), "bytes are of an open stream")
    var (hash, end, count, gaps) = bytes[direction] ?? (Hash(), 0, 0, 0)
    expect(
      chunk.byteCount > 0 && origins.first?.streamOffset == end, "bytes follow the ones before, at \(end)")
    var extent = 0
    for index in 0..<chunk.byteCount {
      while extent + 1 < origins.count, origins[extent + 1].streamOffset <= end + index {
        expect(origins[extent].streamOffset < origins[extent + 1].streamOffset, "extents are in order")
        extent += 1
      }
      let fileOffset = origins[extent].fileOffset(of: end + index)
      let byte = chunk.byte(at: index)
      expect(content.indices.contains(fileOffset), "a byte is from the content, not from \(fileOffset)")
      if isRaw {
        expect(content[fileOffset] == byte, "a byte has the value at its file offset \(fileOffset)")
      }
      hash.add(end + index)
      hash.add(byte)
      hash.add(fileOffset)
      hash.add(origins[extent].packet?.number ?? 0)
    }
    expect(extent == origins.count - 1, "every extent has bytes")
    bytes[direction] = (hash, end + chunk.byteCount, count + chunk.byteCount, gaps)
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) {
    expect(open.contains(direction.stream), "a gap is in an open stream")
    let (hash, end, count, gaps) = bytes[direction] ?? (Hash(), 0, 0, 0)
    expect(gap.offset == end && gap.length > 0, "a gap follows the bytes before it, at \(end): \(gap)")
    bytes[direction] = (hash, end + gap.length, count, gaps + gap.length)
    streams[direction.stream]?.lines.append(
      "gap \(direction.side.rawValue) \(gap.offset) \(gap.length) \(gap.fileOffset ?? -1) \(gap.packet?.number ?? 0) \(gap.isUpperBound)"
    )
  }

  mutating func finding(_ finding: StreamFinding) {
    if let stream = finding.stream {
      expect(open.contains(stream), "an anomaly is of an open stream: \(finding)")
    }
    expect(
      finding.length ?? 0 >= 0 && finding.offset ?? 0 >= 0, "an anomaly has no negative extent: \(finding)")
    streams[finding.stream ?? -1, default: StreamEvents()].lines.append(
      "\(finding.code.rawValue) \(finding.side?.rawValue ?? 9) \(finding.offset ?? -1) \(finding.length ?? -1) \(finding.fileOffset ?? -1) \(finding.packet?.number ?? 0) \(finding.message.text)"
    )
  }

  mutating func closed(_ report: StreamReport) {
    // A stream without bytes is closed without having been opened.
    let number = report.identity.number
    open.remove(number)
    for side in Side.allCases {
      let (hash, _, count, gaps) =
        bytes.removeValue(forKey: StreamDirection(stream: number, side: side)) ?? (Hash(), 0, 0, 0)
      streams[number, default: StreamEvents()].hashes.append(hash.value)
      guard report.firstPacket != nil else { continue }
      expect(
        report[side].bytes == count && report[side].gapBytes == gaps, "a report has the sums of its stream")
    }
    streams[number, default: StreamEvents()].report = report
  }

  func finish() { expect(open.isEmpty, "every stream is closed: \(open)") }

  /// The events of all streams, in the order of their numbers.
  var events: [StreamEvents] {
    streams.sorted { $0.key < $1.key }.map { _, events in
      var events = events
      events.lines.sort()
      return events
    }
  }
}

/// Reads content through windows, as the reader of files does, but of any size.
/// - Parameters:
///   - more: how many bytes more than needed a window has.
///   - consume: gets each batch, with its window.
/// - Returns: the error that ended it.
func play(
  _ content: [UInt8], through source: inout some StreamSource & ~Copyable, history: CaptureHistory? = nil,
  more: () -> Int, consume: (EventBatch) -> Void
) -> InputError? {
  var batch = EventBatch()
  var (offset, start, end, steps) = (0, 0, 0, 0)
  var error: InputError?
  // The end of the content is known only when no more bytes are left.
  var knowsEnd = false
  var window: [UInt8] = []
  func emit() {
    batch.window = window
    consume(batch)
    batch.removeAll()
  }
  reading: while true {
    steps += 1
    expect(steps < 10 * content.count + 1000, "reading ends")
    let step = source.read(
      window.span.bytes, from: start, windowOffset: offset, isLast: knowsEnd, into: &batch)
    emit()
    switch step {
    case .isFull(let consumed):
      expect(consumed >= start && consumed <= window.count, "a full batch consumes what is there")
      start = consumed
    case .needsBytes(let consumed, let needed):
      expect(consumed >= 0 && consumed <= window.count, "what is consumed is there")
      expect(
        !knowsEnd && needed > window.count - consumed, "a source asks for what it does not have: \(needed)")
      offset += consumed
      start = 0
      let last = end
      knowsEnd = end == content.count
      end = min(content.count, max(end, offset + needed) + min(more(), 1 << 40))
      window = Array(content[offset..<end])
      if let history { content[last..<end].withUnsafeBytes { history.append($0) } }
    case .ended(let found):
      error = found
      break reading
    }
  }
  window = []
  while !source.finish(into: &batch) { emit() }
  emit()
  return error
}

/// What a source says of a content, and the errors of it.
struct SourceEvents: Equatable {
  var streams: [StreamEvents] = []
  var errors: [InputError] = []
}

func events(
  of content: [UInt8], isRaw: Bool, _ source: inout some StreamSource & ~Copyable,
  history: CaptureHistory? = nil, more: () -> Int
) -> SourceEvents {
  var playback = Playback(StreamLaws(content: content, isRaw: isRaw))
  let error = play(content, through: &source, history: history, more: more) { batch in
    playback.play(batch, window: batch.window.span.bytes)
  }
  expect(playback.misuse.isEmpty, "\(playback.misuse)")
  playback.recorder.finish()
  return SourceEvents(streams: playback.recorder.events, errors: error.map { [$0] } ?? [])
}
