import Platform
import WireBytes

/// The memory of a token table, and of those that it makes to read back what it wrote: chunks of one size, and larger ones
/// for a token that does not fit into such a one.
final class TokenMemory {
  /// Bytes that all chunks together may take. What a few tokens more than that take, and what finds the distinct ones,
  /// has the rest of the memory.
  let limit: Int
  /// Bytes of a log from which on its distinct tokens are found. As many stay in the processor's cache meanwhile.
  let logLimit: Int
  /// The distinct tokens that are found at the moment.
  var distinct = DistinctTokens()
  private let chunkSize: Int
  /// Bytes of the chunks that were taken.
  @exclusivity(unchecked) private(set) var used = 0
  /// Chunks of the usual size that were given back.
  private var spare: [UnsafeMutableRawPointer] = []

  /// - Parameter memory: bytes in all, at least 1 MiB.
  init(memory: Int) {
    limit = memory / 4 * 3
    logLimit = min(memory / 16, 1 << 20)
    chunkSize = logLimit / 32
  }

  deinit {
    for chunk in spare { free(chunk) }
  }

  /// A chunk of at least `least` bytes.
  func take(_ least: Int) throws -> UnsafeMutableRawBufferPointer {
    let size = max(least, chunkSize)
    guard let start = (size == chunkSize ? spare.popLast() : nil) ?? malloc(size) else {
      throw TokenTableError(
        description: "\(ByteSize.text(size)) of memory for distinct tokens cannot be had: "
          + "\(SystemError.text()); give a smaller --memory")
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
