import Basics
import PacketCapture

/// Reads a text file, or standard input, line by line, in bounded memory.
package struct LineReader: ~Copyable {
  /// A longer line is an error, in bytes.
  package static let maxLineLength = 1 << 20

  private var file: InputFile
  private var block = [UInt8](repeating: 0, count: 64 << 10)
  private var start = 0
  private var filled = 0
  private var isAfterReturn = false
  /// Number of the line that was read last, from 1.
  package private(set) var lineNumber = 0

  package init(_ input: Input) throws { file = try InputFile(input) }

  /// The next line without its end (`\n`, `\r\n` or `\r`) or a byte order mark; nil at the end.
  package mutating func next() throws -> String? {
    var line: [UInt8] = []
    return try next(into: &line) ? String(decoding: line, as: UTF8.self) : nil
  }

  /// Writes the bytes of the next line to `line`; false at the end.
  package mutating func next(into line: inout [UInt8]) throws -> Bool {
    line.removeAll(keepingCapacity: true)
    while true {
      if start == filled {
        filled = try file.fill(&block, from: 0)
        start = 0
        if filled == 0 {
          if line.isEmpty { return false }
          break
        }
      }
      if isAfterReturn, block[start] == UInt8(ascii: "\n") { start += 1 }
      isAfterReturn = false
      let rest = block[start..<filled]
      let end = rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      line += rest[..<(end ?? filled)]
      start = end.map { $0 + 1 } ?? filled
      guard line.count <= Self.maxLineLength else {
        throw InputError(
          "the line is longer than \(ByteSize.text(Self.maxLineLength)); expected one entry per line",
          line: lineNumber + 1)
      }
      if let end {
        isAfterReturn = block[end] == UInt8(ascii: "\r")
        break
      }
    }
    lineNumber += 1
    if lineNumber == 1, line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    return true
  }
}
