import Analysis
import ArgumentParser
import Messages
import Platform
import Reports
import WireBytes

/// `apnsift export`: every record.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write records as CSV, JSON or NDJSON, or the bytes of streams.",
    usage: "apnsift export [<options>] <input> ...",
    discussion: """
      CSV has one kind of record: feedback, unless --records names another. JSON and NDJSON have all records, findings, \
      streams and a summary. A request is written once its outcome is known, at the end of its connection.

      EXAMPLES
        apnsift export feedback.bin                        CSV to standard output
        apnsift export dumps/ -o all.ndjson                records, findings, summary
        apnsift export --columns time,token feedback.bin   two columns
        apnsift export feedback.bin --findings wrong.csv   records and findings
        apnsift export feedback.bin --time-zone Asia/Tokyo local times, too
        ssh host cat feedback.bin | apnsift export -       from a pipe
        apnsift export capture.pcap --records streams      connections
        apnsift export capture.pcap -t raw -o streams      bytes of streams
        apnsift export gateway.pcap --records requests     requests and outcomes
        apnsift export gateway.pcap --records resend       requests to send again
        apnsift export evidence/ -t ndjson --token TOKEN   all of one token
        apnsift export evidence/ --flagged                 doubtful records
        apnsift export evidence/ --records inputs          every file, with its hash
        apnsift export evidence/ -o all.ndjson --dfxml inventory.xml
        apnsift export http2.pcap --keys keys.log --records pushes
                                                           pushes and their answers
        apnsift export --requests sent.bin --responses got.bin -t ndjson

      The columns of feedback are \(columnNames(FeedbackColumn.allCases, FeedbackColumn.standard)); those in \
      parentheses are written only if named. Those that end in _local need --time-zone, which adds them.

      The columns of requests are \(columnNames(RequestColumn.allCases, RequestColumn.standard)).

      The columns of responses are \(columnNames(ResponseColumn.allCases, ResponseColumn.standard)).

      The columns of pushes are \(columnNames(PushColumn.allCases, PushColumn.standard)).

      The columns of inputs are \(columnNames(InputColumn.allCases, InputColumn.standard)).
      """)

  /// Names for the help text; those that are not in `standard` in parentheses.
  private static func columnNames<Column: RawRepresentable<String>>(
    _ columns: [Column], _ standard: [Column]? = nil
  ) -> String {
    let usual = standard?.map(\.rawValue)
    return columns.map { usual?.contains($0.rawValue) ?? true ? $0.rawValue : "(\($0.rawValue))" }
      .joined(separator: ", ")
  }

  enum To: String, ExpressibleByArgument, CaseIterable {
    case csv, json, ndjson, raw
  }

  @Option(
    name: [.short, .long], help: .init("Format. (default: extension of -o, else csv)", valueName: "FORMAT"))
  var to: To?

  @Option(help: .init("Only these records. (default: all but inputs; feedback in CSV)", valueName: "KIND"))
  var records: ExportedKind?

  @Option(help: .init("Columns in CSV, separated by commas.", valueName: "LIST"))
  var columns: String?

  @Flag(help: "Write the payloads of pushes, which may be personal data.")
  var payloads = false

  @Flag(help: "Write tokens in uppercase hex.")
  var uppercase = false

  @Option(help: .init("Also write findings as CSV.", valueName: "FILE"))
  var findings: String?

  @Option(help: .init("Only records of this token, in hex; spaces and <> are ignored.", valueName: "TOKEN"))
  var token: TokenArgument?

  @Flag(help: "Only records with flags, which replay leaves out.")
  var flagged = false

  @Flag(help: "Count distinct tokens.")
  var distinct = false

  @Option(name: [.short, .long], help: .init("Output file, or directory with -t raw.", valueName: "FILE"))
  var output: String?

  @Flag(help: "Overwrite output files, and write into non-empty directories.")
  var force = false

  @OptionGroup(title: "INVENTORY") var inventory: InventoryOptions

  @OptionGroup var local: LocalTimeOptions

  @OptionGroup var input: InputOptions

  private var format: To {
    to ?? output.flatMap { To(rawValue: OutputName.fileExtension($0)) } ?? .csv
  }

  mutating func validate() throws {
    try OutputName.check("-o", output, is: format.rawValue, chosenBy: to.map { "-t \($0.rawValue)" })
    try OutputName.check("--findings", findings, is: "csv")
    if columns != nil, format != .csv || records == .streams || records == .findings {
      throw ValidationError(.columnsOfCSV)
    }
    _ = try table()
    if format == .raw {
      if output == nil { throw ValidationError(.rawWithoutDirectory) }
      if records != nil || findings != nil || distinct || isFiltered {
        throw ValidationError(.rawHasOnlyStreams)
      }
    }
    if isFiltered, let records, [.streams, .findings, .inputs].contains(records) {
      throw ValidationError(.filterOfRecords)
    }
    if let findings, findings == output ?? "-" {
      throw ValidationError(.outputsAreSame("-o", "--findings"))
    }
    try inventory.check(output: output)
  }

  func run() throws { try write() }

  /// - Parameters:
  ///   - columns: of feedback in CSV, without --columns.
  ///   - tally: counts what was carved.
  func write(columns: [FeedbackColumn] = FeedbackColumn.standard, tally: CarveTally? = nil) throws {
    if format == .raw { return try exportRaw() }
    var examination = try input.examination(hashing: format == .csv ? .possibleCopies : .all)
    examination.options.inventoryDigests = inventory.digests
    let outputs = OutputSet(force: force)
    let buffer =
      try output.map { try outputs.open("-o", $0, examination) } ?? OutputBuffer(OutputFile(isData: true))
    let document = try document(buffer, columns)
    let findingsWriter = try findings.map {
      CSVWriter(.findings, letterCase: .lower, output: try outputs.open("--findings", $0, examination))
    }
    try findingsWriter?.begin()
    let inventory = try inventory.open(outputs, input, examination, version: Apnsift.version)
    let table =
      distinct
      ? TokenTable(memory: input.memory, temporaryDirectory: TemporaryDirectory.path) : nil
    let collector = table.map { TokenCollector($0, flaggedCount: true) }

    let filter =
      isFiltered ? RecordFilter(document, writtenKinds, token: token?.bytes, isFlagged: flagged) : nil
    try examination.run([filter ?? document, findingsWriter, collector, tally] + inventory.sinks)

    var summary = examination.summary
    summary.distinctTokens = try table?.distinctCount()
    if let evidence = document as? EvidenceWriter { try evidence.end(summary, inputs: examination.inputs) }
    if output == nil { try buffer.flush() }
    try inventory.finish()
    if !isFiltered, let hint = hint(summary) { Console.note(hint) }
    if let found = tally?.text { Console.note(found) }
    Console.say(examination.closingLine(done(examination, summary, filtered: filter?.count)))
    try input.check(examination)
  }

  private func done(_ examination: Examination, _ summary: Summary, filtered: Int?) -> Message {
    let inputs = examination.readCount
    if let filtered { return .exported(.rowCount(filtered, "record"), inputs: inputs) }
    if records == .inputs { return .exported(files: examination.files, inputs: inputs) }
    return .exported(summary.exportText(records, isCSV: format == .csv), inputs: inputs)
  }

  private var isFiltered: Bool { flagged || token != nil }

  private var writtenKinds: Set<ExportedKind> {
    if let records { return [records] }
    return format == .csv ? [.feedback] : .all
  }

  /// The bytes of every stream, one file a direction.
  private func exportRaw() throws {
    var examination = try input.examination(hashing: .possibleCopies)
    if let input = examination.input(in: output ?? "") {
      throw Failure(.inputInOutputDirectory(input, output ?? ""))
    }
    let directory = try OutputDirectory(output ?? "", force: force)
    examination.options.inventoryDigests = inventory.digests
    let inventory = try inventory.open(
      OutputSet(force: force), input, examination, version: Apnsift.version)
    let writer = try RawStreamWriter(
      directory, inputCount: input.capture.join ? 1 : examination.inputCount)
    try examination.run([writer] + inventory.sinks)
    try writer.finish()
    try inventory.finish(others: directory.paths)
    let done = Message.exported(
      directions: writer.directionCount, streams: examination.summary.streams, to: directory.name)
    Console.say(examination.closingLine(done))
    try input.check(examination)
  }

  /// The contents of the CSV.
  private func table(_ standard: [FeedbackColumn] = FeedbackColumn.standard) throws -> CSVWriter.Kind {
    switch records {
    case .feedback, nil: try .feedback(columns(standard))
    case .requests: try .requests(columns(RequestColumn.standard))
    case .resend: try .resend(columns(RequestColumn.standard))
    case .responses: try .responses(columns(ResponseColumn.standard))
    case .pushes: try .pushes(columns(pushColumns))
    case .resendPushes: try .resendPushes(columns(pushColumns))
    case .streams: .streams
    case .findings: .findings
    case .inputs: try .inputs(columns(inputColumns))
    }
  }

  private var inputColumns: [InputColumn] { inventory.md5 ? InputColumn.allCases : InputColumn.standard }

  private var pushColumns: [PushColumn] {
    payloads ? PushColumn.allCases.filter { !$0.isLocal } : PushColumn.standard
  }

  /// The columns of --columns in their order, or `standard`; with local times if there is a time zone.
  private func columns<Column: LocalTimeColumn>(_ standard: [Column]) throws -> [Column] {
    let named = try columns?.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let column = Column(rawValue: String(name)) else {
        let known = Column.allCases.filter { local.clock != nil || !$0.isLocal }
        throw ValidationError(.noSuchColumn(String(name), known: known.map(\.rawValue)))
      }
      if column.isLocal, local.clock == nil { throw ValidationError(.localColumn(column.rawValue)) }
      return column
    }
    return local.clock == nil ? named ?? standard : Column.withLocalTimes(named ?? standard)
  }

  private func document(_ buffer: OutputBuffer, _ columns: [FeedbackColumn]) throws -> any EvidenceSink {
    let letterCase: Hex.LetterCase = uppercase ? .upper : .lower
    guard format == .csv else {
      let writer = EvidenceWriter(
        format == .json ? .json : .ndjson, kinds: records.map { [$0] } ?? .all, letterCase: letterCase,
        hasPayloads: payloads, clock: local.clock, output: buffer)
      try writer.begin(version: Apnsift.version, options: input.reported)
      return writer
    }
    let writer = try CSVWriter(table(columns), letterCase: letterCase, clock: local.clock, output: buffer)
    try writer.begin()
    return writer
  }

  /// Advice about omitted records or unknown outcomes; nil if there is nothing to say.
  private func hint(_ summary: Summary) -> Message? {
    if records == .resend, format == .csv, summary.pushes.resend > 0 {
      return .pushesToResend(summary.pushes.resend)
    }
    if records == .resend, summary.gateway.unknown > 0 {
      return .outcomesUnknown(requests: summary.gateway.unknown)
    }
    return format == .csv && records == nil ? summary.leftOutHint(findings: findings == nil) : nil
  }
}

extension ExportedKind: ExpressibleByArgument {}
