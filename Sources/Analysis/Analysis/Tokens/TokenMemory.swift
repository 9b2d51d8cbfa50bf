import Basics

/// The memory of a token table and of its sub-tables for reading back the file: chunks of one size, and larger
/// chunks for tokens that do not fit in one.
final class TokenMemory {
  /// The maximum total bytes of chunks. The rest of the memory is for the hash table, and for slightly exceeding
  /// the limit.
  let limit: Int
  /// Bytes of a log at which it is reduced to distinct tokens. A log of this size fits in the processor's cache.
  let logLimit: Int
  /// The hash table, reused for every log.
  var distinct = DistinctTokens()
  private let chunkSize: Int
  /// Bytes of the chunks in use.
  @exclusivity(unchecked) private(set) var used = 0
  /// Free chunks of the usual size.
  private var spare: [UnsafeMutableRawPointer] = []

  /// - Parameter memory: total bytes, at least 1 MiB.
  init(memory: Int) {
    limit = memory / 4 * 3
    logLimit = min(memory / 16, 1 << 20)
    chunkSize = logLimit / 32
  }

  deinit { for chunk in spare { free(chunk) } }

  /// Allocates a chunk of at least `least` bytes.
  func take(_ least: Int) throws -> UnsafeMutableRawBufferPointer {
    let size = max(least, chunkSize)
    guard let start = (size == chunkSize ? spare.popLast() : nil) ?? malloc(size) else {
      throw TokenTableError(
        message:
          "cannot allocate \(ByteSize.text(size)) of memory for distinct tokens: \(SystemError.text()); "
          + "lower --memory")
    }
    used += size
    return UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  func giveBack(_ chunk: UnsafeMutableRawBufferPointer) {
    used -= chunk.count
    guard let start = chunk.baseAddress else { return }
    if chunk.count == chunkSize { spare.append(start) } else { free(start) }
  }
}
