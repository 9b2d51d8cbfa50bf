import Analysis
import ArgumentParser
import Reports
import WireBytes

/// `apnsift export`: every record.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write every record as CSV, JSON or NDJSON.",
    discussion: """
      EXAMPLES
        apnsift export feedback.bin                        CSV to standard output
        apnsift export -t ndjson dumps/ -o all.ndjson      all that is known
        apnsift export --columns time,token feedback.bin   two columns
        apnsift export feedback.bin --findings wrong.csv   and what is wrong with it
        ssh host cat feedback.bin | apnsift export -       from a pipe
      """)

  enum To: String, ExpressibleByArgument, CaseIterable {
    case csv, json, ndjson
  }

  enum Records: String, ExpressibleByArgument, CaseIterable {
    case feedback, streams, findings
  }

  @OptionGroup var input: InputOptions

  @Option(name: [.short, .long], help: "csv, json or ndjson.")
  var to = To.csv

  @Option(help: "One kind only: feedback, streams or findings. CSV has feedback where none is named.")
  var records: Records?

  @Option(help: "The columns of CSV, of feedback records: \(ColumnsArgument.names).")
  var columns: ColumnsArgument?

  @Flag(help: "Tokens in uppercase hex.")
  var uppercase = false

  @Option(help: "Write the findings as CSV to this file, in the same pass.")
  var findings: String?

  @Flag(help: "Count the distinct tokens for the summary of JSON and NDJSON.")
  var distinct = false

  @Option(name: [.short, .long], help: "Write to this file, which appears when it is whole.")
  var output: String?

  @Flag(help: "Replace output files that exist.")
  var force = false

  mutating func validate() throws {
    if columns != nil, to != .csv || (records ?? .feedback) != .feedback {
      throw ValidationError("--columns chooses the columns of feedback records in CSV; JSON has them all.")
    }
    if distinct, to == .csv {
      throw ValidationError("--distinct fills the summary of JSON and NDJSON; CSV has none.")
    }
    if let findings, findings == output ?? "-" {
      throw ValidationError("-o and --findings name the same file.")
    }
  }

  func run() throws {
    var examination = Examination(input, hashes: to != .csv)
    let file = try open(output, examination) ?? OutputFile()
    let findingsFile = try open(findings, examination)
    if let findingsFile, file.hasSameTarget(as: findingsFile) {
      throw UsageError("-o and --findings name the same file")
    }
    let buffer = OutputBuffer(file)
    let document = try document(buffer)
    let findingsBuffer = findingsFile.map(OutputBuffer.init)
    let findingsWriter = findingsBuffer.map { CSVWriter(.findings, letterCase: .lower, output: $0) }
    try findingsWriter?.begin()
    let table =
      distinct
      ? try TokenTable(memory: input.memory.bytes, temporaryDirectory: TemporaryDirectory.path) : nil
    let collector = table.map { TokenCollector($0, flaggedCount: true) }

    let sinks: [(any EvidenceSink)?] = [document, findingsWriter, collector]
    let analyzer = Analyzer(rules: input.rules, sinks: sinks.compactMap { $0 })
    try examination.run(analyzer)

    var summary = analyzer.summary
    summary.distinctTokens = try table?.distinctCount()
    if let evidence = document as? EvidenceWriter { try evidence.end(summary, inputs: examination.inputs) }
    try buffer.flush()
    try file.finish()
    try findingsBuffer?.flush()
    try findingsFile?.finish()
    sayClosingLine(examination, summary)
    throw examination.status(summary)
  }

  private func open(_ path: String?, _ examination: Examination) throws -> OutputFile? {
    guard let path else { return nil }
    if examination.contains(fileAt: path) {
      throw Failure("\(path) is one of the inputs: name another file to write")
    }
    return try OutputFile(path, force: force)
  }

  private func document(_ buffer: OutputBuffer) throws -> any EvidenceSink {
    let letterCase: Hex.LetterCase = uppercase ? .upper : .lower
    guard to == .csv else {
      let kinds: EvidenceWriter.Kinds =
        switch records {
        case .feedback: .feedback
        case .streams: .streams
        case .findings: .findings
        case nil: .all
        }
      let writer = EvidenceWriter(
        to == .json ? .json : .ndjson, kinds: kinds, letterCase: letterCase, output: buffer)
      try writer.begin(version: Apnsift.version, options: input.reported)
      return writer
    }
    let kind: CSVWriter.Kind =
      switch records {
      case .streams: .streams
      case .findings: .findings
      case .feedback, nil: .feedback(columns?.columns ?? FeedbackColumn.standard)
      }
    let writer = CSVWriter(kind, letterCase: letterCase, output: buffer)
    try writer.begin()
    return writer
  }

  private func sayClosingLine(_ examination: Examination, _ summary: Summary) {
    let done: String =
      switch records {
      case .streams: Count.of(summary.streams, "stream")
      case .findings: Count.of(summary.findings.values.reduce(0, +), "finding")
      case .feedback, nil: Count.of(summary.feedback, "record")
      }
    let from = "exported \(done) of \(Count.of(examination.inputs.count, "input"))"
    Messages.say(examination.closingLine(from, summary))
  }
}
