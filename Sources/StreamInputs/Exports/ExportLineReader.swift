import WireBytes

/// A line of an export, or a piece of one that is too long to be held.
struct ExportLine {
  /// Offset in the file, from 0, of its first character.
  var fileOffset: Int
  /// Tells the line's number and columns.
  var cursor: TextCursor
  /// Whether it begins the line, and whether it ends it: both but for pieces of a long line.
  var isStart: Bool
  var isEnd: Bool
  /// Whether a line end follows; it is missing only from a file's last line, which may be cut.
  var isTerminated: Bool
  /// Whether that line end has a carriage return.
  var hasReturn: Bool

  /// The place in the file of the character at `index` of the line.
  func place(_ index: Int) -> TextPlace { cursor.place(fileOffset &+ index) }
}

/// What reads the lines of one format. One value reads one file.
protocol ExportLines: Sendable {
  /// - Parameter text: the line without its end.
  mutating func read(_ text: RawSpan, of line: ExportLine, into events: inout ExportEvents)

  /// The file has ended.
  mutating func finish(at place: TextPlace, into events: inout ExportEvents)
}

/// Reads an export block by block; what comes out does not depend on how it was cut.
protocol ExportDecoder: Sendable {
  /// Reads `text`, the file's next block, from `start` on, and returns the index behind what was read: its
  /// end, or less when `events` is full and has to be drained first.
  mutating func read(_ text: RawSpan, from start: Int, into events: inout ExportEvents) -> Int

  mutating func finish(into events: inout ExportEvents)
}

/// Cuts blocks into lines.
struct ExportLineReader<Lines: ExportLines>: ExportDecoder {
  /// A longer line comes in pieces of this many bytes. Groups of 2 digits, of 3 characters (`51 80 `) and of 6
  /// (`0x51, `) all end where a piece does.
  static var pieceLength: Int { 48 << 10 }

  private var lines: Lines
  /// Stands at the first character that was not handed on.
  private var cursor = TextCursor()
  /// What came of a line before its end; at most one byte more than `pieceLength`, so that a carriage return
  /// never becomes a piece's last byte.
  private var partial: [UInt8] = []
  /// Whether pieces of the present line were handed on.
  private var isWithinLine = false

  init(_ lines: Lines) { self.lines = lines }

  mutating func read(_ text: RawSpan, from start: Int, into events: inout ExportEvents) -> Int {
    var index = start
    while index < text.byteCount, !events.isFull {
      let newline = text.newlineIndex(from: index)
      let end = newline ?? text.byteCount
      if newline != nil, partial.isEmpty, end &- index <= Self.pieceLength {
        hand(on: text.extracting(index..<end), isEnd: true, isTerminated: true, into: &events)
      } else {
        hold(text.extracting(index..<end), into: &events)
        if newline != nil { handOnPartial(isTerminated: true, into: &events) }
      }
      index = end
      if newline != nil {
        cursor.passNewline(at: cursor.fileOffset)
        cursor.fileOffset &+= 1
        index &+= 1
      }
    }
    return index
  }

  mutating func finish(into events: inout ExportEvents) {
    if !partial.isEmpty || isWithinLine { handOnPartial(isTerminated: false, into: &events) }
    lines.finish(at: cursor.place, into: &events)
    events.closeFaults()
  }

  /// Adds to the line that is being put together; what makes a whole piece is handed on.
  private mutating func hold(_ text: RawSpan, into events: inout ExportEvents) {
    var index = 0
    while index < text.byteCount {
      let count = min(text.byteCount &- index, Self.pieceLength &+ 1 &- partial.count)
      text.extracting(index..<index &+ count).withUnsafeBytes { partial.append(contentsOf: $0) }
      index &+= count
      guard partial.count > Self.pieceLength, let last = partial.popLast() else { continue }
      handOnPartial(isEnd: false, isTerminated: false, into: &events)
      partial.append(last)
    }
  }

  private mutating func handOnPartial(
    isEnd: Bool = true, isTerminated: Bool, into events: inout ExportEvents
  ) {
    var line: [UInt8] = []
    swap(&line, &partial)
    hand(on: line.span.bytes, isEnd: isEnd, isTerminated: isTerminated, into: &events)
    line.removeAll(keepingCapacity: true)
    swap(&line, &partial)
  }

  private mutating func hand(
    on text: RawSpan, isEnd: Bool, isTerminated: Bool, into events: inout ExportEvents
  ) {
    var text = text
    var length = text.byteCount
    if cursor.fileOffset == 0, text.beginsWithByteOrderMark {
      cursor.skip(byteOrderMark: 3)
      text = text.extracting(droppingFirst: 3)
      length &-= 3
    }
    let hasReturn = isTerminated && length > 0 && text.byte(at: length &- 1) == ASCII.carriageReturn
    let line = ExportLine(
      fileOffset: cursor.fileOffset, cursor: cursor, isStart: !isWithinLine, isEnd: isEnd,
      isTerminated: isTerminated, hasReturn: hasReturn)
    lines.read(hasReturn ? text.extracting(droppingLast: 1) : text, of: line, into: &events)
    cursor.fileOffset &+= length
    isWithinLine = !isEnd
  }
}
