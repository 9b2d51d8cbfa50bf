import Analysis
import PacketCapture
import TimeZones
import WireBytes

/// Writes one kind of an analysis's results as CSV (docs/spec/interface.md#export).
package final class CSVWriter: EvidenceSink {
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
    case streams
    case findings
    case inputs([InputColumn])
  }

  private let kind: Kind
  private let output: OutputBuffer
  private let feedback: FeedbackRowWriter?
  private let gateway: GatewayRowWriter
  private let pushes: PushRowWriter?
  private let rows: EvidenceRowWriter
  private let inputs: InputRowWriter?

  /// - Parameter clock: for local times; nil without them.
  package init(_ kind: Kind, letterCase: Hex.LetterCase, clock: LocalClock? = nil, output: OutputBuffer) {
    self.kind = kind
    rows = EvidenceRowWriter(.csv, clock: clock)
    self.output = output
    switch kind {
    case .requests(let columns), .resend(let columns):
      gateway = GatewayRowWriter(.csv, letterCase: letterCase, clock: clock, requests: columns)
    case .responses(let columns):
      gateway = GatewayRowWriter(.csv, letterCase: letterCase, clock: clock, responses: columns)
    case .feedback, .pushes, .resendPushes, .streams, .findings, .inputs:
      gateway = GatewayRowWriter(.csv, letterCase: letterCase, clock: clock)
    }
    if case .feedback(let columns) = kind {
      feedback = FeedbackRowWriter(.csv(columns, clock: clock), letterCase: letterCase)
    } else {
      feedback = nil
    }
    switch kind {
    case .pushes(let columns), .resendPushes(let columns):
      pushes = PushRowWriter(.csv, letterCase: letterCase, clock: clock, columns)
    default: pushes = nil
    }
    if case .inputs(let columns) = kind { inputs = InputRowWriter(.csv, columns) } else { inputs = nil }
  }

  /// Writes the header line.
  package func begin() throws {
    switch kind {
    case .feedback(let columns): try output.append(CSVText.line(columns.map(\.rawValue)))
    case .requests, .resend: try output.append(gateway.requestHeader)
    case .responses: try output.append(gateway.responseHeader)
    case .pushes(let columns), .resendPushes(let columns):
      try output.append(CSVText.line(columns.map(\.rawValue)))
    case .streams: try output.append(rows.streamHeader)
    case .findings: try output.append(rows.findingHeader)
    case .inputs(let columns): try output.append(CSVText.line(columns.map(\.rawValue)))
    }
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    try feedback?.write(records, in: bytes, to: output)
  }

  package var needs: EvidenceNeeds {
    switch kind {
    case .requests, .responses, .resend: .gatewayRecords
    case .pushes(let columns), .resendPushes(let columns): columns.contains(.payload) ? .payloads : []
    case .inputs: .inventory
    case .feedback, .streams, .findings: []
    }
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    let isResend: Bool
    switch kind {
    case .requests: isResend = false
    case .resend: isResend = true
    default: return
    }
    for request in requests.records where !isResend || request.outcome == .discarded {
      try gateway.write(request, labels: requests.labels, in: bytes, to: output)
    }
  }

  package func response(_ response: ResponseRecord) throws {
    if case .responses = kind { try gateway.write(response, to: output) }
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    guard let writer = self.pushes else { return }
    var isResend = false
    if case .resendPushes = kind { isResend = true }
    for push in pushes.records where !isResend || push.fields.needsResend {
      try writer.write(push, labels: pushes.labels, in: bytes, to: output)
    }
  }

  package func inputEnded(_ input: InputRecord) throws { try inputs?.write(input, to: output) }

  package func finding(_ finding: Finding) throws {
    if case .findings = kind { try rows.write(finding, to: output) }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    if case .streams = kind { try rows.write(stream, to: output) }
  }
}
