import PacketCapture

/// What is kept of one side of a stream until that ends: its bytes, and which packets brought them.
struct KeptSide {
  /// Where another packet begins.
  struct Arrival {
    /// Offset in the stream, in bytes from 0.
    var offset: Int
    /// Its place in the examined file.
    var fileOffset: Int
    var packet: PacketReference
  }

  private(set) var bytes: [UInt8] = []
  /// In the order of the stream; empty where no packets are known.
  private(set) var arrivals: [Arrival] = []
  /// Offset in the stream behind the last byte, gaps counted in.
  private(set) var end = 0
  /// Whether its bytes, and its packets, are of use.
  private var keepsBytes = true
  private var keepsArrivals = true
  /// The capture lacks the beginning.
  var beginsInMidstream = false

  /// Bytes of memory that are taken, but for what arrays have in reserve.
  var cost: Int { bytes.count &+ MemoryLayout<Arrival>.stride &* arrivals.count }

  /// Where the chunks end in which it came, but for the last; nil where no packets are known.
  var chunkEnds: [Int]? { arrivals.isEmpty ? nil : arrivals.dropFirst().map(\.offset) }

  mutating func append(_ more: RawSpan, origins: Span<ByteOrigin>) {
    if keepsArrivals {
      for index in origins.indices { note(origins[index]) }
    }
    if !origins.isEmpty { end = origins[0].streamOffset &+ more.byteCount }
    if keepsBytes { more.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }

  private mutating func note(_ origin: ByteOrigin) {
    let last = arrivals.last?.packet
    guard let packet = origin.packet ?? last, origin.packet == nil || packet != last else { return }
    arrivals.append(
      Arrival(offset: origin.streamOffset, fileOffset: origin.fileOffset, packet: packet))
  }

  /// Its bytes can go, and no more need to be kept.
  mutating func dropBytes() {
    keepsBytes = false
    bytes = []
  }

  /// All that is kept of it can go, and nothing more needs to be.
  mutating func drop() {
    dropBytes()
    keepsArrivals = false
    arrivals = []
  }
}
