/// Takes what is generated. The command gives it a file.
package protocol GeneratorOutput: AnyObject {
  func write(_ bytes: RawSpan) throws
}

/// Bytes on their way to an output, in pieces that are worth a call.
struct OutputPieces {
  private static let size = 1 << 16

  private let output: any GeneratorOutput
  private var waiting: [UInt8] = []
  /// How many bytes came so far: the offset, in bytes from 0, of the next.
  private(set) var count = 0

  init(_ output: any GeneratorOutput) {
    self.output = output
    waiting.reserveCapacity(2 * Self.size)
  }

  mutating func append(_ bytes: some Collection<UInt8>) throws {
    waiting.append(contentsOf: bytes)
    count += bytes.count
    if waiting.count >= Self.size { try flush() }
  }

  mutating func flush() throws {
    guard !waiting.isEmpty else { return }
    try output.write(waiting.span.bytes)
    waiting.removeAll(keepingCapacity: true)
  }
}

func appendBigEndian(_ value: UInt32, to bytes: inout [UInt8]) {
  appendBigEndian(UInt16(truncatingIfNeeded: value >> 16), to: &bytes)
  appendBigEndian(UInt16(truncatingIfNeeded: value), to: &bytes)
}

func appendBigEndian(_ value: UInt16, to bytes: inout [UInt8]) {
  bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  bytes.append(UInt8(truncatingIfNeeded: value))
}
