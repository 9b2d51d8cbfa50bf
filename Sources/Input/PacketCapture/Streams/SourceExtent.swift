import Basics

/// The distances of an extent's bytes in the file: even, or in groups of one size at even distances.
///
/// Text dumps need both levels: `0011 2233 4455` has groups of 2 bytes every 5 characters, base64 has groups of 3
/// bytes every 4, hex wrapped at 60 digits has groups of 30 every 61.
package struct Stride: BitwiseCopyable, Equatable, Sendable {
  /// Bytes of the file from one byte of the stream to the next in its group: 1 raw, 2 hex digits, 0 if all of them
  /// come from one position (`*` in a dump).
  package var stride: Int
  /// Bytes of the stream in a group; 0 if the extent is one group of any length.
  package var groupSize: Int
  /// Bytes of the file from the first byte of a group to that of the next; meaningless if `groupSize` is 0.
  package var groupStride: Int

  package init(stride: Int, groupSize: Int = 0, groupStride: Int = 0) {
    (self.stride, self.groupSize, self.groupStride) = (stride, groupSize, groupStride)
  }

  /// Bytes of the file from the extent's first byte to the one at `index` (from 0).
  package func distance(to index: Int) -> Int {
    guard groupSize > 0 else { return index &* stride }
    let (group, position) = index.quotientAndRemainder(dividingBy: groupSize)
    return group &* groupStride &+ position &* stride
  }
}

/// Location in the examined file of an extent of a stream's bytes.
///
/// An extent ends where the distances change: it is a whole raw dump, all of a plain hex text, or a line of xxd. A
/// few numbers locate every byte of it.
package struct SourceExtent: BitwiseCopyable, Equatable, Sendable {
  /// Offset of the extent's first byte in its direction of the stream; from 0, including gaps.
  package var streamOffset: Int
  /// Offset in the file (from 0, after decompression) of the byte, or of the first digit, that it came from.
  package var fileOffset: Int
  /// Distances of the bytes after the first.
  package var spacing: Stride
  /// The packet that brought the extent; nil in a dump.
  package var packet: PacketReference?

  package init(streamOffset: Int, fileOffset: Int, spacing: Stride, packet: PacketReference? = nil) {
    (self.streamOffset, self.fileOffset, self.spacing) = (streamOffset, fileOffset, spacing)
    self.packet = packet
  }

  /// An extent whose bytes are `stride` bytes of the file apart.
  package init(streamOffset: Int, fileOffset: Int, stride: Int, packet: PacketReference? = nil) {
    self.init(
      streamOffset: streamOffset, fileOffset: fileOffset, spacing: Stride(stride: stride), packet: packet)
  }

  /// The file offset of the byte at `streamOffset`, which must be in this extent.
  package func fileOffset(of streamOffset: Int) -> Int {
    fileOffset &+ spacing.distance(to: streamOffset &- self.streamOffset)
  }

  /// Adds the bytes from `streamOffset` on, which must be in this extent; the extent ends at `end` of the stream or later.
  /// A position within a group gives a separate extent for the rest of the group.
  fileprivate func add(from streamOffset: Int, to end: Int, to parts: inout [SourceExtent]) {
    var part = self
    part.streamOffset = streamOffset
    part.fileOffset = fileOffset(of: streamOffset)
    let inGroup = spacing.groupSize > 0 ? (streamOffset &- self.streamOffset) % spacing.groupSize : 0
    if inGroup > 0 { part.spacing = Stride(stride: spacing.stride) }
    parts.append(part)
    let nextGroup = streamOffset &+ spacing.groupSize &- inGroup
    // The last group may be shorter, followed by another extent.
    if inGroup > 0, nextGroup < end { add(from: nextGroup, to: end, to: &parts) }
  }

  /// Whether `next` begins in the file where a byte of this extent would be: seldom so in a capture.
  @inline(__always)
  func reaches(_ next: SourceExtent) -> Bool { fileOffset(of: next.streamOffset) == next.fileOffset }

  /// Whether `next`, which begins after the last byte of this extent, continues it.
  package func isContinued(by next: SourceExtent) -> Bool {
    guard reaches(next), spacing == next.spacing, packet == next.packet else { return false }
    return spacing.groupSize == 0 || (next.streamOffset &- streamOffset) % spacing.groupSize == 0
  }
}

extension [SourceExtent] {
  /// Index of the extent that contains `streamOffset`; 0 if it is before all of them.
  package func index(of streamOffset: Int) -> Int {
    if !isEmpty, self[count - 1].streamOffset <= streamOffset { return count - 1 }
    return Swift.max(0, partitioningIndex { $0.streamOffset > streamOffset } - 1)
  }

  /// The extents of the bytes in `range` of the stream, moved by `shift` bytes of the stream. They must cover the
  /// range.
  package func slice(_ range: Range<Int>, shiftedBy shift: Int) -> [SourceExtent] {
    guard let head = first, !range.isEmpty else { return [] }
    if shift == 0, count == 1, range.lowerBound == head.streamOffset { return self }
    var parts: [SourceExtent] = []
    copy(range, from: index(of: range.lowerBound), shiftedBy: shift, to: &parts)
    return parts
  }

  /// Adds the extents of the bytes in `range` to others, moved by `shift` bytes of the stream. The one at `first` has the
  /// first byte.
  func copy(_ range: Range<Int>, from first: Int, shiftedBy shift: Int, to parts: inout [SourceExtent]) {
    let start = parts.count
    var next = first + 1
    let end = next < count ? Swift.min(self[next].streamOffset, range.upperBound) : range.upperBound
    self[first].add(from: range.lowerBound, to: end, to: &parts)
    while next < count, self[next].streamOffset < range.upperBound {
      parts.append(self[next])
      next += 1
    }
    for index in start..<parts.count { parts[index].streamOffset &+= shift }
  }
}
