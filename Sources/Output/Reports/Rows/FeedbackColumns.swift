import Analysis
import Basics
import PacketCapture

/// The columns of a feedback record (docs/spec/interface.md#export), in their order.
enum FeedbackColumn: String, RecordColumn {
  case source, stream, direction, client, server, offset, packet, originalPacket, fileOffset
  case capturedAt, capturedAtLocal, timestamp, time, timeLocal, tokenLength, token, flags, form, chain
  case chainLength, confidence, fsPath, fsInode, fsState, streamOffset

  /// Whether it is the same in all rows of a packet, but not of a stream.
  var isOfPacket: Bool { [.packet, .originalPacket, .capturedAt, .capturedAtLocal].contains(self) }

  /// Writes the value of a column of the packet; nothing for any other.
  @inline(__always)
  func put(_ packet: PacketReference?, to row: inout RowCursor) {
    switch self {
    case .packet: row.put(packet?.number)
    case .originalPacket: row.put(packet?.original)
    case .capturedAt: row.put(packet?.time)
    case .capturedAtLocal: row.put(local: packet?.time)
    default: break
    }
  }
}

extension FeedbackRecords: LocatedRow {
  var offset: Int { run.offset }
  var fileOffset: Int { origin.fileOffset(of: run.offset) }
  var packet: PacketReference? { origin.packet }

  /// Upper bound of a column that is constant within a run, in bytes.
  var textBound: Int {
    RowCursor.bound(labels.source) + RowCursor.bound(labels.client) + RowCursor.bound(labels.server)
      + RowCursor.flagsBound + RowCursor.bound(labels.file?.path)
  }

  /// Writes the value of a column that is constant within a run; nothing for any other (`VaryingColumn`).
  @inline(__always)
  func put(_ column: FeedbackColumn, to row: inout RowCursor) {
    switch column {
    case .source: row.put(labels.source)
    case .stream: row.put(labels.stream)
    case .direction: row.put(word: direction.rawValue)
    case .client: row.put(labels.client)
    case .server: row.put(labels.server)
    case .packet, .originalPacket, .capturedAt, .capturedAtLocal: column.put(packet, to: &row)
    case .tokenLength: row.put(run.tokenLength)
    case .flags: row.put(run.flags)
    case .form: row.put(labels.carving?.form.rawValue)
    case .chain: row.put(labels.carving?.chain)
    case .chainLength: row.put(labels.carving?.chainLength.map { Int($0) })
    case .confidence: row.put(confidence?.rawValue)
    case .fsPath: row.put(labels.file?.path)
    case .fsInode: row.put(labels.file?.inode)
    case .fsState: row.put(labels.file?.state?.rawValue)
    case .offset, .streamOffset, .fileOffset, .timestamp, .time, .timeLocal, .token: break
    }
  }

  /// The columns that are only in JSON objects of carved records.
  static let ofCarving: Set = [
    "form", "chain", "chain_length", "confidence", "fs_path", "fs_inode", "fs_state",
  ]
  /// Those that need the files of disk images.
  static let ofFiles: Set<FeedbackColumn> = [.fsPath, .fsInode, .fsState]
}

/// A column of feedback whose values differ within a run.
enum VaryingColumn {
  case offset, fileOffset, timestamp, time, timeLocal, token

  /// Nil for a column that is the same in all rows of a run.
  init?(_ column: FeedbackColumn) {
    switch column {
    case .offset, .streamOffset: self = .offset
    case .fileOffset: self = .fileOffset
    case .timestamp: self = .timestamp
    case .time: self = .time
    case .timeLocal: self = .timeLocal
    case .token: self = .token
    case .source, .stream, .direction, .client, .server, .packet, .originalPacket, .capturedAt,
      .capturedAtLocal, .tokenLength, .flags, .form, .chain, .chainLength, .confidence, .fsPath, .fsInode,
      .fsState:
      return nil
    }
  }
}
