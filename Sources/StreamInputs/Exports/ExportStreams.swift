import PacketCapture
import WireBytes

/// The connections of an export that have not ended: turns what a decoder says of them into the events of
/// streams.
struct ExportStreams: Sendable {
  /// Connections that are remembered at once; beyond it the oldest is closed. Some 10 MiB.
  static let maxOpen = 16_384

  /// Faults of the file, in its order.
  private(set) var faults: [InputFault] = []

  private let serverPorts: Set<UInt16>
  private let unnamed: ExportConnection
  private let hasGapMarks: Bool
  private var streams: [Int: ExportStream] = [:]
  /// Keys in the order of their streams, for the oldest to be found; those that ended are among them.
  private var order: [(key: Int, number: Int)] = []
  private var oldest = 0
  private var count = 0
  private var segment: ExportSegment?

  /// - Parameter unnamed: what is known of a connection that was not named before its bytes.
  init(serverPorts: Set<UInt16>, unnamed: ExportConnection, hasGapMarks: Bool) {
    self.serverPorts = serverPorts
    self.unnamed = unnamed
    self.hasGapMarks = hasGapMarks
  }

  /// Whether there was none so far.
  var isEmpty: Bool { count == 0 }

  /// Hands on what `events` holds, and empties it.
  mutating func drain(_ events: inout ExportEvents, into receiver: inout some StreamReceiver) throws {
    var marks = events.marks[...]
    var stretches = ExportStretches()
    for (index, piece) in events.text.pieces.enumerated() {
      while let (place, mark) = marks.first, place == index {
        try hand(on: &stretches, of: events.text.bytes, to: &receiver)
        try apply(mark, to: &receiver)
        marks.removeFirst()
      }
      if case .bytes(let count, let fileOffset, let spacing) = piece {
        stretches.add(count, at: fileOffset, spacing: spacing)
        continue
      }
      try hand(on: &stretches, of: events.text.bytes, to: &receiver)
      switch piece {
      case .gap(let length, let fileOffset): try gap(length, at: fileOffset, to: &receiver)
      case .fault(let fault): faults.append(fault)
      case .bytes: break
      }
    }
    try hand(on: &stretches, of: events.text.bytes, to: &receiver)
    for (_, mark) in marks { try apply(mark, to: &receiver) }
    events.removeAll()
  }

  /// The file has ended: so do all connections, in the order of their numbers.
  mutating func closeAll(to receiver: inout some StreamReceiver) throws {
    try endSegment(to: &receiver)
    for stream in streams.values.sorted(by: { $0.identity.number < $1.identity.number }) {
      try receiver.closed(stream.report)
    }
    streams.removeAll()
  }

  private mutating func apply(_ mark: ExportEvents.Mark, to receiver: inout some StreamReceiver) throws {
    try endSegment(to: &receiver)
    switch mark {
    case .begin(let key, let connection):
      try begin(key, connection, to: &receiver)
    case .segment(let key, let side, let packet):
      segment = ExportSegment(key: key, side: side, packet: packet)
    case .finished(let key, let side):
      streams[key]?[side].isFinished = true
      if streams[key]?.isFinished == true { try end(key, to: &receiver) }
    case .end(let key):
      try end(key, to: &receiver)
    }
  }

  private mutating func begin(
    _ key: Int, _ connection: ExportConnection, to receiver: inout some StreamReceiver
  ) throws {
    try end(key, to: &receiver)
    if streams.count >= Self.maxOpen { try evict(to: &receiver) }
    streams[key] = ExportStream(connection.identity(number: count, serverPorts: serverPorts))
    order.append((key, count))
    count += 1
    if order.count > 4 * Self.maxOpen { forgetEnded() }
  }

  private mutating func end(_ key: Int, to receiver: inout some StreamReceiver) throws {
    guard let stream = streams.removeValue(forKey: key) else { return }
    try receiver.closed(stream.report)
  }

  /// Closes the oldest connection, which may go on behind this: then as another stream.
  private mutating func evict(to receiver: inout some StreamReceiver) throws {
    while oldest < order.count {
      let (key, number) = order[oldest]
      oldest += 1
      guard streams[key]?.identity.number == number else { continue }
      try receiver.anomaly(
        StreamAnomaly(
          .connectionEvicted, stream: number,
          message: "more than \(Self.maxOpen) connections are open in this export: the oldest is closed, and "
            + "what may follow of it is another stream"))
      return try end(key, to: &receiver)
    }
  }

  private mutating func forgetEnded() {
    order = order[oldest...].filter { streams[$0.key]?.identity.number == $0.number }
    oldest = 0
  }

  private mutating func endSegment(to receiver: inout some StreamReceiver) throws {
    guard let segment else { return }
    try streams[segment.key]?[segment.side].splitter.endSegment(to: &receiver)
    self.segment = nil
  }

  /// The segment that bytes or a gap belong to, its stream opened; nil where no line has said one.
  private mutating func openSegment(to receiver: inout some StreamReceiver) throws -> ExportSegment? {
    guard let segment else { return nil }
    if streams[segment.key] == nil { try begin(segment.key, unnamed, to: &receiver) }
    if let identity = streams[segment.key]?.identity, streams[segment.key]?.isOpened == false {
      streams[segment.key]?.isOpened = true
      try receiver.opened(identity)
    }
    return segment
  }

  private mutating func hand(
    on stretches: inout ExportStretches, of bytes: [UInt8], to receiver: inout some StreamReceiver
  ) throws {
    guard !stretches.range.isEmpty else { return }
    defer { stretches.handedOn() }
    guard let segment = try openSegment(to: &receiver) else { return }
    try streams[segment.key]?.hand(
      on: stretches, of: bytes, from: segment, hasGapMarks: hasGapMarks, to: &receiver)
  }

  private mutating func gap(_ length: Int, at fileOffset: Int, to receiver: inout some StreamReceiver) throws
  {
    guard let segment = try openSegment(to: &receiver) else { return }
    try streams[segment.key]?.gap(length, from: segment, at: fileOffset, to: &receiver)
  }
}
