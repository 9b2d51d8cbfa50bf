import PacketCapture

/// A provider's log: one stream with the bytes of the file.
package struct LogSource: StreamSource {
  package init() {}

  package mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep {
    let offset = windowOffset &+ start
    if start < window.byteCount {
      batch.bytes(
        start..<window.byteCount, slot: 0, side: .first,
        origin: SourceExtent(streamOffset: offset, fileOffset: offset, stride: 1))
    }
    return isLast ? .ended(nil) : .needsBytes(consumed: window.byteCount, needed: 1)
  }

  package mutating func finish(into batch: inout EventBatch) -> Bool { true }
}
