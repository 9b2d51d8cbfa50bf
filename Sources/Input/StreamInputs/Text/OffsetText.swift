import Basics
import PacketCapture

/// Decodes hex dumps whose lines begin with an offset: those of xxd, hexdump -C and others.
///
/// The hex column gives the bytes; everything else in a line is checked against it. An offset that does not continue
/// the line before shows that lines are missing, a gap; out of order; or repeated by a `*`. A damaged line yields the
/// bytes before the damage, and the rest of it is a gap once the next line's offset shows its length.
struct OffsetText: LineDecoder {
  var line = TextLine()
  var output = DecodedText()
  /// Maximum stream length, including gaps, so that offsets can be added without overflow.
  private static let longestStream = 1 << 60

  private let layout: OffsetLayout
  /// Maximum number of bytes for the `*` lines of the file, and their number so far.
  private let maxExpansion: Int
  private var expanded = 0
  private var gapTotal = 0
  /// End offset of the line before; nil before the first line.
  private var next: UInt64?
  /// The bytes of the line before, which `*` repeats; empty if that line was damaged.
  private var row: [UInt8] = []
  /// A `*` after `row`, and the number of bytes emitted for it.
  private var repeatMark: TextPosition?
  private var repeated = 0
  /// Whether a line had a text column.
  private var hasText = false
  /// Whether the last line was the total, or the truncation has been reported.
  private var isEndExplained = false
  private(set) var isWaiting = false

  init(_ layout: OffsetLayout, maxExpansion: Int) {
    (self.layout, self.maxExpansion) = (layout, max(0, maxExpansion))
    row.reserveCapacity(256)
  }

  mutating func read(_ text: RawSpan) {
    if !line.isStart { return }
    if line.isEnd {
      isWaiting = !readLine(text)
    } else {
      error("the line is too long for a hex dump; skipped", at: 0)
      row.removeAll(keepingCapacity: true)
    }
  }

  mutating func finish() {
    if let repeatMark, !isEndExplained {
      reportCut("the text ends after this *, so its number of repetitions is unknown", repeatMark)
    } else if layout.kind == .hexdump, !isEndExplained, hasText {
      reportCut("the last line, with the total size, is missing", line.start)
    }
  }

  // MARK: - Lines

  /// Reads one line. False if `output` became full first; nothing of the line itself has been emitted then.
  private mutating func readLine(_ text: RawSpan) -> Bool {
    let start =
      layout.kind == .other && !text.has("*") ? text.skippingMarks(from: 0) : text.skippingBlanks(from: 0)
    if start == text.byteCount { return true }
    if text.has("*"), text.skippingBlanks(from: 1) == text.byteCount {
      beginRepeat()
      return true
    }
    let found = layout.offset(of: text)
    guard let offset = found, let column = layout.columnStart(text, afterOffset: offset.end) else {
      reportOffset(text, at: found?.end ?? 0)
      return true
    }
    if column == text.byteCount, layout.kind != .xxd {
      return readTotal(offset.value, digits: offset.end - offset.start)
    }
    isEndExplained = false
    guard advance(to: offset.value, isTotal: false) else { return false }
    readColumns(text, from: column)
    return true
  }

  /// Reads the hex column, which begins at `column`, and the text column.
  private mutating func readColumns(_ text: RawSpan, from column: Int) {
    let before = output.bytes.count
    let outcome = layout.readColumns(
      text, from: column, isTerminated: line.isTerminated, at: line.fileOffset, into: &output)
    let bytes = output.bytes[before...]
    next = (next ?? 0) &+ UInt64(bytes.count)
    row.removeAll(keepingCapacity: true)
    switch outcome {
    case .whole(let column):
      row.append(contentsOf: bytes)
      check(column, text)
    case .damaged(let index, let message): error(message, at: index)
    case .cut(let index):
      reportCut("the last line has no line end and ends within its hex digits", line.position(index))
    }
  }

  private mutating func check(_ column: OffsetLayout.TextColumn, _ text: RawSpan) {
    hasText = hasText || column != .absent
    if !line.isTerminated, column != .agrees {
      reportCut("the last line has no line end and an incomplete text column", line.position(text.byteCount))
    } else if case .differs(let index, let expected) = column {
      let found = index < text.byteCount ? characterName(text.byte(at: index)) : "nothing"
      let cause = layout.kind == .xxd ? ", or made with xxd -e or -b, which are not read" : ""
      error(
        "the text column has \(found), the hex column \(expected.map(characterName) ?? "nothing"): "
          + "the text was edited\(cause); the hex column is used", at: index)
    }
  }

  /// Reads a line with an offset of `digits` digits alone: the total, if the tool writes one. Without a line end it
  /// may be the beginning of any line, unless the bytes confirm it: only the last line of a dump is shorter than 16
  /// bytes.
  private mutating func readTotal(_ total: UInt64, digits: Int) -> Bool {
    let isConfirmed = next == total && repeatMark == nil && row.count % 16 != 0
    let mayBeCut = !line.isTerminated && !isConfirmed
    // A number of at least eight digits that was cut is less than the original, so repeating the line before up to
    // there is right in any case.
    if !mayBeCut || (digits >= 8 && total >= next ?? total) {
      guard advance(to: total, isTotal: true) else { return false }
    }
    if mayBeCut { reportCut("the last line has no line end and may be incomplete", line.start) }
    isEndExplained = true
    return true
  }

  private mutating func reportOffset(_ text: RawSpan, at index: Int) {
    // A `*` before or after this line has nothing to repeat.
    row.removeAll(keepingCapacity: true)
    // Other text may precede an unknown tool's dump.
    if next == nil, layout.kind == .other { return }
    guard index < text.byteCount || line.isTerminated else {
      return reportCut("the last line has no line end and ends within its offset", line.position(index))
    }
    let found =
      index == 0 && Digits.hexEnd(in: text, from: 0, to: text.byteCount) > 0
      ? "a number of more than 64 bits"
      : index < text.byteCount ? characterName(text.byte(at: index)) : "the end of the line"
    error("expected an offset at the start of the line, found \(found); line skipped", at: index)
  }

  private mutating func reportCut(_ finding: Message, _ position: TextPosition) {
    isEndExplained = true
    output.error("\(finding): the text is truncated; the bytes before the end are used", at: position)
  }

  // MARK: - Offsets

  /// A line begins at `offset` of the dump, or the dump ends there (`isTotal`): emits the bytes between the line
  /// before and this one. False if `output` became full first: call it again.
  private mutating func advance(to offset: UInt64, isTotal: Bool) -> Bool {
    if let next, next != offset {
      let distance = Int(truncatingIfNeeded: offset &- next)
      if distance < 0 || distance > Self.longestStream - gapTotal {
        error(
          "the offset \(layout.base.name(offset)) does not continue the line before, which ends at "
            + "\(layout.base.name(next)): the lines are out of order, or an offset is damaged; the bytes are "
            + "used in file order", at: 0)
      } else if let repeatMark, !row.isEmpty {
        guard expand(distance, isTotal: isTotal, mark: repeatMark) else { return false }
      } else {
        appendGap(distance, at: line.start)
      }
    }
    next = offset
    repeatMark = nil
    return true
  }

  private mutating func beginRepeat() {
    isEndExplained = false
    if next == nil {
      error("this * repeats the line before it, which is missing: the text is incomplete", at: 0)
    } else if repeatMark == nil {
      (repeatMark, repeated) = (line.start, 0)
    }
  }

  /// Repeats `row` over `distance` bytes. Only the end of a dump may shorten the last repetition.
  private mutating func expand(_ distance: Int, isTotal: Bool, mark: TextPosition) -> Bool {
    let odd = isTotal ? 0 : (distance + repeated) % row.count
    let allowed = min(distance - odd, maxExpansion - expanded)
    let count = min(allowed, output.room)
    emitRow(count, at: mark)
    if count < allowed { return false }
    let total = repeated + distance - allowed
    if allowed < distance - odd {
      output.error(
        "this * repeats \(total - odd) bytes, which exceeds the limit of \(maxExpansion) for the whole text: "
          + "the rest is skipped; raise --max-expansion", at: mark)
    }
    if odd > 0 {
      error(
        "the * before this line repeats \(total) bytes, which is not a multiple of the line's \(row.count): "
          + "a line is missing, or an offset is damaged", at: 0)
    }
    appendGap(distance - allowed, at: mark)
    return true
  }

  /// Emits the next `count` bytes of the repetition.
  private mutating func emitRow(_ count: Int, at mark: TextPosition) {
    let row = row
    var index = repeated % row.count
    _ = output.append(upTo: count, at: mark.fileOffset, spacing: Stride(stride: 0)) { bytes in
      for _ in 0..<count {
        bytes.append(row[index])
        index = index &+ 1 == row.count ? 0 : index &+ 1
      }
    }
    repeated += count
    expanded += count
    next = next.map { $0 &+ UInt64(count) }
  }

  private mutating func appendGap(_ length: Int, at position: TextPosition) {
    guard length > 0 else { return }
    gapTotal += length
    output.appendGap(length: length, at: position.fileOffset)
  }
}

extension OffsetLayout {
  /// A decoder of text in this layout.
  /// - Parameter maxExpansion: maximum number of bytes for all `*` lines of the file; the excess becomes gaps, with a
  ///   error. Without a limit, a line of ten characters could expand to exabytes.
  package func decoder(maxExpansion: Int = 1 << 30) -> any TextDecoder {
    LineSplitter(OffsetText(self, maxExpansion: maxExpansion))
  }
}
