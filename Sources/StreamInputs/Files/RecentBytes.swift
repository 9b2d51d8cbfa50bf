/// The last bytes of a content, kept so that they can be looked at again where the file cannot be read twice.
final class RecentBytes {
  /// Memory that was never written costs nothing, so short inputs do not pay for all of it.
  private let ring: UnsafeMutableRawBufferPointer
  /// Bytes that were ever appended: the offset in the content, from 0, of the next one.
  private(set) var end = 0

  /// - Parameter capacity: how many bytes are kept; more than 0.
  init(capacity: Int) {
    ring = .allocate(byteCount: max(1, capacity), alignment: 16)
  }

  deinit { ring.deallocate() }

  func append(_ bytes: UnsafeRawBufferPointer) {
    let kept = UnsafeRawBufferPointer(rebasing: bytes.suffix(ring.count))
    let position = (end &+ bytes.count &- kept.count) % ring.count
    let first = min(kept.count, ring.count - position)
    UnsafeMutableRawBufferPointer(rebasing: ring[position...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: kept[..<first]))
    ring.copyMemory(from: UnsafeRawBufferPointer(rebasing: kept[first...]))
    end &+= bytes.count
  }

  /// Copies `range` of the content, which `target` has room for; false where not all of it is there any more.
  func copy(_ range: Range<Int>, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard range.lowerBound >= max(0, end - ring.count), range.upperBound <= end else { return false }
    let position = range.lowerBound % ring.count
    let first = min(range.count, ring.count - position)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: ring[position..<position + first]))
    UnsafeMutableRawBufferPointer(rebasing: target[first...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: ring[..<(range.count - first)]))
    return true
  }
}
