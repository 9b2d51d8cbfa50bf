import APNsWire
import Analysis
import Basics
import PacketCapture
import Reports

extension ExportedKind {
  /// The kinds of records of a stream.
  static let ofRecords: [ExportedKind] = [.feedback, .requests, .responses, .pushes]

  /// In the singular.
  var noun: String {
    switch self {
    case .feedback: "feedback tuple"
    case .responses: "error response"
    default: type
    }
  }

  var plural: String { noun + (self == .pushes ? "es" : "s") }
}

/// Numbers of records.
package struct RecordCounts: Equatable, Sendable {
  private var counts: [ExportedKind: Int] = [:]

  package init(_ counts: [ExportedKind: Int] = [:]) { self.counts = counts }

  package subscript(kind: ExportedKind) -> Int {
    get { counts[kind, default: 0] }
    set { counts[kind] = newValue }
  }

  package var all: Int { counts.values.reduce(0, +) }

  /// `31 feedback tuples`, `200 requests and 1 error response`.
  var text: String {
    var parts = ExportedKind.ofRecords.filter { self[$0] > 0 }.map {
      Figures.count(self[$0], $0.noun, $0.plural)
    }
    guard let last = parts.popLast() else { return "no record" }
    return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
  }
}

extension Summary {
  /// All records that were read.
  var records: RecordCounts {
    RecordCounts([
      .feedback: feedback, .requests: gateway.requests, .responses: gateway.responses,
      .pushes: pushes.counts.all,
    ])
  }
}

package struct RecordLocation: Equatable, Sendable {
  package var source: String
  package var stream: Int
  /// Offset of the first byte in its direction of the stream, from 0.
  package var offset: Int
  /// Nil if it is not known; likewise below.
  package var direction: Direction?
  package var packet: Int?
  package var fileOffset: Int?
  /// Of a log, from 1.
  package var line: Int?

  package init(source: String, stream: Int, offset: Int) {
    (self.source, self.stream, self.offset) = (source, stream, offset)
  }

  init(
    _ labels: StreamLabels, _ offset: Int, _ direction: Direction? = nil, packet: PacketReference?,
    fileOffset: Int? = nil
  ) {
    self.init(source: labels.source, stream: labels.stream, offset: offset)
    (self.direction, self.packet, self.fileOffset) = (direction, packet?.number, fileOffset)
  }

  /// The location in the source.
  var text: String {
    let parts = [
      line.map { "line \(Figures.grouped($0))" }, "stream \(stream)",
      direction.map { "from the \($0.rawValue)" },
      "offset \(Figures.grouped(offset))", packet.map { "packet \(Figures.grouped($0))" },
      fileOffset.flatMap { $0 == offset ? nil : "offset \(Figures.grouped($0)) in the file" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

/// A record with flags that make it doubtful: any but `carved`, which all records of a search have.
package struct FlaggedRecord: Sendable {
  package var kind: ExportedKind
  package var location: RecordLocation
  /// In hex, or a pseudonym; nil if the record has none.
  package var token: String?
  /// When the token became invalid, in seconds since 1970; nil if the record does not say so.
  package var time: UInt32?
  package var flags: [String]

  package init(_ kind: ExportedKind, at location: RecordLocation, flags: [String]) {
    (self.kind, self.location, self.flags) = (kind, location, flags)
  }
}

/// Counts the doubtful and the recovered records, and keeps some of each input.
final class FlaggedRecordCollector: EvidenceSink {
  private var sample: FairSample<FlaggedRecord>
  private(set) var recovered: RecoveredChains
  /// Inputs so far.
  private var inputs = 0
  private(set) var counts = RecordCounts()

  /// - Parameter limits: how many records and chains to keep.
  init(_ limits: ReportLimits) {
    sample = FairSample(capacity: limits.doubtful)
    recovered = RecoveredChains(capacity: limits.chains)
  }

  var rows: [FlaggedRecord] { sample.chosen }
  var needs: EvidenceNeeds { .gatewayRecords }
  func inputBegan(_ source: String) { inputs += 1 }
  func stream(_ stream: StreamSummary, report: StreamReport) { recovered.end(stream.number, input: inputs) }

  func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    let run = records.run
    if run.flags.isEmpty { return }
    func location(_ offset: Int) -> RecordLocation {
      RecordLocation(
        records.labels, offset, records.direction, packet: records.origin.packet,
        fileOffset: records.origin.fileOffset(of: offset))
    }
    recovered.add(.feedback, run.count, run.flags, records.labels, location(run.offset)) {
      $0.add(run, records.confidence)
    }
    if run.flags.withoutCarved.isEmpty { return }
    counts[.feedback] &+= run.count
    for index in 0..<run.count {
      let isAdmitted = add(.feedback, location(run.offset &+ index &* run.stride), run.flags.codes) {
        $0.token = ShownToken.hex(run.token(of: index), in: bytes)
        $0.time = bytes.bigEndianUInt32(at: run.start &+ index &* run.stride)
      }
      // Later records are not in the sample either.
      if !isAdmitted { return }
    }
  }

  func requests(_ requests: RequestRecords, in bytes: RawSpan) {
    for request in requests.records where !request.flags.isEmpty {
      let location = RecordLocation(
        requests.labels, request.offset, .client, packet: request.packet, fileOffset: request.fileOffset)
      add(.requests, location, request.flags, requests.labels) {
        if request.range.isEmpty { return nil }
        return RequestFields(request.range, in: bytes).token.map { ShownToken.hex($0, in: bytes) }
      }
    }
  }

  func response(_ response: ResponseRecord) {
    let location = RecordLocation(
      response.labels, response.offset, .server, packet: response.packet, fileOffset: response.fileOffset)
    add(.responses, location, response.flags, response.labels) { response.request?.token.map(ShownToken.hex) }
  }

  /// Adds a record of a gateway connection, if it has flags.
  private func add(
    _ kind: ExportedKind, _ location: RecordLocation, _ flags: RecordFlags, _ labels: StreamLabels,
    token: () -> String?
  ) {
    if flags.isEmpty { return }
    recovered.add(kind, 1, flags, labels, location)
    if flags.withoutCarved.isEmpty { return }
    counts[kind] &+= 1
    add(kind, location, flags.codes) { $0.token = token() }
  }

  func pushes(_ pushes: PushRecords, in bytes: RawSpan) {
    for push in pushes.records where !push.fields.flags.isEmpty {
      counts[.pushes] &+= 1
      var location = RecordLocation(
        pushes.labels, push.offset, push.direction, packet: push.packet, fileOffset: push.fileOffset)
      location.line = push.fields.line
      add(.pushes, location, push.fields.flags.codes) {
        $0.token = push.fields[.token].map { ShownToken.hex($0, in: bytes) }
        $0.time = push.fields.timestamp.flatMap { UInt32(exactly: $0 / 1000) }
      }
    }
  }

  /// Returns false if the record is not in the sample.
  /// - Parameter complete: sets the rest of the record.
  @discardableResult
  private func add(
    _ kind: ExportedKind, _ location: RecordLocation, _ flags: @autoclosure () -> [String],
    complete: (inout FlaggedRecord) -> Void
  ) -> Bool {
    let position = FairSample<FlaggedRecord>.Position(stream: location.stream, offset: location.offset)
    guard sample.admits(input: inputs, at: position) else { return false }
    var record = FlaggedRecord(kind, at: location, flags: flags())
    complete(&record)
    sample.add(record, input: inputs, at: position)
    return true
  }
}

extension RecordFlags {
  /// The flags that make a record doubtful.
  fileprivate var withoutCarved: RecordFlags { subtracting(.carved) }
}
