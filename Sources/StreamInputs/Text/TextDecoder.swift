/// Turns the text of a dump back into its bytes, a block at a time. One decoder reads one file.
///
/// What comes out (bytes, where each of them stands, gaps, faults) does not depend on how the text was cut
/// into blocks.
package protocol TextDecoder: Sendable {
  /// Decodes `text`, the next block of the file, from `start` on, and returns the index behind what was
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

  /// `finish`, behind the last `read`.
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
