import Basics

/// Finds line ends, and JSON objects in lines.
enum LineSearch {
  /// Index of the next line feed.
  @inline(__always)
  static func lineEnd(_ text: UnsafeRawPointer, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index &+ 8 <= range.upperBound {
      let plain = EightBytes.count(before: EightBytes(text + index).marks(of: 0x0a))
      index &+= plain
      if plain < 8 { return index }
    }
    while index < range.upperBound {
      if text.load(fromByteOffset: index, as: UInt8.self) == 0x0a { return index }
      index &+= 1
    }
    return nil
  }

  /// Whether a text begins like a JSON object: a brace, then a quote or a closing brace.
  static func beginsObject(_ text: UnsafeRawPointer, _ range: Range<Int>) -> Bool {
    guard text.load(fromByteOffset: range.lowerBound, as: UInt8.self) == UInt8(ascii: "{") else {
      return false
    }
    for index in range.dropFirst() {
      let byte = text.load(fromByteOffset: index, as: UInt8.self)
      if byte > 0x20 { return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "}") }
    }
    return false
  }

  /// Index of the first `{"`: a JSON object after other text of the line.
  static func objectStart(_ text: UnsafeRawPointer, _ range: Range<Int>) -> Int? {
    guard range.count >= 2 else { return nil }
    for index in range.lowerBound..<range.upperBound &- 1
    where text.load(fromByteOffset: index, as: UInt8.self) == UInt8(ascii: "{")
      && text.load(fromByteOffset: index &+ 1, as: UInt8.self) == UInt8(ascii: "\"")
    {
      return index
    }
    return nil
  }
}
