import APNsWire
import Analysis
import Basics
import PacketCapture

/// The columns of a gateway request (docs/spec/interface.md#export), in their order.
enum RequestColumn: String, RecordColumn {
  case source, stream, direction, offset, length, packet, originalPacket, fileOffset, capturedAt
  case capturedAtLocal, command, identifier, expiry, priority, tokenLength, token, payloadLength
  case payload, payloadHex, items, outcome, outcomeStatus, flags, streamOffset
}

enum ResponseColumn: String, RecordColumn {
  case source, stream, direction, offset, packet, originalPacket, fileOffset, capturedAt
  case capturedAtLocal, status, statusText, identifier, requestOffset, token, flags, streamOffset
}

struct RequestRow: LocatedRow {
  private(set) var record: RequestRecord
  let labels: StreamLabels
  private var payloadIsText = true
  private var fields: RequestFields { record.fields }

  /// - Parameter bytes: contain the request.
  init(_ record: RequestRecord, _ labels: StreamLabels, in bytes: RawSpan) {
    (self.record, self.labels) = (record, labels)
    take(record, in: bytes)
  }

  /// Becomes the row of another request with the same labels: counting references for each row would take time.
  mutating func take(_ record: RequestRecord, in bytes: RawSpan) {
    self.record = record
    // A payload that is valid JSON is valid UTF-8.
    payloadIsText =
      !record.flags.contains(.payloadNotJSON)
      || fields.payload.map { UTF8Text.isValid($0, in: bytes) } ?? true
  }

  func varies(in column: RequestColumn) -> Bool {
    switch column {
    case .offset, .length, .fileOffset, .streamOffset, .identifier, .expiry, .token, .payloadLength: true
    case .packet, .originalPacket, .capturedAt, .capturedAtLocal: packet != nil
    case .payload: payloadIsText
    case .payloadHex: !payloadIsText
    case .items: fields.items != nil && fields.itemIDs == nil
    case .source, .stream, .direction, .command, .priority, .tokenLength, .outcome, .outcomeStatus, .flags:
      false
    }
  }

  @inline(__always)
  func isLike(_ other: RequestRow) -> Bool {
    labels === other.labels && (packet == nil) == (other.packet == nil)
      && payloadIsText == other.payloadIsText
      && fields.command == other.fields.command && fields.itemIDs == other.fields.itemIDs
      && fields.priority == other.fields.priority && fields.token?.count == other.fields.token?.count
      && record.outcome == other.record.outcome && record.status == other.record.status
      && record.flags == other.record.flags
  }

  var direction: Direction { .client }
  var offset: Int { record.offset }
  var fileOffset: Int { record.fileOffset }
  var packet: PacketReference? { record.packet }

  /// Upper bound of the output per byte of a request, over all columns: hex, an escape, or a number of items.
  private static let growth = 8

  var textBound: Int { ownBound + RowCursor.bound(labels.source) + RowCursor.flagsBound }
  var ownBound: Int { Self.growth * fields.length }

  @inline(__always)
  func put(_ column: RequestColumn, to row: inout RowCursor) {
    switch column {
    case .source: row.put(labels.source)
    case .stream: row.put(labels.stream)
    case .direction: row.put(word: direction.rawValue)
    case .offset, .streamOffset: row.put(offset)
    case .length: row.put(fields.length)
    case .packet: row.put(packet?.number)
    case .originalPacket: row.put(packet?.original)
    case .fileOffset: row.put(fileOffset)
    case .capturedAt: row.put(packet?.time)
    case .capturedAtLocal: row.put(local: packet?.time)
    case .command: row.put(Int(fields.command))
    case .identifier: row.put(fields.identifier.map(Int.init))
    case .expiry: row.put(fields.expiry.map(Int.init))
    case .priority: row.put(fields.priority.map(Int.init))
    case .tokenLength: row.put(fields.token?.count)
    case .token: row.put(hexOf: fields.token)
    case .payloadLength: row.put(fields.payload?.count)
    case .payload: row.put(textOf: payloadIsText ? fields.payload : nil)
    case .payloadHex: row.put(hexOf: payloadIsText ? nil : fields.payload, .lower)
    case .items: row.put(fields.items)
    case .outcome: row.put(word: record.outcome.rawValue)
    case .outcomeStatus: row.put(record.status.map(Int.init))
    case .flags: row.put(record.flags)
    }
  }
}

extension RowCursor {
  /// The item ids in wire order.
  fileprivate mutating func put(_ items: RequestItems?) {
    guard var items else { return putNothing() }
    beginList()
    var isFirst = true
    while let item = items.next(in: RawSpan(_unsafeBytes: bytes)) {
      beginElement(isFirst: isFirst)
      isFirst = false
      put(Int(item.id))
    }
    endList()
  }
}

/// The accompanying bytes of its row are those of the request's token.
extension ResponseRecord: LocatedRow {
  var direction: Direction { .server }

  var textBound: Int {
    RowCursor.bound(labels.source) + RowCursor.flagsBound + 2 * (request?.token?.count ?? 0)
      + RowCursor.bound(64)
  }

  @inline(__always)
  func put(_ column: ResponseColumn, to row: inout RowCursor) {
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
    case .status: row.put(Int(response.status))
    case .statusText: row.put(ErrorStatus(rawValue: response.status)?.text)
    case .identifier: row.put(Int(response.identifier))
    case .requestOffset: row.put(request?.offset)
    case .token: row.put(hexOf: request?.token?.indices)
    case .flags: row.put(flags)
    }
  }
}
