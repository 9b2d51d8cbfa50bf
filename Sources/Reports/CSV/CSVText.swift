import WireBytes

/// Text in CSV as RFC 4180 has it, with `\n` line ends.
package enum CSVText {
  /// `value` as a field: in quotes where it holds the delimiter, a quote or a line end.
  package static func field(_ value: String, delimiter: UInt8 = UInt8(ascii: ",")) -> String {
    let needsQuotes = value.utf8.contains { byte in
      byte == delimiter || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
    }
    guard needsQuotes else { return value }
    // By scalars: a quote with a combining mark behind it is another character than a quote.
    var field = "\""
    for scalar in value.unicodeScalars {
      if scalar == "\"" { field.unicodeScalars.append(scalar) }
      field.unicodeScalars.append(scalar)
    }
    return field + "\""
  }

  /// Appends the bytes of `range`, which are UTF-8, as a field.
  static func appendField(_ range: Range<Int>, in bytes: RawSpan, to text: inout [UInt8]) {
    let start = text.count
    var needsQuotes = false
    text.append(UInt8(ascii: "\""))
    for place in range {
      let byte = bytes.byte(at: place)
      switch byte {
      case UInt8(ascii: "\""):
        needsQuotes = true
        text.append(byte)
      case UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"): needsQuotes = true
      default: break
      }
      text.append(byte)
    }
    if needsQuotes { text.append(UInt8(ascii: "\"")) } else { text.remove(at: start) }
  }

  /// One line of fields.
  package static func line(_ fields: [String], delimiter: UInt8 = UInt8(ascii: ",")) -> String {
    fields.map { field($0, delimiter: delimiter) }.joined(separator: String(Unicode.Scalar(delimiter))) + "\n"
  }
}
