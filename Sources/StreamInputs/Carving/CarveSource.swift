import APNsWire
import PacketCapture
import WireBytes

/// Chains of feedback tuples in bytes of any kind, such as disk images and memory (docs/carving.md). Each chain is a stream
/// of its own. The result does not depend on where windows end.
struct CarveSource: StreamSource {
  private static let slot: Int32 = 0

  private let search: TupleSearch
  /// Chains so far.
  private var chains = 0
  /// Bytes of the open chain so far; nil between chains.
  private var chainLength: Int?

  init(_ options: CarvingOptions) { search = TupleSearch(options) }

  mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep {
    window.withUnsafeBytes { window in
      var index = start
      while true {
        if chainLength != nil {
          index = extendChain(from: index, in: window, windowOffset: windowOffset, isLast: isLast, &batch)
          if chainLength != nil { return .needsBytes(consumed: index, needed: search.needed) }
        }
        guard let (found, isChain) = search.firstChain(from: index, in: window, isLast: isLast) else {
          return isLast ? .ended(nil) : .needsBytes(consumed: window.count, needed: 1)
        }
        guard isChain else { return .needsBytes(consumed: found, needed: search.needed) }
        chainLength = 0
        batch.opened(identity, slot: Self.slot)
        index = found
      }
    }
  }

  /// Emits the tuples of the open chain from `start` on, and closes it at its end. Returns the index after them.
  private mutating func extendChain(
    from start: Int, in window: UnsafeRawBufferPointer, windowOffset: Int, isLast: Bool,
    _ batch: inout EventBatch
  ) -> Int {
    var end = start
    var hasEnded = false
    extending: while true {
      switch search.tuple(at: end, in: window, isLast: isLast) {
      case .tuple(let next): end = next
      case .none:
        hasEnded = true
        break extending
      case .undecided: break extending
      }
    }
    let length = chainLength ?? 0
    if end > start {
      batch.bytes(
        start..<end, slot: Self.slot, side: .first,
        origin: SourceExtent(streamOffset: length, fileOffset: windowOffset &+ start, stride: 1))
    }
    chainLength = length &+ (end &- start)
    if hasEnded { closeChain(&batch) }
    return end
  }

  private var identity: StreamIdentity {
    StreamIdentity(number: chains, server: .first, serverEvidence: .carved)
  }

  private mutating func closeChain(_ batch: inout EventBatch) {
    batch.closed(StreamReport(identity), slot: Self.slot)
    chains += 1
    chainLength = nil
  }

  mutating func finish(into batch: inout EventBatch) -> Bool {
    if chainLength != nil { closeChain(&batch) }
    return true
  }
}
