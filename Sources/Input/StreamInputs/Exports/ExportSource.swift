import Basics
import PacketCapture
import ProviderLogs

/// Streams exported by another tool. Memory does not grow with the file.
package struct ExportSource: StreamSource {
  /// Limit of open connections; above that the oldest is closed. About 10 MiB.
  private static let maxOpen = 16_384

  private let format: ExportFormat
  private let serverPorts: Set<UInt16>
  private var decoder: any TextDecoder
  private var decoded = DecodedText()
  private var isEmpty = true
  /// Open connections by the decoder's keys, the slots of ended ones, and the number of all so far.
  private var streams: [Int: ExportStream] = [:]
  private var freeSlots: [Int32] = []
  private var count = 0
  /// The connections that were open when the limit was last reached and are still to be checked, the oldest last.
  private var oldest: [(key: Int, number: Int)] = []
  /// What the next bytes belong to.
  private var segment: (key: Int, side: Side, packet: PacketReference?)?
  /// Unreadable parts, in the order of the file.
  package private(set) var errors: [InputError] = []

  /// - Parameters:
  ///   - serverPorts: identify the server if the export does not.
  ///   - lines: how the lines of lists are read.
  package init(_ format: ExportFormat, serverPorts: Set<UInt16> = [], lines: LogOptions = LogOptions()) {
    (self.format, self.serverPorts) = (format, serverPorts)
    decoder = format.decoder(lines)
  }

  package mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep {
    if window.byteCount > 0 { isEmpty = false }
    var index = start
    while index < window.byteCount {
      if batch.isFull { return .isFull(consumed: index) }
      index = decoder.read(window, from: index, into: &decoded)
      drain(into: &batch)
    }
    return isLast ? .ended(nil) : .needsBytes(consumed: index, needed: 1)
  }

  /// The file has ended: so do all connections, in the order of their numbers.
  package mutating func finish(into batch: inout EventBatch) -> Bool {
    guard decoder.finish(into: &decoded) else { return false }
    drain(into: &batch)
    endSegment(to: &batch)
    for (key, _) in streams.sorted(by: { $0.value.number < $1.value.number }) { end(key, to: &batch) }
    // Text around streams is skipped, so another text would yield no error.
    if count == 0, errors.isEmpty, !isEmpty {
      errors.append(
        InputError(
          "contains no stream that --from \(format.rawValue) reads; use --from auto to detect the format",
          fileOffset: 0))
    }
    return true
  }

  private mutating func drain(into batch: inout EventBatch) {
    guard !decoded.parts.isEmpty else { return }
    let bytes = decoded.bytes
    let chunk = batch.add(bytes)
    for part in decoded.parts {
      switch part {
      case .bytes(let range):
        guard let (key, side) = openStream(to: &batch) else { continue }
        streams[key]?.halves[side].bytes(
          bytes.span.bytes, range, in: chunk, origins: decoded.origins, to: &batch)
      case .gap(let length, let fileOffset):
        guard let (key, side) = openStream(to: &batch) else { continue }
        streams[key]?.halves[side].gap(length, at: fileOffset, to: &batch)
      case .error(let error): errors.append(error)
      case .mark(let mark): apply(mark, to: &batch)
      }
    }
    decoded.removeAll()
  }

  private mutating func apply(_ mark: StreamMark, to batch: inout EventBatch) {
    endSegment(to: &batch)
    switch mark {
    case .begin(let key, let connection): begin(key, connection, to: &batch)
    case .segment(let key, let side, let packet): segment = (key, side, packet)
    case .finished(let key, let side):
      if streams[key]?.finished == side.other { end(key, to: &batch) }
      streams[key]?.finished = side
    }
  }

  private mutating func begin(_ key: Int, _ connection: ExportConnection, to batch: inout EventBatch) {
    end(key, to: &batch)
    if streams.count >= Self.maxOpen { endOldest(to: &batch) }
    let slot = freeSlots.popLast() ?? Int32(truncatingIfNeeded: streams.count)
    let identity = connection.identity(number: count, serverPorts: serverPorts)
    streams[key] = ExportStream(identity, slot: slot, hasGapMarks: format.hasGapMarks)
    count += 1
  }

  private mutating func end(_ key: Int, to batch: inout EventBatch) {
    guard let stream = streams.removeValue(forKey: key) else { return }
    freeSlots.append(stream.slot)
    batch.closed(stream.report, slot: stream.slot)
  }

  /// Closes the oldest connection; later data of it becomes another stream.
  private mutating func endOldest(to batch: inout EventBatch) {
    while true {
      if oldest.isEmpty {
        oldest = streams.map { ($0.key, $0.value.number) }.sorted { $0.number > $1.number }
      }
      guard let (key, number) = oldest.popLast() else { return }
      guard let stream = streams[key], stream.number == number else { continue }
      batch.finding(
        StreamFinding(
          .connectionEvicted, stream: number,
          message:
            "limit of \(Self.maxOpen) open connections reached: the oldest is closed, and later data "
            + "of it begins another stream"),
        slot: stream.isOpened ? stream.slot : nil)
      return end(key, to: &batch)
    }
  }

  private mutating func endSegment(to batch: inout EventBatch) {
    guard let (key, side, _) = segment else { return }
    streams[key]?.halves[side].endSegment(to: &batch)
    segment = nil
  }

  /// The direction that bytes or a gap belong to, its stream opened; nil before the first segment.
  private mutating func openStream(to batch: inout EventBatch) -> (key: Int, side: Side)? {
    guard let (key, side, packet) = segment else { return nil }
    if streams[key] == nil { begin(key, format.unnamedConnection, to: &batch) }
    streams[key]?.open(side, packet, to: &batch)
    return (key, side)
  }
}

private struct ExportStream: Sendable {
  /// Names the stream in events while it is open.
  let slot: Int32
  /// Whether it had bytes or a gap.
  private(set) var isOpened = false
  var halves: Sides<GapMarkSplitter>
  var finished: Side?
  /// Without the numbers of bytes.
  private var packets: StreamReport

  init(_ identity: StreamIdentity, slot: Int32, hasGapMarks: Bool) {
    self.slot = slot
    packets = StreamReport(identity)
    var half = GapMarkSplitter()
    (half.slot, half.hasMarks) = (slot, hasGapMarks)
    halves = Sides(half)
    halves.second.side = .second
  }

  var number: Int { packets.identity.number }

  var report: StreamReport {
    var report = packets
    for side in Side.allCases {
      report[side].bytes = halves[side].byteCount
      report[side].gapBytes = halves[side].gapCount
    }
    return report
  }

  /// Bytes or a gap of this side follow.
  mutating func open(_ side: Side, _ packet: PacketReference?, to batch: inout EventBatch) {
    if !isOpened { batch.opened(packets.identity, slot: slot) }
    isOpened = true
    halves[side].packet = packet
    guard let packet else { return }
    packets.firstPacket = packets.firstPacket ?? packet
    packets[side].firstPacket = packets[side].firstPacket ?? packet
    packets.lastPacket = packet
  }
}
