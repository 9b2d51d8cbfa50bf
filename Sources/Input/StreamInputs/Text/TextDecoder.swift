import Basics

/// Decodes the text of a dump into bytes, a block at a time. One decoder reads one file.
///
/// The output (bytes and their offsets, gaps, faults) does not depend on how the text is divided into blocks.
package protocol TextDecoder: Sendable {
  /// Decodes `text`, the next block of the file, from `start` on, and returns the index after the last byte read:
  /// `text.byteCount`, or less when `output` is full and must be drained first.
  mutating func decode(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int

  /// The file has ended. Returns false when `output` is full: drain it and call again.
  mutating func finish(into output: inout DecodedText) -> Bool
}

/// A decoder that determines the layout of its text from the head, before it decodes anything.
protocol HeadedTextDecoder: TextDecoder {
  var head: TextHead { get set }

  /// Determines the layout from the head of the text; `isWhole` says that the text has no more than this. Called
  /// once, before anything is read.
  mutating func study(_ head: RawSpan, isWhole: Bool)

  /// `decode`, for text from the start of the file, including the head.
  mutating func read(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int

  /// `finish`, after the last `read`.
  mutating func end(into output: inout DecodedText) -> Bool
}

extension HeadedTextDecoder {
  package mutating func decode(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    var index = start
    if !head.isComplete {
      index = head.fill(from: text, at: start)
      guard head.isComplete else { return index }
      study(head.text.span.bytes, isWhole: false)
    }
    return readHead(into: &output) ? read(text, from: index, into: &output) : index
  }

  package mutating func finish(into output: inout DecodedText) -> Bool {
    if !head.isComplete {
      head.close()
      study(head.text.span.bytes, isWhole: true)
    }
    return readHead(into: &output) && end(into: &output)
  }

  /// Reads the buffered head; false if `output` became full first.
  private mutating func readHead(into output: inout DecodedText) -> Bool {
    let text = head.text
    if head.readCount < text.count {
      head.readCount = read(text.span.bytes, from: head.readCount, into: &output)
    }
    return head.readCount == text.count
  }
}

/// The beginning of a text, buffered until it is complete, so that the result does not depend on how the text is
/// divided into blocks.
struct TextHead: Sendable {
  /// Size of the head: some hundred lines, and at least three of maximum length.
  static let size = 16 << 10

  private(set) var text: [UInt8] = []
  /// Whether it has `size` bytes, or the text has ended.
  private(set) var isComplete = false
  /// Number of bytes of `text` that the decoder has read.
  var readCount = 0

  /// Fills the head from the block `text`, from `start` on; returns the index after the bytes used.
  mutating func fill(from text: RawSpan, at start: Int) -> Int {
    let end = min(text.byteCount, start + Self.size - self.text.count)
    self.text.reserveCapacity(Self.size)
    for index in start..<end { self.text.append(text.byte(at: index)) }
    isComplete = self.text.count == Self.size
    return end
  }

  /// The text has ended before its head was complete.
  mutating func close() {
    isComplete = true
  }
}

extension RawSpan {
  /// Whether it begins with a UTF-8 byte order mark, which some editors add to any text.
  var beginsWithByteOrderMark: Bool {
    byteCount >= 3 && byte(at: 0) == 0xef && byte(at: 1) == 0xbb && byte(at: 2) == 0xbf
  }

  /// The most common number of characters other than white space in the lines of this head, if more than half of them
  /// have it. One damaged line does not change it. Empty lines do not count, nor does the last one, which may be
  /// shorter.
  var commonLineWidth: Int? {
    var candidate = 0
    var lead = 0  // of the candidate over all others (Boyer and Moore's majority vote)
    forEachLineWidth { width in
      if lead == 0 { candidate = width }
      lead += width == candidate ? 1 : -1
    }
    var votes = 0
    var lines = 0
    forEachLineWidth { width in
      lines += 1
      votes += width == candidate ? 1 : 0
    }
    return votes * 2 > lines ? candidate : nil
  }

  private func forEachLineWidth(_ body: (Int) -> Void) {
    var complete = 0  // the width of a line that is known not to be the last
    var width = 0
    for index in (beginsWithByteOrderMark ? 3 : 0)..<byteCount {
      let character = byte(at: index)
      if character == ASCII.newline {
        if complete > 0 { body(complete) }
        if width > 0 { complete = width }
        width = 0
      } else if !ASCII.isWhiteSpace(character) {
        width += 1
      }
    }
    if width > 0, complete > 0 { body(complete) }
  }
}
