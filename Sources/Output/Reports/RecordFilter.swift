import APNsWire
import Analysis
import Basics
import PacketCapture

/// Passes chosen records to a sink.
///
/// With a token or times, it leaves out findings and streams: they concern others, too.
package final class RecordFilter: EvidenceSink {
  package struct Choice: Sendable {
    /// Nil for records of any token.
    var token: [UInt8]?
    /// Whether only those with flags.
    var isFlagged: Bool
    /// In seconds since 1970: of a tuple or a 410 its own time, of other records that of their packet or line; nil for any time.
    var times: Range<Int64>?

    package init(token: [UInt8]?, isFlagged: Bool, times: Range<Int64>?) {
      (self.token, self.isFlagged, self.times) = (token, isFlagged, times)
    }
  }

  package let sink: any EvidenceSink
  private let kinds: Set<ExportedKind>
  private let choice: Choice
  /// Number of records that nothing dates, and that were left out because of that.
  package private(set) var undated = 0
  /// Number of records that were passed and that the sink writes.
  package private(set) var count = 0

  /// - Parameter kinds: the kinds that the sink writes.
  package init(_ sink: any EvidenceSink, _ kinds: Set<ExportedKind>, _ choice: Choice) {
    (self.sink, self.kinds, self.choice) = (sink, kinds, choice)
  }

  private func isInTime(_ time: Int64?) -> Bool {
    guard let times = choice.times else { return true }
    guard let time else {
      undated += 1
      return false
    }
    return times.contains(time)
  }

  package var needs: EvidenceNeeds { sink.needs }
  package func inputBegan(_ source: String) throws { try sink.inputBegan(source) }
  package func inputEnded(_ input: InputRecord) throws { try sink.inputEnded(input) }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    guard kinds.contains(.feedback), !choice.isFlagged || !records.run.flags.isEmpty else { return }
    if choice.times == nil, choice.token == nil {
      count += records.run.count
      return try sink.records(records, in: bytes)
    }
    try records.eachExtent { part in
      let indices = choice.token.map { part.run.indices(of: $0, in: bytes) } ?? Array(0..<part.run.count)
      for index in indices where isInTime(Int64(part.run.time(of: index, in: bytes))) {
        var chosen = part
        chosen.run = part.run.slice(from: index, count: 1)
        count += 1
        try sink.records(chosen, in: bytes)
      }
    }
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    var chosen = requests
    chosen.records.removeAll { record in
      choice.isFlagged && record.flags.isEmpty
        || choice.token.map { !record.has(token: $0, in: bytes) } ?? false
        || !isInTime(record.packet?.time?.seconds)
    }
    if !kinds.contains(.requests) { chosen.records.removeAll { $0.outcome != .discarded } }
    guard !chosen.records.isEmpty, !kinds.isDisjoint(with: [.requests, .resend]) else { return }
    count += chosen.records.count
    try sink.requests(chosen, in: bytes)
  }

  package func response(_ response: ResponseRecord) throws {
    if choice.isFlagged, response.flags.isEmpty { return }
    if let token = choice.token, response.request?.token != token { return }
    guard kinds.contains(.responses), isInTime(response.packet?.time?.seconds) else { return }
    count += 1
    try sink.response(response)
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    var chosen = chosen(of: pushes, in: bytes)
    if !kinds.contains(.pushes) { chosen.removeAll { !$0.fields.needsResend } }
    guard !chosen.isEmpty, !kinds.isDisjoint(with: [.pushes, .resendPushes, .resend]) else { return }
    count += chosen.count
    try sink.pushes(PushRecords(labels: pushes.labels, records: chosen[...]), in: bytes)
  }

  package func exchanges(_ exchanges: PushRecords, in bytes: RawSpan) throws {
    let chosen = chosen(of: exchanges, in: bytes)
    guard let first = chosen.first, kinds.contains(where: { $0.service == first.kind }) else { return }
    count += chosen.count
    try sink.exchanges(PushRecords(labels: exchanges.labels, records: chosen[...]), in: bytes)
  }

  private func chosen(of records: PushRecords, in bytes: RawSpan) -> [PushRecord] {
    records.records.filter { record in
      let isChosen =
        !(choice.isFlagged && record.fields.flags.isEmpty)
        && choice.token.map { record.has(token: $0, in: bytes) } ?? true
      return isChosen && isInTime(record.fields.timestamp.map { $0 / 1000 } ?? record.answeredAt?.seconds)
    }
  }

  package func finding(_ finding: Finding) throws {
    if choice.token == nil, choice.times == nil { try sink.finding(finding) }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    // Tokens have their environment from streams.
    if choice.token == nil && choice.times == nil || sink is TokenSightings {
      try sink.stream(stream, report: report)
    }
  }
}

extension RecordRun {
  func indices(of token: [UInt8], in bytes: RawSpan) -> [Int] {
    guard tokenLength == token.count else { return [] }
    return (0..<count).filter { bytes.extracting(self.token(of: $0)).hasBytes(token) }
  }
}

extension RequestRecord {
  func has(token: [UInt8], in bytes: RawSpan) -> Bool {
    fields.token.map { bytes.extracting($0).hasBytes(token) } ?? false
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
