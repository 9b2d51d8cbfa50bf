/// The reader of error responses of a Japanese article, in PHP (docs/spec/readers.md#models, `php`).
///
/// Behind its last request it reads once, for 6 bytes, without waiting. Its faults: an error that arrives in
/// pieces is missed; the command byte is not checked; only the first error is read.
package enum PHPReader {
  /// The name of the model in reports.
  package static let name = "php"

  /// What its one read makes of a stream.
  package enum Reading: Equatable, Sendable {
    /// It reports an error. `command`, the first byte, is not looked at.
    case error(command: UInt8, status: UInt8, identifier: UInt32)
    /// Fewer than 6 bytes came, and it reports nothing. `pieces` are the sizes in bytes in which 6 would have
    /// come, or as many as there are; the first is what it saw.
    case short(pieces: [Int])
  }

  package static func read(_ bytes: RawSpan, cut chunking: Chunking) -> Reading {
    let length = 6
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    var pieces: [Int] = []
    var missing = length
    while missing > 0 {
      let came = reads.read(missing)
      if came.isEmpty { break }
      pieces.append(came.count)
      missing -= came.count
    }
    guard pieces == [length] else { return .short(pieces: pieces) }
    let identifier = bytes.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt32.self)
    return .error(
      command: bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self),
      status: bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self), identifier: UInt32(bigEndian: identifier))
  }
}
