/// Finds the end of an object or list that begins with a bracket, in JSON or as programs print it. It may have several lines,
/// if each begins as printers write it: indented, or with a closing bracket or a quote.
enum StructureScan {
  enum StructureEnd: Equatable {
    /// The length of the structure.
    case closed(Int)
    /// The text ends before it, at this depth of brackets.
    case open(Int)
    /// It is none: the line at this offset is not a part of it.
    case broken(Int)
  }

  /// - Parameters:
  ///   - text: text that begins with the opening bracket, or with the line after a text that has been read.
  ///   - depth: the number of brackets that are open before it.
  static func read(_ text: UnsafeRawBufferPointer, depth: Int = 0) -> StructureEnd {
    var (depth, index) = (depth, 0)
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
        depth &-= 1
        if depth == 0 { return .closed(index &+ 1) }
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
        guard let end = quotedEnd(text, index) else { return .open(depth) }
        index = end
        continue
      case 0x1b where index &+ 1 < text.count && text[index &+ 1] == UInt8(ascii: "["): index &+= 1
      case 0x0a:
        guard index &+ 1 < text.count else { return .open(depth) }
        guard continues(text[index &+ 1]) else { return .broken(index &+ 1) }
      default: break
      }
      index &+= 1
    }
    return .open(depth)
  }

  /// Whether the first byte of a line is that of a line inside a structure.
  static func continues(_ first: UInt8) -> Bool {
    first <= 0x20
      || first != UInt8(ascii: "`") && (ByteSet.closings.contains(first) || ByteSet.quotes.contains(first))
  }

  /// Whether a bracket closes that is not opened in the text.
  static func closesMore(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    var depth = 0
    for byte in text where depth >= 0 {
      depth &+= ByteSet.openings.contains(byte) ? 1 : ByteSet.closings.contains(byte) ? -1 : 0
    }
    return depth < 0
  }

  /// The index after the closing quote, or after an apostrophe or a quote that its line does not close. Nil if the text
  /// ends before.
  static func quotedEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    if text[start] == UInt8(ascii: "'"), start > 0, LogText.isWord(text[start &- 1]) { return start &+ 1 }
    var index = start &+ 1
    while index < text.count {
      switch text[index] {
      case text[start]: return index &+ 1
      case UInt8(ascii: "\\"): index &+= 2
      case 0x0a: return start &+ 1
      default: index &+= 1
      }
    }
    return nil
  }
}
