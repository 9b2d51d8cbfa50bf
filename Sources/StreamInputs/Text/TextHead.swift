import WireBytes

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

  /// Takes what is missing from the block `text`, from `start` on; returns the index behind it.
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
