import Basics

/// Formats bytes of a stream as lines of hex. Each field has lines of its own, with its name on the right.
struct AnnotatedDump {
  /// Bytes in a line.
  private static let width = 16

  /// Offset in the stream of the first byte, in bytes from 0.
  let offset: Int
  let bytes: [UInt8]
  let fields: [DumpField]
  /// The most bytes shown of a field.
  let limit: Int

  func text(_ style: TextStyle) -> String {
    let nameWidth = fields.map(\.name.count).max() ?? 0
    return fields.map { field($0, nameWidth, style) }.joined()
  }

  private func field(_ field: DumpField, _ nameWidth: Int, _ style: TextStyle) -> String {
    let shown = field.range.prefix(limit)
    var text = ""
    for start in stride(from: field.range.lowerBound, to: shown.endIndex, by: Self.width) {
      let line = bytes[start..<min(start + Self.width, shown.endIndex)]
      let isFirst = start == field.range.lowerBound
      let name = isFirst ? field.name : ""
      var annotation = style.bold(name) + Self.spaces(nameWidth - name.count)
      if isFirst, !field.value.isEmpty { annotation += "  \(field.value)" }
      let signs = line.map { 0x20...0x7e ~= $0 ? Unicode.Scalar($0) : "." }
      if field.isText { annotation += "  \(String(String.UnicodeScalarView(signs)))" }
      let (number, hex) = ("\(offset + start)", line.map { Hex.string([$0]) }.joined(separator: " "))
      let gap = Self.spaces(3 * Self.width - 1 - hex.count)
      let row = "  \(Self.spaces(10 - number.count))\(number)  \(hex)\(gap)  \(annotation)"
      text += row.trimming { $0 == " " } + "\n"
    }
    let more = field.range.count - shown.count
    if more > 0 {
      text += "              … \(Count.of(more, "more byte")) of \(field.name) (--limit shows more)\n"
    }
    return text
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
}
