internal import WideBytes

/// Validates one JSON value in UTF-8 by the grammar of RFC 8259: no byte order mark, only white space around it,
/// any depth. Builds no value.
public struct JSONText {
  /// The next byte to read; after a failure, the wrong byte.
  package private(set) var next: UnsafeRawPointer
  package let end: UnsafeRawPointer
  /// After a failure, the expected token.
  package private(set) var expected = ""

  package init(next: UnsafeRawPointer, end: UnsafeRawPointer) { (self.next, self.end) = (next, end) }

  /// Whether the bytes of `range`, which must be in the span, are one JSON value.
  public static func isValue(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    bytes.extracting(range).withUnsafeBytes { text in
      text.baseAddress.map {
        read_json($0, text.count, bytes.byteCount &- range.lowerBound, true).expected == nil
      } ?? false
    }
  }

  /// The offset of the first wrong byte, and the expected token; nil if the text is one JSON value.
  package static func error(of text: UnsafeRawBufferPointer) -> (offset: Int, expected: String)? {
    guard let start = text.baseAddress else { return (0, "a value") }
    var text = JSONText(next: start, end: start + text.count)
    return text.readValue() ? nil : (text.next - start, text.expected)
  }

  /// - Parameter isWhole: whether only white space may follow the value.
  package mutating func readValue(isWhole: Bool = true) -> Bool {
    let reading = read_json(next, end - next, end - next, isWhole)
    next += reading.count
    if let token = reading.expected { expected = String(cString: token) }
    return reading.expected == nil
  }

  /// The next byte; at the end 0, which is valid nowhere.
  package var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

  package mutating func skip(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    next += 1
    return true
  }

  package mutating func skipSpace() {
    while byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { next += 1 }
  }
}
