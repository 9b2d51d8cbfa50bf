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
    return writeQuoted(input, to: input + text.count, target)
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

  /// Doubles each quote. Stores whole blocks; the bytes after the first quote of a block are then overwritten.
  private static func writeQuoted(
    _ start: UnsafeRawPointer, to end: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
  ) -> Int {
    let quote = UInt8(ascii: "\"")
    var input = start
    var output = target
    output.storeBytes(of: quote, as: UInt8.self)
    output += 1
    while end - input >= 8 {
      let block = EightBytes(input)
      let plain = EightBytes.count(before: block.marks(of: quote))
      output.storeBytes(of: block.word.littleEndian, as: UInt64.self)
      input += plain
      output += plain
      if plain == 8 { continue }
      output.storeBytes(of: 0x2222, as: UInt16.self)
      input += 1
      output += 2
    }
    while input < end {
      let byte = input.load(as: UInt8.self)
      output.storeBytes(of: byte, as: UInt8.self)
      output.storeBytes(of: quote, toByteOffset: 1, as: UInt8.self)
      output += byte == quote ? 2 : 1
      input += 1
    }
    output.storeBytes(of: quote, as: UInt8.self)
    return output + 1 - target
  }
}
