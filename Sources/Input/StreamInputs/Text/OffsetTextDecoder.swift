import Basics
import PacketCapture

/// Decodes hex dumps whose lines begin with an offset: those of xxd, hexdump -C and others.
///
/// The hex column gives the bytes; everything else in a line is checked against it. Missing lines are gaps; `*`
/// repeats the line before. A damaged line yields the bytes before the damage, and the rest of it
/// is a gap once the next line's offset shows its length.
package struct OffsetTextDecoder<Format: OffsetTextFormat>: HeadedTextDecoder {
  var head = TextHead()
  private var lines = LineAssembly()
  private var faults = FaultLog()
  private var track: OffsetTrack
  /// Whether the last line was the total, or the truncation has been reported.
  private var isEndExplained = false

  /// `maxExpansion`: maximum number of bytes for all `*` lines of the file; the excess becomes gaps, with a fault.
  /// Without a limit, a line of ten characters could expand to exabytes.
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
        buffer(text, index..<text.byteCount, into: &output)
        return text.byteCount
      }
      if lines.isEmpty, end - index <= LineAssembly.maxLength {
        let line = TextLine(range: index..<end, isTerminated: true, cursor: lines.cursor)
        guard readLine(line, of: text, into: &output) else { return index }
        lines.endLine(length: end - index)
      } else {
        buffer(text, index..<end, into: &output)
        guard readBufferedLine(isTerminated: true, into: &output) else { return end }
        lines.endLine(length: 0)
      }
      index = end + 1
    }
    return index
  }

  mutating func end(into output: inout DecodedText) -> Bool {
    guard lines.isEmpty || readBufferedLine(isTerminated: false, into: &output) else { return false }
    if let mark = track.repeatMark, !isEndExplained {
      reportCut("the text ends after this *, so its number of repetitions is unknown", mark, into: &output)
    } else if Format.endsWithTotal, !isEndExplained, track.next != nil {
      reportCut("the last line, with the total size, is missing", lines.cursor.position, into: &output)
    }
    faults.close(into: &output)
    return true
  }

  private mutating func buffer(_ text: RawSpan, _ range: Range<Int>, into output: inout DecodedText) {
    if lines.add(text, range) {
      faults.report(

        "the line is longer than \(LineAssembly.maxLength) bytes, so it is not part of a hex dump; "
          + "skipped", at: lines.cursor.position, into: &output)
      track.loseRow()
    }
  }

  private mutating func readBufferedLine(isTerminated: Bool, into output: inout DecodedText) -> Bool {
    guard !lines.isTooLong else { return true }
    let buffered = lines.take()
    defer { lines.putBack(buffered) }
    let line = TextLine(range: 0..<buffered.count, isTerminated: isTerminated, cursor: lines.cursor)
    return readLine(line, of: buffered.span.bytes, into: &output)
  }

  /// Reads one line. False if `output` became full first; nothing of the line itself has been emitted then.
  private mutating func readLine(_ line: TextLine, of text: RawSpan, into output: inout DecodedText) -> Bool {
    let start = line.range.lowerBound
    let end = line.isTerminated ? line.end(in: text) : line.range.upperBound
    let trimmedEnd = line.trimmedEnd(in: text)
    if trimmedEnd == start { return true }
    if trimmedEnd == start + 1, text.byte(at: start) == UInt8(ascii: "*") {
      isEndExplained = false
      track.beginRepeat(at: line.position(start), into: &output, faults: &faults)
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
  /// Reads the line after its offset, which ends at `index`; the line ends at `end`. False as above.
  private mutating func readLine(
    _ line: TextLine, of text: RawSpan, to end: Int, withOffset offset: UInt64, endingAt index: Int,
    into output: inout DecodedText
  ) -> Bool {
    let start = line.range.lowerBound
    switch Format.afterOffset(text, at: index, to: end) {
    case .lineEnd:
      return readTotal(offset, digits: index - start, of: line, into: &output)
    case .other:
      reportOffset(text, at: index, of: line, into: &output)
      return true
    case .hexColumn(let column):
      isEndExplained = false
      let position = line.position(start)
      guard track.advance(to: offset, isTotal: false, at: position, into: &output, faults: &faults) else {
        return false
      }
      readColumns(text, from: column, to: end, of: line, into: &output)
      return true
    }
  }

  /// Reads the hex column, which begins at `column`, and compares the text column with it.
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
          "the last line has no line end and an incomplete text column", line.position(end), into: &output)
      } else if case .differs(let index, let expected) = textColumn {
        reportTextColumn(text, at: index, to: end, of: line, expected: expected, into: &output)
      }
    case .damaged(let index, let message):
      track.endRow(bytes, isWhole: false)
      faults.report(message, at: line.position(index), into: &output)
    case .cut(let index):
      track.endRow(bytes, isWhole: false)
      reportCut(
        "the last line has no line end and ends within its hex digits", line.position(index), into: &output)
    }
  }

  /// Reads a line with an offset of `digits` digits alone: the total, if the tool writes one. Without a line end it
  /// may be the beginning of any line, unless the bytes confirm it: only the last line of a dump is shorter than 16
  /// bytes.
  private mutating func readTotal(
    _ total: UInt64, digits: Int, of line: TextLine, into output: inout DecodedText
  ) -> Bool {
    let position = line.position(line.range.lowerBound)
    let isConfirmed = track.next == total && track.repeatMark == nil && track.row.count % 16 != 0
    let mayBeCut = !line.isTerminated && !isConfirmed
    // A number of at least eight digits that was cut is less than the original, so repeating the line before up to
    // there is right in any case.
    if !mayBeCut || (digits >= 8 && total >= track.next ?? total) {
      guard track.advance(to: total, isTotal: true, at: position, into: &output, faults: &faults) else {
        return false
      }
    }
    if mayBeCut {
      reportCut("the last line has no line end and may be incomplete", position, into: &output)
    }
    isEndExplained = true
    return true
  }

  private mutating func reportOffset(
    _ text: RawSpan, at index: Int, of line: TextLine, into output: inout DecodedText
  ) {
    track.loseRow()
    if !Format.isStrict, track.next == nil { return }
    let end = line.end(in: text)
    guard index < end || line.isTerminated else {
      return reportCut(
        "the last line has no line end and ends within its offset", line.position(index), into: &output)
    }
    let isTooLarge = index == line.range.lowerBound && Hex.value(ofDigit: text.byte(at: index)) != nil
    let found =
      isTooLarge
      ? "a number of more than 64 bits"
      : index < end ? characterName(text.byte(at: index)) : "the end of the line"
    faults.report(
      "expected an offset at the start of the line, found \(found); line skipped",
      at: line.position(index), into: &output)
  }

  private mutating func reportTextColumn(
    _ text: RawSpan, at index: Int, to end: Int, of line: TextLine, expected: UInt8?,
    into output: inout DecodedText
  ) {
    faults.report(
      "the text column has \(index < end ? characterName(text.byte(at: index)) : "nothing"), the hex column "
        + "\(expected.map(characterName) ?? "nothing"): \(Format.causeOfOtherText); the hex column is used",
      at: line.position(index), into: &output)
  }

  private mutating func reportCut(
    _ finding: Message, _ position: TextPosition, into output: inout DecodedText
  ) {
    isEndExplained = true
    faults.report(
      "\(finding): the text is truncated; the bytes before the end are used", at: position, into: &output)
  }
}

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
  var base = OffsetBase.hexadecimal

  /// End offset of the line before; nil before the first line.
  private(set) var next: UInt64?
  /// The bytes of the line before, which `*` repeats; empty if that line was damaged.
  private(set) var row: [UInt8] = []
  /// A `*` after `row`, and the number of bytes emitted for it.
  private(set) var repeatMark: TextPosition?
  private var repeated = 0

  init(maxExpansion: Int) {
    self.maxExpansion = max(0, maxExpansion)
    row.reserveCapacity(256)
  }

  /// Handles a `*` at `position`.
  mutating func beginRepeat(at position: TextPosition, into output: inout DecodedText, faults: inout FaultLog)
  {
    if next == nil {
      faults.report(
        "this * repeats the line before it, which is missing: the text is incomplete", at: position,
        into: &output)
    } else if repeatMark == nil {
      repeatMark = position
      repeated = 0
    }
  }

  /// A line begins at `offset` of the dump, or the dump ends there (`isTotal`): emits the bytes between the line
  /// before and this one. False if `output` became full first: call it again.
  mutating func advance(
    to offset: UInt64, isTotal: Bool, at position: TextPosition, into output: inout DecodedText,
    faults: inout FaultLog
  ) -> Bool {
    if let next, next != offset {
      let distance = Int(truncatingIfNeeded: offset &- next)
      if distance < 0 || distance > Self.longestStream - gapTotal {
        faults.report(

          "the offset \(base.name(offset)) does not continue the line before, which ends at "
            + "\(base.name(next)): the lines are out of order, or an offset is damaged; the bytes are "
            + "used in file order", at: position, into: &output)
      } else if let mark = repeatMark, !row.isEmpty {
        guard expand(distance, isTotal: isTotal, mark: mark, at: position, into: &output, faults: &faults)
        else {
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
  mutating func endRow(_ bytes: ArraySlice<UInt8>, isWhole: Bool) {
    next = (next ?? 0) &+ UInt64(bytes.count)
    row.removeAll(keepingCapacity: true)
    if isWhole { row.append(contentsOf: bytes) }
  }

  /// Repeats `row` over `distance` bytes. Only the end of a dump may shorten the last repetition.
  private mutating func expand(
    _ distance: Int, isTotal: Bool, mark: TextPosition, at position: TextPosition,
    into output: inout DecodedText,
    faults: inout FaultLog
  ) -> Bool {
    let odd = isTotal ? 0 : (distance + repeated) % row.count
    let wanted = distance - odd
    let allowed = min(wanted, maxExpansion - expanded)
    let count = emitRow(allowed, at: mark.fileOffset, into: &output)
    if count < allowed { return false }
    if allowed < wanted {
      faults.report(

        "this * repeats \(repeated + wanted - allowed) bytes, which exceeds the limit of "
          + "\(maxExpansion) for the whole text: the rest is skipped; raise --max-expansion", at: mark,
        into: &output)
    }
    if odd > 0 {
      faults.report(

        "the * before this line repeats \(repeated + wanted - allowed + odd) bytes, which is not a "
          + "multiple of the line's \(row.count): a line is missing, or an offset is damaged", at: position,
        into: &output)
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
