import WireBytes

/// Turns the text of a dump back into its bytes, a block at a time. One decoder reads one file.
///
/// What comes out (bytes, where each of them stands, gaps, faults) does not depend on how the text was cut
/// into blocks.
package protocol TextDecoder: Sendable {
  /// Decodes `text`, the next block of the file, from `start` on, and returns the index after what was
  /// read: `text.byteCount`, or less when `output` is full and has to be drained first.
  mutating func decode(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int

  /// The file has ended. Returns false when `output` is full: drain it and call again.
  mutating func finish(into output: inout DecodedText) -> Bool
}

/// A decoder that judges how its text is laid out by the text's head, before it decodes anything.
protocol HeadedTextDecoder: TextDecoder {
  var head: TextHead { get set }

  /// Learns the layout from the head of the text; `isWhole` says that the text has no more than this.
  /// Called once, before anything is read.
  mutating func study(_ head: RawSpan, isWhole: Bool)

  /// `decode`, of text that begins where the file begins, the head included.
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

  /// Reads what was held back; false if `output` became full before its end.
  private mutating func readHead(into output: inout DecodedText) -> Bool {
    let text = head.text
    if head.readCount < text.count {
      head.readCount = read(text.span.bytes, from: head.readCount, into: &output)
    }
    return head.readCount == text.count
  }
}

/// The beginning of a text, held back until enough of it is there to be judged as a whole, so that the
/// judgement cannot depend on how the text was cut into blocks.
struct TextHead: Sendable {
  /// Bytes that are judged: some hundred lines, and at least three of the longest that we read.
  static let size = 16 << 10

  private(set) var text: [UInt8] = []
  /// Whether `size` bytes are there, or the text has ended.
  private(set) var isComplete = false
  /// How much of `text` the decoder has read, in bytes.
  var readCount = 0

  /// Takes what is missing from the block `text`, from `start` on; returns the index after it.
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
  /// Whether a UTF-8 byte order mark stands here: editors of some systems put it before any text.
  var beginsWithByteOrderMark: Bool {
    byteCount >= 3 && byte(at: 0) == 0xef && byte(at: 1) == 0xbb && byte(at: 2) == 0xbf
  }

  /// How many characters other than white space the lines of this head have: the number that more than half
  /// of them share, nil if there is none. One damaged line does not change it. Empty lines do not vote, nor
  /// does the last one, which may be shorter.
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
