import APNsWire
import Analysis
import Basics

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
  /// A word of the shape.
  private enum Word: Int { case stream, kind, expiry, tokenLength, payloadLength, length, items, outcome }

  /// Valid while the row is written: a copy would take time, and so would counting references.
  private var record: UnsafePointer<RequestRecord>
  unowned(unsafe) let labels: StreamLabels
  private var payloadIsText = true
  private var fields: RequestFields { record.pointee.fields }

  /// - Parameter bytes: contain the request.
  init(_ record: UnsafePointer<RequestRecord>, _ labels: StreamLabels, in bytes: RawSpan) {
    (self.record, self.labels) = (record, labels)
    take(record, in: bytes)
  }

  /// Becomes the row of another request with the same labels.
  mutating func take(_ record: UnsafePointer<RequestRecord>, in bytes: RawSpan) {
    self.record = record
    // A payload that is valid JSON is valid UTF-8.
    payloadIsText =
      !record.pointee.flags.contains(.payloadNotJSON)
      || record.pointee.fields.payload.map { UTF8Text.isValid($0, in: bytes) } ?? true
  }

  func word(of column: RequestColumn) -> Int? {
    let word: Word? =
      switch column {
      case .source, .stream, .direction: .stream
      case .offset, .fileOffset, .streamOffset, .identifier, .token: nil
      case .packet, .originalPacket, .capturedAt, .capturedAtLocal: packet == nil ? .kind : nil
      case .command, .priority: .kind
      case .payload: payloadIsText ? nil : .kind
      case .payloadHex: payloadIsText ? .kind : nil
      case .length: .length
      case .expiry: .expiry
      case .tokenLength: .tokenLength
      case .payloadLength: .payloadLength
      case .items: fields.items != nil && fields.itemIDs == nil ? nil : .items
      case .outcome, .outcomeStatus, .flags: .outcome
      }
    return word?.rawValue
  }

  var owner: AnyObject? { labels }

  @inline(__always)
  var shape: RowShape {
    func word(_ number: (some FixedWidthInteger)?) -> UInt64 {
      number.map { UInt64(truncatingIfNeeded: $0) } ?? 1 << 40
    }
    let kind =
      UInt64(fields.command) | (payloadIsText ? 1 << 8 : 0) | (packet == nil ? 1 << 9 : 0)
      | word(fields.priority) << 16
    let items = fields.itemIDs ?? (fields.command == 2 ? .max : 1 << 40)
    let outcome =
      UInt64(record.pointee.flags.rawValue) | record.pointee.outcome.number << 56
      | UInt64(record.pointee.status.map { Int($0) + 1 } ?? 0) << 32
    return RowShape(
      UInt64(UInt(bitPattern: ObjectIdentifier(labels))), kind, word(fields.expiry), word(fields.tokenLength),
      word(fields.payloadLength), UInt64(fields.length), items, outcome)
  }

  var direction: Direction { .client }
  var offset: Int { record.pointee.offset }
  var fileOffset: Int { record.pointee.fileOffset }
  var packet: PacketReference? { record.pointee.packet }

  /// Upper bound of the output per byte of a request, over all columns: hex, an escape, or a number of items.
  private static let growth = 8

  var textBound: Int { ownBound + RowCursor.bound(labels.source) + RowCursor.flagsBound }
  var ownBound: Int { Self.growth * fields.length }

  @inline(__always)
  func put(_ column: RequestColumn, to row: inout RowCursor) {
    let number: Int?
    switch column {
    case .offset, .streamOffset: number = offset
    case .length: number = fields.length
    case .packet: number = packet?.number
    case .originalPacket: number = packet?.original
    case .fileOffset: number = fileOffset
    case .command: number = Int(fields.command)
    case .identifier: number = fields.identifier.map(Int.init)
    case .expiry: number = fields.expiry.map(Int.init)
    case .priority: number = fields.priority.map(Int.init)
    case .tokenLength: number = fields.tokenLength
    case .payloadLength: number = fields.payloadLength
    case .outcomeStatus: number = record.pointee.status.map(Int.init)
    case .source: return row.put(labels.source)
    case .stream: number = labels.stream
    case .direction: return row.put(word: direction.rawValue)
    case .capturedAt: return row.put(packet?.time)
    case .capturedAtLocal: return row.put(local: packet?.time)
    case .token: return row.put(hexOf: fields.token)
    case .payload: return row.put(textOf: payloadIsText ? fields.payload : nil)
    case .payloadHex: return row.put(hexOf: payloadIsText ? nil : fields.payload, .lower)
    case .items: return row.put(fields.items)
    case .outcome: return row.put(word: record.pointee.outcome.rawValue)
    case .flags: return row.put(record.pointee.flags)
    }
    row.put(number)
  }
}

extension RequestOutcome {
  /// Its position among all.
  fileprivate var number: UInt64 {
    switch self {
    case .accepted: 0
    case .rejected: 1
    case .discarded: 2
    case .unknown: 3
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
