import PacketCapture
import WireBytes

/// Bytes that one side sent at once, as an export tells it: a packet's, a record's, a read's.
struct ExportSegment: Sendable {
  /// Which connection, in the decoder's own numbers.
  var key: Int
  var side: Side
  var packet: PacketReference?
}

/// A connection of an export on its way to a stream.
struct ExportStream: Sendable {
  /// No stream is longer, gaps counted in, so that offsets downstream can be added without overflow.
  private static let longest = 1 << 60

  /// One direction of it.
  struct Half: Sendable {
    var splitter = GapMarkSplitter()
    /// Position behind what was handed on, the marks of gaps counted as their text.
    var position = 0
    var firstPacket: PacketReference?
    var isFinished = false

    init(_ number: Int, _ side: Side) {
      splitter.direction = StreamDirection(stream: number, side: side)
    }
  }

  let identity: StreamIdentity
  var isOpened = false
  private var first: Half
  private var second: Half
  private var firstPacket: PacketReference?
  private var lastPacket: PacketReference?

  init(_ identity: StreamIdentity) {
    self.identity = identity
    first = Half(identity.number, .first)
    second = Half(identity.number, .second)
  }

  subscript(side: Side) -> Half {
    get { side == .first ? first : second }
    _modify { if side == .first { yield &first } else { yield &second } }
  }

  var isFinished: Bool { first.isFinished && second.isFinished }

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

  /// Hands on what `stretches` has gathered of `bytes`.
  mutating func hand(
    on stretches: ExportStretches, of bytes: [UInt8], from segment: ExportSegment, hasGapMarks: Bool,
    to receiver: inout some StreamReceiver
  ) throws {
    note(segment)
    let side = segment.side
    let origins = stretches.origins(from: self[side].position, packet: segment.packet)
    self[side].position &+= stretches.range.count
    if hasGapMarks {
      try self[side].splitter.bytes(bytes[stretches.range], origins: origins, to: &receiver)
    } else {
      try self[side].splitter.pass(bytes[stretches.range], origins: origins, to: &receiver)
    }
  }

  mutating func gap(
    _ length: Int, from segment: ExportSegment, at fileOffset: Int, to receiver: inout some StreamReceiver
  ) throws {
    note(segment)
    let position = self[segment.side].position
    let length = min(length, max(0, Self.longest &- position))
    guard length > 0 else { return }
    self[segment.side].position = position &+ length
    try self[segment.side].splitter.gap(
      dumpOffset: position, length: length, fileOffset: fileOffset, packet: segment.packet, to: &receiver)
  }

  private mutating func note(_ segment: ExportSegment) {
    guard let packet = segment.packet else { return }
    if firstPacket == nil { firstPacket = packet }
    if self[segment.side].firstPacket == nil { self[segment.side].firstPacket = packet }
    lastPacket = packet
  }
}

/// Stretches of bytes with nothing between them, which are handed on together.
struct ExportStretches {
  /// Which of the decoded bytes they are.
  private(set) var range = 0..<0
  private var stretches: [(start: Int, fileOffset: Int, spacing: Spacing)] = []

  mutating func add(_ count: Int, at fileOffset: Int, spacing: Spacing) {
    stretches.append((range.count, fileOffset, spacing))
    range = range.lowerBound..<range.upperBound &+ count
  }

  /// Where they stand, if the first byte has this position in its direction.
  func origins(from position: Int, packet: PacketReference?) -> [ByteOrigin] {
    stretches.map { stretch in
      ByteOrigin(
        streamOffset: position &+ stretch.start, fileOffset: stretch.fileOffset, spacing: stretch.spacing,
        packet: packet)
    }
  }

  mutating func handedOn() {
    range = range.upperBound..<range.upperBound
    stretches.removeAll(keepingCapacity: true)
  }
}
