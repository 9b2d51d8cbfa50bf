import APNsWire
import Analysis
import Basics
import PacketCapture

/// A row of a gateway request (docs/spec/interface.md#export).
struct RequestRow: LocatedRow {
  let record: RequestRecord
  let labels: StreamLabels
  private let fields: RequestFields
  private let payloadIsText: Bool

  /// - Parameter bytes: contain the request.
  init(_ record: RequestRecord, _ labels: StreamLabels, in bytes: RawSpan) {
    (self.record, self.labels) = (record, labels)
    let fields = RequestFields(record.range, in: bytes)
    self.fields = fields
    // A payload that is valid JSON is valid UTF-8.
    payloadIsText =
      !record.flags.contains(.payloadNotJSON)
      || fields.payload.map { UTF8Text.isValid($0, in: bytes) } ?? true
  }

  var direction: Direction { .client }
  var offset: Int { record.offset }
  var fileOffset: Int { record.fileOffset }
  var packet: PacketReference? { record.packet }

  /// Upper bound of the output per byte of a request, over all columns: hex, an escape, or a number of items.
  private static let growth = 8

  var textBound: Int {
    Self.growth * record.range.count + RowCursor.bound(labels.source) + RowCursor.flagsBound
  }

  static let columns: [Column<RequestRow>] = [
    .source, .stream, .direction, .offset,
    Column("length") { $0.put($1.record.range.count) },
    .packet, .originalPacket, .fileOffset, .capturedAt, .capturedAtLocal,
    Column("command") { $0.put(Int($1.fields.command)) },
    Column("identifier") { $0.put($1.fields.identifier.map(Int.init)) },
    Column("expiry") { $0.put($1.fields.expiry.map(Int.init)) },
    Column("priority") { $0.put($1.fields.priority.map(Int.init)) },
    Column("token_length") { $0.put($1.fields.token?.count) },
    Column("token") { $0.put(hexOf: $1.fields.token) },
    Column("payload_length") { $0.put($1.fields.payload?.count) },
    Column("payload") { $0.put(textOf: $1.payloadIsText ? $1.fields.payload : nil) },
    Column("payload_hex") { $0.put(hexOf: $1.payloadIsText ? nil : $1.fields.payload, .lower) },
    Column("items") { $0.put($1.fields.items) },
    Column("outcome") { $0.put($1.record.outcome.rawValue) },
    Column("outcome_status") { $0.put($1.record.status.map(Int.init)) },
    Column("flags") { $0.put($1.record.flags) },
    .streamOffset,
  ]
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

  static let columns: [Column<ResponseRecord>] = [
    .source, .stream, .direction, .offset, .packet, .originalPacket, .fileOffset, .capturedAt,
    .capturedAtLocal,
    Column("status") { $0.put(Int($1.response.status)) },
    Column("status_text") { $0.put(ErrorStatus(rawValue: $1.response.status)?.text) },
    Column("identifier") { $0.put(Int($1.response.identifier)) },
    Column("request_offset") { $0.put($1.request?.offset) },
    Column("token") { $0.put(hexOf: $1.request?.token?.indices) },
    Column("flags") { $0.put($1.flags) },
    .streamOffset,
  ]
}
