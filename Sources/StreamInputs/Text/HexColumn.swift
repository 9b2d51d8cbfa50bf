import WireBytes

/// Reads the hex column of a dump's line.
enum HexColumn {
  /// What became of a line's hex column.
  enum Outcome {
    /// It is read; `end` is the index behind its last digit.
    case whole(end: Int)
    /// It is read up to a character at `index` that does not belong there.
    case damaged(index: Int, message: String)
    /// The text ends within it.
    case cut(index: Int)
  }

  /// Adds the bytes of the column that begins at `start`, in a line that ends at `lineEnd`, to `output`, up to
  /// what cannot be read.
  static func read<Format: OffsetTextFormat>(
    _ text: RawSpan, from start: Int, to lineEnd: Int, of line: TextLine, as format: Format.Type,
    into output: inout DecodedText
  ) -> Outcome {
    var index = start
    while true {
      let end = HexDigits.end(in: text, from: index, to: lineEnd)
      let next = Format.behindGroup(text, at: end, to: lineEnd)
      let isCut = end == lineEnd && !line.isTerminated
      if (end &- index) % 2 == 1, !isCut {
        if case .other = next {} else { return oddGroup(at: index, digits: end - index) }
      }
      if end > index {
        let count = (end &- index) / 2
        _ = output.appendHex(text, from: index, maxCount: count, at: line.fileOffset(index))
      }
      if isCut, (end &- index) % 2 == 1 || end == index { return .cut(index: end) }
      switch next {
      case .group(let start) where end > index: index = start
      case .columnEnd where end > index: return .whole(end: end)
      default: return unexpected(text, at: end, lineEnd: lineEnd)
      }
    }
  }

  /// A group that lacks a digit, or has one too many: which one, nobody knows, so none of it is used.
  private static func oddGroup(at index: Int, digits: Int) -> Outcome {
    .damaged(
      index: index,
      message: "a group of \(digits) hex digit\(digits == 1 ? "" : "s") where bytes are two digits each")
  }

  private static func unexpected(_ text: RawSpan, at index: Int, lineEnd: Int) -> Outcome {
    let found = index < lineEnd ? ASCII.name(text.byte(at: index)) : "the end of the line"
    return .damaged(index: index, message: "a hex digit was expected, and found was \(found)")
  }
}
