import ArgumentParser
import Basics
import Conformance
import Reports

/// The options of every command that runs the cases of a corpus.
package struct CorpusOptions: ParsableArguments {
  @Argument(help: .init("Cases, or directories of cases.", valueName: "directory"))
  package var directories: [String]
  @Flag(name: [.short, .long], help: "List all cases with their descriptions.")
  package var verbose = false
  @Option(help: .init("Also write the results as JUnit XML.", valueName: "FILE"))
  var junit: String?
  @Flag(help: "Overwrite the file of --junit.")
  var force = false
  @Option(help: .init("Cases to run at once. (default: number of processors)", valueName: "COUNT"))
  var jobs: Int?

  @OptionGroup var color: ColorOptions

  package init() {}

  package mutating func validate() throws {
    guard !directories.isEmpty else { throw ValidationError("no corpus: name cases or directories of cases") }
    if let jobs { try checkRange("--jobs", jobs, 1...1024) }
    if junit == "-" { throw ValidationError("--junit writes a file: name one") }
  }

  /// Runs the cases, and writes the results.
  /// - Parameters:
  ///   - name: of the test suite, for JUnit: no other run of tests has it.
  ///   - run: prints the results of cases, some of them at once.
  package func run(
    as name: String,
    _ run: (_ cases: [CaseDirectory], _ examiner: CaseExaminer, _ jobs: Int, OutputBuffer) throws ->
      CorpusResult
  ) throws {
    let walk = CaseWalk(directories)
    for error in walk.errors { Console.say(error) }
    let junitFile = try junit.map { try openJUnit($0, walk.cases) }
    let output = OutputBuffer(OutputFile())
    let examiner = CaseExaminer(parse: InputOptions.ofCase)
    let result = try run(walk.cases, examiner, min(jobs ?? Workers.usual, max(1, walk.cases.count)), output)
    // A failure of one output must not prevent the other.
    let printing = Result { try output.flush() }
    let failed =
      walk.errors.isEmpty
      ? "" : "; \(Count.of(walk.errors.count, "directory")) failed, see above"
    Console.say("\(result.closingLine)\(failed)")
    if let junitFile {
      try junitFile.write(Array(JUnitWriter.text(result.rows, suite: name).utf8).span.bytes)
      try junitFile.finish()
    }
    try printing.get()
    if !walk.errors.isEmpty || result.ending == .broken { throw ExitStatus.failed }
    if result.ending == .differs { throw ExitStatus.found }
  }

  /// The output file; files of cases are refused.
  private func openJUnit(_ path: String, _ cases: [CaseDirectory]) throws -> OutputFile {
    for one in cases {
      for file in one.inputs.map(one.path) + [CaseFiles.description, CaseFiles.expectation].map(one.path) {
        ReadFiles.add(file, as: "a file of case \(one.name)")
      }
    }
    return try OutputFile(path, force: force, isPrivate: false)
  }
}

extension InputOptions {
  /// The options of a case, as for `export`.
  fileprivate static func ofCase(_ words: [String]) throws(CommandError) -> CaseOptions {
    do {
      let options = try parse(words)
      try RepeatedOption.check(words, of: InputOptions.self)
      return CaseOptions(
        words: options.inputs, pair: options.pair, examination: options.examinationOptions,
        memory: options.memory, keys: { try options.decryption.streamKeys(memory: options.memory, $0) })
    } catch let error as UsageError {
      throw CommandError("invalid options: \(error.message); correct the options in case.yml")
    } catch {
      throw CommandError("invalid options: \(message(for: error).shortened); correct the options in case.yml")
    }
  }
}
