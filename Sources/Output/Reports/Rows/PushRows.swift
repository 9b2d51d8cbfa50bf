import APNsWire
import Analysis
import Basics
import PacketCapture

/// A row of a push (docs/spec/interface.md#export). The accompanying bytes are its texts.
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

  static let columns: [Column<PushRow>] = [
    .source, .stream, .direction, .offset, .packet, .originalPacket, .fileOffset, .capturedAt,
    .capturedAtLocal,
    Column("line") { $0.put($1.fields.line) },
    Column("http2_stream") { $0.put($1.fields.http2Stream.map(Int.init)) },
    Column("request_offset") { $0.put($1.record.requestOffset) },
    Column("request_packet") { $0.put($1.record.requestPacket) },
    Column("token_length") { $0.put($1.fields[.token]?.count) },
    Column("token") { $0.put(hexOf: $1.fields[.token]) },
    Column("token_text") { $0.put(textOf: $1.fields[.tokenText]) },
    Column("topic") { $0.put(textOf: $1.fields[.topic]) },
    Column("push_type") { $0.put(textOf: $1.fields[.pushType]) },
    Column("apns_id") { $0.put(textOf: $1.fields[.apnsID]) },
    Column("apns_unique_id") { $0.put(textOf: $1.fields[.uniqueID]) },
    Column("priority") { $0.put($1.fields.priority.map(Int.init)) },
    Column("expiration") { $0.put($1.fields.expiration.map { Int(clamping: $0) }) },
    Column("collapse_id") { $0.put(textOf: $1.fields[.collapseID]) },
    Column("payload_length") { $0.put($1.fields.payloadLength) },
    Column("payload") { $0.put(textOf: $1.fields[.payload]) },
    Column("status") { $0.put($1.fields.status.map(Int.init)) },
    Column("reason") { $0.put(textOf: $1.fields[.reason]) },
    Column("timestamp_ms") { $0.put($1.fields.timestamp.map { Int(clamping: $0) }) },
    Column("timestamp") { $0.put($1.fields.timestamp.map { Int(clamping: $0 / 1000) }) },
    Column("time") { $0.put($1.fields.time) },
    Column("time_local") { $0.put(local: $1.fields.time) },
    Column("outcome") { $0.put($1.fields.outcome.rawValue) },
    Column("flags") { $0.put($1.fields.flags) },
    .streamOffset,
    Column("token_kind") { $0.put($1.fields.tokenKind(in: RawSpan(_unsafeBytes: $0.bytes))?.rawValue) },
  ]
}

extension PushFields {
  /// The time of an invalidation.
  var time: CaptureTime? {
    timestamp.map { CaptureTime(seconds: $0 / 1000, fraction: UInt64(clamping: $0 % 1000), digits: 3) }
  }
}
