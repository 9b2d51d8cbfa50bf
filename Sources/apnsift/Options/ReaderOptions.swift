import ArgumentParser
import Readers

/// The options of a reader that is judged (docs/corpora.md, "Readers").
struct ReaderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A line of shell that starts a reader: it reads every stream of the corpus instead of apnsift.",
      valueName: "command"))
  var reader: String?

  @Option(help: "How it gets a stream: on standard input, or from a server on this machine.")
  var over = ReaderServer.Over.stdin

  @Option(
    help:
      "What it reads: streams of feedback, printed as `timestamp,token`, or error responses, as `status,identifier`."
  )
  var readerOf = ReadableStream.Kind.feedback

  @Option(help: ArgumentHelp("How long it may take for a stream, in seconds.", valueName: "seconds"))
  var timeout = ReaderLimits().seconds

  @Option(help: "How much it may print for a stream.")
  var maxOutput = SizeArgument(ReaderLimits().output)

  @Flag(help: "Judge it by streams with bytes that are no records as well.")
  var damaged = false

  @Flag(help: "Print the readings as JSON.")
  var json = false

  mutating func validate() throws {
    guard timeout > 0, timeout <= 86400 else {
      throw ValidationError("--timeout is \(timeout): more than 0 and up to 86400 seconds are possible.")
    }
    guard maxOutput.bytes > 0 else { throw ValidationError("--max-output must be more than 0 bytes.") }
    if let reader, reader.allSatisfy(\.isWhitespace) {
      throw ValidationError("--reader is empty: name a command.")
    }
  }

  /// Whether nothing was said but, maybe, what is said anyway.
  var isUntouched: Bool {
    over == .stdin && readerOf == .feedback && timeout == ReaderLimits().seconds
      && maxOutput.bytes == ReaderLimits().output && !damaged && !json
  }

  func trial(_ command: ReaderCommand, isVerbose: Bool) throws -> ReaderTrial {
    ReaderTrial(
      command, server: try ReaderServer(over), kind: readerOf,
      limits: ReaderLimits(seconds: timeout, output: maxOutput.bytes), takesDamaged: damaged,
      isVerbose: isVerbose)
  }
}

extension ReaderServer.Over: ExpressibleByArgument {}
extension ReadableStream.Kind: ExpressibleByArgument {}
