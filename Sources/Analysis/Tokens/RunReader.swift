/// Reads the entries of one sorted run, one after another.
final class RunReader {
  /// Room for the largest entry there can be.
  static let leastBuffer = TokenEntry.size(tokenLength: Int(UInt16.max))

  private let file: TemporaryFile
  /// What of the run has not been read into the buffer.
  private var rest: Range<Int>
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var filled = 0

  /// The entry that the reader stands at.
  private(set) var entry = TokenEntry(time: 0, length: 0, flags: [], counts: false)

  init(_ file: TemporaryFile, extent: Range<Int>, bufferLength: Int) throws {
    self.file = file
    self.rest = extent
    buffer = .allocate(byteCount: max(bufferLength, Self.leastBuffer), alignment: 8)
  }

  deinit {
    buffer.deallocate()
  }

  /// The token of `entry`; it stays where it is until the next `advance`.
  var token: UnsafeRawBufferPointer {
    let first = start + TokenEntry.headLength
    return UnsafeRawBufferPointer(rebasing: buffer[first..<first + Int(entry.length)])
  }

  /// Moves to the first entry, or to the next one; false behind the last.
  func advance() throws -> Bool {
    if filled > 0 { start += entry.size }
    if try !load(TokenEntry.headLength) { return false }
    guard let base = buffer.baseAddress else { return false }
    entry = TokenEntry(loadingFrom: UnsafeRawPointer(base + start))
    return try load(entry.size)
  }

  /// Makes sure that `count` bytes from `start` on are in the buffer; false where the run ends before.
  private func load(_ count: Int) throws -> Bool {
    if filled - start >= count { return true }
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<filled]))
    filled -= start
    start = 0
    let space = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...].prefix(rest.count))
    let read = try file.read(into: space, at: rest.lowerBound)
    rest = rest.lowerBound + read..<rest.upperBound
    filled += read
    return filled >= count
  }
}

/// The readers of a merge, the one with the lowest token first: a binary heap.
struct RunHeap {
  private var readers: [RunReader] = []

  init(_ readers: [RunReader]) throws {
    for reader in readers { try insertAdvanced(reader) }
  }

  var first: RunReader? { readers.first }

  /// Takes the first reader out, without moving it.
  mutating func removeFirst() {
    readers.swapAt(0, readers.count - 1)
    readers.removeLast()
    if !readers.isEmpty { sink() }
  }

  /// Moves the first reader to its next entry, and to its place.
  mutating func advanceFirst() throws {
    guard let first else { return }
    if try first.advance() { sink() } else { removeFirst() }
  }

  /// Moves `reader` to its next entry, and puts it in its place; one that has ended is let go.
  mutating func insertAdvanced(_ reader: RunReader) throws {
    guard try reader.advance() else { return }
    readers.append(reader)
    var child = readers.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      readers.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      let left = 2 * parent + 1
      if left < readers.count, precedes(left, least) { least = left }
      if left + 1 < readers.count, precedes(left + 1, least) { least = left + 1 }
      if least == parent { return }
      readers.swapAt(parent, least)
      parent = least
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    TokenOrder.precedes(readers[left].token, readers[right].token)
  }
}
