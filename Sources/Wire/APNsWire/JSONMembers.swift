import WireBytes

/// Reads the members of bodies. Ranges are indices of the given bytes.
extension JSONText {
  /// Whether the bytes are a JSON object, all of whose members `take` accepts.
  /// - Parameter take: gets the text of each name, with its quotes, and of its value.
  package static func readObject(
    _ range: Range<Int>, in bytes: RawSpan, _ take: (_ name: Range<Int>, _ value: Range<Int>) -> Bool
  ) -> Bool {
    readList(range, in: bytes, UInt8(ascii: "{"), UInt8(ascii: "}")) { text, value in
      guard let name = value(&text), bytes.byte(at: name.lowerBound) == UInt8(ascii: "\"") else {
        return false
      }
      text.skipSpace()
      guard text.skip(UInt8(ascii: ":")), let member = value(&text) else { return false }
      return take(name, member)
    }
  }

  /// Whether the bytes are an array of strings without escapes.
  /// - Parameter take: gets the text of each between its quotes.
  package static func readStrings(
    _ range: Range<Int>, in bytes: RawSpan, _ take: (Range<Int>) -> Void
  ) -> Bool {
    readList(range, in: bytes, UInt8(ascii: "["), UInt8(ascii: "]")) { text, value in
      guard let string = value(&text).flatMap({ plainString($0, in: bytes) }) else { return false }
      take(string)
      return true
    }
  }

  /// What is between the quotes of a string without escapes; nil for another value.
  package static func plainString(_ value: Range<Int>, in bytes: RawSpan) -> Range<Int>? {
    guard bytes.byte(at: value.lowerBound) == UInt8(ascii: "\""),
      !value.contains(where: { bytes.byte(at: $0) == UInt8(ascii: "\\") })
    else { return nil }
    return value.lowerBound + 1..<value.upperBound - 1
  }

  /// - Parameter element: reads one, by a function that returns the text of a value.
  private static func readList(
    _ range: Range<Int>, in bytes: RawSpan, _ first: UInt8, _ last: UInt8,
    _ element: (inout JSONText, (inout JSONText) -> Range<Int>?) -> Bool
  ) -> Bool {
    bytes.extracting(range).withUnsafeBytes { content in
      guard let start = content.baseAddress else { return false }
      var text = JSONText(next: start, end: start + content.count)
      func skip(_ byte: UInt8) -> Bool {
        text.skipSpace()
        return text.skip(byte)
      }
      guard skip(first) else { return false }
      var isOpen = !skip(last)
      while isOpen {
        let isElement = element(&text) { text in
          text.skipSpace()
          let begin = text.next - start + range.lowerBound
          return text.readValue(isWhole: false) ? begin..<text.next - start + range.lowerBound : nil
        }
        guard isElement else { return false }
        isOpen = skip(UInt8(ascii: ","))
        guard isOpen || skip(last) else { return false }
      }
      text.skipSpace()
      return text.next == text.end
    }
  }
}
