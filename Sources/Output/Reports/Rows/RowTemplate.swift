import Analysis
import Basics
import PacketCapture

extension FeedbackRecords: LocatedRow {
  var offset: Int { run.offset }
  var fileOffset: Int { origin.fileOffset(of: run.offset) }
  var packet: PacketReference? { origin.packet }

  /// Upper bound of a column that is constant within a run, in bytes.
  var textBound: Int {
    RowCursor.bound(labels.source) + RowCursor.bound(labels.client) + RowCursor.bound(labels.server)
      + RowCursor.flagsBound
  }

  /// The values of those that vary are written for many records at once (`VaryingColumn`).
  static let columns: [Column<FeedbackRecords>] = [
    .source, .stream, .direction,
    Column("client") { $0.put($1.labels.client) },
    Column("server") { $0.put($1.labels.server) },
    .offset, .packet, .originalPacket, .fileOffset, .capturedAt, .capturedAtLocal,
    Column("timestamp") { _, _ in }, Column("time") { _, _ in }, Column("time_local") { _, _ in },
    Column("token_length") { $0.put($1.run.tokenLength) },
    Column("token") { _, _ in },
    Column("flags") { $0.put($1.run.flags) },
    Column("form") { $0.put($1.labels.carving?.form.rawValue) },
    Column("chain") { $0.put($1.labels.carving?.chain) },
    Column("chain_length") { $0.put($1.labels.carving?.chainLength) },
    Column("confidence") { $0.put($1.confidence?.rawValue) },
    .streamOffset,
  ]

  /// The columns that are only in JSON objects of carved records.
  static let ofCarving: Set = ["form", "chain", "chain_length", "confidence"]
}

/// A column of feedback whose values differ within a run.
enum VaryingColumn: String {
  case offset, timestamp, time, token
  case fileOffset = "file_offset"
  case timeLocal = "time_local"

  /// Nil for a column that is the same in all rows of a run.
  init?(_ column: Column<FeedbackRecords>) {
    self.init(rawValue: column.name == "stream_offset" ? "offset" : column.name)
  }
}

/// The layout of a feedback record in CSV or JSON: constant text with columns between.
struct RowTemplate {
  enum Part {
    case text([UInt8])
    case column(Column<FeedbackRecords>)
  }

  let forms: RowForms
  private(set) var parts: [Part] = []
  /// Whether rows contain columns that depend on the packet or stream.
  let dependsOnOrigin: Bool

  /// - Parameters:
  ///   - lead: text before the row.
  ///   - trail: text after it.
  init(_ forms: RowForms, _ names: [String], lead: String, trail: String) {
    self.forms = forms
    let columns = FeedbackRecords.columns(names)
    dependsOnOrigin = columns.contains {
      VaryingColumn($0) == nil && $0.name != "token_length" && $0.name != "flags"
    }
    var literal = lead
    for (index, column) in columns.enumerated() {
      if index > 0 { literal += "," }
      var quote = ""
      if forms.style == .json {
        let isText = [.token, .time, .timeLocal].contains(VaryingColumn(column))
        quote = isText ? "\"" : ""
        literal += "\"\(column.name)\":\(quote)"
      }
      parts += [.text(Array(literal.utf8)), .column(column)]
      literal = quote
    }
    parts.append(.text(Array((literal + trail).utf8)))
  }

  /// Appends the value of a column that is constant within a run.
  func append(_ column: Column<FeedbackRecords>, of records: FeedbackRecords, to texts: OutputBuffer) throws {
    try texts.extend(records.textBound) { start in
      var row = RowCursor(forms, at: start)
      column.put(&row, records)
      return row.end - start
    }
  }
}
