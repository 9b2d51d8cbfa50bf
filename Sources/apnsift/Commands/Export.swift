import Analysis
import ArgumentParser
import Platform
import Reports
import WireBytes

/// `apnsift export`: every record.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write every record as CSV, JSON or NDJSON, or the bytes of the streams.",
    discussion: """
      CSV holds one kind of records: feedback, unless --records names another. JSON and NDJSON hold all of them, \
      findings, streams and a summary besides. A request is written when its outcome is known, which is at the \
      end of its connection.

      EXAMPLES
        apnsift export feedback.bin                        CSV to standard output
        apnsift export -t ndjson dumps/ -o all.ndjson      records, findings, summary
        apnsift export --columns time,token feedback.bin   two columns
        apnsift export feedback.bin --findings wrong.csv   and what is wrong with it
        ssh host cat feedback.bin | apnsift export -       from a pipe
        apnsift export capture.pcap --records streams      connections of a capture
        apnsift export capture.pcap -t raw -o streams      and their bytes
        apnsift export capture.pcap --columns packet,captured_at,time,token
        apnsift export gateway.pcap --records requests     and their outcomes
        apnsift export gateway.pcap --records resend       to be sent again
        apnsift export --requests sent.bin --responses got.bin -t ndjson
      """)

  enum To: String, ExpressibleByArgument, CaseIterable {
    case csv, json, ndjson, raw
  }

  @OptionGroup var input: InputOptions

  @Option(
    name: [.short, .long],
    help: "csv, json or ndjson; raw writes the bytes of every stream to files in the directory of -o.")
  var to = To.csv

  @Option(
    help: """
      One kind only: feedback, requests, responses, streams, findings, or resend (the requests that a gateway \
      discarded, which had to be sent again). CSV has feedback where none is named.
      """)
  var records: ExportedKind?

  @Option(
    help: """
      The columns of records in CSV, separated by commas. Of feedback there are \
      \(FeedbackColumn.allCases.map(\.rawValue).joined(separator: ", ")) \
      (default: \(FeedbackColumn.standard.map(\.rawValue).joined(separator: ","))); of requests \
      \(RequestColumn.allCases.map(\.rawValue).joined(separator: ", ")); of responses \
      \(ResponseColumn.allCases.map(\.rawValue).joined(separator: ", ")) (default: all).
      """)
  var columns: String?

  @Flag(help: "Tokens in uppercase hex.")
  var uppercase = false

  @Option(help: "Write the findings as CSV to this file, in the same pass.")
  var findings: String?

  @Flag(help: "Count the distinct tokens, for the summary and the last message.")
  var distinct = false

  @Option(
    name: [.short, .long],
    help: "Write to this file, which appears when it is whole; with --to raw a directory.")
  var output: String?

  @Flag(help: "Replace output files that exist, or write into a directory that holds files.")
  var force = false

  mutating func validate() throws {
    if columns != nil, to != .csv || records == .streams || records == .findings {
      throw ValidationError("--columns chooses the columns of records in CSV; JSON has them all.")
    }
    _ = try table()
    if to == .raw {
      if output == nil { throw ValidationError("--to raw writes a directory of streams: name it with -o.") }
      if records != nil || findings != nil || distinct {
        throw ValidationError(
          "--to raw writes streams alone: --records, --findings and --distinct go with the others.")
      }
    }
    if let findings, findings == output ?? "-" {
      throw ValidationError("-o and --findings name the same file.")
    }
  }

  func run() throws {
    if to == .raw { return try exportRaw() }
    var examination = input.examination(hashing: to == .csv ? .possibleCopies : .all)
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
      ? TokenTable(memory: input.memory.bytes, temporaryDirectory: TemporaryDirectory.path) : nil
    let collector = table.map { TokenCollector($0, flaggedCount: true) }

    try examination.run([document, findingsWriter, collector])

    var summary = examination.summary
    summary.distinctTokens = try table?.distinctCount()
    if let evidence = document as? EvidenceWriter { try evidence.end(summary, inputs: examination.inputs) }
    try buffer.flush()
    try file.finish()
    try findingsBuffer?.flush()
    try findingsFile?.finish()
    if let hint = hint(summary) { Messages.note(hint) }
    let done =
      "exported \(summary.exportText(records, isCSV: to == .csv)) of \(Count.of(examination.inputs.count, "input"))"
    Messages.say(examination.closingLine(done))
    try input.check(examination)
  }

  /// The bytes of every stream, one file a direction.
  private func exportRaw() throws {
    var examination = input.examination(hashing: .possibleCopies)
    if let input = examination.input(in: output ?? "") {
      throw Failure(
        "\(input) lies in \(output ?? ""), where streams are to be written: name another directory")
    }
    let directory = try OutputDirectory(output ?? "", force: force)
    let writer = try RawStreamWriter(
      directory, inputCount: input.capture.join ? 1 : examination.inputCount)
    try examination.run([writer])
    try writer.finish()
    let done =
      "exported \(Count.of(writer.directionCount, "direction")) of \(Count.of(examination.summary.streams, "stream")) "
      + "to \(directory.name)"
    Messages.say(examination.closingLine(done))
    try input.check(examination)
  }

  private func open(_ path: String?, _ examination: Examination) throws -> OutputFile? {
    guard let path else { return nil }
    if examination.contains(fileAt: path) {
      throw Failure("\(path) is one of the inputs: name another file to write")
    }
    return try OutputFile(path, force: force)
  }

  /// What CSV holds.
  private func table() throws -> CSVWriter.Kind {
    switch records {
    case .feedback, nil: try .feedback(columns(of: FeedbackColumn.self) ?? FeedbackColumn.standard)
    case .requests: try .requests(columns(of: RequestColumn.self) ?? RequestColumn.allCases)
    case .resend: try .resend(columns(of: RequestColumn.self) ?? RequestColumn.allCases)
    case .responses: try .responses(columns(of: ResponseColumn.self) ?? ResponseColumn.allCases)
    case .streams: .streams
    case .findings: .findings
    }
  }

  /// The columns that are named, in that order; nil where none are.
  private func columns<Column: CaseIterable & RawRepresentable<String>>(of kind: Column.Type) throws
    -> [Column]?
  {
    try columns?.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let column = Column(rawValue: String(name)) else {
        let known = Column.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(name)' is no column of --columns; there are: \(known).")
      }
      return column
    }
  }

  private func document(_ buffer: OutputBuffer) throws -> any EvidenceSink {
    let letterCase: Hex.LetterCase = uppercase ? .upper : .lower
    guard to == .csv else {
      let writer = EvidenceWriter(
        to == .json ? .json : .ndjson, kinds: records.map { [$0] } ?? .all, letterCase: letterCase,
        output: buffer
      )
      try writer.begin(version: Apnsift.version, options: input.reported)
      return writer
    }
    let writer = try CSVWriter(table(), letterCase: letterCase, output: buffer)
    try writer.begin()
    return writer
  }

  /// What the output leaves out or cannot know; nil where that is nothing.
  private func hint(_ summary: Summary) -> String? {
    if records == .resend, summary.gateway.unknown > 0 {
      return
        "hint: of \(Count.of(summary.gateway.unknown, "request")) nothing tells whether they were accepted"
    }
    return to == .csv && records == nil ? summary.leftOutHint(findings: findings == nil) : nil
  }
}

extension ExportedKind: ExpressibleByArgument {}
