import Analysis
import ArgumentParser
import Basics

/// Chunks other than those that were captured (docs/spec/readers.md#chunks).
package struct ChunkOptions: ParsableArguments {
  @Option(help: .init("Split streams into chunks of this size.", valueName: "SIZE"))
  package var chunkSize: Int?
  @Option(help: .init("Read chunk sizes from a file, one a line, and repeat them.", valueName: "FILE"))
  package var chunkSizes: String?
  @Flag(help: "Use every chunk size from 1 to 80 bytes in turn.")
  package var everyChunking = false

  package init() {}

  package var given: [String] {
    [
      chunkSize.map { _ in "--chunk-size" }, chunkSizes.map { _ in "--chunk-sizes" },
      everyChunking ? "--every-chunking" : nil,
    ].compactMap { $0 }
  }

  package mutating func validate() throws {
    guard given.count < 2 else {
      throw ValidationError("\(given.joined(separator: " and ")) exclude each other: give one")
    }
    if let chunkSize { try checkRange("--chunk-size", chunkSize, 1...Int.max) }
  }

  /// Throws if standard input is also an input.
  package func validate(with input: InputOptions) throws {
    let read = input.inputs + [input.requests, input.responses].compactMap { $0 }
    guard chunkSizes != "-" || !read.contains("-") else { throw ValidationError(.standardInputTwice) }
  }

  /// The chunks; reads the file of --chunk-sizes.
  package func chunks() throws -> StreamChunks {
    if let chunkSize { return .sizes([chunkSize]) }
    if let chunkSizes { return .sizes(try StreamChunks.sizes(inFile: chunkSizes)) }
    return everyChunking ? .everySize : .asCaptured
  }
}
