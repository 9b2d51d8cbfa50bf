import Basics

/// Formats CSV according to RFC 4180, with `\n` line ends.
package enum CSVText {
  /// The largest size, in bytes, of a field for `count` bytes of text.
  static func bound(_ count: Int) -> Int { 2 * count + 2 }

  /// `value` as a field, quoted if it contains the delimiter, a quote or a line end.
  package static func field(_ value: String, delimiter: UInt8 = UInt8(ascii: ",")) -> String {
    var value = value
    return value.withUTF8 { text in
      String(unsafeUninitializedCapacity: bound(text.count)) { buffer in
        guard let target = buffer.baseAddress else { return 0 }
        return write(UnsafeRawBufferPointer(text), delimiter: delimiter, to: UnsafeMutableRawPointer(target))
      }
    }
  }

  package static func line(_ fields: [String], delimiter: UInt8 = UInt8(ascii: ",")) -> String {
    fields.map { field($0, delimiter: delimiter) }.joined(separator: String(Unicode.Scalar(delimiter))) + "\n"
  }

  /// Writes `text`, which is UTF-8, as a field to `target`; returns the number of bytes written.
  static func write(
    _ text: UnsafeRawBufferPointer, delimiter: UInt8 = UInt8(ascii: ","), to target: UnsafeMutableRawPointer
  ) -> Int {
    guard let input = text.baseAddress else { return 0 }
    guard needsQuotes(text, delimiter: delimiter) else {
      target.copyMemory(from: input, byteCount: text.count)
      return text.count
    }
    let quote = UInt8(ascii: "\"")
    target.storeBytes(of: quote, as: UInt8.self)
    let end = WideLoop.doubleQuotes(of: text, to: target + 1)
    end.storeBytes(of: quote, as: UInt8.self)
    return end + 1 - target
  }

  private static func needsQuotes(_ text: UnsafeRawBufferPointer, delimiter: UInt8) -> Bool {
    guard var input = text.baseAddress else { return false }
    let end = input + text.count
    let specials: (EightBytes) -> UInt64 = {
      $0.marks(of: delimiter) | $0.marks(of: UInt8(ascii: "\"")) | $0.marks(of: UInt8(ascii: "\n"))
        | $0.marks(of: UInt8(ascii: "\r"))
    }
    while end - input >= 8 {
      if specials(EightBytes(input)) != 0 { return true }
      input += 8
    }
    return UnsafeRawBufferPointer(start: input, count: end - input).contains { byte in
      byte == delimiter || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
    }
  }
}
