import PacketCapture
import Platform
import StreamInputs
import WireBytes

/// How streams are cut for readers and for clients (docs/spec/readers.md#chunks: a chunk is what one network read can return at most).
package enum StreamChunks {
  /// As the capture has it: a segment's payload is a chunk; where no packets are known, 4096 bytes.
  case asCaptured
  /// Sizes in bytes, in turn and again from the top.
  case sizes([Int])
  /// Every size from 1 to 80, one reading each: twice the tuple of a usual token, and some.
  case everySize

  package static let everySizes = 1...80

  /// In words, after "over".
  package var text: String {
    switch self {
    case .asCaptured: "the segments of captures, and chunks of 4096 bytes where there are none"
    case .sizes(let sizes):
      sizes.count == 1
        ? "chunks of \(Count.of(sizes[0], "byte"))" : "chunks of \(Self.list(sizes)) bytes in turn"
    case .everySize:
      "chunks of \(Self.everySizes.lowerBound) to \(Self.everySizes.upperBound) bytes"
    }
  }

  private static func list(_ sizes: [Int]) -> String {
    let shown = sizes.prefix(8).map { String($0) }.joined(separator: ", ")
    return sizes.count > 8 ? "\(shown), …" : shown
  }
}

extension StreamChunks {
  /// More lines are a fault: no recording of reads is as long, and they are held in memory.
  private static let maxSizes = 1_000_000

  /// Sizes as text: one a line, in bytes.
  package static func sizes(inFile path: String) throws -> [Int] {
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
      throw Failure("\(path): \(fault.placed); nothing was done")
    }
  }
}
