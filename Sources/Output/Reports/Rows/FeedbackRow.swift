import APNsWire
import Analysis
import Basics

/// A row of one feedback record, for tables. The accompanying bytes contain the record.
struct FeedbackRow: TableRow {
  /// Of one extent.
  let records: FeedbackRecords
  let index: Int

  var textBound: Int { records.textBound &+ RowCursor.bound(records.run.tokenLength) }

  private func time(_ row: RowCursor) -> CaptureTime {
    CaptureTime(seconds: Int64(records.run.time(of: index, in: RawSpan(_unsafeBytes: row.bytes))))
  }

  @inline(__always)
  func put(_ column: FeedbackColumn, to row: inout RowCursor) {
    let offset = records.run.offset &+ index &* records.run.stride
    switch VaryingColumn(column) {
    case .offset: row.put(offset)
    case .fileOffset: row.put(records.origin.fileOffset(of: offset))
    case .timestamp: row.put(Int(time(row).seconds))
    case .time: row.put(time(row))
    case .timeLocal: row.put(local: time(row))
    case .token: row.put(hexOf: records.run.token(of: index))
    case nil: records.put(column, to: &row)
    }
  }
}
