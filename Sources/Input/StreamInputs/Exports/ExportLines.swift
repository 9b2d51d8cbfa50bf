import Basics

/// Reads the lines of one format. One value reads one file.
protocol ExportLines: LineDecoder where Output == ExportEvents {}

/// Reads an export block by block; the result does not depend on the block boundaries.
protocol ExportDecoder: Sendable {
  /// Reads `text`, the file's next block, from `start` on, and returns the index after the last byte read: its end,
  /// or less when `events` is full and must be drained first.
  mutating func read(_ text: RawSpan, from start: Int, into events: inout ExportEvents) -> Int

  mutating func finish(into events: inout ExportEvents)
}

extension LineSplitter: ExportDecoder where Lines: ExportLines {
  mutating func finish(into events: inout ExportEvents) {
    flush(into: &events)
    lines.finish(at: cursor.position, into: &events)
    events.text.closeFaults()
  }
}

/// Separator lines of one repeated character.
enum RuledLine {
  /// Minimum length; tools print 63 and more.
  private static let shortest = 40

  /// Whether the line from `start` on consists of `sign` alone.
  static func isDrawn(with sign: Unicode.Scalar, in text: RawSpan, from start: Int = 0) -> Bool {
    guard text.byteCount &- start >= shortest else { return false }
    for index in start..<text.byteCount where text.byte(at: index) != UInt8(ascii: sign) { return false }
    return true
  }
}
