import ArgumentParser
import Corpora
import Messages
import Platform
import Readers
import Reports

/// `apnsift verify`: checks each case of a corpus with apnsift, or with a reader under test.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a corpus with apnsift, or test your own reader with it.",
    usage: "apnsift verify [<options>] <directory> ... [-- <reader> ...]",
    discussion: """
      A case is a directory with input.*, case.yml (description, origin, export options, chunks, coverage) and \
      expected.ndjson (the output of export -t ndjson). Both sides are sorted before the comparison; messages, \
      versions and the options in the header are ignored. docs/corpora.md describes the format.

      With --reader, your program reads each feedback stream in its original chunks and prints a line `timestamp,token` \
      for each tuple (with --reader-of responses, `status,identifier`). It is judged like the readers of audit. Streams \
      with gaps, or with bytes outside records, are skipped. With --over tcp or tls the program connects to \
      APNSIFT_HOST and APNSIFT_PORT; APNSIFT_CA is the path of the server certificate.

      EXAMPLES
        apnsift verify samples/corpus               exit code 1 on any difference
        apnsift verify -v samples/corpus            list all cases
        apnsift verify --update samples/corpus      rewrite expected.ndjson
        apnsift verify --tap --junit results.xml samples/corpus
        apnsift verify samples/corpus --reader 'python3 reader.py'
        apnsift verify samples/corpus -- ./reader --stdin
        apnsift verify samples/corpus --over tls --reader ./reader
        apnsift verify samples/corpus --reader-of responses --reader ./errors

      EXIT CODES
        0 all cases pass   1 a case differs, or the reader is wrong
        2 a case is invalid, an output fails, or the reader cannot be started
      """)

  @Argument(help: .init("Cases, or directories of cases.", valueName: "directory"))
  var directories: [String]

  @Argument(
    parsing: .postTerminator,
    help: .init("After --, a reader and its arguments, instead of --reader.", valueName: "reader"))
  var words: [String] = []

  @Flag(name: [.short, .long], help: "List all cases with their descriptions.")
  var verbose = false

  @Flag(help: "Write expected.ndjson of cases that differ or lack one.")
  var update = false

  @Flag(help: "Print the results as TAP 14.")
  var tap = false

  @Option(help: .init("Also write the results as JUnit XML.", valueName: "FILE"))
  var junit: String?

  @Flag(help: "Overwrite the file of --junit.")
  var force = false

  @Option(help: .init("Cases to run at once. (default: number of processors)", valueName: "COUNT"))
  var jobs: Int?

  @OptionGroup var color: ColorOptions

  @OptionGroup(title: "READER") var reader: ReaderOptions

  @OptionGroup(title: "ADVANCED") var limits: ReaderLimitOptions

  mutating func validate() throws {
    guard !directories.isEmpty else {
      throw ValidationError(.noCorpus)
    }
    if let jobs { try checkRange("--jobs", jobs, 1...1024) }
    guard reader.reader == nil || words.isEmpty else {
      throw ValidationError(.readerGivenTwice)
    }
    guard command != nil || reader.isUntouched && limits.isUntouched else {
      throw ValidationError(.optionsOfReader)
    }
    guard command == nil || !update else {
      throw ValidationError(.updateWithReader)
    }
    guard !tap || !reader.json else {
      throw ValidationError(.giveOne(of: ["--tap", "--json"]))
    }
    // The parser drops a `--` without words after it.
    guard !words.isEmpty || CommandLine.arguments.last != "--" else {
      throw ValidationError(.noReaderAfterDashes)
    }
    if junit == "-" { throw ValidationError(.junitWritesFile) }
  }

  private var command: ReaderCommand? {
    if let line = reader.reader { return .line(line) }
    return words.isEmpty ? nil : .words(words)
  }

  func run() throws {
    let walk = CaseWalk(directories)
    for fault in walk.faults { Console.say(fault) }
    let junitFile = try junit.map { try openJUnit($0, walk.cases) }
    let output = OutputBuffer(OutputFile())
    let count = min(jobs ?? Workers.usual, max(1, walk.cases.count))
    let examiner = CaseExaminer { try CaseSource($0, $1, parse: InputOptions.ofCase) }
    let result: CorpusResult
    if let command {
      let jobs = try DescriptorBudget.jobs(count, each: reader.over.descriptors, "reader")
      let run = ReaderRun(
        walk.cases, examiner,
        try reader.trial(command, maxOutput: limits.maxOutput.bytes, isVerbose: verbose), jobs: jobs)
      result = try run.run(output, format: tap ? .tap : reader.json ? .json : .text, isVerbose: verbose)
    } else {
      let jobs = try DescriptorBudget.jobs(count, each: CaseExaminer.descriptors, "case")
      let run = CorpusRun(walk.cases, examiner, updates: update, jobs: jobs)
      result = try run.run(output, isTAP: tap, isVerbose: verbose)
    }
    // A failure of one output must not prevent the other.
    let printing = Result { try output.flush() }
    Console.say(.done(result.closingLine, failedDirectories: walk.faults.count))
    if let junitFile {
      let buffer = OutputBuffer(junitFile)
      try buffer.append(JUnitWriter.text(result.rows, suite: "apnsift verify"))
      try buffer.flush()
      try junitFile.finish()
    }
    try printing.get()
    if !walk.faults.isEmpty || result.ending == .broken { throw ExitStatus.failed }
    if result.ending == .differs { throw ExitStatus.found }
  }

  /// The output file; files of cases are refused.
  private func openJUnit(_ path: String, _ cases: [CaseDirectory]) throws -> OutputFile {
    if let there = FileIdentity(at: Array(path.utf8CString)) {
      for one in cases {
        let files =
          one.inputs.map { one.path(of: $0) }
          + [CaseFiles.description, CaseFiles.expectation].map { one.path(of: $0) }
        if files.contains(where: { FileIdentity(at: $0) == there }) {
          throw Failure(.fileOfCase(path, case: one.name))
        }
      }
    }
    return try OutputFile(path, force: force, isPrivate: false)
  }
}

extension InputOptions {
  /// The options of a case, as for `export`.
  fileprivate static func ofCase(_ words: [String]) throws(CaseError) -> CaseOptions {
    do {
      let options = try parse(words)
      return CaseOptions(
        words: options.inputs, pair: options.pair, examination: options.examinationOptions,
        memory: options.memory, keys: { try options.decryption.streamKeys(memory: options.memory, $0) })
    } catch {
      throw CaseError(.invalidCaseOptions(message(for: error).shortened))
    }
  }
}
