import Analysis
import Basics
import PacketCapture

/// Writes the results of an analysis as NDJSON or JSON, in one pass.
package final class EvidenceWriter: RowSink {
  package enum Format: Sendable {
    case json, ndjson
  }

  /// The kinds of objects to write, in addition to header and summary.
  package typealias Kinds = Set<ExportedKind>

  private let format: Format
  private let kinds: Kinds
  private let letterCase: Hex.LetterCase
  private let clock: LocalClock?
  private let output: OutputBuffer
  private let feedback: FeedbackRowWriter
  private let carved: FeedbackRowWriter
  private let requests: RequestRowWriter
  private let responses: ResponseRowWriter
  private let pushes: PushRowWriter
  private let streams: StreamRowWriter
  private let streamsOfTLS: StreamRowWriter
  private let findings = FindingRowWriter(frame: frame("finding", FindingColumn.all(nil)))
  private let inputs = InputRowWriter(frame: frame("input", InputColumn.all(nil)))
  /// Whether to write the payloads of pushes.
  private let hasPayloads: Bool
  private var isFirst = true

  /// - Parameter clock: for local times; nil without them.
  package init(
    _ format: Format, kinds: Kinds, letterCase: Hex.LetterCase, hasPayloads: Bool = false,
    clock: LocalClock? = nil, output: OutputBuffer
  ) {
    (self.hasPayloads, self.format, self.kinds, self.letterCase) = (hasPayloads, format, kinds, letterCase)
    (self.clock, self.output) = (clock, output)
    requests = RequestRowWriter(
      frame: Self.frame("request", RequestColumn.all(clock)), letterCase: letterCase, clock: clock)
    responses = ResponseRowWriter(
      frame: Self.frame("response", ResponseColumn.all(clock)), letterCase: letterCase, clock: clock)
    pushes = PushRowWriter(
      frame: Self.frame("push", PushColumn.all(clock)), letterCase: letterCase, clock: clock)
    let columns = StreamColumn.all(clock)
    streamsOfTLS = StreamRowWriter(frame: Self.frame("stream", columns), clock: clock)
    streams = StreamRowWriter(frame: Self.frame("stream", columns.filter { !$0.isOfTLS }), clock: clock)
    let (lead, trail) = format == .json ? (Self.separator, "") : ("", "\n")
    feedback = FeedbackRowWriter(
      .json(lead: lead, trail: trail, clock: clock), letterCase: letterCase)
    carved = FeedbackRowWriter(
      .json(lead: lead, trail: trail, isCarved: true, clock: clock), letterCase: letterCase)
  }

  private static func frame<Column: RawRepresentable<String>>(
    _ type: String, _ columns: [Column]
  ) -> RowFrame<Column> {
    RowFrame(.json, type: type, columns)
  }

  /// The separator before each object of an array except the first.
  private static let separator = ",\n"

  /// Writes the text before the records.
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

  /// Writes the summary and closes the document.
  package func end(_ summary: Summary, inputs: [InputSummary]) throws {
    let members = EvidenceObjects.summary(summary, inputs: inputs)
    switch format {
    case .ndjson:
      try output.append(JSONValue.object([("type", .string("summary"))] + members).text + "\n")
    case .json:
      try output.append("\n],\"summary\":" + JSONValue.object(members).text + "}\n")
    }
  }

  package func rowKeeper() -> EvidenceWriter? {
    let keeper = EvidenceWriter(
      format, kinds: kinds, letterCase: letterCase, hasPayloads: hasPayloads, clock: clock,
      output: OutputBuffer(nil))
    // Each of its objects has a separator before it.
    keeper.isFirst = false
    return keeper
  }

  package func write(rowsOf keeper: EvidenceWriter) throws {
    if keeper.output.count == 0 { return }
    try output.append(rowsOf: keeper.output, from: format == .json && isFirst ? Self.separator.utf8.count : 0)
    isFirst = false
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    guard kinds.contains(.feedback) else { return }
    let feedback = records.labels.carving == nil ? feedback : carved
    guard format == .json, isFirst else { return try feedback.write(records, in: bytes, to: output) }
    isFirst = false
    var part = records
    part.run = records.run.slice(from: 0, count: 1)
    let first = OutputBuffer(nil)
    try feedback.write(part, in: bytes, to: first)
    try output.append(UnsafeRawBufferPointer(rebasing: first.bytes.dropFirst(Self.separator.utf8.count)))
    part.run = records.run.slice(from: 1, count: records.run.count - 1)
    try feedback.write(part, in: bytes, to: output)
  }

  package var needs: EvidenceNeeds {
    var needs: EvidenceNeeds = []
    if !kinds.isDisjoint(with: [.requests, .responses, .resend]) { needs.insert(.gatewayRecords) }
    if hasPayloads { needs.insert(.payloads) }
    if kinds.contains(.inputs) { needs.insert(.inventory) }
    return needs
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    guard !kinds.isDisjoint(with: [.requests, .resend]) else { return }
    let takesAll = kinds.contains(.requests)
    for request in requests.records where takesAll || request.outcome == .discarded {
      try object { try self.requests.write(request, labels: requests.labels, in: bytes, to: output) }
    }
  }

  package func response(_ response: ResponseRecord) throws {
    if kinds.contains(.responses) { try object { try responses.write(response, to: output) } }
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    guard !kinds.isDisjoint(with: [.pushes, .resend, .resendPushes]) else { return }
    let takesAll = kinds.contains(.pushes)
    for push in pushes.records where takesAll || push.fields.needsResend {
      try object { try self.pushes.write(push, labels: pushes.labels, in: bytes, to: output) }
    }
  }

  package func inputEnded(_ input: InputRecord) throws {
    if kinds.contains(.inputs) { try object { try inputs.write(input, to: output) } }
  }

  package func finding(_ finding: Finding) throws {
    if kinds.contains(.findings) { try object { try findings.write(finding, to: output) } }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    guard kinds.contains(.streams) else { return }
    let rows = stream.encryption == nil ? streams : streamsOfTLS
    try object { try rows.write(stream, to: output) }
  }

  private func object(_ write: () throws -> Void) throws {
    if format == .json, !isFirst { try output.append(Self.separator) }
    isFirst = false
    try write()
    if format == .ndjson { try output.append("\n") }
  }
}
