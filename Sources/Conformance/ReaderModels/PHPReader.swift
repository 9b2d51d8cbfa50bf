/// The reader of error responses of a Japanese article, in PHP (docs/spec/readers.md#models, `php`).
///
/// After its last request it reads once, for 6 bytes, without waiting. Its errors: it misses an error that arrives
/// in parts; it does not check the command byte; it reads only the first error.
package enum PHPReader {
  /// The name of the model in reports.
  package static let name = "php"

  /// The result of its single read.
  package enum Reading: Equatable, Sendable {
    /// It reports an error. It ignores `command`, the first byte.
    case error(command: UInt8, status: UInt8, identifier: UInt32)
    /// Fewer than 6 bytes arrived, and it reports nothing. The sizes, in bytes, are those of the reads that would
    /// return the first 6 bytes, or all bytes if there are fewer; the first is the size of its own read.
    case short(sizes: [Int])
  }

  package static func read(_ bytes: RawSpan, cut chunking: Chunking) -> Reading {
    let length = 6
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    var sizes: [Int] = []
    var missing = length
    while missing > 0 {
      let chunk = reads.read(missing)
      if chunk.isEmpty { break }
      sizes.append(chunk.count)
      missing -= chunk.count
    }
    guard sizes == [length] else { return .short(sizes: sizes) }
    let identifier = bytes.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt32.self)
    return .error(
      command: bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self),
      status: bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self), identifier: UInt32(bigEndian: identifier))
  }
}
