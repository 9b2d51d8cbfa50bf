import APNsWire
import Analysis
import Basics
import Reports

extension ExportedKind {
  /// The kinds of records of a stream.
  static let ofRecords: [ExportedKind] = [
    .feedback, .requests, .responses, .pushes, .broadcasts, .channels,
  ]

  /// In the singular.
  var noun: String {
    switch self {
    case .feedback: "feedback tuple"
    case .responses: "error response"
    case .channels: "channel request"
    case .requests, .pushes, .broadcasts, .resend, .resendPushes, .streams, .findings, .tokens, .inputs: type
    }
  }

  var plural: String { noun + (self == .pushes ? "es" : "s") }
}

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
      .pushes: pushes.counts.all, .broadcasts: requests.broadcasts.counts.all,
      .channels: requests.channels.counts.all,
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

  init(_ record: TokenSighting, in source: String) {
    self.init(source: source, stream: Int(record.stream), offset: record.offset)
    (packet, fileOffset) = (record.packet?.number, record.fileOffset)
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
