import Basics

/// Shared state of all connections of a capture during reassembly: their events and their memory budget.
struct StreamOutput {
  /// Limits of remembered ranges of delivered bytes, for all directions together and for one.
  static let rememberedInAll = 1 << 18
  static let rememberedInOne = 1 << 14
  /// Bytes that may be read again to verify checksums, for each packet read and for 4096 more.
  static let verifiedPerPacket = 4096
  static let usualWindow = 4096

  var events = EventBatch()
  /// Number of the current connection, and its identity until the first event opens its stream.
  var stream = 0
  var unopened: StreamIdentity?
  var peers = (
    first: Endpoint(address: IPAddress(v4: 0), port: 0), second: Endpoint(address: IPAddress(v4: 0), port: 0)
  )
  var lastPacket = PacketReference(number: nil)
  var packetsRead = 0
  /// Buffered data of all directions (`PendingSegment.cost`), in bytes.
  var bufferedBytes = 0
  var rememberedRanges = 0
  /// Whether data was buffered since this was last reset.
  var didBuffer = false
  /// Access to earlier bytes of the file.
  var history: CaptureHistory?
  /// The batches before `events`, and the number that this one gets.
  var held: HeldBatches?
  var batch: Int32 = 0
  /// Whether the current segment has right bytes for wrong ones.
  var hasRightCopy = false
  /// Bytes read to verify checksums.
  var verifiedBytes = 0
  private var reread: [UInt8] = []

  /// Opens the stream of `slot` before its first event.
  @inline(__always)
  mutating func open(_ slot: Int32) { if unopened != nil { openNow(slot) } }

  @inline(__always)
  var lastEvent: EventReference {
    EventReference(batch: batch, index: Int32(truncatingIfNeeded: events.events.count &- 1))
  }

  mutating func emit(_ finding: StreamFinding, _ slot: Int32) {
    open(slot)
    events.finding(finding, slot: slot)
  }

  @inline(never)
  private mutating func openNow(_ slot: Int32) {
    guard let identity = unopened else { return }
    unopened = nil
    events.opened(identity, slot: slot)
  }

  /// Calls `body` with the bytes of `range` of the file, which were read before; false if they are no longer
  /// available.
  mutating func withBytes(at range: Range<Int>, _ body: (inout StreamOutput, RawSpan) -> Void) -> Bool {
    guard let history else { return false }
    var buffer: [UInt8] = []
    swap(&buffer, &reread)
    defer { swap(&buffer, &reread) }
    guard history.read(range, into: &buffer) else { return false }
    body(&self, buffer.span.bytes)
    return true
  }
}
