import PacketCapture

/// A batch that is made of another one, and the chunk of it that gets the plaintext.
package final class DecryptedEvents {
  @exclusivity(unchecked) var events = EventBatch()
  /// It has no bytes before it is full.
  private var chunk = ByteEvent.Storage.window
  /// The chunk's bytes, then room for bytes that nothing proved yet.
  @exclusivity(unchecked) private var storage: [UInt8] = []
  private var count = 0
  /// Bytes of a chunk, about.
  private static let chunkLength = 64 << 10
  /// Less than what allocators get from the system each time: 128 KiB.
  private static let usualCount = 96 << 10

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

  /// Gives `body` room for `room` bytes after the plaintext. They count once they are committed.
  func withRoom<T>(_ room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> T?) -> T? {
    if storage.count - count < room { grow(room) }
    return storage.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { body($0 + count) } }
  }

  /// The first storage has room for what is usual, and what is not written yet is not cleared: that would be a pass over
  /// all of it.
  @inline(never)
  private func grow(_ room: Int) {
    let kept = storage[..<count]
    storage = [UInt8](unsafeUninitializedCapacity: max(count + room, 2 * count, Self.usualCount)) {
      bytes, count in
      _ = bytes.initialize(fromContentsOf: kept)
      count = bytes.count
    }
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
