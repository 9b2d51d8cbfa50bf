import APNsWire
import Analysis
import Basics
import PacketCapture

/// Passes records with a token or with flags to a sink.
///
/// With a token, it leaves out findings and streams: they concern all tokens.
package final class RecordFilter: EvidenceSink {
  private let sink: any EvidenceSink
  private let kinds: Set<ExportedKind>
  /// Nil for records of any token.
  private let token: [UInt8]?
  private let isFlagged: Bool
  /// Number of records that were passed and that the sink writes.
  package private(set) var count = 0

  /// - Parameter kinds: the kinds that the sink writes.
  package init(_ sink: any EvidenceSink, _ kinds: Set<ExportedKind>, token: [UInt8]?, isFlagged: Bool) {
    (self.sink, self.kinds, self.token, self.isFlagged) = (sink, kinds, token, isFlagged)
  }

  package var needs: EvidenceNeeds { sink.needs }
  package func inputBegan(_ source: String) throws { try sink.inputBegan(source) }
  package func inputEnded(_ input: InputRecord) throws { try sink.inputEnded(input) }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    guard kinds.contains(.feedback), !isFlagged || !records.run.flags.isEmpty else { return }
    guard let token else {
      count += records.run.count
      return try sink.records(records, in: bytes)
    }
    for index in records.run.indices(of: token, in: bytes) {
      var chosen = records
      chosen.run = records.run.slice(from: index, count: 1)
      count += 1
      try sink.records(chosen, in: bytes)
    }
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    var chosen = requests
    chosen.records.removeAll { record in
      isFlagged && record.flags.isEmpty || token.map { !record.has(token: $0, in: bytes) } ?? false
    }
    if !kinds.contains(.requests) { chosen.records.removeAll { $0.outcome != .discarded } }
    guard !chosen.records.isEmpty, !kinds.isDisjoint(with: [.requests, .resend]) else { return }
    count += chosen.records.count
    try sink.requests(chosen, in: bytes)
  }

  package func response(_ response: ResponseRecord) throws {
    if isFlagged, response.flags.isEmpty { return }
    if let token, response.request?.token != token { return }
    guard kinds.contains(.responses) else { return }
    count += 1
    try sink.response(response)
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    var chosen = pushes.records.filter { record in
      !(isFlagged && record.fields.flags.isEmpty) && token.map { record.has(token: $0, in: bytes) } ?? true
    }
    if !kinds.contains(.pushes) { chosen.removeAll { !$0.fields.needsResend } }
    guard !chosen.isEmpty, !kinds.isDisjoint(with: [.pushes, .resendPushes, .resend]) else { return }
    count += chosen.count
    try sink.pushes(PushRecords(labels: pushes.labels, records: chosen[...]), in: bytes)
  }

  package func finding(_ finding: Finding) throws { if token == nil { try sink.finding(finding) } }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    if token == nil { try sink.stream(stream, report: report) }
  }
}

// MARK: - Tokens of records

extension RecordRun {
  /// The indices of the records with a token.
  func indices(of token: [UInt8], in bytes: RawSpan) -> [Int] {
    guard tokenLength == token.count else { return [] }
    return (0..<count).filter { bytes.extracting(self.token(of: $0)).hasBytes(token) }
  }
}

extension RequestRecord {
  func has(token: [UInt8], in bytes: RawSpan) -> Bool {
    RequestFields(range, in: bytes).token.map { bytes.extracting($0).hasBytes(token) } ?? false
  }
}

extension PushRecord {
  func has(token: [UInt8], in bytes: RawSpan) -> Bool {
    fields[.token].map { bytes.extracting($0).hasBytes(token) } ?? false
  }
}

extension RawSpan {
  fileprivate func hasBytes(_ bytes: [UInt8]) -> Bool { withUnsafeBytes { $0.elementsEqual(bytes) } }
}
