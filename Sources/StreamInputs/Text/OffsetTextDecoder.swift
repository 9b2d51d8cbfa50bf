import PacketCapture
import WireBytes

/// Decodes the output of a hex dump tool that begins its lines with an offset: xxd or hexdump -C.
///
/// The hex column gives the bytes; everything else in a line is checked against it. Lines that are missing
/// are gaps; `*` stands for repetitions of the line before. A line that cannot be read gives what stands before
/// the damage, and the rest of it is a gap as soon as the next line's offset tells how long it is.
package struct OffsetTextDecoder<Format: OffsetTextFormat>: HeadedTextDecoder {
  var head = TextHead()
  private var lines = LineAssembly()
  private var faults = FaultLog()
  private var track: OffsetTrack
  /// Whether the last line was the total, or a fault has already said that the text is cut.
  private var isEndExplained = false

  /// `maxExpansion`: how many bytes all `*` lines of the file together may put out; beyond it they become
  /// gaps, with a fault. Without a limit, a line of ten characters could stand for exabytes.
  package init(maxExpansion: Int = 1 << 30) {
    track = OffsetTrack(maxExpansion: maxExpansion)
  }

  mutating func study(_ head: RawSpan, isWhole: Bool) {
    track.base = Format.base(of: head)
    if head.beginsWithByteOrderMark {
      lines.cursor.skip(byteOrderMark: 3)
      self.head.readCount = 3
    }
  }

  mutating func read(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    var index = start
    while index < text.byteCount, !output.isFull {
      guard let end = text.newlineIndex(from: index) else {
        hold(text, index..<text.byteCount, into: &output)
        return text.byteCount
      }
      if lines.isEmpty, end - index <= LineAssembly.maxLength {
        let line = TextLine(range: index..<end, isTerminated: true, cursor: lines.cursor)
        guard readLine(line, of: text, into: &output) else { return index }
        lines.endLine(length: end - index)
      } else {
        hold(text, index..<end, into: &output)
        guard readHeldLine(isTerminated: true, into: &output) else { return end }
        lines.endLine(length: 0)
      }
      index = end + 1
    }
    return index
  }

  mutating func end(into output: inout DecodedText) -> Bool {
    guard lines.isEmpty || readHeldLine(isTerminated: false, into: &output) else { return false }
    if let mark = track.repeatMark, !isEndExplained {
      reportCut(
        "the text ends behind this *, so how many lines it stands for is not known", mark, into: &output)
    } else if Format.endsWithTotal, !isEndExplained, track.next != nil {
      reportCut("the last line, with the total alone, is missing", lines.cursor.place, into: &output)
    }
    faults.close(into: &output)
    return true
  }

  private mutating func hold(_ text: RawSpan, _ range: Range<Int>, into output: inout DecodedText) {
    if lines.add(text, range) {
      faults.report(
        "a line of more than \(LineAssembly.maxLength) bytes is no line of a hex dump; it is left out",
        at: lines.cursor.place, into: &output)
      track.loseRow()
    }
  }

  private mutating func readHeldLine(isTerminated: Bool, into output: inout DecodedText) -> Bool {
    guard !lines.isTooLong else { return true }
    let held = lines.take()
    defer { lines.putBack(held) }
    let line = TextLine(range: 0..<held.count, isTerminated: isTerminated, cursor: lines.cursor)
    return readLine(line, of: held.span.bytes, into: &output)
  }

  /// Reads one line. False if `output` became full first; nothing of the line itself has been put out then.
  private mutating func readLine(_ line: TextLine, of text: RawSpan, into output: inout DecodedText) -> Bool {
    let start = line.range.lowerBound
    let end = line.isTerminated ? line.end(in: text) : line.range.upperBound
    let trimmedEnd = line.trimmedEnd(in: text)
    if trimmedEnd == start { return true }
    if trimmedEnd == start + 1, text.byte(at: start) == UInt8(ascii: "*") {
      isEndExplained = false
      track.beginRepeat(at: line.place(start), into: &output, faults: &faults)
      return true
    }
    if let offset = track.base.read(text, from: start, to: end) {
      return readLine(line, of: text, to: end, withOffset: offset.value, endingAt: offset.end, into: &output)
    }
    reportOffset(text, at: start, of: line, into: &output)
    return true
  }
}

// MARK: - Parts of a line

extension OffsetTextDecoder {
  /// Reads what stands after the line's offset, which ends at `index`; the line ends at `end`. False as above.
  private mutating func readLine(
    _ line: TextLine, of text: RawSpan, to end: Int, withOffset offset: UInt64, endingAt index: Int,
    into output: inout DecodedText
  ) -> Bool {
    let start = line.range.lowerBound
    switch Format.behindOffset(text, at: index, to: end) {
    case .lineEnd:
      return readTotal(offset, digits: index - start, of: line, into: &output)
    case .other:
      reportOffset(text, at: index, of: line, into: &output)
      return true
    case .hexColumn(let column):
      isEndExplained = false
      let place = line.place(start)
      guard track.advance(to: offset, isTotal: false, at: place, into: &output, faults: &faults) else {
        return false
      }
      readColumns(text, from: column, to: end, of: line, into: &output)
      return true
    }
  }

  /// Reads the hex column, which begins at `column`, and holds the text column against it.
  private mutating func readColumns(
    _ text: RawSpan, from column: Int, to end: Int, of line: TextLine, into output: inout DecodedText
  ) {
    let before = output.bytes.count
    let outcome = HexColumn.read(text, from: column, to: end, of: line, as: Format.self, into: &output)
    let bytes = output.bytes[before...]
    switch outcome {
    case .whole(let hexEnd):
      track.endRow(bytes, isWhole: true)
      let textColumn = Format.compare(text, from: hexEnd, to: end, with: bytes)
      guard textColumn != .agrees else { return }
      if !line.isTerminated {
        reportCut(
          "the last line has no line end, and is short of its text column", line.place(end), into: &output)
      } else if case .differs(let index, let held) = textColumn {
        reportTextColumn(text, at: index, to: end, of: line, holding: held, into: &output)
      }
    case .damaged(let index, let message):
      track.endRow(bytes, isWhole: false)
      faults.report("\(message); the rest of the line is left out", at: line.place(index), into: &output)
    case .cut(let index):
      track.endRow(bytes, isWhole: false)
      reportCut(
        "the last line has no line end, and ends within its hex digits", line.place(index), into: &output)
    }
  }

  /// Reads a line that holds an offset of `digits` digits alone: the total, if the tool writes one. Without a
  /// line end it may be the beginning of any line, unless the bytes confirm it: only a dump's last line is
  /// shorter than 16 bytes.
  private mutating func readTotal(
    _ total: UInt64, digits: Int, of line: TextLine, into output: inout DecodedText
  ) -> Bool {
    let place = line.place(line.range.lowerBound)
    let isConfirmed = track.next == total && track.repeatMark == nil && track.row.count % 16 != 0
    let mayBeCut = !line.isTerminated && !isConfirmed
    // Eight digits or more that a cut has left of a longer number are less than it was, so that repeating the
    // line before up to there is right in any case.
    if !mayBeCut || (digits >= 8 && total >= track.next ?? total) {
      guard track.advance(to: total, isTotal: true, at: place, into: &output, faults: &faults) else {
        return false
      }
    }
    if mayBeCut {
      reportCut("the last line has no line end, and may be the beginning of another", place, into: &output)
    }
    isEndExplained = true
    return true
  }

  private mutating func reportOffset(
    _ text: RawSpan, at index: Int, of line: TextLine, into output: inout DecodedText
  ) {
    track.loseRow()
    let end = line.end(in: text)
    guard index < end || line.isTerminated else {
      return reportCut(
        "the last line has no line end, and ends within its offset", line.place(index), into: &output)
    }
    let isTooLarge = index == line.range.lowerBound && Hex.value(ofDigit: text.byte(at: index)) != nil
    let found =
      isTooLarge
      ? "a number of more than 64 bits"
      : index < end ? ASCII.name(text.byte(at: index)) : "the end of the line"
    faults.report(
      "the offset that begins a line of the dump was expected, and found was \(found); the line is left out",
      at: line.place(index), into: &output)
  }

  private mutating func reportTextColumn(
    _ text: RawSpan, at index: Int, to end: Int, of line: TextLine, holding held: UInt8?,
    into output: inout DecodedText
  ) {
    let shown = index < end ? ASCII.name(text.byte(at: index)) : "nothing"
    let holds = held.map { ASCII.name($0) } ?? "nothing"
    faults.report(
      "the text column shows \(shown), the hex column holds \(holds): \(Format.hintOnTextColumn); the hex column "
        + "is used", at: line.place(index), into: &output)
  }

  private mutating func reportCut(_ finding: String, _ place: TextPlace, into output: inout DecodedText) {
    isEndExplained = true
    faults.report("\(finding): the text is cut; what lies before is used", at: place, into: &output)
  }
}

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
  /// A `*` that stands after `row`, and how many bytes it has put out.
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

  /// A line could not be read at all: what its `*` stood for, or a `*` after it stands for, is unknown.
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
