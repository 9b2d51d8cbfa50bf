/// What all connections of a capture share while they are put together: where their events go, and what they may cost
/// together.
struct StreamOutput {
  /// Ranges of delivered bytes that all directions may remember together, and one alone.
  static let rememberedInAll = 1 << 18
  static let rememberedInOne = 1 << 14

  var events = EventBatch()
  /// Identity of the connection that is being worked on, until its stream is opened by the first event.
  var unopened: StreamIdentity?
  /// The last packet of that connection.
  var lastPacket = PacketReference(number: nil)
  /// Packets of the capture that were read.
  var packetsRead = 0
  /// What all directions keep for later (`PendingSegment.cost`), in bytes.
  var bufferedBytes = 0
  var rememberedRanges = 0
  /// Whether something was kept for later since this was last reset.
  var didBuffer = false
  /// Bytes of the file that can be read again.
  var history: CaptureHistory?
  private var reread: [UInt8] = []

  /// The stream of `slot` has an event now.
  @inline(__always)
  mutating func open(_ slot: Int32) {
    if unopened != nil { openNow(slot) }
  }

  @inline(never)
  private mutating func openNow(_ slot: Int32) {
    guard let identity = unopened else { return }
    unopened = nil
    events.opened(identity, slot: slot)
  }

  /// Calls `body` with the bytes of `range` of the file, which were read before; false where they are gone.
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
