import APNsWire
import Analysis
import Basics
import PacketCapture

/// Writes the results of an analysis in one pass, as a table of one kind or as a document of several
/// (docs/spec/interface.md#export).
package final class RecordWriter: RowSink {
  package enum Format {
    case csv, ndjson, json
    /// - Parameter batchRows: the most rows of a record batch.
    case arrow(batchRows: Int)
    /// A line for each time.
    case timesketch, bodyfile
    case database(any RowDatabase)
  }

  package enum ExportedContent: Sendable {
    /// Rows of one kind, with these columns. Not in JSON.
    case table(ExportedKind, [String])
    /// Rows of these kinds, in JSON as objects, each with its type, between a header and a summary. Not in CSV and Arrow.
    case document(Set<ExportedKind>, hasPayloads: Bool = false)

    package var kinds: Set<ExportedKind> {
      switch self {
      case .table(let kind, _): [kind]
      case .document(let kinds, _): kinds
      }
    }
  }

  package let needs: EvidenceNeeds
  private let format: Format
  private let content: ExportedContent
  private let forms: RowForms
  private let output: OutputBuffer
  private let feedback: FeedbackRowWriter?
  private let carved: FeedbackRowWriter?
  private let arrowFeedback: ArrowFeedbackWriter?
  /// For timelines and databases.
  private let feedbackTable: RowFrame<FeedbackRow>?
  private let requests: RowFrame<RequestRow>?
  private let responses: RowFrame<ResponseRecord>?
  private let exchanges: ByService<RowFrame<PushRow>?>
  private let streams: RowFrame<StreamSummary>?
  private let streamsOfTLS: RowFrame<StreamSummary>?
  private let findings: RowFrame<Finding>?
  private let tokens: RowFrame<TokenRow>?
  private let inputs: RowFrame<InputRecord>?
  /// Takes the rows in place of the output; nil unless the format is Arrow.
  private let table: ArrowTable?
  /// Takes the rows in place of the output; nil without one.
  private let database: (any RowDatabase)?
  /// Whether the next row is the first, which has no separator before it.
  private var isFirst: Bool

  /// - Parameter clock: for local times; nil without them.
  package init(
    _ format: Format, _ content: ExportedContent, letterCase: Hex.LetterCase = .lower,
    clock: LocalClock? = nil,
    output: OutputBuffer
  ) throws {
    (self.format, self.content, self.output) = (format, content, output)
    let forms = RowForms(format.style, letterCase, clock)
    let table = try ArrowTable(format, content, output)
    (self.forms, self.table, database) = (forms, table, format.database)
    isFirst = !format.separator.isEmpty
    let isDocument = content.type(.feedback) != nil
    func frame<Row: TableRow>(
      _ kind: ExportedKind, without isLeftOut: (String) -> Bool = { _ in false }
    ) throws -> RowFrame<Row>? {
      try content.columns(kind, clock).map { names in
        RowFrame(
          forms, format.ends(type: content.type(kind)), names.filter { !isLeftOut($0) },
          table: try format.table(kind, names, output) ?? table)
      }
    }
    feedbackTable = format.isByValue ? try frame(.feedback) : nil
    requests = try frame(.requests)
    responses = try frame(.responses)
    var exchanges = ByService<RowFrame<PushRow>?>(nil)
    for kind in [ExportedKind.pushes, .broadcasts, .channels] {
      exchanges[kind.service ?? .push] = try frame(kind)
    }
    self.exchanges = exchanges
    streamsOfTLS = try frame(.streams)
    streams = format.isByValue ? streamsOfTLS : try frame(.streams) { isDocument && $0.hasPrefix("tls_") }
    findings = try frame(.findings)
    tokens = try frame(.tokens)
    inputs = try frame(.inputs)

    let names = content.columns(.feedback, clock)
    let (lead, trail) = format.ends(type: content.type(.feedback))
    func feedbackRows(_ names: [String]?) -> FeedbackRowWriter? {
      guard table == nil, !format.isByValue, let names else { return nil }
      return FeedbackRowWriter(forms, names, lead: lead, trail: trail)
    }
    arrowFeedback = table.flatMap { table in names.map { ArrowFeedbackWriter($0, table, forms) } }
    carved = feedbackRows(names)
    feedback = feedbackRows(names?.filter { !isDocument || !FeedbackRecords.ofCarving.contains($0) })
    var needs: EvidenceNeeds = requests != nil || responses != nil ? .gatewayRecords : []
    if exchanges.pushes != nil, content.hasPayloads { needs.insert(.payloads) }
    if inputs != nil { needs.insert(.inventory) }
    let columns = names.map(FeedbackColumn.columns) ?? []
    if columns.contains(where: { $0.isOfPacket || $0 == .fileOffset }) { needs.insert(.extents) }
    if !FeedbackRecords.ofFiles.isDisjoint(with: columns) { needs.formUnion([.extents, .fileNames]) }
    self.needs = needs
  }

  /// Writes what comes before the records.
  /// - Parameters:
  ///   - version: of apnsift.
  ///   - options: those that a document names.
  package func begin(version: String, options: JSONValue = .null) throws {
    let header = EvidenceObjects.header(version: version, options: options)
    switch (content, format) {
    case (_, .timesketch), (_, .bodyfile): break
    case (_, .database(let database)): try database.note(header.members)
    case (.document, .json): try output.append(header.text.dropLast() + ",\"records\":[\n")
    case (.document, _):
      try output.append(JSONValue.object([("type", .string("header"))] + header.members).text + "\n")
    case (.table(_, let columns), .csv): try output.append(CSVText.line(columns))
    case (.table(let kind, _), _):
      try table?.begin(metadata: [
        ("apnsift.schema", EvidenceObjects.schema), ("apnsift.version", version),
        ("apnsift.records", kind.rawValue),
      ])
    }
  }

  /// Writes what comes after the records.
  package func end(_ summary: Summary, inputs: [InputSummary]) throws {
    try table?.end()
    guard case .document = content else { return }
    let members = EvidenceObjects.summary(summary, inputs: inputs)
    switch format {
    case .json: try output.append("\n],\"summary\":" + JSONValue.object(members).text + "}\n")
    case .timesketch, .bodyfile: break
    case .database(let database):
      try database.note(members)
      try database.finish()
    case .csv, .ndjson, .arrow:
      try output.append(JSONValue.object([("type", .string("summary"))] + members).text + "\n")
    }
  }

  // MARK: - Rows that another thread makes

  /// None in Arrow, whose batches have rows of several windows, and in a database.
  package func rowKeeper() -> RecordWriter? {
    guard table == nil, database == nil else { return nil }
    let keeper = try? RecordWriter(
      format, content, letterCase: forms.letterCase, clock: forms.clock, output: OutputBuffer(nil))
    // Each of its objects has a separator before it.
    keeper?.isFirst = false
    return keeper
  }

  package func write(rowsOf keeper: RecordWriter) throws {
    if keeper.output.count == 0 { return }
    try output.append(rowsOf: keeper.output, from: isFirst ? format.separator.utf8.count : 0)
    isFirst = false
  }

  // MARK: - Rows

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    if records.labels.files != nil { return try records.eachFile { try self.records($0, in: bytes) } }
    if let arrowFeedback { return try arrowFeedback.write(records, in: bytes) }
    if let feedbackTable {
      return try records.eachExtent { part in
        for index in 0..<part.run.count {
          try bytes.withUnsafeBytes {
            try feedbackTable.write(FeedbackRow(records: part, index: index), of: $0, to: output)
          }
        }
      }
    }
    guard let feedback = records.labels.carving == nil ? feedback : carved else { return }
    if !isFirst { return try feedback.write(records, in: bytes, to: output) }
    var part = records
    part.run = records.run.slice(from: 0, count: 1)
    try writeFirst { try feedback.write(part, in: bytes, to: $0) }
    part.run = records.run.slice(from: 1, count: records.run.count - 1)
    try feedback.write(part, in: bytes, to: output)
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    guard let rows = self.requests else { return }
    let takesAll = content.kinds.contains(.requests)
    try requests.records.withUnsafeBufferPointer { records in
      guard let first = records.baseAddress else { return }
      var row = RequestRow(first, requests.labels, in: bytes)
      for index in records.indices where takesAll || records[index].outcome == .discarded {
        row.take(first + index, in: bytes)
        try bytes.withUnsafeBytes { try put(row, of: $0, rows) }
      }
    }
  }

  package func response(_ response: ResponseRecord) throws {
    try (response.request?.token ?? []).withUnsafeBytes { try write(response, of: $0, responses) }
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    let takesAll = content.kinds.contains(.pushes)
    try write(pushes, in: bytes) { takesAll || $0.needsResend }
  }

  package func exchanges(_ exchanges: PushRecords, in bytes: RawSpan) throws {
    try write(exchanges, in: bytes) { _ in true }
  }

  private func write(_ records: PushRecords, in bytes: RawSpan, _ isChosen: (PushFields) -> Bool) throws {
    guard let kind = records.records.first?.kind, let rows = exchanges[kind] else { return }
    for record in records.records where isChosen(record.fields) {
      let row = PushRow(record: record, labels: records.labels)
      try bytes.withUnsafeBytes { try write(row, of: $0, rows) }
    }
  }

  package func token(_ token: RawSpan, _ history: TokenHistory) throws {
    let row = TokenRow(token: 0..<token.byteCount, history: history)
    try token.withUnsafeBytes { try write(row, of: $0, tokens) }
  }

  package func inputEnded(_ input: InputRecord) throws { try write(input, inputs) }

  package func finding(_ finding: Finding) throws { try write(finding, findings) }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    try write(stream, stream.encryption == nil ? streams : streamsOfTLS)
  }

  @inline(__always)
  private func write<Row: TableRow>(
    _ row: Row, of bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    _ rows: RowFrame<Row>?
  ) throws {
    if let rows { try put(row, of: bytes, rows) }
  }

  @inline(__always)
  private func put<Row: TableRow>(
    _ row: Row, of bytes: UnsafeRawBufferPointer, _ rows: RowFrame<Row>
  ) throws {
    if isFirst { return try writeFirst { try rows.write(row, of: bytes, to: $0) } }
    try rows.write(row, of: bytes, to: output)
  }

  private func writeFirst(_ write: (OutputBuffer) throws -> Void) throws {
    isFirst = false
    let first = OutputBuffer(nil)
    try write(first)
    try output.append(rowsOf: first, from: format.separator.utf8.count)
  }
}

extension RecordWriter.Format {
  fileprivate var style: RowStyle {
    switch self {
    case .csv: .csv
    case .ndjson, .json, .timesketch, .bodyfile: .json
    case .arrow: .arrow
    case .database: .plain
    }
  }

  fileprivate var database: (any RowDatabase)? {
    if case .database(let database) = self { database } else { nil }
  }

  /// Whether rows go to tables of their kinds value by value.
  fileprivate var isByValue: Bool {
    switch self {
    case .timesketch, .bodyfile, .database: true
    case .csv, .ndjson, .json, .arrow: false
    }
  }

  /// Makes what takes the rows of a kind; nil for Arrow, and for rows that are text.
  fileprivate func table(
    _ kind: ExportedKind, _ names: [String], _ output: OutputBuffer
  ) throws -> (any RowTable)? {
    switch self {
    case .csv, .ndjson, .json, .arrow: return nil
    case .timesketch: return TimelineRows(.timesketch, kind, names, output)
    case .bodyfile: return TimelineRows(.bodyfile, kind, names, output)
    case .database(let database):
      let columns = kind.columns
      return try database.makeTable(kind, names.compactMap { name in columns.first { $0.name == name } })
    }
  }

  /// What is before each object of an array except the first.
  fileprivate var separator: String { if case .json = self { ",\n" } else { "" } }

  /// What is before and after the members of a row.
  fileprivate func ends(type: String?) -> (lead: String, trail: String) {
    let head = type.map { "{\"type\":\"\($0)\"," } ?? "{"
    return switch self {
    case .csv, .arrow, .timesketch, .bodyfile, .database: ("", "\n")
    case .ndjson: (head, "}\n")
    case .json: (separator + head, "}")
    }
  }
}

extension RecordWriter.ExportedContent {
  /// The columns of rows that are like those of `kind`, one with columns of its own; nil without such rows.
  fileprivate func columns(_ kind: ExportedKind, _ clock: LocalClock?) -> [String]? {
    switch self {
    case .table(let written, let columns): return written.table == kind ? columns : nil
    case .document(let kinds, _):
      let isPart = kinds.contains { $0.table == kind || $0 == .resend && kind == .pushes }
      return isPart ? kind.names(hasLocalTimes: clock != nil) : nil
    }
  }

  /// The member `type` of objects; nil in a table.
  fileprivate func type(_ kind: ExportedKind) -> String? {
    if case .document = self { kind.type } else { nil }
  }

  fileprivate var hasPayloads: Bool {
    switch self {
    case .table(_, let columns): columns.contains("payload")
    case .document(_, let hasPayloads): hasPayloads
    }
  }
}

extension ArrowTable {
  /// Nil unless the format is Arrow.
  fileprivate convenience init?(
    _ format: RecordWriter.Format, _ content: RecordWriter.ExportedContent, _ output: OutputBuffer
  ) throws {
    guard case .arrow(let batchRows) = format, case .table(let kind, let names) = content else { return nil }
    let columns = kind.columns
    let entries = names.compactMap { name in columns.first { $0.name == name } }
    try self.init(entries.map { ($0.name, $0.arrowType) }, batchRows: batchRows, output: output)
  }
}
