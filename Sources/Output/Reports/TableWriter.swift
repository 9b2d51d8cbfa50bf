import Analysis
import Basics
import PacketCapture

/// Writes one kind of an analysis's results as a table: CSV, lines of JSON, or Arrow (docs/spec/interface.md#export).
package final class TableWriter: RowSink {
  package enum Format: Sendable {
    case csv, ndjson
    /// - Parameter batchRows: the most rows of a record batch.
    case arrow(batchRows: Int)
  }

  /// The kind of rows, with the columns in the requested order.
  package enum Kind: Sendable {
    case feedback([FeedbackColumn])
    case requests([RequestColumn])
    case responses([ResponseColumn])
    /// The requests that had to be sent again.
    case resend([RequestColumn])
    case pushes([PushColumn])
    /// Pushes to send again.
    case resendPushes([PushColumn])
    case streams([StreamColumn])
    case findings([FindingColumn])
    case inputs([InputColumn])

    /// As `--records` names it.
    package var name: ExportedKind {
      switch self {
      case .feedback: .feedback
      case .requests: .requests
      case .responses: .responses
      case .resend: .resend
      case .pushes: .pushes
      case .resendPushes: .resendPushes
      case .streams: .streams
      case .findings: .findings
      case .inputs: .inputs
      }
    }

    fileprivate var columns: [any RecordColumn] {
      switch self {
      case .feedback(let columns): columns
      case .requests(let columns), .resend(let columns): columns
      case .responses(let columns): columns
      case .pushes(let columns), .resendPushes(let columns): columns
      case .streams(let columns): columns
      case .findings(let columns): columns
      case .inputs(let columns): columns
      }
    }
  }

  private enum Rows {
    case feedback(FeedbackRowWriter)
    case arrowFeedback(ArrowFeedbackWriter)
    case requests(RequestRowWriter)
    case responses(ResponseRowWriter)
    case pushes(PushRowWriter)
    case streams(StreamRowWriter)
    case findings(FindingRowWriter)
    case inputs(InputRowWriter)
  }

  package let kind: Kind
  private let format: Format
  private let letterCase: Hex.LetterCase
  private let clock: LocalClock?
  private let output: OutputBuffer
  private let rows: Rows
  /// Takes the rows in place of the output; nil unless the format is Arrow.
  private let table: ArrowTable?

  /// - Parameter clock: for local times; nil without them.
  package init(
    _ kind: Kind, _ format: Format = .csv, letterCase: Hex.LetterCase, clock: LocalClock? = nil,
    output: OutputBuffer
  ) throws {
    (self.kind, self.format, self.output) = (kind, format, output)
    (self.letterCase, self.clock) = (letterCase, clock)
    var table: ArrowTable?
    var style = RowStyle.csv
    switch format {
    case .csv: break
    case .ndjson: style = .json
    case .arrow(let batchRows):
      style = .arrow
      table = try ArrowTable(kind.columns.map { $0.arrowField }, batchRows: batchRows, output: output)
    }
    func frame<Column: RawRepresentable<String>>(_ columns: [Column]) -> RowFrame<Column> {
      RowFrame(style, type: nil, columns, table: table)
    }
    switch kind {
    case .feedback(let columns):
      if let table {
        rows = .arrowFeedback(ArrowFeedbackWriter(columns, table, clock: clock))
      } else {
        let template =
          style == .csv ? RowTemplate.csv(columns, clock: clock) : .ndjson(columns, clock: clock)
        rows = .feedback(FeedbackRowWriter(template, letterCase: letterCase))
      }
    case .requests(let columns), .resend(let columns):
      rows = .requests(RequestRowWriter(frame: frame(columns), letterCase: letterCase, clock: clock))
    case .responses(let columns):
      rows = .responses(ResponseRowWriter(frame: frame(columns), letterCase: letterCase, clock: clock))
    case .pushes(let columns), .resendPushes(let columns):
      rows = .pushes(PushRowWriter(frame: frame(columns), letterCase: letterCase, clock: clock))
    case .streams(let columns):
      rows = .streams(StreamRowWriter(frame: frame(columns), clock: clock))
    case .findings(let columns): rows = .findings(FindingRowWriter(frame: frame(columns)))
    case .inputs(let columns): rows = .inputs(InputRowWriter(frame: frame(columns)))
    }
    self.table = table
  }

  /// Writes what comes before the rows.
  /// - Parameter version: of apnsift.
  package func begin(version: String) throws {
    if case .csv = format { try output.append(CSVText.line(kind.columns.map { $0.rawValue })) }
    try table?.begin(metadata: [
      ("apnsift.schema", EvidenceObjects.schema), ("apnsift.version", version),
      ("apnsift.records", kind.name.rawValue),
    ])
  }

  /// Writes what comes after the rows.
  package func end() throws { try table?.end() }

  package var needs: EvidenceNeeds {
    switch kind {
    case .requests, .responses, .resend: .gatewayRecords
    case .pushes(let columns), .resendPushes(let columns): columns.contains(.payload) ? .payloads : []
    case .inputs: .inventory
    case .feedback, .streams, .findings: []
    }
  }

  /// None in Arrow, whose batches have rows of several windows.
  package func rowKeeper() -> TableWriter? {
    guard table == nil else { return nil }
    return try? TableWriter(kind, format, letterCase: letterCase, clock: clock, output: OutputBuffer(nil))
  }

  package func write(rowsOf keeper: TableWriter) throws { try output.append(rowsOf: keeper.output) }

  // MARK: - Rows

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    if case .feedback(let rows) = rows { try rows.write(records, in: bytes, to: output) }
    if case .arrowFeedback(let rows) = rows { try rows.write(records, in: bytes) }
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    guard case .requests(let rows) = rows else { return }
    let isResend = kind.name == .resend
    for request in requests.records where !isResend || request.outcome == .discarded {
      try line { try rows.write(request, labels: requests.labels, in: bytes, to: output) }
    }
  }

  package func response(_ response: ResponseRecord) throws {
    if case .responses(let rows) = rows { try line { try rows.write(response, to: output) } }
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    guard case .pushes(let rows) = rows else { return }
    let isResend = kind.name == .resendPushes
    for push in pushes.records where !isResend || push.fields.needsResend {
      try line { try rows.write(push, labels: pushes.labels, in: bytes, to: output) }
    }
  }

  package func inputEnded(_ input: InputRecord) throws {
    if case .inputs(let rows) = rows { try line { try rows.write(input, to: output) } }
  }

  package func finding(_ finding: Finding) throws {
    if case .findings(let rows) = rows { try line { try rows.write(finding, to: output) } }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    if case .streams(let rows) = rows { try line { try rows.write(stream, to: output) } }
  }

  /// Ends a JSON object with its line.
  private func line(_ write: () throws -> Void) throws {
    try write()
    if case .ndjson = format { try output.append("\n") }
  }
}

extension RecordColumn {
  fileprivate var arrowField: ArrowField { ArrowField(name: rawValue, type: entry.arrowType) }
}
