import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write records as tables, JSON, timelines or a database, or the bytes of streams.",
    usage: "apnsift export [<options>] <input> ...",
    discussion: """
      CSV and Arrow have one kind of record: feedback, unless --records names another. JSON and NDJSON have all records, \
      findings, streams and a summary; NDJSON with --columns is a table like CSV. A directory gets a table of each kind, \
      and summary.json. A request is written once its outcome is known, at the end of its connection. Timesketch and \
      body files have a line for each time of a record; a SQLite database has a table of each kind, and a manifest.

      EXAMPLES
        apnsift export feedback.bin                        CSV to standard output
        apnsift export dumps/ -o all.ndjson                records, findings, summary
        apnsift export --columns time,token feedback.bin   two columns
        apnsift export dumps/ -t arrow | python3 load.py   an Arrow IPC stream
        apnsift export evidence/ -o tables/                a CSV of each kind
        apnsift export feedback.bin --findings wrong.csv   records and findings
        apnsift export feedback.bin --time-zone Asia/Tokyo local times, too
        ssh host cat feedback.bin | apnsift export -       from a pipe
        apnsift export capture.pcap --records streams      connections
        apnsift export capture.pcap -t raw -o streams      bytes of streams
        apnsift export gateway.pcap --records requests     requests and outcomes
        apnsift export gateway.pcap --records resend       requests to send again
        apnsift export evidence/ -t ndjson --token TOKEN   all of one token
        apnsift export evidence/ --flagged                 doubtful records
        apnsift export evidence/ --since 2013-05-01 --until 2013-06-01
                                                           records of a month
        apnsift export evidence/ --records tokens          a row for each token
        apnsift export evidence/ --records inputs          every file, with its hash
        apnsift export evidence/ -t timesketch -o all.jsonl
                                                           events for Timesketch
        apnsift export evidence/ -t bodyfile | mactime -b - -d
        apnsift export evidence/ -o case.sqlite            a SQLite database
        apnsift export evidence/ -o all.ndjson --dfxml inventory.xml
        apnsift export http2.pcap --keys keys.log --records pushes
                                                           pushes and their answers
        apnsift export http2.pcap --keys keys.log --records broadcasts
                                                           broadcasts to channels
        apnsift export --requests sent.bin --responses got.bin -t ndjson

      The columns of feedback are \(columnNames(.feedback)); those in parentheses are written only if named. Those that \
      end in _local need --time-zone, which adds them.

      \(ExportedKind.tables.dropFirst().map { "The columns of \($0.rawValue) are \(columnNames($0))." }
        .joined(separator: "\n\n"))

      stream_offset is offset by a name that needs no quotes in SQL.
      """)

  /// Names for the help text; those that are not usual in parentheses.
  private static func columnNames(_ kind: ExportedKind) -> String {
    let usual = kind.standard
    return kind.columnNames.map { usual.contains($0) ? $0 : "(\($0))" }.joined(separator: ", ")
  }

  enum To: String, ExpressibleByArgument, CaseIterable {
    case csv, json, ndjson, arrow, timesketch, bodyfile, sqlite, raw

    /// The extension that files of it have, of those that choose a format.
    var fileExtension: String { self == .timesketch ? "jsonl" : rawValue }
  }

  @Option(
    name: [.short, .long], help: .init("Format. (default: extension of -o, else csv)", valueName: "FORMAT"))
  var to: To?

  @Option(
    help: .init(
      "Only these. (default: feedback in CSV and Arrow, else all but tokens, inputs)", valueName: "KIND"))
  var records: ExportedKind?

  @Option(help: .init("Columns of CSV, NDJSON or Arrow, separated by commas.", valueName: "LIST"))
  var columns: String?

  @Option(help: .init("Most rows of a record batch in Arrow. (default: 65536)", valueName: "COUNT"))
  var batchRows: Int?

  @Flag(help: "Write the payloads of pushes, which may be personal data.")
  var payloads = false

  @Flag(help: "Write tokens in uppercase hex.")
  var uppercase = false

  @Option(help: .init("Also write findings as CSV.", valueName: "FILE"))
  var findings: String?

  @Option(
    help: .init("Only records of this token: \(TokenText.forms).", valueName: "TOKEN"),
    transform: tokenArgument)
  var token: [UInt8]?

  @Flag(help: "Only records with flags, which replay leaves out.")
  var flagged = false

  @Option(
    help: .init("Only records from this time on.", valueName: "TIME"), transform: TimeArgument.parsed)
  var since: TimeArgument?

  @Option(help: .init("Only records before this time.", valueName: "TIME"), transform: TimeArgument.parsed)
  var until: TimeArgument?

  @Flag(help: "Count distinct tokens.")
  var distinct = false

  @Option(
    name: [.short, .long],
    help: .init(
      "Output file, or a directory: DIR/ for tables of all kinds, any with -t raw.", valueName: "FILE"))
  var output: String?

  @Flag(help: "Overwrite output files, and write into non-empty directories.")
  var force = false

  @OptionGroup(title: "INVENTORY") var inventory: InventoryOptions
  @OptionGroup var local: LocalTimeOptions
  @OptionGroup var input: InputOptions

  var format: To {
    if let to { return to }
    guard let output, !isDirectory else { return .csv }
    let named = OutputName.fileExtension(output)
    return To(rawValue: OutputName.aliases[named] ?? named) ?? .csv
  }

  /// Whether the output is a directory of tables.
  var isDirectory: Bool { to != .raw && output.map { $0.hasSuffix("/") || Self.isDirectory($0) } ?? false }

  /// Whether the output has one kind of record.
  var isTable: Bool {
    switch format {
    case .csv, .arrow: true
    case .ndjson: columns != nil
    case .json, .timesketch, .bodyfile, .sqlite, .raw: false
    }
  }

  private var isTimeline: Bool { [.timesketch, .bodyfile].contains(format) }

  private static func isDirectory(_ path: String) -> Bool {
    DirectoryEntry.kind(of: Array(path.utf8CString), followingLinks: true) == S_IFDIR
  }

  mutating func validate() throws {
    if !isDirectory {
      try OutputName.check(
        "-o", output, is: format.rawValue, as: format.fileExtension, chosenBy: to.map { "-t \($0.rawValue)" })
    }
    try OutputName.check("--findings", findings, is: "csv")
    try checkTables()
    if format == .raw {
      if output == nil { throw ValidationError("-t raw writes a directory: name it with -o") }
      if records != nil || findings != nil || distinct || isFiltered {
        throw ValidationError(
          "-t raw writes only streams: leave out --records, --findings, --distinct, --token, --flagged, --since and --until"
        )
      }
    }
    if isFiltered, let records, [.streams, .findings, .inputs].contains(records) {
      throw ValidationError(
        "--token, --flagged, --since and --until choose records: leave them out with --records streams, "
          + "findings or inputs")
    }
    if let since = since?.seconds(on: local.clock), let until = until?.seconds(on: local.clock),
      since >= until
    {
      throw ValidationError("--since \(UTCTime.text(since)) is not before --until \(UTCTime.text(until))")
    }
    try inventory.check(output: output)
  }

  private func checkTables() throws {
    if isDirectory {
      if records != nil || columns != nil {
        throw ValidationError(
          "a directory gets all kinds of records with their usual columns: leave out --records and --columns")
      }
      if ![.csv, .ndjson, .arrow].contains(format) {
        throw ValidationError(
          "-o names a directory, which gets tables: give -t csv, ndjson or arrow, or name a file")
      }
    }
    if format == .sqlite, output ?? "-" == "-" {
      throw ValidationError("a SQLite database is a file: name it with -o, as in -o case.sqlite")
    }
    if isTimeline, let records, !TimelineRows.kinds.contains(records.table) {
      throw ValidationError(
        "\(records.rawValue) have no times: leave out --records, or -t \(format.rawValue)")
    }
    if columns != nil, !isTable || format == .ndjson && records == nil {
      throw ValidationError(
        "--columns chooses columns of one kind of record in CSV, NDJSON or Arrow: name the kind with "
          + "--records, and one of these formats with -t")
    }
    if isTable && !isDirectory || isTimeline, distinct {
      throw ValidationError("--distinct is for the summary, which the output lacks: add -t json or -t ndjson")
    }
    if format == .arrow, uppercase {
      throw ValidationError("tokens are bytes in Arrow, not digits: leave out --uppercase")
    }
    if let batchRows {
      if format != .arrow {
        throw ValidationError("--batch-rows is for Arrow: add -t arrow, or leave it out")
      }
      try checkRange("--batch-rows", batchRows, 1...Self.maxBatchRows)
    }
    if format == .arrow, output ?? "-" == "-", isatty(STDOUT_FILENO) == 1 {
      throw ValidationError("Arrow is not text: name a file with -o, or pipe it to a program")
    }
    _ = try table(records ?? .feedback, ExportedKind.feedback.standard)
  }

  func run() throws { try write() }

  /// - Parameters:
  ///   - columns: of feedback in CSV, without --columns.
  ///   - tally: counts what was carved.
  func write(columns: [String] = ExportedKind.feedback.standard, tally: CarveTally? = nil) throws {
    if format == .raw { return try exportRaw() }
    var examination = try input.examination(hashing: isTable && !isDirectory ? .possibleCopies : .all)
    examination.options.inventoryDigests = inventory.digests
    let outputs = OutputSet(force: force)
    let documents = try open(outputs, examination, columns)
    let findingsWriter = try findings.map {
      try RecordWriter(
        .csv, .table(.findings, ExportedKind.findings.standard), output: try outputs.open("--findings", $0))
    }
    try findingsWriter?.begin(version: Program.version)
    let inventory = try inventory.open(outputs, input, version: Program.version)
    let table = distinct ? TokenTable(memory: input.memory) : nil
    let collector = table.map { TokenCollector($0, flaggedCount: true) }

    let choice = RecordFilter.Choice(token: token, isFlagged: flagged, times: chosenTimes)
    let filters = isFiltered ? documents.sinks.map { RecordFilter($0.sink, $0.kinds, choice) } : []
    let sinks: [any EvidenceSink] = isFiltered ? filters : documents.sinks.map(\.sink)
    try examination.run(sinks + [findingsWriter, collector, tally] + inventory.sinks)

    var summary = examination.summary
    summary.distinctTokens = try table?.distinctCount()
    let tokens = try documents.finishTokens()
    if records == .tokens { summary.distinctTokens = tokens.map { Int(clamping: $0) } }
    try documents.finish(summary, inputs: examination.inputs)
    try inventory.finish(others: documents.directory?.paths ?? [])
    if !isFiltered, let hint = hint(summary) { Console.note(hint) }
    if let found = tally?.text { Console.note(found) }
    // Tokens beside other kinds have the same records.
    let counted = filters.filter { filters.count == 1 || !($0.sink is TokenSightings) }
    let filtered = isFiltered ? counted.reduce(0) { $0 + $1.count } : nil
    let undated = counted.reduce(0) { $0 + $1.undated }
    if undated > 0 {
      Console.note("\(Count.of(undated, "record")) without a time left out: --since and --until choose by it")
    }
    try input.end(examination, done(examination, summary, filtered: filtered))
  }

  private func done(_ examination: Examination, _ summary: Summary, filtered: Int?) -> Message {
    let inputs = examination.readCount
    if filtered == nil, records == .inputs {
      return "listed \(Count.of(examination.files, "file")), \(Count.of(inputs, "input")) read"
    }
    let rows =
      filtered.flatMap { records == .tokens ? nil : "\(Count.of($0, "record"))" }
      ?? summary.exportText(records, isCSV: isTable && !isDirectory)
    return "exported \(rows) of \(Count.of(inputs, "input"))"
  }

  private var isFiltered: Bool { flagged || token != nil || since != nil || until != nil }

  /// Those of --since and --until, in seconds since 1970; nil without both.
  private var chosenTimes: Range<Int64>? {
    if since == nil, until == nil { return nil }
    let first = since.map { Int64($0.seconds(on: local.clock)) } ?? 0
    return first..<max(first, until.map { Int64($0.seconds(on: local.clock)) } ?? .max)
  }

  /// The bytes of every stream, one file a direction.
  private func exportRaw() throws {
    var examination = try input.examination(hashing: .possibleCopies)
    if let input = examination.input(in: output ?? "") {
      throw CommandError(.inputInOutputDirectory(input, output ?? ""))
    }
    let directory = try OutputDirectory(output ?? "", force: force)
    examination.options.inventoryDigests = inventory.digests
    let inventory = try inventory.open(OutputSet(force: force), input, version: Program.version)
    let writer = try RawStreamWriter(
      directory, inputCount: input.capture.join ? 1 : examination.walk.inputs.count)
    try examination.run([writer] + inventory.sinks)
    try writer.finish()
    try inventory.finish(others: directory.paths)
    let done = Message(
      "exported \(Count.of(writer.directionCount, "direction")) of "
        + "\(Count.of(examination.summary.streams, "stream")) to \(directory.name)")
    try input.end(examination, done)
  }

  /// Advice about omitted records or unknown outcomes; nil if there is nothing to say.
  private func hint(_ summary: Summary) -> Message? {
    let isTable = isTable && !isDirectory
    if records == .resend, isTable, summary.pushes.resend > 0 {
      return
        "hint: \(Count.of(summary.pushes.resend, "push")) to send again left out; --records "
        + "resend-pushes has them"
    }
    if records == .resend, summary.gateway.unknown > 0 {
      return "hint: the outcome of \(Count.of(summary.gateway.unknown, "request")) is unknown"
    }
    return isTable && records == nil ? summary.leftOutHint(findings: findings == nil) : nil
  }
}

extension ExportedKind: ExpressibleByArgument {}
