import PacketCapture
import StreamInputs
import TestSupport
import Testing

/// Content that compresses somewhat: noise and repetition by turns.
func compressibleBytes(_ count: Int, seed: UInt64 = 41) -> [UInt8] {
  var generator = SeededGenerator(seed: seed)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 300)
  while bytes.count < count {
    bytes += generator.bytes(generator.pick(1...100))
    bytes += [UInt8](repeating: UInt8(generator.pick(0...255)), count: generator.pick(1...200))
  }
  return Array(bytes.prefix(count))
}

/// `bytes` compressed by the real tool.
func compress(_ bytes: [UInt8], _ tool: String, _ options: [String] = []) throws -> [UInt8] {
  let output = try outputOf(tool, ["-c"] + options, input: bytes)
  return try #require(
    output.flatMap { $0.isEmpty ? nil : $0 }, "\(tool) is missing: scripts/setup installs it")
}

/// All content of a file, its error, and its properties.
struct FileReading {
  var bytes: [UInt8] = []
  var blockLengths: [Int] = []
  var error: InputError?
  var compression: Compression?
  var bytesRead = 0
  var sha256: String?

  /// Reads `input` in blocks of `blockLength` bytes.
  init(_ input: Input, blockLength: Int = 4096, readsLookalikes: Bool = false) throws {
    var file = try InputFile(input, digests: [.sha256], readsLookalikes: readsLookalikes)
    var block = [UInt8](repeating: 0, count: blockLength)
    do {
      while case let filled = try file.fill(&block, from: 0), filled > 0 {
        bytes += block[..<filled]
        blockLengths.append(filled)
      }
    } catch {
      self.error = error
    }
    compression = file.compression
    bytesRead = file.bytesRead
    sha256 = file.finish().digests[.sha256]
  }

  /// Whether it has these bytes and no error. Not compared within #expect, which would print all of them.
  func isWhole(_ bytes: [UInt8], _ compression: Compression?) -> Bool {
    self.bytes == bytes && error == nil && self.compression == compression
  }

  init(_ file: [UInt8], blockLength: Int = 4096, readsLookalikes: Bool = false) throws {
    let files = TemporaryFiles()
    try self.init(
      Input(try files.write(file)), blockLength: blockLength, readsLookalikes: readsLookalikes)
  }
}
