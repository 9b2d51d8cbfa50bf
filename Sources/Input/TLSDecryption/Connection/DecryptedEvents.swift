import PacketCapture

/// A batch that is made of another one, and the chunk of it that gets the plaintext.
package final class DecryptedEvents {
  @exclusivity(unchecked) var events = EventBatch()
  /// It has no bytes before it is full.
  private var chunk = ByteEvent.Storage.window
  /// Empty, or the chunk's bytes, then room for a record that nothing proved yet.
  @exclusivity(unchecked) private var storage: [UInt8] = []
  private var count = 0
  /// Bytes of a chunk, about.
  private static let chunkLength = 64 << 10
  /// Less than what allocators get from the system each time: 128 KiB.
  private static let capacity = chunkLength + RecordHeader.maxFragment

  package func begin(_ events: EventBatch) {
    self.events = events
    chunk = self.events.add([])
  }

  /// The events with all their bytes.
  package func finish() -> EventBatch {
    fill()
    defer { events = EventBatch() }
    return events
  }

  private func fill() {
    events.fill(chunk, with: storage)
    chunk = events.add([])
    (storage, count) = ([], 0)
  }

  /// Gives `body` room for a record after the plaintext. Its bytes count once they are committed.
  func withRoom<T>(_ body: (UnsafeMutablePointer<UInt8>) -> T?) -> T? {
    // What is not written yet is not cleared: that would be a pass over all of it.
    if storage.isEmpty { storage = [UInt8](unsafeUninitializedCapacity: Self.capacity) { $1 = $0.count } }
    return storage.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { body($0 + count) } }
  }

  /// The bytes that were written last and are not committed.
  func uncommitted<T>(_ length: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    storage.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[count..<min($0.count, count + length)]))
    }
  }

  /// Adds a record whose bytes were written last; `origins` are of the plaintext.
  func commit(_ length: Int, slot: Int32, side: Side, origins: [SourceExtent]) {
    events.bytes(chunk, count..<count + length, slot: slot, side: side, origins: origins, isRecord: true)
    count += length
    if count >= Self.chunkLength { fill() }
  }
}
