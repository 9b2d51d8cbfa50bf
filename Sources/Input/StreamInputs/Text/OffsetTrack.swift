import Basics
import PacketCapture

/// Tracks the offsets of a dump's lines: if one does not continue the line before, lines are missing, out of order,
/// or repeated (`*`).
struct OffsetTrack: Sendable {
  /// Maximum stream length, including gaps, so that offsets can be added without overflow.
  private static let longestStream = 1 << 60

  /// Maximum number of bytes for the `*` lines of the file.
  private let maxExpansion: Int
  private var expanded = 0
  /// Total length of all gaps so far.
  private var gapTotal = 0

  /// Base of the text's offsets.
  private let base: OffsetBase
  /// Whether a line had a text column.
  private(set) var hasText = false
  /// End offset of the line before; nil before the first line.
  private(set) var next: UInt64?
  /// The bytes of the line before, which `*` repeats; empty if that line was damaged.
  private(set) var row: [UInt8] = []
  /// A `*` after `row`, and the number of bytes emitted for it.
  private(set) var repeatMark: TextPosition?
  private var repeated = 0

  init(_ base: OffsetBase, maxExpansion: Int) {
    self.base = base
    self.maxExpansion = max(0, maxExpansion)
    row.reserveCapacity(256)
  }

  /// Handles a `*` at `position`.
  mutating func beginRepeat(at position: TextPosition, into output: inout DecodedText) {
    if next == nil {
      output.fault(
        "this * repeats the line before it, which is missing: the text is incomplete", at: position)
    } else if repeatMark == nil {
      repeatMark = position
      repeated = 0
    }
  }

  /// A line begins at `offset` of the dump, or the dump ends there (`isTotal`): emits the bytes between the line
  /// before and this one. False if `output` became full first: call it again.
  mutating func advance(
    to offset: UInt64, isTotal: Bool, at position: TextPosition, into output: inout DecodedText
  ) -> Bool {
    if let next, next != offset {
      let distance = Int(truncatingIfNeeded: offset &- next)
      if distance < 0 || distance > Self.longestStream - gapTotal {
        output.fault(
          "the offset \(base.name(offset)) does not continue the line before, which ends at "
            + "\(base.name(next)): the lines are out of order, or an offset is damaged; the bytes are "
            + "used in file order", at: position)
      } else if let mark = repeatMark, !row.isEmpty {
        guard expand(distance, isTotal: isTotal, mark: mark, at: position, into: &output) else {
          return false
        }
      } else {
        appendGap(distance, at: position, into: &output)
      }
    }
    next = offset
    repeatMark = nil
    return true
  }

  /// A line is unreadable: a `*` before or after it has nothing to repeat.
  mutating func loseRow() {
    row.removeAll(keepingCapacity: true)
  }

  /// The line's bytes are read. A damaged line is not repeated.
  mutating func endRow(_ bytes: ArraySlice<UInt8>, isWhole: Bool, hasText: Bool = false) {
    self.hasText = self.hasText || hasText
    next = (next ?? 0) &+ UInt64(bytes.count)
    row.removeAll(keepingCapacity: true)
    if isWhole { row.append(contentsOf: bytes) }
  }

  /// Repeats `row` over `distance` bytes. Only the end of a dump may shorten the last repetition.
  private mutating func expand(
    _ distance: Int, isTotal: Bool, mark: TextPosition, at position: TextPosition,
    into output: inout DecodedText
  ) -> Bool {
    let odd = isTotal ? 0 : (distance + repeated) % row.count
    let wanted = distance - odd
    let allowed = min(wanted, maxExpansion - expanded)
    let count = emitRow(allowed, at: mark.fileOffset, into: &output)
    if count < allowed { return false }
    if allowed < wanted {
      output.fault(
        "this * repeats \(repeated + wanted - allowed) bytes, which exceeds the limit of "
          + "\(maxExpansion) for the whole text: the rest is skipped; raise --max-expansion", at: mark)
    }
    if odd > 0 {
      output.fault(
        "the * before this line repeats \(repeated + wanted - allowed + odd) bytes, which is not a "
          + "multiple of the line's \(row.count): a line is missing, or an offset is damaged", at: position)
    }
    appendGap(distance - allowed, at: mark, into: &output)
    return true
  }

  /// Emits `count` bytes of the repetition, or fewer if they do not fit; returns their number.
  private mutating func emitRow(_ count: Int, at mark: Int, into output: inout DecodedText) -> Int {
    let fitting = min(count, output.room)
    let row = row
    var index = repeated % row.count
    let done = output.append(upTo: fitting, at: mark, spacing: Stride(stride: 0)) { bytes in
      for _ in 0..<fitting {
        bytes.append(row[index])
        index = index &+ 1 == row.count ? 0 : index &+ 1
      }
    }
    repeated += done
    expanded += done
    next = next.map { $0 &+ UInt64(done) }
    return done
  }

  private mutating func appendGap(_ length: Int, at position: TextPosition, into output: inout DecodedText) {
    guard length > 0 else { return }
    gapTotal += length
    output.appendGap(length: length, at: position.fileOffset)
  }
}
