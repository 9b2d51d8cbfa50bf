import ArgumentParser
import Basics
import CommandOptions
import Conformance

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a corpus of inputs with expected records.",
    usage: "apnsift verify [<options>] <directory> ...",
    discussion: """
      A case is a directory with input.*, case.yml (description, origin, export options, chunks, coverage) and \
      expected.ndjson (the output of export -t ndjson). Both sides are sorted before the comparison; messages, \
      versions and the options in the header are ignored. docs/corpora.md describes the format.

      `apnsift-lab verify` tests your own reader with a corpus.

      EXAMPLES
        apnsift verify samples/corpus               exit code 1 on any difference
        apnsift verify -v samples/corpus            list all cases
        apnsift verify --update samples/corpus      rewrite expected.ndjson
        apnsift verify --junit results.xml samples/corpus

      EXIT CODES
        0 all cases pass   1 a case differs   2 a case is invalid, or an output fails
      """)

  @OptionGroup var corpus: CorpusOptions

  @Flag(help: "Write expected.ndjson of cases that differ or lack one.")
  var update = false

  @Option(help: .hidden)
  var reader: String?

  mutating func validate() throws {
    if reader != nil { throw ValidationError(.commandOfLab("verify --reader")) }
  }

  func run() throws {
    try corpus.run(as: "apnsift verify") { cases, examiner, jobs, output in
      let jobs = try DescriptorBudget.jobs(jobs, each: CaseExaminer.descriptors, "case")
      return try CorpusRun(cases, examiner, updates: update, jobs: jobs)
        .run(output, isVerbose: corpus.verbose)
    }
  }
}
