import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports
import TokenStores

/// What an export writes: a document of all kinds, a table, or a directory of tables with a summary.
struct ExportDocuments {
  private var documents: [(writer: RecordWriter, output: OutputBuffer)] = []
  /// Nil unless the output is a directory.
  private(set) var directory: OutputDirectory?
  /// What gets the evidence, with the kinds that it writes.
  private(set) var sinks: [(sink: any EvidenceSink, kinds: Set<ExportedKind>)] = []

  /// The records of each token, for the writer of tokens; nil without one.
  private var tokens: (sightings: TokenSightings, writer: RecordWriter)?

  init(in directory: OutputDirectory? = nil) { self.directory = directory }

  mutating func add(_ writer: RecordWriter, kinds: Set<ExportedKind>, _ output: OutputBuffer) {
    documents.append((writer, output))
    if kinds != [.tokens] { sinks.append((writer, kinds)) }
  }

  /// Collects the tokens for a writer, which gets them at the end.
  mutating func addTokens(_ sightings: TokenSightings, for writer: RecordWriter) {
    sinks.append((sightings, [.feedback, .requests, .pushes]))
    tokens = (sightings, writer)
  }

  /// Writes the tokens; returns their number, nil if none are written.
  func finishTokens() throws -> UInt64? {
    guard let tokens else { return nil }
    var count: UInt64 = 0
    try tokens.sightings.visit { token, history in
      try tokens.writer.token(token, history)
      count += 1
    }
    let unnamed = tokens.sightings.unnamedTopics
    if unnamed > 0 {
      Console.note(
        "the topics of \(Count.of(unnamed, "push")) are left out of the tokens: there are too many, or they are too long"
      )
    }
    return count
  }

  func finish(_ summary: Summary, inputs: [InputSummary]) throws {
    for (writer, output) in documents {
      try writer.end(summary, inputs: inputs)
      try output.flush()
    }
    try directory?.finish()
  }
}

extension Export {
  static let maxBatchRows = 1 << 24

  /// Opens the outputs and writes what comes before the records.
  /// - Parameter columns: of feedback in a table, without --columns.
  func open(_ outputs: OutputSet, _ examination: Examination, _ columns: [String]) throws -> ExportDocuments {
    if isDirectory { return try openDirectory(examination, columns) }
    var documents = ExportDocuments()
    if format == .sqlite {
      let name = output ?? ""
      try SQLiteExport.check(name)
      let database = try SQLiteExport(at: try outputs.openFile("-o", name), named: name)
      let content = RecordWriter.ExportedContent.document(
        records.map { [$0] } ?? Set(ExportedKind.tables), hasPayloads: payloads)
      try add(content, .database(database), OutputBuffer(nil), to: &documents)
      return documents
    }
    let buffer = try outputs.open("-o", output ?? "-")
    let content =
      try isTable
      ? table(records ?? .feedback, columns)
      : .document(records.map { [$0] } ?? .all, hasPayloads: payloads)
    try add(content, recordFormat, buffer, to: &documents)
    return documents
  }

  /// A table of each kind of record, and summary.json, which appears last.
  private func openDirectory(_ examination: Examination, _ columns: [String]) throws -> ExportDocuments {
    let name = output ?? ""
    if let input = examination.input(in: name) { throw CommandError(.inputInOutputDirectory(input, name)) }
    let directory = try OutputDirectory(name, force: force)
    var documents = ExportDocuments(in: directory)
    let summary = OutputBuffer(try directory.makeFile("summary.json"))
    try add(.document([], hasPayloads: payloads), .json, summary, to: &documents)
    for kind in ExportedKind.tables {
      let file = "\(kind.rawValue).\(format == .arrow ? "arrows" : format.rawValue)"
      let buffer = OutputBuffer(try directory.makeFile(file))
      try add(table(kind, columns), recordFormat, buffer, to: &documents)
    }
    return documents
  }

  /// Of all but databases.
  private var recordFormat: RecordWriter.Format {
    switch format {
    case .arrow: .arrow(batchRows: batchRows ?? 65_536)
    case .ndjson: .ndjson
    case .json: .json
    case .timesketch: .timesketch
    case .bodyfile: .bodyfile
    case .csv, .sqlite, .raw: .csv
    }
  }

  private func add(
    _ content: RecordWriter.ExportedContent, _ format: RecordWriter.Format, _ buffer: OutputBuffer,
    to documents: inout ExportDocuments
  ) throws {
    let writer = try RecordWriter(
      format, content, letterCase: uppercase ? .upper : .lower, clock: local.clock, output: buffer)
    try writer.begin(version: Program.version, options: input.reported)
    documents.add(writer, kinds: content.kinds, buffer)
    if content.kinds.contains(.tokens) { documents.addTokens(input.sightings(), for: writer) }
  }

  // MARK: - Columns

  /// A table with the columns of --columns in their order, or its usual ones; with local times if there is a time zone.
  /// - Parameter feedback: the usual columns of feedback.
  func table(_ kind: ExportedKind, _ feedback: [String]) throws -> RecordWriter.ExportedContent {
    let takesAll = kind.table == .pushes ? payloads : kind == .inputs && inventory.md5
    let usual = kind == .feedback ? feedback : takesAll ? kind.names(hasLocalTimes: false) : kind.standard
    let names = try named(kind) ?? usual
    if local.clock == nil { return .table(kind, names) }
    let known = Set(kind.columnNames)
    return .table(
      kind,
      names.flatMap { name in
        let ofZone = "\(name)_local"
        return known.contains(ofZone) && !names.contains(ofZone) ? [name, ofZone] : [name]
      })
  }

  /// The columns of --columns; nil without it.
  private func named(_ kind: ExportedKind) throws -> [String]? {
    let known = kind.columnNames
    return try columns?.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let name = String(part)
      guard known.contains(name) else {
        let names = known.filter { local.clock != nil || !ColumnEntry.isLocal($0) }
        throw ValidationError(
          "--columns: unknown column '\(name)'; the columns are \(names.joined(separator: ", "))")
      }
      if ColumnEntry.isLocal(name), local.clock == nil {
        throw ValidationError("--columns: \(name) needs --time-zone, such as --time-zone Europe/Berlin")
      }
      return name
    }
  }
}
