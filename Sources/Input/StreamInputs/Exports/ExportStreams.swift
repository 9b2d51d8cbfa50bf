import Basics
import PacketCapture

/// The open connections of an export: turns a decoder's output into stream events.
struct ExportStreams: Sendable {
  /// Limit of open connections; above that the oldest is closed. About 10 MiB.
  static let maxOpen = 16_384

  /// Faults of the file, in its order.
  private(set) var faults: [InputFault] = []

  private let serverPorts: Set<UInt16>
  private let unnamed: ExportConnection
  private let hasGapMarks: Bool
  private var streams: [Int: ExportStream] = [:]
  /// Slots of connections that have ended.
  private var freeSlots: [Int32] = []
  /// Keys in the order of their streams, to find the oldest; ended ones included.
  private var order: [(key: Int, number: Int)] = []
  private var oldest = 0
  private var count = 0
  private var segment: ExportSegment?

  /// - Parameter unnamed: defaults for a connection that was not named before its bytes.
  init(serverPorts: Set<UInt16>, unnamed: ExportConnection, hasGapMarks: Bool) {
    (self.serverPorts, self.unnamed, self.hasGapMarks) = (serverPorts, unnamed, hasGapMarks)
  }

  /// Whether there were no streams so far.
  var isEmpty: Bool { count == 0 }

  /// Emits the content of `events`, and empties it.
  mutating func drain(_ events: inout ExportEvents, into batch: inout EventBatch) {
    var marks = events.marks[...]
    var extents = ExportExtents()
    let storage = batch.add(events.text.bytes)
    for (index, part) in events.text.parts.enumerated() {
      while let (first, mark) = marks.first, first == index {
        emit(&extents, of: events.text.bytes, in: storage, to: &batch)
        apply(mark, to: &batch)
        marks.removeFirst()
      }
      if case .bytes(let count, let fileOffset, let spacing) = part {
        extents.add(count, at: fileOffset, spacing: spacing)
        continue
      }
      emit(&extents, of: events.text.bytes, in: storage, to: &batch)
      switch part {
      case .gap(let length, let fileOffset): gap(length, at: fileOffset, to: &batch)
      case .fault(let fault): faults.append(fault)
      case .bytes: break
      }
    }
    emit(&extents, of: events.text.bytes, in: storage, to: &batch)
    for (_, mark) in marks { apply(mark, to: &batch) }
    events.removeAll()
  }

  /// The file has ended: so do all connections, in the order of their numbers.
  mutating func closeAll(to batch: inout EventBatch) {
    endSegment(to: &batch)
    for stream in streams.values.sorted(by: { $0.identity.number < $1.identity.number }) {
      batch.closed(stream.report, slot: stream.slot)
    }
    streams.removeAll()
  }

  private mutating func apply(_ mark: ExportEvents.Mark, to batch: inout EventBatch) {
    endSegment(to: &batch)
    switch mark {
    case .begin(let key, let connection):
      begin(key, connection, to: &batch)
    case .segment(let key, let side, let packet):
      segment = ExportSegment(key: key, side: side, packet: packet)
    case .finished(let key, let side):
      streams[key]?[side].isFinished = true
      if streams[key]?.isFinished == true { end(key, to: &batch) }
    case .end(let key):
      end(key, to: &batch)
    }
  }

  private mutating func begin(_ key: Int, _ connection: ExportConnection, to batch: inout EventBatch) {
    end(key, to: &batch)
    if streams.count >= Self.maxOpen { evict(to: &batch) }
    let slot = freeSlots.popLast() ?? Int32(truncatingIfNeeded: streams.count)
    streams[key] = ExportStream(connection.identity(number: count, serverPorts: serverPorts), slot: slot)
    order.append((key, count))
    count += 1
    if order.count > 4 * Self.maxOpen { forgetEnded() }
  }

  private mutating func end(_ key: Int, to batch: inout EventBatch) {
    guard let stream = streams.removeValue(forKey: key) else { return }
    freeSlots.append(stream.slot)
    batch.closed(stream.report, slot: stream.slot)
  }

  /// Closes the oldest connection; later data of it becomes another stream.
  private mutating func evict(to batch: inout EventBatch) {
    while oldest < order.count {
      let (key, number) = order[oldest]
      oldest += 1
      guard let stream = streams[key], stream.identity.number == number else { continue }
      batch.anomaly(
        StreamAnomaly(
          .connectionEvicted, stream: number,
          message:
            "limit of \(Self.maxOpen) open connections reached: the oldest is closed, and later data "
            + "of it begins another stream"),
        slot: stream.isOpened ? stream.slot : nil)
      return end(key, to: &batch)
    }
  }

  private mutating func forgetEnded() {
    order = order[oldest...].filter { streams[$0.key]?.identity.number == $0.number }
    oldest = 0
  }

  private mutating func endSegment(to batch: inout EventBatch) {
    guard let segment else { return }
    streams[segment.key]?[segment.side].splitter.endSegment(to: &batch)
    self.segment = nil
  }

  /// The segment that bytes or a gap belong to, its stream opened; nil before the first segment.
  private mutating func openSegment(to batch: inout EventBatch) -> ExportSegment? {
    guard let segment else { return nil }
    if streams[segment.key] == nil { begin(segment.key, unnamed, to: &batch) }
    if let stream = streams[segment.key], !stream.isOpened {
      streams[segment.key]?.isOpened = true
      batch.opened(stream.identity, slot: stream.slot)
    }
    return segment
  }

  private mutating func emit(
    _ extents: inout ExportExtents, of bytes: [UInt8], in storage: ByteEvent.Storage,
    to batch: inout EventBatch
  ) {
    guard !extents.range.isEmpty else { return }
    defer { extents.removeAll() }
    guard let segment = openSegment(to: &batch) else { return }
    streams[segment.key]?.emit(
      extents, of: bytes, in: storage, from: segment, hasGapMarks: hasGapMarks, to: &batch)
  }

  private mutating func gap(_ length: Int, at fileOffset: Int, to batch: inout EventBatch) {
    guard let segment = openSegment(to: &batch) else { return }
    streams[segment.key]?.gap(length, from: segment, at: fileOffset, to: &batch)
  }
}

/// Bytes that one side sent at once: a packet's, a record's, a read's.
struct ExportSegment: Sendable {
  /// The connection, in the decoder's numbering.
  var key: Int
  var side: Side
  var packet: PacketReference?
}

/// The state of an open stream.
struct ExportStream: Sendable {
  /// Maximum stream length, including gaps, so that offsets can be added without overflow.
  private static let longest = 1 << 60

  /// One direction of it.
  struct Half: Sendable {
    var splitter = GapMarkSplitter()
    /// Position after the emitted bytes, with gap marks counted as text.
    var position = 0
    var firstPacket: PacketReference?
    var isFinished = false

    init(_ slot: Int32) { splitter.slot = slot }
  }

  let identity: StreamIdentity
  /// Names the stream in events while it is open.
  let slot: Int32
  var isOpened = false
  private var halves: Sides<Half>
  private var firstPacket: PacketReference?
  private var lastPacket: PacketReference?

  init(_ identity: StreamIdentity, slot: Int32) {
    self.identity = identity
    self.slot = slot
    halves = Sides(Half(slot))
    halves.second.splitter.side = .second
  }

  subscript(side: Side) -> Half {
    get { halves[side] }
    _modify { yield &halves[side] }
  }

  var isFinished: Bool { halves.first.isFinished && halves.second.isFinished }

  var report: StreamReport {
    var report = StreamReport(identity)
    for side in Side.allCases {
      report[side].bytes = self[side].splitter.byteCount
      report[side].gapBytes = self[side].splitter.gapCount
      report[side].firstPacket = self[side].firstPacket
    }
    report.firstPacket = firstPacket
    report.lastPacket = lastPacket
    return report
  }

  /// Emits `extents` of `bytes`, which the batch stores as `storage`.
  mutating func emit(
    _ extents: ExportExtents, of bytes: [UInt8], in storage: ByteEvent.Storage, from segment: ExportSegment,
    hasGapMarks: Bool, to batch: inout EventBatch
  ) {
    note(segment)
    let side = segment.side
    let range = extents.range
    let origins = extents.origins(from: self[side].position, packet: segment.packet)
    self[side].position &+= range.count
    if hasGapMarks {
      self[side].splitter.bytes(
        bytes[range].span.bytes, in: storage, at: range.lowerBound, origins: origins, to: &batch)
    } else {
      self[side].splitter.pass(storage, range, origins: origins, to: &batch)
    }
  }

  mutating func gap(
    _ length: Int, from segment: ExportSegment, at fileOffset: Int, to batch: inout EventBatch
  ) {
    note(segment)
    let position = self[segment.side].position
    let length = min(length, max(0, Self.longest &- position))
    guard length > 0 else { return }
    self[segment.side].position = position &+ length
    self[segment.side].splitter.gap(
      dumpOffset: position, length: length, fileOffset: fileOffset, packet: segment.packet, to: &batch)
  }

  private mutating func note(_ segment: ExportSegment) {
    guard let packet = segment.packet else { return }
    if firstPacket == nil { firstPacket = packet }
    if self[segment.side].firstPacket == nil { self[segment.side].firstPacket = packet }
    lastPacket = packet
  }
}

/// Consecutive extents of decoded bytes, which are emitted together.
struct ExportExtents {
  /// Range of the decoded bytes.
  private(set) var range = 0..<0
  private var extents: [(start: Int, fileOffset: Int, spacing: Stride)] = []

  mutating func add(_ count: Int, at fileOffset: Int, spacing: Stride) {
    extents.append((range.count, fileOffset, spacing))
    range = range.lowerBound..<range.upperBound &+ count
  }

  /// Their origins, if the first byte has this position in its direction.
  func origins(from position: Int, packet: PacketReference?) -> [SourceExtent] {
    extents.map { extent in
      SourceExtent(
        streamOffset: position &+ extent.start, fileOffset: extent.fileOffset, spacing: extent.spacing,
        packet: packet)
    }
  }

  /// Continues after these extents.
  mutating func removeAll() {
    range = range.upperBound..<range.upperBound
    extents.removeAll(keepingCapacity: true)
  }
}
