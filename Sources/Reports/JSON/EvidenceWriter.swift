import Analysis
import JSON
import PacketCapture
import WireBytes

/// Writes what an analysis finds as NDJSON or JSON, in one pass.
package final class EvidenceWriter: EvidenceSink {
  package enum Format: Sendable {
    case json, ndjson
  }

  /// Which kinds of objects are written, beside header and summary.
  package struct Kinds: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let feedback = Kinds(rawValue: 1)
    package static let streams = Kinds(rawValue: 2)
    package static let findings = Kinds(rawValue: 4)
    package static let requests = Kinds(rawValue: 8)
    package static let responses = Kinds(rawValue: 16)
    /// The requests that had to be sent again, alone.
    package static let resend = Kinds(rawValue: 32)
    package static let all: Kinds = [.feedback, .requests, .responses, .streams, .findings]
  }

  private let format: Format
  private let kinds: Kinds
  private let output: OutputBuffer
  private let rows: FeedbackRowWriter
  /// For the first row of a JSON array, which has no comma before it.
  private let firstRow: FeedbackRowWriter
  private var gatewayRows: GatewayRowWriter
  private var isFirst = true

  package init(_ format: Format, kinds: Kinds, letterCase: Hex.LetterCase, output: OutputBuffer) {
    self.format = format
    self.kinds = kinds
    self.output = output
    gatewayRows = GatewayRowWriter(.json, letterCase: letterCase)
    let end = format == .json ? "" : "\n"
    firstRow = FeedbackRowWriter(.json(lead: "", trail: end), letterCase: letterCase, output: output)
    rows = FeedbackRowWriter(
      .json(lead: format == .json ? ",\n" : "", trail: end), letterCase: letterCase, output: output)
  }

  /// Writes what stands before all records.
  package func begin(version: String, options: JSONValue) throws {
    switch format {
    case .ndjson:
      try output.append(EvidenceObjects.header(version: version, options: options).text + "\n")
    case .json:
      let header = JSONValue.object([
        ("schema", .string(EvidenceObjects.schema)), ("version", .string(version)), ("options", options),
      ])
      try output.append(header.text.dropLast() + ",\"records\":[\n")
    }
  }

  /// Writes the summary and what closes the document.
  package func end(_ summary: Summary, inputs: [InputSummary]) throws {
    let members = EvidenceObjects.summary(summary, inputs: inputs)
    switch format {
    case .ndjson:
      try output.append(JSONValue.object([("type", .string("summary"))] + members).text + "\n")
    case .json:
      try output.append("\n],\"summary\":" + JSONValue.object(members).text + "}\n")
    }
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    guard kinds.contains(.feedback) else { return }
    guard isFirst else { return try rows.write(records, in: bytes) }
    isFirst = false
    var head = records
    head.run = records.run.slice(from: 0, count: 1)
    try firstRow.write(head, in: bytes)
    guard records.run.count > 1 else { return }
    var rest = records
    rest.run = records.run.slice(from: 1, count: records.run.count - 1)
    try rows.write(rest, in: bytes)
  }

  package var needs: EvidenceNeeds {
    kinds.isDisjoint(with: [.requests, .responses, .resend]) ? [] : .gatewayRecords
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    guard !kinds.isDisjoint(with: [.requests, .resend]) else { return }
    for request in requests.records where kinds.contains(.requests) || request.outcome == .discarded {
      gatewayRows.make(request, labels: requests.labels, in: bytes)
      try write(gatewayRows.row)
    }
  }

  package func response(_ response: ResponseRecord) throws {
    guard kinds.contains(.responses) else { return }
    gatewayRows.make(response)
    try write(gatewayRows.row)
  }

  package func finding(_ finding: Finding) throws {
    if kinds.contains(.findings) { try write(EvidenceObjects.finding(finding)) }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    if kinds.contains(.streams) { try write(EvidenceObjects.stream(stream)) }
  }

  private func write(_ object: JSONValue) throws {
    try write(Array(object.text.utf8))
  }

  private func write(_ object: [UInt8]) throws {
    if format == .json, !isFirst { try output.append(",\n") }
    try output.append(object)
    if format == .ndjson { try output.append("\n") }
    isFirst = false
  }
}
