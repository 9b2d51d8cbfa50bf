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
