import ArgumentParser
import CommandOptions
import Conformance
import MockServer

/// The options of a reader under test (docs/corpora.md#readers).
struct ReaderOptions: ParsableArguments {
  @Option(help: .init("Shell command that starts the reader to test.", valueName: "COMMAND"))
  var reader: String?
  @Option(help: .init("How the reader gets a stream. (default: stdin; tcp for pushes)", valueName: "NAME"))
  var over: ReaderServer.Over?
  @Option(help: .init("What the reader reads.", valueName: "NAME"))
  var readerOf = ReadableStream.Kind.feedback
  @Option(
    parsing: .unconditional,
    help: .init("Time that a reader has to end after its last read.", valueName: "SECONDS"))
  var timeout = ReaderLimits().seconds
  @Option(help: .init("Most bytes that the reader may print for one stream.", valueName: "SIZE"))
  var maxOutput = SizeArgument(ReaderLimits().output)
  @Flag(help: "Also test streams that contain bytes outside records.")
  var damaged = false
  @Flag(help: "Print the results as JSON.")
  var json = false

  mutating func validate() throws {
    guard timeout > 0, timeout <= 86400 else {
      throw ValidationError("--timeout is \(timeout): give more than 0 and at most 86400 seconds")
    }
    if let reader, reader.allSatisfy(\.isWhitespace) {
      throw ValidationError("--reader is empty: give a command")
    }
    if readerOf == .pushes, over == .stdin {
      throw ValidationError("--reader-of pushes needs a server: use --over tcp or tls")
    }
    try checkRange("--max-output", maxOutput.bytes, 1...Int.max)
  }

  var way: ReaderServer.Over { over ?? (readerOf == .pushes ? .tcp : .stdin) }

  func trial(_ command: ReaderCommand, isVerbose: Bool) throws -> ReaderTrial {
    var trial = ReaderTrial(
      command, server: try ReaderServer(way), kind: readerOf,
      limits: ReaderLimits(seconds: timeout, output: maxOutput.bytes))
    (trial.takesDamaged, trial.isVerbose) = (damaged, isVerbose)
    return trial
  }
}

extension ReaderServer.Over: ExpressibleByArgument {}
extension ReadableStream.Kind: ExpressibleByArgument {}
