import PacketCapture
import StreamInputs

/// Sizes of chunks as text: one a line, in bytes.
enum ChunkSizeFile {
  /// More lines are a fault: no recording of reads is as long, and they are held in memory.
  private static let maxSizes = 1_000_000

  static func read(_ path: String) throws -> [Int] {
    do {
      var lines = try LineReader(path)
      var sizes: [Int] = []
      while let line = try lines.next() {
        if line.isEmpty { continue }
        guard let size = Int(line), size > 0 else {
          throw InputFault(
            "expected a size of 1 byte or more, found '\(line.prefix(80))'", line: lines.lineNumber)
        }
        guard sizes.count < maxSizes else {
          throw InputFault("more than \(maxSizes) sizes: shorten the list", line: lines.lineNumber)
        }
        sizes.append(size)
      }
      guard !sizes.isEmpty else { throw InputFault("expected sizes of chunks, one a line, found none") }
      return sizes
    } catch let fault as InputFault {
      let place = fault.line.map { "line \($0): " } ?? ""
      throw Failure("\(path): \(place)\(fault.message); nothing was done")
    }
  }
}
