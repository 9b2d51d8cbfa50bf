import Foundation

/// Bytes as text that tools make of them, written without the library's code.
package enum DumpText: String, CaseIterable, Sendable {
  case raw, wrappedHex, spacedHex, unevenHex, xxd, hexdump, base64

  /// The text, and the offset in it of each byte. Byte i of a group of three in base64 is at character i of the four, and
  /// bytes of repeated rows at their `*`.
  package func text(of bytes: [UInt8]) -> (text: [UInt8], offsets: [Int]) {
    switch self {
    case .raw: return (bytes, Array(0..<bytes.count))
    case .wrappedHex: return lines(bytes, of: 30, group: 30)
    case .spacedHex: return lines(bytes, of: 16, group: 1)
    case .unevenHex: return lines(bytes, of: 10, group: 4)
    case .xxd: return lines(bytes, of: 16, group: 2) { ("\(Self.eight($0)): ", "  \(Self.shown($1))") }
    case .hexdump:
      let (text, offsets) = lines(bytes, of: 16, group: 1) {
        ("\(Self.eight($0))  ", "  |\(Self.shown($1))|")
      }
      // The last line is the offset of the end.
      return (text + Array("\(Self.eight(bytes.count))\n".utf8), offsets)
    case .base64: return base64(bytes)
    }
  }

  /// - Parameter frame: what is before and after the digits of a row that begins at an offset. With it, rows that are
  ///   equal to the one before are a `*`, which both tools know in one form or another.
  private func lines(
    _ bytes: [UInt8], of size: Int, group: Int, frame: ((Int, ArraySlice<UInt8>) -> (String, String))? = nil
  ) -> (text: [UInt8], offsets: [Int]) {
    var text: [UInt8] = []
    var offsets: [Int] = []
    var last: ArraySlice<UInt8> = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let row = bytes[start..<min(start + size, bytes.count)]
      if frame != nil, last.elementsEqual(row), start + size < bytes.count {
        if !text.suffix(2).elementsEqual("*\n".utf8) { text += "*\n".utf8 }
        offsets += repeatElement(text.count - 2, count: size)
        continue
      }
      last = row
      let (before, after) = frame?(start, row) ?? ("", "")
      text += before.utf8
      for (index, byte) in row.enumerated() {
        if index > 0, index % group == 0 { text.append(0x20) }
        // hexdump -C has two halves.
        if self == .hexdump, index == 8 { text.append(0x20) }
        offsets.append(text.count)
        text += TestHex.text([byte]).utf8
      }
      text += after.utf8 + [0x0a]
    }
    return (text, offsets)
  }

  private static func eight(_ number: Int) -> String {
    String(String(number + 1 << 32, radix: 16).dropFirst())
  }

  private static func shown(_ row: ArraySlice<UInt8>) -> String {
    String(row.map { (0x20...0x7e).contains($0) ? Character(Unicode.Scalar($0)) : "." })
  }

  private func base64(_ bytes: [UInt8]) -> (text: [UInt8], offsets: [Int]) {
    let text = Data(bytes).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
    // A line has 57 bytes.
    return (Array(text.utf8), bytes.indices.map { $0 / 3 * 4 + $0 % 3 + $0 / 57 })
  }
}
