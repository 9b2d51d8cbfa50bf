import APNsWire
import Analysis
import Reports
import WireBytes

/// Numbers of records by kind.
package struct RecordCounts: Equatable, Sendable {
  package var feedback = 0
  package var requests = 0
  package var responses = 0
  package var pushes = 0

  package init() {}

  package var all: Int { feedback + requests + responses + pushes }
}

extension Summary {
  /// All records that were read.
  var records: RecordCounts {
    var counts = RecordCounts()
    counts.feedback = feedback
    counts.requests = gateway.requests
    counts.responses = gateway.responses
    counts.pushes = pushes.counts.all
    return counts
  }
}

/// The location of a record.
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

/// A record with flags.
package struct DoubtfulRecord: Sendable {
  package enum Kind: String, Sendable {
    case feedback = "feedback tuple"
    case request
    case response = "error response"
    case push
  }

  package var kind: Kind
  package var location: RecordLocation
  /// In hex, or a pseudonym; nil if the record has none.
  package var token: String?
  /// When the token became invalid, in seconds since 1970. Nil if the record does not say so, and in a redacted report,
  /// because the time of a doubtful record may be bytes of a token.
  package var time: UInt32?
  package var flags: [String]

  package init(_ kind: Kind, at location: RecordLocation, flags: [String]) {
    (self.kind, self.location, self.flags) = (kind, location, flags)
  }
}

/// Counts the records with flags, and keeps some of each input.
package final class DoubtCollector: EvidenceSink {
  private let names: TokenNames
  private var sample: FairSample<DoubtfulRecord>
  /// Inputs so far.
  private var inputs = 0
  package private(set) var counts = RecordCounts()

  /// - Parameters:
  ///   - maxRecords: how many records to keep.
  ///   - names: the form in which the report shows tokens.
  package init(maxRecords: Int, names: TokenNames) {
    sample = FairSample(capacity: maxRecords)
    self.names = names
  }

  package var rows: [DoubtfulRecord] { sample.chosen }
  package var needs: EvidenceNeeds { .gatewayRecords }
  package func inputBegan(_ source: String) { inputs += 1 }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    let run = records.run
    guard !run.flags.isEmpty else { return }
    counts.feedback &+= run.count
    for index in 0..<run.count {
      let offset = run.offset &+ index &* run.stride
      let isAdmitted = try add(records.labels, offset) {
        var location = RecordLocation(
          source: records.labels.source, stream: records.labels.stream, offset: offset)
        (location.direction, location.packet) = (records.direction, records.origin.packet?.number)
        location.fileOffset = records.origin.fileOffset(of: offset)
        var record = DoubtfulRecord(.feedback, at: location, flags: run.flags.codes)
        record.token = try name(run.token(of: index), in: bytes)
        let time = bytes.bigEndianUInt32(at: run.start &+ index &* run.stride)
        record.time = names.key == nil ? time : nil
        return record
      }
      // Later records are not in the sample either.
      if !isAdmitted { return }
    }
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    for request in requests.records where !request.flags.isEmpty {
      counts.requests &+= 1
      try add(requests.labels, request.offset) {
        var location = RecordLocation(
          source: requests.labels.source, stream: requests.labels.stream, offset: request.offset)
        (location.direction, location.packet) = (.client, request.packet?.number)
        location.fileOffset = request.fileOffset
        var record = DoubtfulRecord(.request, at: location, flags: request.flags.codes)
        if !request.range.isEmpty, let token = RequestFields(request.range, in: bytes).token {
          record.token = try name(token, in: bytes)
        }
        return record
      }
    }
  }

  package func response(_ response: ResponseRecord) throws {
    guard !response.flags.isEmpty else { return }
    counts.responses &+= 1
    try add(response.labels, response.offset) {
      var location = RecordLocation(
        source: response.labels.source, stream: response.labels.stream, offset: response.offset)
      (location.direction, location.packet) = (.server, response.packet?.number)
      location.fileOffset = response.fileOffset
      var record = DoubtfulRecord(.response, at: location, flags: response.flags.codes)
      record.token = try response.request?.token.map { try names.name($0) }
      return record
    }
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    for push in pushes.records where !push.fields.flags.isEmpty {
      counts.pushes &+= 1
      try add(pushes.labels, push.offset) {
        var location = RecordLocation(
          source: pushes.labels.source, stream: pushes.labels.stream, offset: push.offset)
        (location.direction, location.packet) = (push.direction, push.packet?.number)
        (location.fileOffset, location.line) = (push.fileOffset, push.fields.line)
        let flags = PushFlags.all.filter { push.fields.flags.contains($0.flag) }.map(\.code)
        var record = DoubtfulRecord(.push, at: location, flags: flags)
        record.token = try push.fields[.token].map { try name($0, in: bytes) }
        record.time = push.fields.timestamp.flatMap { names.key == nil ? UInt32(exactly: $0 / 1000) : nil }
        return record
      }
    }
  }

  /// Returns false if the record is not in the sample.
  @discardableResult
  private func add(_ labels: StreamLabels, _ offset: Int, _ record: () throws -> DoubtfulRecord) rethrows
    -> Bool
  {
    let position = FairSample<DoubtfulRecord>.Position(stream: labels.stream, offset: offset)
    guard sample.admits(input: inputs, at: position) else { return false }
    sample.add(try record(), input: inputs, at: position)
    return true
  }

  private func name(_ range: Range<Int>, in bytes: RawSpan) throws -> String {
    try names.name(bytes.extracting(range).withUnsafeBytes { Array($0) })
  }
}
