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
  /// The text column begins after 16 pairs.
  private var pairs = HexPairs(textColumn: 3 * HexPairs.bytesPerLine + 1)
  /// End offsets of the data so far; nil before the first block.
  private var next: Sides<Int>?
  /// Missing bytes of the current block.
  private var missing = 0
  private var isWithinBytes = false

  mutating func read(_ text: RawSpan, of line: TextLine, into output: inout DecodedText) {
    guard line.isStart else {
      if isWithinBytes { readBytes(text, from: 0, of: line, into: &output) }
      return
    }
    isWithinBytes = false
    if let header = SocatHeader(text) {
      endBlock(at: line.position(0), into: &output)
      begin(header, at: line.position(0), into: &output)
    } else if missing > 0, text.has(" ") {
      isWithinBytes = true
      readBytes(text, from: 1, of: line, into: &output)
    } else if text.has("--"), text.byteCount == 2 {
      endBlock(at: line.position(0), into: &output)
    } else if text.byteCount > 0, !SocatHeader.isMessage(text) {
      output.fault(
        #"expected a line of socat's log: ">" or "<" with time and length, bytes in hex, or a message; "#
          + "line skipped", at: line.position(0))
    }
  }

  mutating func finish(at position: TextPosition, into output: inout DecodedText) {
    endBlock(at: position, into: &output)
  }

  private mutating func readBytes(
    _ text: RawSpan, from start: Int, of line: TextLine, into output: inout DecodedText
  ) {
    let (count, end) = pairs.read(text, from: start, maxCount: missing, of: line, into: &output)
    missing = max(0, missing &- count)
    guard missing == 0, end < text.byteCount, !text.has("  ", at: end),
      text.skippingBlanks(from: end) < text.byteCount
    else { return }
    output.fault("the line has more bytes than its block; they are skipped", at: line.position(end))
  }

  private mutating func begin(
    _ header: SocatHeader, at position: TextPosition, into output: inout DecodedText
  ) {
    var next = self.next ?? Sides(0)
    if self.next == nil || (header.from == 0 && next[header.side] > 0) {
      output.beginConnection()
      next = Sides(0)
    }
    output.beginSegment(header.side)
    output.skip(header.from &- next[header.side], at: position)
    next[header.side] = header.from &+ header.length
    self.next = next
    missing = header.length
  }

  /// Ends the current block, complete or not.
  private mutating func endBlock(at position: TextPosition, into output: inout DecodedText) {
    guard missing > 0 else { return }
    output.fault(
      "the block is \(Count.of(missing, "byte")) shorter than its length: lines are missing from the "
        + "log, or it is truncated", at: position)
    output.appendGap(length: missing, at: position.fileOffset)
    missing = 0
  }
}

/// The line before a block of bytes in socat's log.
struct SocatHeader {
  /// Maximum offset and length, so that sums do not overflow.
  private static let longest = 1 << 59

  var side: Side
  var from: Int
  var length: Int

  init?(_ text: RawSpan) {
    guard text.has("> ") || text.has("< "),
      let (length, _) = text.end(of: " length=", from: 2).flatMap({ text.number(at: $0) }),
      let (from, _) = text.end(of: " from=", from: 2).flatMap({ text.number(at: $0) }),
      length <= Self.longest, from <= Self.longest
    else { return nil }
    side = text.has(">") ? .first : .second
    self.from = from
    self.length = length
  }

  /// `2024/01/01 12:00:00 socat[4711] N listening on …`: a message of socat -d.
  static func isMessage(_ text: RawSpan) -> Bool {
    guard let (_, year) = text.number(at: 0), text.has("/", at: year),
      let (_, month) = text.number(at: year &+ 1)
    else { return false }
    return text.has("/", at: month) && text.end(of: "socat[", from: month) != nil
  }
}
