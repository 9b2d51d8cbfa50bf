import Basics
import PacketCapture

/// Reads the data logged by `socat -x` and `socat -v -x`:
///
///     > 2024/01/01 12:00:00.000123  length=38 from=0 to=37
///      53 72 4e 00 …
///     --
///
/// `>` marks data from the left of socat's two addresses, `<` from the right one; `from` and `to` are offsets in the
/// direction. With `-v` lines end at a newline of the data or after 16 bytes and have a text column, and `--`
/// follows. The log does not name the time zone, so the time is not used.
struct SocatLog: LineDecoder {
  var line = TextLine()
  var output = DecodedText()
  /// The text column begins after 16 pairs.
  private var pairs = HexPairs(textColumn: 3 * HexPairs.bytesPerLine + 1)
  private var count = SideCount()
  /// Missing bytes of the current block.
  private var missing = 0
  private var isWithinBytes = false

  mutating func read(_ text: RawSpan) {
    guard line.isStart else {
      if isWithinBytes { readBytes(text, from: 0) }
      return
    }
    isWithinBytes = false
    if let header = SocatHeader(text) {
      endBlock()
      let isApart = count.isInDoubt(header.range.lowerBound, of: header.side)
      if isApart {
        error(
          "the log has several connections, and does not name the one of these bytes; they begin another stream: "
            + "if no two were open at once, make a file of each", at: 0)
      }
      let missing = count.begin(header.range, of: header.side, isApart: isApart, into: &output)
      output.skip(missing, at: line.position(0))
      self.missing = header.range.count
    } else if missing > 0, text.has(" ") {
      isWithinBytes = true
      readBytes(text, from: 1)
    } else if text.has("--"), text.byteCount == 2 {
      endBlock()
    } else if text.byteCount > 0, text.number(at: 0) == nil || text.end(of: " socat[", from: 0) == nil {
      // Not a message of socat -d, either: `2024/01/01 12:00:00 socat[4711] N listening on …`.
      error(
        #"expected a line of socat's log: ">" or "<" with time and length, bytes in hex, or a message; "#
          + "line skipped", at: 0)
    }
  }

  mutating func finish() { endBlock() }

  private mutating func readBytes(_ text: RawSpan, from start: Int) {
    let (count, end) = pairs.read(text, from: start, maxCount: missing, of: line, into: &output)
    missing = max(0, missing &- count)
    guard missing == 0, end < text.byteCount, !text.has("  ", at: end),
      text.skippingBlanks(from: end) < text.byteCount
    else { return }
    error("the line has more bytes than its block; they are skipped", at: end)
  }

  /// Ends the current block, complete or not.
  private mutating func endBlock() {
    guard missing > 0 else { return }
    error(
      "the block is \(Count.of(missing, "byte")) shorter than its length: lines are missing from the "
        + "log, or it is truncated", at: 0)
    output.appendGap(length: missing, at: line.fileOffset)
    missing = 0
  }
}

/// The line before a block of bytes in socat's log.
struct SocatHeader {
  var side: Side
  /// The block's bytes in their direction. Numbers have at most 18 digits, so that their sum does not overflow.
  var range: Range<Int>

  init?(_ text: RawSpan) {
    guard text.has("> ") || text.has("< "),
      let (length, _) = text.end(of: " length=", from: 2).flatMap({ text.number(at: $0) }),
      let (start, _) = text.end(of: " from=", from: 2).flatMap({ text.number(at: $0) })
    else { return nil }
    side = text.has(">") ? .first : .second
    range = start..<start &+ length
  }
}
