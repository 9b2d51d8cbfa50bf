import ArgumentParser
import Basics
import CommandOptions
import Conformance
import MockServer

struct VerifyReader: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Test your own reader with a corpus.",
    usage: "apnsift-lab verify [<options>] <directory> ... [-- <reader> ...]",
    discussion: """
      Your program reads each feedback stream in its original chunks and prints a line `timestamp,token` \
      for each tuple (with --reader-of responses, `status,identifier`). It is judged like the readers of \
      `apnsift audit`. Streams with gaps, or with bytes outside records, are skipped. With --over tcp or tls the \
      program connects to APNSIFT_HOST and APNSIFT_PORT; APNSIFT_CA is the path of the server certificate. \
      docs/corpora.md describes a corpus.

      EXAMPLES
        apnsift-lab verify samples/corpus --reader 'python3 reader.py'
        apnsift-lab verify samples/corpus -- ./reader --stdin
        apnsift-lab verify samples/corpus --over tls --reader ./reader
        apnsift-lab verify samples/corpus --reader-of responses --reader ./errors

      EXIT CODES
        0 the reader is right   1 the reader is wrong
        2 a case is invalid, an output fails, the reader cannot be started, or no stream judges it
      """)

  @OptionGroup var corpus: CorpusOptions
  @OptionGroup(title: "READER") var reader: ReaderOptions

  /// A reader and its arguments, after `--`. The parser takes them for directories, as it does not keep the `--`.
  private static let words = Array(CommandLine.arguments.drop { $0 != "--" }.dropFirst())

  mutating func validate() throws {
    let words = Self.words
    corpus.directories.removeLast(min(words.count, corpus.directories.count))
    try corpus.validate()
    guard reader.reader == nil || words.isEmpty else {
      throw ValidationError("give a reader with --reader or after --, not both")
    }
    guard reader.reader != nil || !words.isEmpty else {
      throw ValidationError(
        CommandLine.arguments.last == "--"
          ? "nothing follows --: give a reader, or leave out --"
          : "no reader: give one with --reader, or after --")
    }
  }

  private var command: ReaderCommand { reader.reader.map { .line($0) } ?? .words(Self.words) }

  func run() throws {
    let suite = "\(command.name) (\(reader.readerOf.rawValue), \(reader.way.rawValue))"
    try corpus.run(as: suite) { cases, examiner, jobs, output in
      let jobs = try DescriptorBudget.jobs(jobs, each: reader.way.descriptors, "reader")
      let trial = try reader.trial(command, isVerbose: corpus.verbose)
      return try ReaderRun(cases, examiner, trial, jobs: jobs)
        .run(output, asJSON: reader.json, isVerbose: corpus.verbose)
    }
  }
}
