import Basics

/// Earlier bytes of a capture file: retransmissions are compared with their first copy. A file that can be read twice
/// is read again; otherwise the last bytes are kept in memory.
package final class CaptureHistory {
  private enum Source {
    /// Offsets are counted from `start` of the file, where reading began.
    case file(descriptor: Int32, start: Int)
    /// Memory that is never written costs nothing, so short inputs stay cheap.
    case ring(UnsafeMutableRawBufferPointer)
  }

  private let source: Source
  /// Number of bytes read so far: the offset of the next one, from 0.
  private var end = 0

  /// - Parameter descriptor: an open regular file, which must stay open while this is used.
  package init(descriptor: Int32, start: Int) { source = .file(descriptor: descriptor, start: start) }

  /// - Parameter capacity: number of bytes to keep.
  package init(capacity: Int) { source = .ring(.allocate(byteCount: max(0, capacity), alignment: 16)) }

  deinit { if case .ring(let ring) = source { ring.deallocate() } }

  /// The next bytes of the content.
  package func append(_ bytes: UnsafeRawBufferPointer) {
    defer { end &+= bytes.count }
    guard case .ring(let ring) = source, !ring.isEmpty else { return }
    let kept = UnsafeRawBufferPointer(rebasing: bytes.suffix(ring.count))
    let index = (end &+ bytes.count &- kept.count) % ring.count
    let first = min(kept.count, ring.count - index)
    UnsafeMutableRawBufferPointer(rebasing: ring[index...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: kept[..<first]))
    ring.copyMemory(from: UnsafeRawBufferPointer(rebasing: kept[first...]))
  }

  /// Reads `range` of the content into `buffer`; false if part of it is no longer available.
  package func read(_ range: Range<Int>, into buffer: inout [UInt8]) -> Bool {
    guard range.lowerBound >= 0, range.upperBound <= end else { return false }
    if buffer.count > range.count {
      buffer.removeLast(buffer.count - range.count)
    } else {
      buffer.append(contentsOf: repeatElement(0, count: range.count - buffer.count))
    }
    return buffer.withUnsafeMutableBytes { target in
      switch source {
      case .file(let descriptor, let start):
        Self.read(descriptor, at: start &+ range.lowerBound, into: target)
      case .ring(let ring): copy(range, of: ring, into: target)
      }
    }
  }

  private static func read(
    _ descriptor: Int32, at offset: Int, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var filled = 0
    while filled < target.count, let base = target.baseAddress {
      let count = pread(descriptor, base + filled, target.count - filled, off_t(offset + filled))
      if count == 0 || (count < 0 && errno != EINTR) { return false }
      filled += max(0, count)
    }
    return true
  }

  private func copy(
    _ range: Range<Int>, of ring: UnsafeMutableRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard range.lowerBound >= end - ring.count else { return false }
    if range.isEmpty { return true }
    let index = range.lowerBound % ring.count
    let first = min(range.count, ring.count - index)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: ring[index..<index + first]))
    UnsafeMutableRawBufferPointer(rebasing: target[first...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: ring[..<(range.count - first)]))
    return true
  }
}
