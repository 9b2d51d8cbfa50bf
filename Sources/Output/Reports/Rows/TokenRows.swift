import Analysis
import Basics

/// The columns of a token (docs/spec/interface.md#export), in their order.
enum TokenColumn: String, RecordColumn {
  case token, kind, topics, environment, firstSeen, lastSeen, sends, accepted, rejected, invalidated, unknown
  case invalidatedAt, source, stream, offset, fileOffset, packet, doubtful, recovered, inputs
  case sendsAfter410 = "sends_after_410"
}

/// The accompanying bytes are the token.
struct TokenRow: TableRow {
  let token: Range<Int>
  let history: TokenHistory

  var textBound: Int {
    2 * token.count + RowCursor.bound(history.source)
      + history.topics.reduce(2) { $0 + RowCursor.bound($1) + 4 }
  }

  @inline(__always)
  func put(_ column: TokenColumn, to row: inout RowCursor) {
    switch column {
    case .token: row.put(hexOf: token)
    case .kind: row.put(history.kind?.rawValue)
    case .topics: row.put(history.topics)
    case .environment: row.put(history.environment?.rawValue)
    case .firstSeen: row.put(history.seen?.lowerBound)
    case .lastSeen: row.put(history.seen?.upperBound)
    case .sends: row.put(history.sends)
    case .accepted: row.put(history.outcomes.accepted)
    case .rejected: row.put(history.outcomes.rejected)
    case .invalidated: row.put(history.outcomes.invalidated)
    case .unknown: row.put(history.outcomes.unknown)
    case .invalidatedAt: row.put(history.invalidatedAt)
    case .source: row.put(history.source)
    case .stream: row.put(Int(history.record.stream))
    case .offset: row.put(history.record.offset)
    case .fileOffset: row.put(history.record.fileOffset)
    case .packet: row.put(history.record.packet?.number)
    case .doubtful: row.put(history.doubtful)
    case .recovered: row.put(history.recovered)
    case .inputs: row.put(history.inputs)
    case .sendsAfter410: row.put(history.sendsAfter410)
    }
  }
}
