import Messages
import PacketCapture
import Platform
import WireBytes

/// Reads a text file, or standard input, line by line, in bounded memory.
package struct LineReader: ~Copyable {
  /// A longer line is a fault, in bytes.
  package static let maxLineLength = 1 << 20

  private var file: InputFile
  private var block = [UInt8](repeating: 0, count: 64 << 10)
  private var start = 0
  private var filled = 0
  /// Number of the line that was read last, from 1.
  package private(set) var lineNumber = 0

  /// - Parameter argument: a path, or `-` for standard input.
  package init(_ argument: String) throws {
    file = try InputFile(Input(argument))
  }

  /// The next line without its end (`\n` or `\r\n`) or a byte order mark; nil at the end.
  package mutating func next() throws -> String? {
    var line: [UInt8] = []
    while true {
      if start == filled {
        filled = try file.fill(&block, from: 0)
        start = 0
        if filled == 0 {
          return line.isEmpty ? nil : finish(line)
        }
      }
      let rest = block[start..<filled]
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      line += rest[..<(end ?? filled)]
      start = end.map { $0 + 1 } ?? filled
      guard line.count <= Self.maxLineLength else {
        throw InputFault(.lineTooLong(limit: Self.maxLineLength), line: lineNumber + 1)
      }
      if end != nil { return finish(line) }
    }
  }

  private mutating func finish(_ line: [UInt8]) -> String {
    lineNumber += 1
    var line = line[...]
    if lineNumber == 1, line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
