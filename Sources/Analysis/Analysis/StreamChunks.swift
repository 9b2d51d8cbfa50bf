import Basics
import PacketCapture
import StreamInputs

/// How streams are split for readers and clients (docs/spec/readers.md#chunks: a chunk is what one network read can return at most).
package enum StreamChunks: Equatable {
  /// One chunk for the payload of each captured segment; 4096 bytes if the input has no packets.
  case asCaptured
  /// Sizes in bytes, repeated from the beginning.
  case sizes([Int])
  /// Every size from 1 to 80, one run of the reader each: slightly more than two tuples with usual tokens.
  case everySize

  package static let everySizes = 1...80

  /// The phrase after "over" in messages.
  package var text: String {
    switch self {
    case .asCaptured: "the captured segments, and chunks of 4096 bytes for inputs without packets"
    case .sizes(let sizes):
      sizes.count == 1
        ? "chunks of \(Count.of(sizes[0], "byte"))" : "chunks of \(Self.list(sizes)) bytes in turn"
    case .everySize: "chunks of \(Self.everySizes.lowerBound) to \(Self.everySizes.upperBound) bytes"
    }
  }

  private static func list(_ sizes: [Int]) -> String {
    let shown = sizes.prefix(8).map { String($0) }.joined(separator: ", ")
    return sizes.count > 8 ? "\(shown), …" : shown
  }

  /// The maximum number of sizes: they are kept in memory, and no recording of reads is longer.
  private static let maxSizes = 1_000_000

  /// Reads sizes in bytes from a text file, one per line.
  package static func sizes(inFile path: String) throws -> [Int] {
    do {
      var lines = try LineReader(Input(path).of(option: "--chunk-sizes"))
      var sizes: [Int] = []
      while let line = try lines.next() {
        if line.isEmpty { continue }
        guard let size = Int(line), size > 0 else {
          throw InputError(
            "'\(String(line.prefix(80)))' is not a size of 1 byte or more", line: lines.lineNumber)
        }
        guard sizes.count < maxSizes else {
          throw InputError("more than \(maxSizes) sizes; shorten the list", line: lines.lineNumber)
        }
        sizes.append(size)
      }
      guard !sizes.isEmpty else { throw InputError("no chunk sizes; write one per line, in bytes") }
      return sizes
    } catch let error as InputError {
      throw CommandError(.about(path, error.located))
    }
  }
}
