import PacketCapture
import WireBytes

/// Reads the lines of a followed stream's hex dump: `00000010  82 8f …  ea f7 …  ........ ...`, where the
/// offset counts the bytes of its own direction, modulo 2^32.
struct FollowHexBody: Sendable {
  /// Digits of an offset, and the index of the first pair behind the indentation.
  private static let offsetDigits = 8
  private static let pairColumn = 10

  /// The offset at which the line before ended, of each side.
  private var next: (first: UInt32, second: UInt32) = (0, 0)
  /// The side of the line before; nil where the next one begins a segment.
  private var side: Side?
  /// A line with fewer than sixteen bytes ends its segment.
  private static let bytesPerLine = 16

  /// Whether an offset, two blanks and a pair stand at `start`.
  static func isLine(_ text: RawSpan, from start: Int) -> Bool {
    let offsetEnd = HexDigits.end(in: text, from: start, to: text.byteCount)
    let pair = start &+ pairColumn
    return offsetEnd == start &+ offsetDigits && text.holds("  ", at: offsetEnd)
      && pair &+ 2 <= text.byteCount
      && HexDigits.end(in: text, from: pair, to: pair &+ 2) == pair &+ 2
  }

  /// - Parameter start: the index behind the indentation, which says `side`.
  mutating func read(
    _ text: RawSpan, from start: Int, of side: Side, key: Int, _ line: ExportLine,
    into events: inout ExportEvents
  ) {
    let offsetEnd = HexDigits.end(in: text, from: start, to: text.byteCount)
    guard offsetEnd == start &+ Self.offsetDigits, text.holds("  ", at: offsetEnd) else {
      events.fault(
        "an offset of 8 hex digits and two blanks were expected; the line is left out", at: line.place(start))
      return
    }
    if self.side != side {
      events.append(.segment(key: key, side, nil))
      self.side = side
    }
    follow(Self.offset(text, from: start), of: side, at: line.place(start), into: &events)
    let pairs = HexPairs(halfway: 8, textColumn: start &+ Self.pairColumn &+ 50)
    let outcome = pairs.read(
      text, from: start &+ Self.pairColumn, maxCount: Self.bytesPerLine, of: line, into: &events)
    if outcome.count < Self.bytesPerLine { self.side = nil }
    let behind = (side == .first ? next.first : next.second) &+ UInt32(outcome.count)
    if side == .first { next.first = behind } else { next.second = behind }
  }

  private static func offset(_ text: RawSpan, from start: Int) -> UInt32 {
    var offset: UInt32 = 0
    for index in start..<start &+ offsetDigits {
      offset = offset &<< 4 | UInt32(HexDigits.values[Int(text.byte(at: index))] & 15)
    }
    return offset
  }

  /// Holds the line's offset against the line before of its side: what lies between them is missing.
  private mutating func follow(
    _ offset: UInt32, of side: Side, at place: TextPlace, into events: inout ExportEvents
  ) {
    let expected = side == .first ? next.first : next.second
    let distance = Int32(bitPattern: offset &- expected)
    if distance > 0 {
      events.text.appendGap(length: Int(distance), at: place.fileOffset)
    } else if distance < 0 {
      events.fault(
        "the offset goes back by \(distance.magnitude): lines are out of order or twice there; their bytes are "
          + "used in the order of the file", at: place)
    }
    if side == .first { next.first = offset } else { next.second = offset }
  }
}

extension FollowHexBody {
  /// Whether the line at `start` is one of the dump whose text column shows the same bytes as its digits: that
  /// tells it from other hex dumps, which have other columns.
  static func hasTextColumn(_ text: RawSpan, from start: Int) -> Bool {
    guard isLine(text, from: start) else { return false }
    var bytes: [UInt8] = []
    var index = start &+ pairColumn
    while bytes.count < bytesPerLine, index &+ 2 <= text.byteCount,
      let high = Hex.value(ofDigit: text.byte(at: index)),
      let low = Hex.value(ofDigit: text.byte(at: index &+ 1))
    {
      bytes.append(high << 4 | low)
      index &+= bytes.count == 8 ? 4 : 3
    }
    let pairs = HexPairs(halfway: 8, textColumn: nil)
    return pairs.firstDifference(text, from: start &+ pairColumn &+ 50, with: bytes[...]) == nil
  }
}
