import Analysis
import Basics
import PacketCapture

/// A column of CSV and Arrow, and a member of JSON records: its name, and what writes its value of a row. columns.txt
/// has its type and meaning.
struct Column<Row>: Sendable {
  let name: String
  let put: @Sendable (inout RowCursor, Row) -> Void

  init(_ name: String, _ put: @escaping @Sendable (inout RowCursor, Row) -> Void) {
    (self.name, self.put) = (name, put)
  }
}

/// What a row of a kind of record is made of.
protocol TableRow {
  /// All columns of the kind, in their order.
  static var columns: [Column<Self>] { get }
  /// Upper bound of a row's texts, in bytes, if each column occurs once.
  var textBound: Int { get }
}

extension TableRow {
  /// The columns of these names.
  static func columns(_ names: [String]) -> [Column<Self>] {
    names.compactMap { name in columns.first { $0.name == name } }
  }
}

/// A row of a record of a stream.
protocol LocatedRow: TableRow, SendableMetatype {
  var labels: StreamLabels { get }
  var direction: Direction { get }
  var offset: Int { get }
  var fileOffset: Int { get }
  var packet: PacketReference? { get }
}

extension Column where Row: LocatedRow {
  static var source: Column { Column("source") { $0.put($1.labels.source) } }
  static var stream: Column { Column("stream") { $0.put($1.labels.stream) } }
  static var direction: Column { Column("direction") { $0.put($1.direction.rawValue) } }
  static var offset: Column { Column("offset") { $0.put($1.offset) } }
  static var packet: Column { Column("packet") { $0.put($1.packet?.number) } }
  static var originalPacket: Column { Column("original_packet") { $0.put($1.packet?.original) } }
  static var fileOffset: Column { Column("file_offset") { $0.put($1.fileOffset) } }
  static var capturedAt: Column { Column("captured_at") { $0.put($1.packet?.time) } }
  static var capturedAtLocal: Column { Column("captured_at_local") { $0.put(local: $1.packet?.time) } }
  static var streamOffset: Column { Column("stream_offset") { $0.put($1.offset) } }
}
