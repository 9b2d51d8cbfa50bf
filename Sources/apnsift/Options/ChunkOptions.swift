import Analysis
import ArgumentParser
import PacketCapture
import Platform
import StreamInputs

/// How streams come in chunks, other than as they were captured (readers.md).
struct ChunkOptions: ParsableArguments {
  @Option(help: "Chunks of so many bytes: a read returns at most the rest of one.")
  var chunkSize: Int?

  @Option(
    help:
      "A file with sizes of chunks, one a line, used in turn and again from the top; - for standard input.")
  var chunkSizes: String?

  @Flag(help: "Every size of chunks from 1 to 80 bytes, one after the other.")
  var everyChunking = false

  /// The options that are given.
  var given: [String] {
    [
      chunkSize.map { _ in "--chunk-size" }, chunkSizes.map { _ in "--chunk-sizes" },
      everyChunking ? "--every-chunking" : nil,
    ].compactMap { $0 }
  }

  mutating func validate() throws {
    guard given.count < 2 else {
      throw ValidationError("\(given.joined(separator: " and ")) exclude each other: give one.")
    }
    if let chunkSize, chunkSize < 1 {
      throw ValidationError("--chunk-size is \(chunkSize): a chunk has 1 byte or more.")
    }
  }

  /// Throws where standard input was to be read as an input, too.
  func validate(beside input: InputOptions) throws {
    let read = input.inputs + [input.requests, input.responses].compactMap { $0 }
    guard chunkSizes != "-" || !read.contains("-") else {
      throw ValidationError("Standard input (-) can be read only once.")
    }
  }

  /// What they say; reads the file that is named.
  func chunks() throws -> StreamChunks {
    if let chunkSize { return .sizes([chunkSize]) }
    if let chunkSizes { return .sizes(try ChunkSizeFile.read(chunkSizes)) }
    return everyChunking ? .everySize : .asCaptured
  }
}

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
