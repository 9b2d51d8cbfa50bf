import Basics
import PacketCapture

/// A text decoder's output for a block: bytes, gaps between them, and errors.
package struct DecodedText: Sendable {
  /// In the order of the file.
  package enum DecodedPart: Equatable, Sendable {
    /// A range of `bytes`, which are contiguous in the stream.
    case bytes(Range<Int>)
    /// `length` bytes missing according to the text, detected at `fileOffset`.
    case gap(length: Int, fileOffset: Int)
    /// An unreadable position.
    indirect case error(InputError)
    /// In texts of several streams or directions: what the next parts belong to.
    case mark(StreamMark)
  }

  /// A decoder stops at this number of bytes (or parts), so that an input which says "the line before, two thousand
  /// million times" costs no more memory than any other. It may exceed it by one line.
  package static let capacity = 64 << 10

  package private(set) var bytes: [UInt8] = []
  package private(set) var parts: [DecodedPart] = []
  /// Where the bytes are in the file; `streamOffset` is an index of `bytes`. An extent does not go beyond its part.
  package private(set) var origins: [SourceExtent] = []
  /// Errors of the file so far. Those above the limit are only counted: such a file is probably of another kind.
  private var errorCount = 0
  private static let maxErrors = 20
  /// File offset of the first byte of the last extent's last group, and the number of its bytes; 0 if the extent has
  /// ended.
  private var (groupStart, inGroup) = (0, 0)

  package init() {}

  package var isFull: Bool { bytes.count >= Self.capacity || parts.count >= Self.capacity }

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

  mutating func error(_ message: Message, at position: TextPosition) {
    errorCount += 1
    guard errorCount <= Self.maxErrors else { return }
    append(InputError(message, fileOffset: position.fileOffset, line: position.line, column: position.column))
  }

  /// The file has ended: reports the number of errors that were only counted.
  mutating func closeErrors() {
    guard errorCount > Self.maxErrors else { return }
    append(
      InputError(
        "\(Count.of(errorCount - Self.maxErrors, "further error")) in this text; check that its format is right "
          + "(--from)"))
    errorCount = 0
  }

  package mutating func append(_ error: InputError) { append(.error(error)) }

  /// Adds a part that is no bytes: the next bytes begin another one.
  mutating func append(_ part: DecodedPart) {
    inGroup = 0
    parts.append(part)
  }

  var hasErrors: Bool { errorCount > 0 }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    inGroup = 0
  }

  private mutating func extend(by more: Int, at fileOffset: Int, spacing: Stride) {
    let start = bytes.count &- more
    if case .bytes(let range)? = parts.last {
      parts[parts.count &- 1] = .bytes(range.lowerBound..<bytes.count)
    } else {
      parts.append(.bytes(start..<bytes.count))
    }
    if inGroup > 0, spacing.groupSize == 0, var groups = origins.last?.spacing,
      groups.stride == spacing.stride, continueGroups(&groups, by: more, at: fileOffset)
    {
      origins[origins.count &- 1].spacing = groups
      return
    }
    origins.append(SourceExtent(streamOffset: start, fileOffset: fileOffset, spacing: spacing))
    // Base64 comes in lines: further ones are at other distances.
    (groupStart, inGroup) = (fileOffset, spacing.groupSize == 0 ? more : 0)
  }

  /// Whether bytes at `fileOffset` are within the last group, or the next group. The second group decides the distance
  /// of all groups.
  private mutating func continueGroups(_ groups: inout Stride, by more: Int, at fileOffset: Int) -> Bool {
    let isWithin = groups.groupSize == 0 || inGroup &+ more <= groups.groupSize
    if isWithin, fileOffset == groupStart &+ inGroup &* groups.stride {
      inGroup &+= more
      return true
    }
    if groups.groupSize == 0, fileOffset > groupStart {
      (groups.groupSize, groups.groupStride) = (inGroup, fileOffset &- groupStart)
    }
    guard inGroup == groups.groupSize, fileOffset == groupStart &+ groups.groupStride, more <= inGroup else {
      return false
    }
    (groupStart, inGroup) = (fileOffset, more)
    return true
  }
}
