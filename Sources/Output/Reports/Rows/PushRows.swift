import APNsWire
import Analysis
import Basics

/// The columns of a push, a broadcast or a request for channels (docs/spec/interface.md#export).
enum PushColumn: String, RecordColumn {
  case source, stream, direction, offset, packet, originalPacket, fileOffset, capturedAt
  case capturedAtLocal, loggedAt, loggedAtLocal, line, http2Stream, requestOffset, requestPacket, tokenLength,
    token
  case tokenText, topic, pushType, apnsID, apnsUniqueID, priority, expiration, collapseID
  case payloadLength, payload, status, reason, timestampMS, timestamp, time, timeLocal, outcome
  case flags, streamOffset, tokenKind
  case operation, app, channelID, requestID, uniqueID, storagePolicy, channels, bodyLength

  private static let location: [PushColumn] = [
    .source, .stream, .direction, .offset, .packet, .originalPacket, .fileOffset, .capturedAt,
    .capturedAtLocal, .http2Stream, .requestOffset, .requestPacket,
  ]

  /// In their order.
  static func columns(_ kind: ServiceRequest.Kind) -> [PushColumn] {
    switch kind {
    case .push: Array(allCases.prefix { $0 != .operation })
    case .broadcast:
      location + [
        .app, .channelID, .requestID, .uniqueID, .pushType, .priority, .expiration, .payloadLength, .status,
        .reason, .outcome, .flags, .streamOffset,
      ]
    case .channel:
      location + [
        .operation, .app, .channelID, .requestID, .pushType, .storagePolicy, .channels, .bodyLength, .status,
        .reason, .flags, .streamOffset,
      ]
    }
  }
}

/// A row of one of them. The accompanying bytes are its texts.
struct PushRow: LocatedRow {
  let record: PushRecord
  let labels: StreamLabels

  var direction: Direction { record.direction }
  var offset: Int { record.offset }
  var fileOffset: Int { record.fileOffset }
  var packet: PacketReference? { record.packet }
  private var fields: PushFields { record.fields }

  var textBound: Int {
    PushFields.Text.allCases.reduce(RowCursor.bound(labels.source) &+ RowCursor.flagsBound) {
      $0 &+ RowCursor.bound(fields[$1]?.count ?? 0)
    }
  }

  @inline(__always)
  func put(_ column: PushColumn, to row: inout RowCursor) {
    switch column {
    case .source: row.put(labels.source)
    case .stream: row.put(labels.stream)
    case .direction: row.put(word: direction.rawValue)
    case .offset, .streamOffset: row.put(offset)
    case .packet: row.put(packet?.number)
    case .originalPacket: row.put(packet?.original)
    case .fileOffset: row.put(fileOffset)
    case .capturedAt: row.put(packet?.time)
    case .capturedAtLocal: row.put(local: packet?.time)
    case .loggedAt: row.put(fields.loggedAt.map(CaptureTime.init(milliseconds:)))
    case .loggedAtLocal: row.put(local: fields.loggedAt.map(CaptureTime.init(milliseconds:)))
    case .line: row.put(fields.line)
    case .http2Stream: row.put(fields.http2Stream.map(Int.init))
    case .requestOffset: row.put(record.requestOffset)
    case .requestPacket: row.put(record.requestPacket)
    case .tokenLength: row.put(fields[.token]?.count)
    case .token: row.put(hexOf: fields[.token])
    case .tokenText: row.put(textOf: fields[.tokenText])
    case .topic: row.put(textOf: fields[.topic])
    case .pushType: row.put(textOf: fields[.pushType])
    case .apnsID: row.put(textOf: fields[.apnsID])
    case .apnsUniqueID, .uniqueID: row.put(textOf: fields[.uniqueID])
    case .priority: row.put(fields.priority.map(Int.init))
    case .expiration: row.put(fields.expiration.map { Int(clamping: $0) })
    case .collapseID: row.put(textOf: fields[.collapseID])
    case .payloadLength, .bodyLength: row.put(fields.payloadLength)
    case .payload: row.put(textOf: fields[.payload])
    case .status: row.put(fields.status.map(Int.init))
    case .reason: row.put(textOf: fields[.reason])
    case .timestampMS: row.put(fields.timestamp.map { Int(clamping: $0) })
    case .timestamp: row.put(fields.timestamp.map { Int(clamping: $0 / 1000) })
    case .time: row.put(fields.time)
    case .timeLocal: row.put(local: fields.time)
    case .outcome: row.put(word: fields.outcome.rawValue)
    case .flags: row.put(fields.flags)
    case .operation: row.put(fields.service == .channel ? nil : fields.service.rawValue)
    case .app: row.put(textOf: fields[.app])
    case .channelID: row.put(textOf: fields[.channelID])
    case .requestID: row.put(textOf: fields[.requestID])
    case .storagePolicy: row.put(fields.storagePolicy.map(Int.init))
    case .channels: row.put(fields.channels)
    case .tokenKind: row.put(fields.tokenKind(in: RawSpan(_unsafeBytes: row.bytes))?.rawValue)
    }
  }
}

extension PushFields {
  /// The time of an invalidation.
  var time: CaptureTime? { timestamp.map(CaptureTime.init(milliseconds:)) }
}
