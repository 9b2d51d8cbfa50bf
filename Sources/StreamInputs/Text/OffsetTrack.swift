import PacketCapture
import WireBytes

/// Follows the offsets of a dump's lines: where one does not continue the line before, lines are missing, out
/// of order, or stand for many (`*`).
struct OffsetTrack: Sendable {
  /// No stream is longer, gaps counted in, so that offsets downstream can be added without overflow.
  private static let longestStream = 1 << 60

  /// How many bytes the `*` lines of the file may put out.
  private let maxExpansion: Int
  private var expanded = 0
  /// What all gaps so far add up to.
  private var gapTotal = 0

  /// The base in which the text's offsets are written.
  var base = OffsetBase.hexadecimal

  /// The offset at which the line before ended; nil before the first line.
  private(set) var next: UInt64?
  /// The bytes of the line before, which `*` repeats; empty if that line could not be read whole.
  private(set) var row: [UInt8] = []
  /// A `*` that stands behind `row`, and how many bytes it has put out.
  private(set) var repeatMark: TextPlace?
  private var repeated = 0

  init(maxExpansion: Int) {
    self.maxExpansion = max(0, maxExpansion)
    row.reserveCapacity(256)
  }

  /// A `*` stands at `place`.
  mutating func beginRepeat(at place: TextPlace, into output: inout DecodedText, faults: inout FaultLog) {
    if next == nil {
      faults.report(
        "a * stands for lines like the one before it, and there is none: the text's beginning is missing",
        at: place, into: &output)
    } else if repeatMark == nil {
      repeatMark = place
      repeated = 0
    }
  }

  /// A line begins at `offset` of the dump, or the dump ends there (`isTotal`): puts out what lies between
  /// the line before and this one. False if `output` became full before that was done: call it again.
  mutating func advance(
    to offset: UInt64, isTotal: Bool, at place: TextPlace, into output: inout DecodedText,
    faults: inout FaultLog
  ) -> Bool {
    if let next, next != offset {
      let distance = Int(truncatingIfNeeded: offset &- next)
      if distance < 0 || distance > Self.longestStream - gapTotal {
        faults.report(
          "the offset \(base.name(offset)) does not continue the line before, which ends at "
            + "\(base.name(next)): the lines are out of order, or an offset is damaged; the bytes are taken as "
            + "they come", at: place, into: &output)
      } else if let mark = repeatMark, !row.isEmpty {
        guard expand(distance, isTotal: isTotal, mark: mark, at: place, into: &output, faults: &faults) else {
          return false
        }
      } else {
        leaveGap(distance, at: place, into: &output)
      }
    }
    next = offset
    repeatMark = nil
    return true
  }

  /// A line could not be read at all: what its `*` stood for, or a `*` behind it stands for, is unknown.
  mutating func loseRow() {
    row.removeAll(keepingCapacity: true)
  }

  /// The line's bytes are read. A line that could not be read whole is nothing to repeat.
  mutating func endRow(_ bytes: ArraySlice<UInt8>, isWhole: Bool) {
    next = (next ?? 0) &+ UInt64(bytes.count)
    row.removeAll(keepingCapacity: true)
    if isWhole { row.append(contentsOf: bytes) }
  }

  /// Repeats `row` over `distance` bytes. Only the end of a dump may cut the last repetition short.
  private mutating func expand(
    _ distance: Int, isTotal: Bool, mark: TextPlace, at place: TextPlace, into output: inout DecodedText,
    faults: inout FaultLog
  ) -> Bool {
    let odd = isTotal ? 0 : (distance + repeated) % row.count
    let wanted = distance - odd
    let allowed = min(wanted, maxExpansion - expanded)
    let count = putOutRow(allowed, at: mark.fileOffset, into: &output)
    if count < allowed { return false }
    if allowed < wanted {
      faults.report(
        "this * stands for \(repeated + wanted - allowed) bytes, and together with those before for more than "
          + "\(maxExpansion): the rest is left out; --max-expansion raises the limit", at: mark, into: &output
      )
    }
    if odd > 0 {
      faults.report(
        "the * before this line stands for \(repeated + wanted - allowed + odd) bytes, which is no multiple of "
          + "the line's \(row.count): a line is missing, or an offset is damaged", at: place, into: &output)
    }
    leaveGap(distance - allowed, at: mark, into: &output)
    return true
  }

  /// Puts `count` bytes of the repetition out, or as many as fit; returns how many.
  private mutating func putOutRow(_ count: Int, at mark: Int, into output: inout DecodedText) -> Int {
    let fitting = min(count, output.room)
    let row = row
    var index = repeated % row.count
    let done = output.append(upTo: fitting, at: mark, spacing: Spacing(stride: 0)) { bytes in
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

  private mutating func leaveGap(_ length: Int, at place: TextPlace, into output: inout DecodedText) {
    guard length > 0 else { return }
    gapTotal += length
    output.appendGap(length: length, at: place.fileOffset)
  }
}
