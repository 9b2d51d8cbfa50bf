import Basics
import PacketCapture

/// A text decoder's output for a block: bytes, gaps between them, and faults.
package struct DecodedText: Sendable {
  /// In the order of the file.
  package enum Part: Equatable, Sendable {
    /// A range of `bytes`, which are contiguous in the stream.
    case bytes(Range<Int>)
    /// `length` bytes missing according to the text, detected at `fileOffset`.
    case gap(length: Int, fileOffset: Int)
    /// An unreadable position.
    indirect case fault(InputFault)
    /// In texts of several streams or directions: what the next parts belong to.
    case mark(StreamMark)
  }

  /// A decoder stops at this number of bytes (or parts), so that an input which says "the line before, two thousand
  /// million times" costs no more memory than any other. It may exceed it by one line.
  package static let capacity = 64 << 10

  package private(set) var bytes: [UInt8] = []
  package private(set) var parts: [Part] = []
  /// Where the bytes are in the file; `streamOffset` is an index of `bytes`. An extent does not go beyond its part.
  package private(set) var origins: [SourceExtent] = []
  /// Faults of the file so far. Those above the limit are only counted: such a file is probably of another kind.
  private var faultCount = 0
  private static let maxFaults = 20
  /// The last extent, while bytes may still be added to its part, and the start of that part.
  private var extent: Extent?
  private var partStart = 0

  package init() {}

  package var isFull: Bool { bytes.count >= Self.capacity || parts.count >= Self.capacity }

  /// Bytes that fit in before it is full.
  var room: Int { max(0, Self.capacity - bytes.count) }

  /// Adds a byte at `fileOffset`, in a text whose bytes are usually `stride` bytes apart.
  package mutating func append(_ byte: UInt8, at fileOffset: Int, stride: Int) {
    bytes.append(byte)
    extend(by: 1, at: fileOffset, spacing: Stride(stride: stride))
  }

  /// Adds the bytes, at most `maxCount`, that `write` writes: the first is at `fileOffset`, the others follow as
  /// `spacing` says. Returns their number.
  @inline(__always)
  mutating func append(
    upTo maxCount: Int, at fileOffset: Int, spacing: Stride, write: (inout OutputSpan<UInt8>) -> Void
  ) -> Int {
    let before = bytes.count
    if bytes.capacity &- before < maxCount {
      // Reserved once: `append(addingCapacity:)` would grow a little each time.
      bytes.reserveCapacity(max(Self.capacity + Self.capacity / 4, before + maxCount))
    }
    bytes.append(addingCapacity: maxCount, initializingWith: write)
    let count = bytes.count &- before
    if count > 0 { extend(by: count, at: fileOffset, spacing: spacing) }
    return count
  }

  package mutating func appendGap(length: Int, at fileOffset: Int) {
    append(.gap(length: length, fileOffset: fileOffset))
  }

  mutating func fault(_ message: Message, at position: TextPosition) {
    faultCount += 1
    guard faultCount <= Self.maxFaults else { return }
    append(
      InputFault(message, fileOffset: position.fileOffset, line: position.line, column: position.column))
  }

  /// The file has ended: reports the number of faults that were only counted.
  mutating func closeFaults() {
    guard faultCount > Self.maxFaults else { return }
    append(
      InputFault(
        "\(Count.of(faultCount - Self.maxFaults, "further error")) in this text; check that its format is right "
          + "(--from)"))
    faultCount = 0
  }

  package mutating func append(_ fault: InputFault) { append(.fault(fault)) }

  /// Adds a part that is no bytes: the next bytes begin another one.
  mutating func append(_ part: Part) {
    extent = nil
    parts.append(part)
  }

  var hasFaults: Bool { faultCount > 0 }

  /// Empties it and keeps its storage.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    extent = nil
  }

  private mutating func extend(by count: Int, at fileOffset: Int, spacing: Stride) {
    let start = bytes.count &- count
    if extent == nil {
      partStart = start
      parts.append(.bytes(start..<bytes.count))
    } else {
      parts[parts.count &- 1] = .bytes(partStart..<bytes.count)
    }
    if extent?.absorb(count, at: fileOffset, spacing, into: &origins[origins.count &- 1].spacing) != true {
      extent = Extent(count: count, fileOffset: fileOffset, spacing: spacing)
      origins.append(SourceExtent(streamOffset: start, fileOffset: fileOffset, spacing: spacing))
    }
  }
}

/// Bytes at even distances, and the state to decide whether further ones continue them.
private struct Extent: Sendable {
  /// File offset of the last group's first byte, and the number of bytes in that group so far.
  private var groupStart: Int
  private var inGroup: Int

  init(count: Int, fileOffset: Int, spacing: Stride) {
    groupStart = fileOffset
    inGroup = count
    if spacing.groupSize > 0 { settleGroup(spacing) }
  }

  /// Adds `more` bytes at `offset` if they continue the extent, which has this `spacing`: within its last group, or as
  /// its next group. The second group of an extent decides the distance of its groups.
  mutating func absorb(_ more: Int, at offset: Int, _ other: Stride, into spacing: inout Stride) -> Bool {
    guard other.stride == spacing.stride else { return false }
    guard other.groupSize == 0 else { return other == spacing && absorbGroups(more, at: offset, spacing) }
    if offset == groupStart &+ inGroup &* spacing.stride,
      spacing.groupSize == 0 || inGroup &+ more <= spacing.groupSize
    {
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
    groupStart = offset
    inGroup = more
    return true
  }

  private mutating func absorbGroups(_ more: Int, at offset: Int, _ spacing: Stride) -> Bool {
    guard inGroup == spacing.groupSize, offset == groupStart &+ spacing.groupStride else { return false }
    groupStart = offset
    inGroup = more
    settleGroup(spacing)
    return true
  }

  /// Moves on to the last group of `inGroup` bytes, which may be many groups.
  private mutating func settleGroup(_ spacing: Stride) {
    guard inGroup > spacing.groupSize else { return }
    let groups = (inGroup &- 1) / spacing.groupSize
    groupStart &+= groups &* spacing.groupStride
    inGroup &-= groups &* spacing.groupSize
  }
}
