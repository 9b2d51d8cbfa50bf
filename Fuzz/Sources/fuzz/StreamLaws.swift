import PacketCapture
import StreamTestSupport
import WireBytes

/// What a source says, stream by stream, in a form that does not depend on how bytes are divided into events; and
/// violations of the contract of sources.
struct StreamLaws: StreamRecorder {
  /// By the number of the stream; -1 for what concerns none. Bytes of a direction are their hash.
  private(set) var streams: [Int: [String]] = [:]
  private var bytes: [StreamDirection: (hash: Hash, end: Int, count: Int, gaps: Int)] = [:]
  private var open: Set<Int> = []
  /// The content: each byte must come from an offset in it, and if `isRaw` have the value there.
  let content: [UInt8]
  let isRaw: Bool

  init(content: [UInt8], isRaw: Bool) { (self.content, self.isRaw) = (content, isRaw) }

  mutating func opened(_ stream: StreamIdentity) {
    expect(streams[stream.number] == nil, "stream \(stream.number) is opened once")
    open.insert(stream.number)
    streams[stream.number] = ["opened \(stream)"]
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
    streams[direction.stream]?.append(
      "gap \(direction.side.rawValue) \(gap.offset) \(gap.length) \(gap.fileOffset ?? -1) \(gap.packet?.number ?? 0) \(gap.isUpperBound)"
    )
  }

  mutating func anomaly(_ anomaly: StreamAnomaly) {
    if let stream = anomaly.stream {
      expect(open.contains(stream), "an anomaly is of an open stream: \(anomaly)")
    }
    expect(
      anomaly.length ?? 0 >= 0 && anomaly.offset ?? 0 >= 0, "an anomaly has no negative extent: \(anomaly)")
    streams[anomaly.stream ?? -1, default: []].append(
      "\(anomaly.kind.rawValue) \(anomaly.side?.rawValue ?? 9) \(anomaly.offset ?? -1) \(anomaly.length ?? -1) \(anomaly.fileOffset ?? -1) \(anomaly.packet?.number ?? 0) \(anomaly.message.text)"
    )
  }

  mutating func closed(_ report: StreamReport) {
    // A stream without bytes is closed without having been opened.
    let number = report.identity.number
    open.remove(number)
    for side in Side.allCases {
      let (hash, _, count, gaps) =
        bytes.removeValue(forKey: StreamDirection(stream: number, side: side)) ?? (Hash(), 0, 0, 0)
      streams[number, default: []].append("\(side) \(hash.value) of \(count) bytes, \(gaps) missing")
      guard report.firstPacket != nil else { continue }
      expect(
        report[side].bytes == count && report[side].gapBytes == gaps, "a report has the sums of its stream")
    }
    streams[number, default: []].append("\(report)")
  }

  func finish() { expect(open.isEmpty, "every stream is closed: \(open)") }

  /// The lines of all streams. Directions are independent of each other, so lines are sorted.
  var lines: [String] { streams.keys.sorted().flatMap { number in (streams[number] ?? []).sorted() } }
}

/// Reads content through windows, as the reader of files does, but of any size.
/// - Parameters:
///   - more: how many bytes more than needed a window has.
///   - consume: gets each batch, with its window.
/// - Returns: the fault that ended it.
func play(
  _ content: [UInt8], through source: inout some StreamSource & ~Copyable, history: CaptureHistory? = nil,
  more: () -> Int, consume: (EventBatch) -> Void
) -> InputFault? {
  var batch = EventBatch()
  var (offset, start, end, steps) = (0, 0, 0, 0)
  var fault: InputFault?
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
      fault = found
      break reading
    }
  }
  window = []
  while !source.finish(into: &batch) { emit() }
  emit()
  return fault
}

/// The lines of a source, and its fault.
func lines(
  of content: [UInt8], isRaw: Bool, _ source: inout some StreamSource & ~Copyable,
  history: CaptureHistory? = nil, more: () -> Int
) -> [String] {
  var playback = Playback(StreamLaws(content: content, isRaw: isRaw))
  let fault = play(content, through: &source, history: history, more: more) { batch in
    playback.play(batch, window: batch.window.span.bytes)
  }
  expect(playback.misuse.isEmpty, "\(playback.misuse)")
  playback.recorder.finish()
  return playback.recorder.lines + (fault.map { ["\($0)"] } ?? [])
}
