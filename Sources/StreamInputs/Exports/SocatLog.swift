import PacketCapture
import WireBytes

/// Reads what `socat -x` and `socat -v -x` log of the data that they pass on:
///
///     > 2024/01/01 12:00:00.000123  length=38 from=0 to=37
///      53 72 4e 00 …
///     --
///
/// `>` is what the left of socat's two addresses sent, and `<` the right one; `from` and `to` are offsets in the
/// direction. With `-v` lines end at a newline of the data or after 16 bytes and have a text column, and `--`
/// follows. The time is in a zone that the log does not name, so it is not used.
struct SocatLog: ExportLines {
  /// Where the text column begins after 16 pairs.
  private static let pairs = HexPairs(halfway: nil, textColumn: 50)

  private var count = 0
  /// Offsets after what came so far.
  private var next = (first: 0, second: 0)
  /// Bytes of the present block that are still to come.
  private var missing = 0
  private var isWithinBytes = false

  mutating func read(_ text: RawSpan, of line: ExportLine, into events: inout ExportEvents) {
    guard line.isStart else {
      if isWithinBytes { readBytes(text, from: 0, of: line, into: &events) }
      return
    }
    isWithinBytes = false
    if let header = SocatHeader(text) {
      endBlock(at: line.place(0), into: &events)
      begin(header, at: line.place(0), into: &events)
    } else if missing > 0, text.holds(" ") {
      isWithinBytes = true
      readBytes(text, from: 1, of: line, into: &events)
    } else if text.holds("--"), text.byteCount == 2 {
      endBlock(at: line.place(0), into: &events)
    } else if text.byteCount > 0, !SocatHeader.isMessage(text) {
      events.fault(
        "a line of socat's log was expected: \">\" or \"<\" with time and length, bytes in hex, or a message; "
          + "the line is left out", at: line.place(0))
    }
  }

  mutating func finish(at place: TextPlace, into events: inout ExportEvents) {
    endBlock(at: place, into: &events)
  }

  private mutating func readBytes(
    _ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents
  ) {
    // A chunk of a long line may begin with the blank between two pairs.
    let start = start == 0 && text.holds(" ") ? 1 : start
    let outcome = Self.pairs.read(text, from: start, maxCount: missing, of: line, into: &events)
    missing = max(0, missing &- outcome.count)
    let behind = outcome.end
    guard missing == 0, behind < text.byteCount, !text.holds("  ", at: behind),
      text.skippingBlanks(from: behind) < text.byteCount
    else { return }
    events.fault(
      "the line holds more bytes than its block is long; they are left out", at: line.place(behind))
  }

  private mutating func begin(
    _ header: SocatHeader, at place: TextPlace, into events: inout ExportEvents
  ) {
    let expected = header.side == .first ? next.first : next.second
    if count == 0 || (header.from == 0 && expected > 0) {
      events.append(.end(key: count &- 1))
      events.append(.begin(key: count, ExportConnection()))
      count &+= 1
      next = (0, 0)
    }
    events.append(.segment(key: count &- 1, header.side, nil))
    let distance = header.from &- (header.side == .first ? next.first : next.second)
    if distance > 0 {
      events.text.appendGap(length: distance, at: place.fileOffset)
    } else if distance < 0 {
      events.fault(
        "the offset goes back by \(-distance): blocks are out of order, or of several connections; their bytes "
          + "are used in the order of the log", at: place)
    }
    if header.side == .first { next.first = header.end } else { next.second = header.end }
    missing = header.length
  }

  /// The block ends here, whole or not.
  private mutating func endBlock(at place: TextPlace, into events: inout ExportEvents) {
    guard missing > 0 else { return }
    events.fault(
      "the block ends \(Count.of(missing, "byte")) before its length: lines are missing from the log, or it is "
        + "cut", at: place)
    events.text.appendGap(length: missing, at: place.fileOffset)
    missing = 0
  }
}

/// The line before a block of bytes in socat's log.
struct SocatHeader {
  /// No stream is longer: so sums of these numbers stay within bounds.
  private static let longest = 1 << 59

  var side: Side
  var from: Int
  var length: Int
  var end: Int { from &+ length }

  init?(_ text: RawSpan) {
    guard text.holds("> ") || text.holds("< "),
      let (length, _) = text.end(of: " length=", from: 2).flatMap({ text.number(at: $0) }),
      let (from, _) = text.end(of: " from=", from: 2).flatMap({ text.number(at: $0) }),
      length <= Self.longest, from <= Self.longest
    else { return nil }
    side = text.holds(">") ? .first : .second
    self.from = from
    self.length = length
  }

  /// `2024/01/01 12:00:00 socat[4711] N listening on …`: what socat says with -d.
  static func isMessage(_ text: RawSpan) -> Bool {
    guard let (_, year) = text.number(at: 0), text.holds("/", at: year),
      let (_, month) = text.number(at: year &+ 1)
    else { return false }
    return text.holds("/", at: month) && text.end(of: "socat[", from: month) != nil
  }
}
