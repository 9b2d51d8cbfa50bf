import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports

/// What an export writes: a document of all kinds, a table, or a directory of tables with a summary.
struct ExportDocuments {
  private enum Document {
    case evidence(EvidenceWriter)
    case table(TableWriter)
  }

  private var documents: [(document: Document, output: OutputBuffer)] = []
  /// Nil unless the output is a directory.
  private(set) var directory: OutputDirectory?
  /// What gets the evidence, with the kinds that it writes.
  private(set) var sinks: [(sink: any EvidenceSink, kinds: Set<ExportedKind>)] = []

  init(in directory: OutputDirectory? = nil) { self.directory = directory }

  mutating func add(_ writer: EvidenceWriter, kinds: Set<ExportedKind>, _ output: OutputBuffer) {
    documents.append((.evidence(writer), output))
    sinks.append((writer, kinds))
  }

  mutating func add(_ table: TableWriter, _ output: OutputBuffer) {
    documents.append((.table(table), output))
    sinks.append((table, [table.kind.name]))
  }

  /// Completes the documents.
  func finish(_ summary: Summary, inputs: [InputSummary]) throws {
    for (document, output) in documents {
      switch document {
      case .evidence(let writer): try writer.end(summary, inputs: inputs)
      case .table(let writer): try writer.end()
      }
      try output.flush()
    }
    try directory?.finish()
  }
}

extension Export {
  static let maxBatchRows = 1 << 24

  /// Opens the outputs and writes what comes before the records.
  /// - Parameter columns: of feedback in a table, without --columns.
  func open(
    _ outputs: OutputSet, _ examination: Examination, _ columns: [FeedbackColumn]
  ) throws -> ExportDocuments {
    if isDirectory { return try openDirectory(examination, columns) }
    let buffer = try outputs.open("-o", output ?? "-")
    var documents = ExportDocuments()
    if isTable {
      documents.add(try begin(table(records ?? .feedback, columns), buffer), buffer)
    } else {
      let kinds: Set<ExportedKind> = records.map { [$0] } ?? .all
      documents.add(try beginEvidence(format == .json ? .json : .ndjson, kinds, buffer), kinds: kinds, buffer)
    }
    return documents
  }

  /// A table of each kind of record, and summary.json, which appears last.
  private func openDirectory(
    _ examination: Examination, _ columns: [FeedbackColumn]
  ) throws -> ExportDocuments {
    let name = output ?? ""
    if let input = examination.input(in: name) { throw Failure(.inputInOutputDirectory(input, name)) }
    let directory = try OutputDirectory(name, force: force)
    var documents = ExportDocuments(in: directory)
    let summary = OutputBuffer(try directory.makeFile("summary.json"))
    documents.add(try beginEvidence(.json, [], summary), kinds: [], summary)
    for kind in [ExportedKind.feedback, .requests, .responses, .pushes, .streams, .findings, .inputs] {
      let file = "\(kind.rawValue).\(format == .arrow ? "arrows" : format.rawValue)"
      let buffer = OutputBuffer(try directory.makeFile(file))
      documents.add(try begin(table(kind, columns), buffer), buffer)
    }
    return documents
  }

  private func begin(_ kind: TableWriter.Kind, _ buffer: OutputBuffer) throws -> TableWriter {
    let tableFormat: TableWriter.Format =
      switch format {
      case .arrow: .arrow(batchRows: batchRows ?? 65_536)
      case .ndjson: .ndjson
      case .csv, .json, .raw: .csv
      }
    let writer = try TableWriter(
      kind, tableFormat, letterCase: uppercase ? .upper : .lower, clock: local.clock, output: buffer)
    try writer.begin(version: Program.version)
    return writer
  }

  private func beginEvidence(
    _ format: EvidenceWriter.Format, _ kinds: Set<ExportedKind>, _ buffer: OutputBuffer
  ) throws -> EvidenceWriter {
    let writer = EvidenceWriter(
      format, kinds: kinds, letterCase: uppercase ? .upper : .lower, hasPayloads: payloads,
      clock: local.clock, output: buffer)
    try writer.begin(version: Program.version, options: input.reported)
    return writer
  }

  // MARK: - Columns

  /// A table with the columns of --columns, or its usual ones.
  /// - Parameter standard: the usual columns of feedback.
  func table(_ kind: ExportedKind, _ standard: [FeedbackColumn]) throws -> TableWriter.Kind {
    switch kind {
    case .feedback: try .feedback(columns(standard))
    case .requests: try .requests(columns(RequestColumn.standard))
    case .resend: try .resend(columns(RequestColumn.standard))
    case .responses: try .responses(columns(ResponseColumn.standard))
    case .pushes: try .pushes(columns(pushColumns))
    case .resendPushes: try .resendPushes(columns(pushColumns))
    case .streams: try .streams(columns(StreamColumn.all(nil)))
    case .findings: try .findings(columns(FindingColumn.all(nil)))
    case .inputs: try .inputs(columns(inputColumns))
    }
  }

  private var inputColumns: [InputColumn] { inventory.md5 ? InputColumn.allCases : InputColumn.standard }

  private var pushColumns: [PushColumn] { payloads ? PushColumn.all(nil) : PushColumn.standard }

  /// The columns of --columns in their order, or `standard`; with local times if there is a time zone.
  private func columns<Column: LocalTimeColumn>(_ standard: [Column]) throws -> [Column] {
    let named = try columns?.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let column = Column(rawValue: String(name)) else {
        let known = Column.allCases.filter { local.clock != nil || !$0.isLocal }
        throw ValidationError(
          "--columns: unknown column '\(String(name))'; the columns are "
            + "\(known.map(\.rawValue).joined(separator: ", "))")
      }
      if column.isLocal, local.clock == nil {
        throw ValidationError(
          "--columns: \(column.rawValue) needs --time-zone, such as --time-zone Europe/Berlin")
      }
      return column
    }
    return local.clock == nil ? named ?? standard : Column.withLocalTimes(named ?? standard)
  }
}
