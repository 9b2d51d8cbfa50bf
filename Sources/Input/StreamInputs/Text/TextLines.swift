import Basics
import PacketCapture

/// A line of a text, within its block or buffer.
struct TextLine {
  /// Its range in the block, without its line end.
  let range: Range<Int>
  /// Whether a line end follows; it is missing only from the last line of a file.
  let isTerminated: Bool
  /// At the line's first character.
  let cursor: TextCursor

  /// The line's end without the carriage return of a line end that has one.
  func end(in text: RawSpan) -> Int {
    let end = range.upperBound
    let hasReturn = isTerminated && !range.isEmpty && text.byte(at: end - 1) == ASCII.carriageReturn
    return hasReturn ? end - 1 : end
  }

  /// The line's end without any white space.
  func trimmedEnd(in text: RawSpan) -> Int {
    var end = range.upperBound
    while end > range.lowerBound, ASCII.isWhiteSpace(text.byte(at: end - 1)) { end -= 1 }
    return end
  }

  /// The position in the file of the character at `index` of the block.
  func position(_ index: Int) -> TextPosition {
    cursor.position(cursor.fileOffset + index - range.lowerBound)
  }

  /// The byte offset in the file of the character at `index` of the block.
  func fileOffset(_ index: Int) -> Int { cursor.fileOffset &+ index &- range.lowerBound }
}

/// Assembles lines that cross block boundaries.
struct LineAssembly: Sendable {
  /// Maximum line length, in bytes without the line end: xxd's longest (`-c 256 -g 1`) has about 1050. Longer ones
  /// are skipped without being buffered.
  static let maxLength = 4096

  /// At the first character of the line that is being read.
  var cursor = TextCursor()
  private var partial: [UInt8] = []
  /// Bytes of the current line that were skipped because it is too long; 0 for any other line.
  private var skipped = 0

  var isTooLong: Bool { skipped > 0 }

  /// Whether there is no part of a line.
  var isEmpty: Bool { partial.isEmpty && skipped == 0 }

  /// Adds a chunk of the current line. Returns true if that makes it too long.
  mutating func add(_ text: RawSpan, _ range: Range<Int>) -> Bool {
    if skipped > 0 {
      skipped += range.count
      return false
    }
    if partial.count + range.count > Self.maxLength {
      skipped = partial.count + range.count
      partial.removeAll(keepingCapacity: true)
      return true
    }
    for index in range { partial.append(text.byte(at: index)) }
    return false
  }

  /// The current line, while it is read; `putBack` returns the storage.
  mutating func take() -> [UInt8] {
    var line: [UInt8] = []
    swap(&line, &partial)
    return line
  }

  mutating func putBack(_ line: [UInt8]) {
    partial = line
  }

  /// The current line, of which `length` bytes were not added here, has been read, and a newline follows.
  mutating func endLine(length: Int) {
    cursor.fileOffset += length + partial.count + skipped
    cursor.passNewline(at: cursor.fileOffset)
    cursor.fileOffset += 1
    partial.removeAll(keepingCapacity: true)
    skipped = 0
  }
}

/// The characters in the layout of text dumps.
enum ASCII {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  /// A space or a tab.
  @inline(__always)
  static func isBlank(_ character: UInt8) -> Bool {
    character == UInt8(ascii: " ") || character == UInt8(ascii: "\t")
  }

  @inline(__always)
  static func isWhiteSpace(_ character: UInt8) -> Bool {
    isBlank(character) || character == newline || character == carriageReturn
  }

  /// Whether this byte does not occur in text: control characters other than tab and line ends.
  static func isControl(_ character: UInt8) -> Bool {
    (character < 0x20 && !isWhiteSpace(character)) || character == 0x7f
  }

  static func isPrintable(_ character: UInt8) -> Bool { (0x20...0x7e).contains(character) }
}

extension RawSpan {
  /// The index of the first newline at or after `start`; nil if there is none. Eight bytes a step.
  func newlineIndex(from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    while byteCount &- index >= 8 {
      let word = UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let difference = word ^ (ones &* UInt64(ASCII.newline))
      // The lowest byte of the word that is zero gets its top bit set (bits above it may be wrong).
      let zeros = (difference &- ones) & ~difference & (ones &* 0x80)
      if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < byteCount {
      if byte(at: index) == ASCII.newline { return index }
      index &+= 1
    }
    return nil
  }
}

struct TextPosition: Equatable, Sendable {
  /// Byte offset in the file, from 0.
  var fileOffset: Int
  /// From 1.
  var line: Int
  /// In bytes, from 1. A byte order mark is not counted.
  var column: Int
}

/// A decoder's position in its text.
struct TextCursor: Sendable {
  /// Byte offset in the file, from 0, of the next character.
  var fileOffset = 0
  /// Number of the line, from 1, and the file offset of its first character.
  private(set) var line = 1
  private(set) var lineStart = 0

  /// Skips a byte order mark, which belongs to no line.
  mutating func skip(byteOrderMark length: Int) {
    fileOffset += length
    lineStart += length
  }

  /// There is a newline at `fileOffset`.
  mutating func passNewline(at fileOffset: Int) {
    line += 1
    lineStart = fileOffset + 1
  }

  /// The position of the next character.
  var position: TextPosition { position(fileOffset) }

  /// The position of `fileOffset`, which is in the current line.
  func position(_ fileOffset: Int) -> TextPosition {
    TextPosition(fileOffset: fileOffset, line: line, column: fileOffset - lineStart + 1)
  }
}

/// Reports the faults of one file, and only counts those above a limit.
struct FaultLog: Sendable {
  /// Faults reported one by one; a file with more is probably of another kind.
  static let limit = 20

  private(set) var count = 0

  mutating func report(_ message: Message, at position: TextPosition, into output: inout DecodedText) {
    count += 1
    guard count <= Self.limit else { return }
    output.append(
      InputFault(message, fileOffset: position.fileOffset, line: position.line, column: position.column))
  }

  /// The file has ended: reports the number of faults that were only counted.
  mutating func close(into output: inout DecodedText) {
    guard count > Self.limit else { return }
    output.append(
      InputFault(
        "\(Count.of(count - Self.limit, "further error")) in this text; check that its format is right "
          + "(--from)"))
    count = 0
  }
}
