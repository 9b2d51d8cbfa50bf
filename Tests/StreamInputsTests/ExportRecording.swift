import Basics
import PacketCapture
import StreamInputs
import StreamTestSupport

/// The streams of an export, byte by byte, regardless of how the bytes were divided into events.
struct ExportRecording: StreamRecorder, Equatable {
  enum Event: Equatable {
    case opened(StreamIdentity)
    case byte(UInt8, StreamDirection, offset: Int, fileOffset: Int, PacketReference?)
    case gap(StreamGap, StreamDirection)
    case finding(StreamFinding)
    case closed(StreamReport)
  }

  private(set) var events: [Event] = []
  private(set) var errors: [InputError] = []
  /// Violations of the source's contract.
  var misuse: [String] = []
  private var ends: [StreamDirection: Int] = [:]
  private var open: Set<Int> = []

  mutating func opened(_ stream: StreamIdentity) {
    if !open.insert(stream.number).inserted { misuse.append("opened \(stream.number) twice") }
    events.append(.opened(stream))
  }

  mutating func bytes(_ chunk: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) {
    let end = ends[direction, default: 0]
    if !open.contains(direction.stream) { misuse.append("bytes of \(direction.stream), which is not open") }
    if chunk.byteCount == 0 || origins.first?.streamOffset != end { misuse.append("origins at \(end)") }
    if zip(origins, origins.dropFirst()).contains(where: { $0.streamOffset >= $1.streamOffset }) {
      misuse.append("origins are out of order at \(end)")
    }
    for index in 0..<chunk.byteCount {
      guard let origin = origins.last(where: { $0.streamOffset <= end + index }) else { continue }
      events.append(
        .byte(
          chunk.byte(at: index), direction, offset: end + index,
          fileOffset: origin.fileOffset(of: end + index), origin.packet))
    }
    ends[direction] = end + chunk.byteCount
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) {
    if gap.offset != ends[direction, default: 0] { misuse.append("a gap at \(gap.offset)") }
    if !open.contains(direction.stream) { misuse.append("a gap in \(direction.stream), which is not open") }
    ends[direction] = gap.offset + gap.length
    events.append(.gap(gap, direction))
  }

  mutating func finding(_ finding: StreamFinding) { events.append(.finding(finding)) }

  mutating func closed(_ report: StreamReport) {
    open.remove(report.identity.number)
    events.append(.closed(report))
  }

  static func of(_ text: String, as format: ExportFormat, serverPorts: Set<UInt16> = []) -> ExportRecording {
    of(Array(text.utf8), as: format, serverPorts: serverPorts)
  }

  /// Reads `text`, cut into blocks of the sizes that `blockSize` gives.
  static func of(
    _ text: [UInt8], as format: ExportFormat, serverPorts: Set<UInt16> = [],
    blockSize: () -> Int = { 1 << 18 }
  ) -> ExportRecording {
    var playback = Playback(ExportRecording())
    var source = ExportSource(format, serverPorts: serverPorts)
    var batch = EventBatch()
    var end = 0
    while end < text.count {
      let block = Array(text[end..<min(text.count, end + max(1, blockSize()))])
      var start = 0
      while start < block.count {
        switch source.read(block.span.bytes, from: start, windowOffset: end, isLast: false, into: &batch) {
        case .isFull(let consumed), .needsBytes(let consumed, _): start = consumed
        case .ended: playback.recorder.misuse.append("ended before the end")
        }
        playback.play(batch, window: block.span.bytes)
        batch.removeAll()
      }
      end += block.count
    }
    if !source.finish(into: &batch) { playback.recorder.misuse.append("not finished") }
    playback.play(batch, window: RawSpan())
    var recording = playback.recorder
    recording.errors = source.errors
    recording.misuse += playback.misuse
    if !recording.open.isEmpty { recording.misuse.append("not closed: \(recording.open)") }
    return recording
  }
}

extension ExportRecording {
  /// Streams with their events in order: `0>6162` bytes of stream 0's first side, `0<+76` a gap on the
  /// second, `)0` its end.
  var summary: String {
    var words: [String] = []
    var before: StreamDirection?
    for event in events {
      switch event {
      case .opened: before = nil
      case .byte(let byte, let direction, _, _, _):
        if before == direction {
          words[words.count - 1] += Hex.string([byte])
        } else {
          words.append(Self.name(direction) + Hex.string([byte]))
        }
        before = direction
      case .gap(let gap, let direction):
        words.append("\(Self.name(direction))+\(gap.length)")
        before = nil
      case .finding(let finding): words.append("!\(finding.code)")
      case .closed(let report):
        words.append(")\(report.identity.number)")
        before = nil
      }
    }
    return words.joined(separator: " ")
  }

  private static func name(_ direction: StreamDirection) -> String {
    "\(direction.stream)" + (direction.side == .first ? ">" : "<")
  }

  /// Line and column of each error.
  var errorPlaces: String { errors.map { "\($0.line ?? 0):\($0.column ?? 0)" }.joined(separator: " ") }

  var identities: [StreamIdentity] {
    events.compactMap { if case .opened(let identity) = $0 { identity } else { nil } }
  }

  var reports: [StreamReport] {
    events.compactMap { if case .closed(let report) = $0 { report } else { nil } }
  }

  var gaps: [StreamGap] { events.compactMap { if case .gap(let gap, _) = $0 { gap } else { nil } } }

  func bytes(_ side: Side, stream: Int = 0) -> [UInt8] {
    events.compactMap { event in
      guard case .byte(let byte, let direction, _, _, _) = event,
        direction == StreamDirection(stream: stream, side: side)
      else { return nil }
      return byte
    }
  }

  /// Packets in the order in which they brought bytes, each once.
  var packets: [PacketReference] {
    var packets: [PacketReference] = []
    for case .byte(_, _, _, _, let packet?) in events where packets.last != packet { packets.append(packet) }
    return packets
  }
}
