import PacketCapture

/// What a text decoder has made of a block: bytes, the gaps between them, and what it could not read.
package struct DecodedText: Sendable {
  /// One extent, in the order of the file.
  package enum Part: Equatable, Sendable {
    /// The next `count` of `bytes`: the first one stands in the file at `fileOffset`, the others as `spacing`
    /// says. Stretches that follow one another directly are contiguous in the stream.
    case bytes(count: Int, fileOffset: Int, spacing: Spacing)
    /// `length` bytes that the text says are missing, noticed at `fileOffset`.
    case gap(length: Int, fileOffset: Int)
    /// A place that cannot be read.
    indirect case fault(InputFault)
  }

  /// A decoder stops when it has put out this many bytes (or as many parts), so that an input which says
  /// "the line before, two thousand million times" costs no more memory than any other. It may go beyond it
  /// by what one line holds.
  package static let capacity = 64 << 10

  package private(set) var bytes: [UInt8] = []
  package private(set) var parts: [Part] = []
  /// The last part while bytes may still be added to it.
  private var stretch: Stretch?

  package init() {}

  package var isFull: Bool { bytes.count >= Self.capacity || parts.count >= Self.capacity }

  /// Bytes that fit in before it is full.
  var room: Int { max(0, Self.capacity - bytes.count) }

  /// Adds a byte that stands at `fileOffset`, in a text whose bytes are usually `stride` bytes apart.
  package mutating func append(_ byte: UInt8, at fileOffset: Int, stride: Int) {
    bytes.append(byte)
    extend(by: 1, at: fileOffset, spacing: Spacing(stride: stride))
  }

  /// Adds the bytes, at most `maxCount`, that `write` puts out: the first stands at `fileOffset`, the others
  /// as `spacing` says. Returns how many they are.
  @inline(__always)
  mutating func append(
    upTo maxCount: Int, at fileOffset: Int, spacing: Spacing, write: (inout OutputSpan<UInt8>) -> Void
  ) -> Int {
    let before = bytes.count
    if bytes.capacity &- before < maxCount {
      // Once for all: `append(addingCapacity:)` would otherwise grow a little each time.
      bytes.reserveCapacity(max(Self.capacity + Self.capacity / 4, before + maxCount))
    }
    bytes.append(addingCapacity: maxCount, initializingWith: write)
    let count = bytes.count &- before
    if count > 0 { extend(by: count, at: fileOffset, spacing: spacing) }
    return count
  }

  package mutating func appendGap(length: Int, at fileOffset: Int) {
    stretch = nil
    parts.append(.gap(length: length, fileOffset: fileOffset))
  }

  package mutating func append(_ fault: InputFault) {
    stretch = nil
    parts.append(.fault(fault))
  }

  /// What is added next stands apart from what was added before, wherever it stands in the file.
  mutating func endStretch() { stretch = nil }

  /// Empties it and keeps its storage.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    stretch = nil
  }

  private mutating func extend(by count: Int, at fileOffset: Int, spacing: Spacing) {
    if stretch?.absorb(count, at: fileOffset, spacing: spacing) == true, let stretch {
      parts[parts.count &- 1] = stretch.part
    } else {
      let stretch = Stretch(count: count, fileOffset: fileOffset, spacing: spacing)
      self.stretch = stretch
      parts.append(stretch.part)
    }
  }
}

/// Bytes at even distances, and what it takes to tell whether further ones continue them.
private struct Stretch: Sendable {
  private var count: Int
  private let fileOffset: Int
  private var spacing: Spacing
  /// File offset of the last group's first byte, and how many bytes that group has so far.
  private var groupStart: Int
  private var inGroup: Int

  init(count: Int, fileOffset: Int, spacing: Spacing) {
    self.count = count
    self.fileOffset = fileOffset
    self.spacing = spacing
    groupStart = fileOffset
    inGroup = count
    if spacing.groupSize > 0 { settleGroup() }
  }

  var part: DecodedText.Part { .bytes(count: count, fileOffset: fileOffset, spacing: spacing) }

  /// Adds `more` bytes that stand at `offset` if they continue the extent: within its last group, or as its
  /// next group. The second group of an extent decides how far apart its groups are.
  mutating func absorb(_ more: Int, at offset: Int, spacing other: Spacing) -> Bool {
    guard other.stride == spacing.stride else { return false }
    guard other.groupSize == 0 else { return absorbGroups(more, at: offset, spacing: other) }
    if offset == groupStart &+ inGroup &* spacing.stride,
      spacing.groupSize == 0 || inGroup &+ more <= spacing.groupSize
    {
      count &+= more
      inGroup &+= more
      return true
    }
    if spacing.groupSize == 0, more <= inGroup, offset > groupStart {
      spacing.groupSize = inGroup
      spacing.groupStride = offset &- groupStart
    }
    guard inGroup == spacing.groupSize, offset == groupStart &+ spacing.groupStride, more <= inGroup else {
      return false
    }
    count &+= more
    groupStart = offset
    inGroup = more
    return true
  }

  private mutating func absorbGroups(_ more: Int, at offset: Int, spacing other: Spacing) -> Bool {
    guard other == spacing, inGroup == spacing.groupSize, offset == groupStart &+ spacing.groupStride else {
      return false
    }
    groupStart = offset
    inGroup = more
    count &+= more
    settleGroup()
    return true
  }

  /// Moves on to the last group of `inGroup` bytes, which may be many groups.
  private mutating func settleGroup() {
    guard inGroup > spacing.groupSize else { return }
    let groups = (inGroup &- 1) / spacing.groupSize
    groupStart &+= groups &* spacing.groupStride
    inGroup &-= groups &* spacing.groupSize
  }
}
