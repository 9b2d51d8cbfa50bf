import Basics

/// A line of a text, or a chunk of one that is too long to buffer.
struct TextLine: Sendable {
  /// Of its first character.
  var start = TextPosition()
  /// Whether it begins the line, and whether it ends it: both but for chunks of a long line.
  var isStart = true
  var isEnd = true
  /// Whether a line end follows; it is missing only from a file's last line, which may be cut.
  var isTerminated = true
  /// Whether that line end has a carriage return.
  var hasReturn = false

  /// The offset in the file, from 0, of its first character.
  var fileOffset: Int { start.fileOffset }

  /// The position in the file of the character at `index` of the line.
  func position(_ index: Int) -> TextPosition { start.advanced(by: index) }
}

/// Decodes the lines of one format. One value reads one file.
protocol LineDecoder: Sendable {
  /// The current line, and what is decoded: the splitter sets and takes them.
  var line: TextLine { get set }
  var output: DecodedText { get set }

  /// Whether the output became full before the line was read: it is passed on again.
  var isWaiting: Bool { get }

  /// - Parameter text: the line without its end.
  mutating func read(_ text: RawSpan)

  /// The file has ended, where `line` begins.
  mutating func finish()
}

extension LineDecoder {
  var isWaiting: Bool { false }

  /// - Parameter index: the character of the line that it is about.
  mutating func error(_ message: Message, at index: Int) { output.error(message, at: line.position(index)) }

  /// Reports a line outside of streams, if it may have bytes: else it is text that tools write between them.
  mutating func skip(_ text: RawSpan) {
    if text.mayHaveBytes { error("bytes outside of a stream whose form is known; line skipped", at: 0) }
  }
}

/// Splits blocks into lines; the result does not depend on the block boundaries.
struct LineSplitter<Lines: LineDecoder>: TextDecoder {
  /// A longer line is passed in chunks of this many bytes. Groups of 2 digits, of 3 characters (`51 80 `) and of 6
  /// (`0x51, `) all end at a chunk's end.
  static var chunkLength: Int { 48 << 10 }

  private var lines: Lines
  /// At the first character that was not passed on.
  private var cursor = TextPosition()
  /// The beginning of an incomplete line; at most one byte more than `chunkLength`, so that a carriage return never
  /// becomes a chunk's last byte.
  private var partial: [UInt8] = []
  /// Whether chunks of the current line were passed on.
  private var isWithinLine = false

  init(_ lines: Lines) { self.lines = lines }

  mutating func read(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    swap(&output, &lines.output)
    defer { swap(&output, &lines.output) }
    var index = start
    while index < text.byteCount, !lines.output.isFull {
      let newline = text.newlineIndex(from: index)
      let end = newline ?? text.byteCount
      if newline != nil, partial.isEmpty, end &- index <= Self.chunkLength {
        emit(text.extracting(index..<end), isEnd: true, isTerminated: true)
      } else {
        buffer(text.extracting(index..<end))
        index = end
        if newline != nil { emitPartial(isEnd: true, isTerminated: true) }
      }
      if lines.isWaiting { break }
      index = end
      if newline != nil {
        cursor.passNewline()
        index &+= 1
      }
    }
    return index
  }

  mutating func finish(into output: inout DecodedText) -> Bool {
    swap(&output, &lines.output)
    defer { swap(&output, &lines.output) }
    // A last line without line end.
    if !partial.isEmpty || isWithinLine { emitPartial(isEnd: true, isTerminated: false) }
    if lines.isWaiting { return false }
    lines.line.start = cursor
    lines.finish()
    lines.output.closeErrors()
    return true
  }

  /// Buffers a part of a line; a full chunk is passed on.
  private mutating func buffer(_ text: RawSpan) {
    var index = 0
    while index < text.byteCount {
      let count = min(text.byteCount &- index, Self.chunkLength &+ 1 &- partial.count)
      text.extracting(index..<index &+ count).withUnsafeBytes { partial.append(contentsOf: $0) }
      index &+= count
      guard partial.count > Self.chunkLength, let last = partial.popLast() else { continue }
      emitPartial(isEnd: false, isTerminated: false)
      partial.append(last)
    }
  }

  private mutating func emitPartial(isEnd: Bool, isTerminated: Bool) {
    var line: [UInt8] = []
    swap(&line, &partial)
    emit(line.span.bytes, isEnd: isEnd, isTerminated: isTerminated)
    if !lines.isWaiting { line.removeAll(keepingCapacity: true) }
    swap(&line, &partial)
  }

  private mutating func emit(_ text: RawSpan, isEnd: Bool, isTerminated: Bool) {
    if cursor.fileOffset == 0 { cursor = TextPosition(startOf: text) }
    let text = text.extracting(droppingFirst: cursor.skipMark(from: 0, to: text.byteCount))
    let length = text.byteCount
    let hasReturn = isTerminated && length > 0 && text.byte(at: length &- 1) == ASCII.carriageReturn
    lines.line = TextLine(
      start: cursor, isStart: !isWithinLine, isEnd: isEnd, isTerminated: isTerminated, hasReturn: hasReturn)
    lines.read(hasReturn ? text.extracting(droppingLast: 1) : text)
    if lines.isWaiting { return }
    cursor.fileOffset &+= length
    isWithinLine = !isEnd
  }
}

struct TextPosition: Equatable, Sendable {
  /// Byte offset in the file, from 0.
  var fileOffset: Int
  /// Number of the line, from 1, and the file offset of its first character.
  private(set) var line: Int
  private var lineStart: Int

  /// In bytes, from 1. A byte order mark is not counted.
  var column: Int { fileOffset &- lineStart &+ 1 }

  init(fileOffset: Int = 0, line: Int = 1, column: Int = 1) {
    (self.fileOffset, self.line, lineStart) = (fileOffset, line, fileOffset &+ 1 &- column)
  }

  /// At the beginning of a text, whose byte order mark belongs to no line.
  init(startOf head: RawSpan) { self.init(column: head.beginsWithByteOrderMark ? -2 : 1) }

  /// Skips what there is of the byte order mark between `start` and `end` of a block; returns the index after it.
  mutating func skipMark(from start: Int, to end: Int) -> Int {
    let count = min(max(0, lineStart &- fileOffset), end &- start)
    fileOffset &+= count
    return start &+ count
  }

  mutating func passNewline() {
    fileOffset &+= 1
    line &+= 1
    lineStart = fileOffset
  }

  /// The position `distance` bytes after this one, in the same line.
  func advanced(by distance: Int) -> TextPosition {
    var position = self
    position.fileOffset &+= distance
    return position
  }
}
