import Analysis
import ArgumentParser

/// How streams come in chunks, other than as they were captured (docs/spec/readers.md#chunks).
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
    if let chunkSizes { return .sizes(try StreamChunks.sizes(inFile: chunkSizes)) }
    return everyChunking ? .everySize : .asCaptured
  }
}
