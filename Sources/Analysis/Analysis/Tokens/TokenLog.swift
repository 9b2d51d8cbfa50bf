/// Entries in order of arrival, in chunks of a token memory. Call `removeAll` before dropping a log, to return its
/// chunks.
struct TokenLog {
  private struct Chunk {
    var memory: UnsafeMutableRawBufferPointer
    var used = 0

    var entries: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<used]) }
  }

  private var full: [Chunk] = []
  private var last = Chunk(memory: UnsafeMutableRawBufferPointer(start: nil, count: 0))
  /// Number of entries, and their total bytes.
  private(set) var count = 0
  private(set) var byteCount = 0

  @inline(__always)
  mutating func append(
    _ entry: TokenEntry, _ token: UnsafeRawBufferPointer, _ origins: TokenOrigin.Pair?,
    from memory: TokenMemory
  ) throws {
    let size = entry.size
    if last.memory.count &- last.used < size { try takeChunk(size, from: memory) }
    guard let start = last.memory.baseAddress else { return }
    entry.store(to: start + last.used, token: token, origins)
    last.used &+= size
    count &+= 1
    byteCount &+= size
  }

  private mutating func takeChunk(_ least: Int, from memory: TokenMemory) throws {
    let chunk = Chunk(memory: try memory.take(least))
    if last.used > 0 { full.append(last) }
    last = chunk
  }

  /// Calls `body` with the entries of each chunk, in order.
  func visitChunks(_ body: (_ entries: UnsafeRawBufferPointer) throws -> Void) rethrows {
    for chunk in full { try body(chunk.entries) }
    if last.used > 0 { try body(last.entries) }
  }

  mutating func removeAll(_ memory: TokenMemory) {
    for chunk in full { memory.giveBack(chunk.memory) }
    if last.memory.count > 0 { memory.giveBack(last.memory) }
    self = TokenLog()
  }
}
