import Basics

/// Formats CSV according to RFC 4180, with `\n` line ends.
package enum CSVText {
  /// The largest size, in bytes, of a field for `count` bytes of text, with the bytes after it that are overwritten.
  static func bound(_ count: Int) -> Int { 2 * count + 17 }

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
  /// - Parameter readable: how many bytes from the first on may be loaded; nil for those of the text.
  static func write(
    _ text: UnsafeRawBufferPointer, readable: Int? = nil, delimiter: UInt8 = UInt8(ascii: ","),
    to target: UnsafeMutableRawPointer
  ) -> Int {
    WideLoop.writeField(text, readable: readable ?? text.count, delimiter: delimiter, to: target) - target
  }
}
