import ArgumentParser
import Corpora
import Platform
import Readers
import Reports
import WireBytes

/// `apnsift verify`: every case of a corpus against what it expects, or somebody else's reader against all of them.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a corpus: every case against what it expects, by apnsift or by your own reader.",
    discussion: """
      A case is a directory with input.*, case.yml (what it shows, where it comes from, options of export, chunks, \
      what it covers) and expected.ndjson (what export -t ndjson writes of it). Both sides are sorted before they are \
      compared; messages, versions and the header's options are left out. docs/corpora.md has the format.

      With --reader a program of yours reads every stream of feedback instead, in the chunks in which it came: it \
      prints a line `timestamp,token` for each tuple, and is judged as audit judges its readers. A stream with gaps is \
      not judged, nor is one with bytes that are no records. With --over tcp or tls the program connects to APNSIFT_HOST \
      and APNSIFT_PORT; APNSIFT_CA is the path of the server's certificate.

      EXAMPLES
        apnsift verify samples/corpus               exit code 1 on any difference
        apnsift verify -v samples/corpus            what each case shows
        apnsift verify --update samples/corpus      write what is found now
        apnsift verify --tap --junit results.xml samples/corpus
        apnsift verify samples/corpus --reader 'python3 reader.py'
        apnsift verify samples/corpus -- ./reader --stdin
        apnsift verify samples/corpus --over tls --reader ./reader
        apnsift verify samples/corpus --reader-of responses --reader ./errors

      EXIT CODES
        0 all as expected   1 something differs, or the reader was wrong
        2 a case or an output is broken, or the reader cannot be started
      """)

  @Argument(help: "Directories of cases, or cases.")
  var directories: [String]

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("Behind --: the reader as a program and its arguments.", valueName: "reader"))
  var words: [String] = []

  @Flag(name: [.short, .long], help: "List all cases, with what they show.")
  var verbose = false

  @Flag(help: "Write expected.ndjson of every case that differs or has none.")
  var update = false

  @Flag(help: "Print the results as TAP (version 14).")
  var tap = false

  @Option(help: ArgumentHelp("Write the results as JUnit XML to this file.", valueName: "file"))
  var junit: String?

  @Flag(help: "Replace the file of --junit where it exists.")
  var force = false

  @Option(help: "How many cases at once. (default: as many as there are processors)")
  var jobs: Int?

  @OptionGroup(title: "Readers") var reader: ReaderOptions

  mutating func validate() throws {
    guard !directories.isEmpty else { throw ValidationError("Missing expected argument '<directories> ...'") }
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs): 1 to 1024 cases at once are possible.")
    }
    guard reader.reader == nil || words.isEmpty else {
      throw ValidationError("--reader and the words behind -- both name a reader: give one.")
    }
    guard command != nil || reader.isUntouched else {
      throw ValidationError(
        "--over, --timeout, --max-output, --damaged, --reader-of and --json go with --reader: name a reader.")
    }
    guard command == nil || !update else {
      throw ValidationError("--update writes what apnsift finds: it does not go with --reader.")
    }
    guard !tap || !reader.json else {
      throw ValidationError("--tap and --json exclude each other: give one.")
    }
    // What is read of `--` and nothing behind it looks as if there were no `--`.
    guard !words.isEmpty || CommandLine.arguments.last != "--" else {
      throw ValidationError("Nothing stands behind --: name a reader, or leave it out.")
    }
    if junit == "-" { throw ValidationError("--junit writes a file: name one.") }
  }

  private var command: ReaderCommand? {
    if let line = reader.reader { return .line(line) }
    return words.isEmpty ? nil : .words(words)
  }

  func run() throws {
    let walk = CaseWalk(directories)
    for fault in walk.faults { Messages.say(fault) }
    let junitFile = try junit.map { try openJUnit($0, walk.cases) }
    let output = OutputBuffer(OutputFile())
    let count = min(jobs ?? Workers.usual, max(1, walk.cases.count))
    let examiner = CaseExaminer { try CaseSource($0, $1, parse: InputOptions.ofCase) }
    let result: CorpusResult
    if let command {
      let jobs = try DescriptorBudget.jobs(count, each: reader.over.descriptors, "reader")
      let run = ReaderRun(
        walk.cases, examiner, try reader.trial(command, isVerbose: verbose), jobs: jobs)
      result = try run.run(output, format: tap ? .tap : reader.json ? .json : .text, isVerbose: verbose)
    } else {
      let jobs = try DescriptorBudget.jobs(count, each: CaseExaminer.descriptors, "case")
      let run = CorpusRun(walk.cases, examiner, updates: update, jobs: jobs)
      result = try run.run(output, isTAP: tap, isVerbose: verbose)
    }
    // Of the two outputs, one that cannot be written takes nothing from the other.
    let printing = Result { try output.flush() }
    let failures =
      walk.faults.isEmpty
      ? "" : "; \(Count.of(walk.faults.count, "directory", "directories")) failed, see above"
    Messages.say(result.closingLine + failures)
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

  /// The output file, which may be no file of a case.
  private func openJUnit(_ path: String, _ cases: [CaseDirectory]) throws -> OutputFile {
    if let there = FileIdentity(at: Array(path.utf8CString)) {
      for one in cases {
        let files =
          one.inputs.map { one.path(of: $0) }
          + [CaseFiles.description, CaseFiles.expectation].map { one.path(of: $0) }
        if files.contains(where: { FileIdentity(at: $0) == there }) {
          throw Failure("\(path) is a file of the case \(one.name): name another file to write")
        }
      }
    }
    return try OutputFile(path, force: force)
  }
}

extension InputOptions {
  /// The options of a case, as `export` takes them.
  fileprivate static func ofCase(_ words: [String]) throws(BrokenCase) -> CaseOptions {
    do {
      let options = try parse(words)
      return CaseOptions(
        words: options.inputs, pair: options.pair, examination: options.examinationOptions,
        memory: options.memory.bytes)
    } catch {
      throw BrokenCase("its options cannot be read: \(message(for: error).shortened); \(CaseSource.remedy)")
    }
  }
}
