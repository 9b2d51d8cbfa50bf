import Basics
import PacketCapture

/// Decodes hex dumps whose lines begin with an offset: those of xxd, hexdump -C and others.
///
/// The hex column gives the bytes; everything else in a line is checked against it. Missing lines are gaps; `*`
/// repeats the line before. A damaged line yields the bytes before the damage, and the rest of it
/// is a gap once the next line's offset shows its length.
struct OffsetText: LineDecoder {
  private let layout: OffsetLayout
  private var track: OffsetTrack
  /// Whether the last line was the total, or the truncation has been reported.
  private var isEndExplained = false
  /// A line that is to be read when the output was drained.
  private var waiting: (line: TextLine, text: [UInt8])?

  init(_ layout: OffsetLayout, maxExpansion: Int) {
    self.layout = layout
    track = OffsetTrack(layout.base, maxExpansion: maxExpansion)
  }

  mutating func read(_ text: RawSpan, of line: TextLine, into output: inout DecodedText) {
    if !line.isStart { return }
    if !line.isEnd {
      output.fault("the line is too long for a hex dump; skipped", at: line.position(0))
      return track.loseRow()
    }
    if !readLine(text, of: line, into: &output) { waiting = (line, text.withUnsafeBytes { Array($0) }) }
  }

  mutating func resume(into output: inout DecodedText) -> Bool {
    guard let (line, text) = waiting else { return true }
    waiting = nil
    read(text.span.bytes, of: line, into: &output)
    return waiting == nil
  }

  mutating func finish(at position: TextPosition, into output: inout DecodedText) {
    if let mark = track.repeatMark, !isEndExplained {
      reportCut("the text ends after this *, so its number of repetitions is unknown", mark, into: &output)
    } else if layout.kind == .hexdump, !isEndExplained, track.next != nil, track.hasText {
      reportCut("the last line, with the total size, is missing", position, into: &output)
    }
  }

  /// Reads one line. False if `output` became full first; nothing of the line itself has been emitted then.
  private mutating func readLine(_ text: RawSpan, of line: TextLine, into output: inout DecodedText) -> Bool {
    let start =
      layout.kind == .other && !text.has("*") ? text.skippingMarks(from: 0) : text.skippingBlanks(from: 0)
    if start == text.byteCount { return true }
    if text.has("*"), text.skippingBlanks(from: 1) == text.byteCount {
      isEndExplained = false
      track.beginRepeat(at: line.position(0), into: &output)
      return true
    }
    guard let offset = layout.offset(of: text) else {
      reportOffset(text, at: 0, of: line, into: &output)
      return true
    }
    guard let column = layout.columnStart(text, afterOffset: offset.end) else {
      reportOffset(text, at: offset.end, of: line, into: &output)
      return true
    }
    if column == text.byteCount, layout.kind != .xxd {
      return readTotal(offset.value, digits: offset.end - offset.start, of: line, into: &output)
    }
    isEndExplained = false
    guard track.advance(to: offset.value, isTotal: false, at: line.position(0), into: &output) else {
      return false
    }
    readColumns(text, from: column, of: line, into: &output)
    return true
  }

  /// Reads the hex column, which begins at `column`, and compares the text column with it.
  private mutating func readColumns(
    _ text: RawSpan, from column: Int, of line: TextLine, into output: inout DecodedText
  ) {
    let before = output.bytes.count
    let outcome = layout.readColumn(
      text, from: column, isTerminated: line.isTerminated, at: line.fileOffset, into: &output)
    let bytes = output.bytes[before...]
    switch outcome {
    case .whole(let hexEnd):
      let textColumn = layout.compare(text, from: hexEnd, with: bytes)
      track.endRow(bytes, isWhole: true, hasText: textColumn != .absent)
      guard textColumn != .agrees else { return }
      if !line.isTerminated {
        reportCut(
          "the last line has no line end and an incomplete text column", line.position(text.byteCount),
          into: &output)
      } else if case .differs(let index, let expected) = textColumn {
        let found = index < text.byteCount ? characterName(text.byte(at: index)) : "nothing"
        output.fault(
          "the text column has \(found), the hex column \(expected.map(characterName) ?? "nothing"): "
            + "\(layout.causeOfOtherText); the hex column is used", at: line.position(index))
      }
    case .damaged(let index, let message):
      track.endRow(bytes, isWhole: false)
      output.fault(message, at: line.position(index))
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
    let isConfirmed = track.next == total && track.repeatMark == nil && track.row.count % 16 != 0
    let mayBeCut = !line.isTerminated && !isConfirmed
    // A number of at least eight digits that was cut is less than the original, so repeating the line before up to
    // there is right in any case.
    if !mayBeCut || (digits >= 8 && total >= track.next ?? total) {
      guard track.advance(to: total, isTotal: true, at: line.position(0), into: &output) else { return false }
    }
    if mayBeCut {
      reportCut("the last line has no line end and may be incomplete", line.position(0), into: &output)
    }
    isEndExplained = true
    return true
  }

  private mutating func reportOffset(
    _ text: RawSpan, at index: Int, of line: TextLine, into output: inout DecodedText
  ) {
    track.loseRow()
    // Other text may precede an unknown tool's dump.
    if track.next == nil, layout.kind == .other { return }
    guard index < text.byteCount || line.isTerminated else {
      return reportCut(
        "the last line has no line end and ends within its offset", line.position(index), into: &output)
    }
    let found =
      index == 0 && Digits.hexEnd(in: text, from: 0, to: text.byteCount) > 0
      ? "a number of more than 64 bits"
      : index < text.byteCount ? characterName(text.byte(at: index)) : "the end of the line"
    output.fault(
      "expected an offset at the start of the line, found \(found); line skipped", at: line.position(index))
  }

  private mutating func reportCut(
    _ finding: Message, _ position: TextPosition, into output: inout DecodedText
  ) {
    isEndExplained = true
    output.fault("\(finding): the text is truncated; the bytes before the end are used", at: position)
  }
}

extension OffsetLayout {
  /// A decoder of text in this layout.
  /// - Parameter maxExpansion: maximum number of bytes for all `*` lines of the file; the excess becomes gaps, with a
  ///   fault. Without a limit, a line of ten characters could expand to exabytes.
  package func decoder(maxExpansion: Int = 1 << 30) -> any TextDecoder {
    LineSplitter(OffsetText(self, maxExpansion: maxExpansion))
  }
}
