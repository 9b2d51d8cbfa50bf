import PacketCapture
import TestSupport

/// Random packets of a TCP direction.
///
/// The two directions together make the packets of a connection; each segment knows its position in its direction, so
/// sequence number arithmetic is not needed here.
struct SegmentPlan {
  struct Segment {
    var isFromServer = false
    /// Offset of the first payload byte after the SYN, in bytes from 0.
    var position = 0
    var flags: TCPSegment.Flags = .ack
    var payload: [UInt8] = []
    /// Bytes at the end that the snap length cut off.
    var missing = 0

    var end: Int { position + payload.count + missing }
  }

  /// Possible events of a connection; all by default.
  struct Hazards {
    var endsInFIN = true
    var isReset = true
    var isCut = true
    var isCorrupted = true
  }

  /// In the order in which they are read.
  var segments: [Segment] = []
  /// Sequence numbers of the SYNs, captured or not.
  var clientStart: UInt32 = 0
  var serverStart: UInt32 = 0
  var clientPort: UInt16 = 40_000

  /// A connection of few bytes, read in any order.
  init(hazards: Hazards = Hazards(), using generator: inout SeededGenerator) {
    clientStart = Self.start(using: &generator)
    serverStart = Self.start(using: &generator)
    for isFromServer in [false, true] {
      let isSilent = isFromServer && generator.chance(6)
      segments += Self.direction(isFromServer, isSilent ? 0 : 40, hazards, using: &generator)
    }
    segments.shuffle(using: &generator)
    if hazards.isReset, generator.chance(8), let last = segments.last {
      segments.append(Segment(isFromServer: last.isFromServer, position: last.end, flags: .rst))
    }
  }

  /// Often just before numbers wrap around.
  private static func start(using generator: inout SeededGenerator) -> UInt32 {
    let number = UInt32(truncatingIfNeeded: generator.next())
    return generator.chance(2) ? number : 0 &- number % 48
  }

  private static func direction(
    _ isFromServer: Bool, _ longest: Int, _ hazards: Hazards, using generator: inout SeededGenerator
  ) -> [Segment] {
    let stream = generator.bytes(generator.pick(0...longest))
    var segments: [Segment] = []
    func part(_ range: Range<Int>) -> Segment {
      Segment(isFromServer: isFromServer, position: range.lowerBound, payload: Array(stream[range]))
    }
    var sent = 0
    while sent < stream.count {
      let end = min(stream.count, sent + generator.pick(1...8))
      if !generator.chance(6) { segments.append(part(sent..<end)) }
      sent = end
    }
    // Sent again, mostly with other boundaries.
    for _ in 0..<(stream.isEmpty ? 0 : generator.pick(0...4)) {
      let begin = generator.pick(0...stream.count - 1)
      segments.append(part(begin..<min(stream.count, begin + generator.pick(1...12))))
    }
    for index in segments.indices { segments[index].suffer(hazards, using: &generator) }
    for _ in 0..<generator.pick(0...2) { segments.append(part(0..<0).moved(to: generator.pick(0...sent))) }
    if !isFromServer, segments.isEmpty { segments.append(part(0..<0)) }
    if hazards.endsInFIN, generator.chance(2) {
      segments.append(part(0..<0).moved(to: sent).with([.fin, .ack]))
    }
    let syn: TCPSegment.Flags = isFromServer ? [.syn, .ack] : .syn
    for _ in 0..<generator.pick([0, 1, 1, 1, 2]) { segments.append(part(0..<0).with(syn)) }
    // RFC 7413: the SYN may carry what comes first.
    if generator.chance(8), let first = segments.firstIndex(where: { $0.position == 0 }) {
      segments[first].flags = syn
    }
    return segments
  }

  /// As the reassembler gets them.
  var script: [ScriptedSegment] {
    segments.map { segment in
      let start = segment.isFromServer ? serverStart : clientStart
      let number = start &+ UInt32(segment.position) &+ (segment.flags.contains(.syn) ? 0 : 1)
      return ScriptedSegment(
        isFromServer: segment.isFromServer, sequence: number, flags: segment.flags, payload: segment.payload,
        missing: segment.missing, clientPort: clientPort)
    }
  }
}

extension SegmentPlan.Segment {
  fileprivate func moved(to position: Int) -> Self {
    var copy = self
    copy.position = position
    return copy
  }

  fileprivate func with(_ flags: TCPSegment.Flags) -> Self {
    var copy = self
    copy.flags = flags
    return copy
  }

  /// A capture may truncate a packet, down to its headers; and a byte may have been changed on the way.
  fileprivate mutating func suffer(
    _ hazards: SegmentPlan.Hazards, using generator: inout SeededGenerator
  ) {
    if hazards.isCorrupted, generator.chance(8) {
      payload[generator.pick(0...payload.count - 1)] ^= UInt8(generator.pick(1...255))
    }
    if hazards.isCut, generator.chance(8) {
      missing = generator.pick(1...payload.count)
      payload.removeLast(missing)
    }
  }
}
