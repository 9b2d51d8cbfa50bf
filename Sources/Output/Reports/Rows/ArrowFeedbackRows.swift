import APNsWire
import Analysis
import Basics

/// Writes runs of feedback records to a table of Arrow, column by column.
final class ArrowFeedbackWriter {
  private let columns: [FeedbackColumn]
  private let table: ArrowTable
  private let forms: RowForms

  init(_ names: [String], _ table: ArrowTable, _ forms: RowForms) {
    (self.columns, self.table, self.forms) = (FeedbackColumn.columns(names), table, forms)
  }

  /// - Parameter bytes: contain the records.
  func write(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    try records.eachExtent { try append($0, in: bytes) }
  }

  private func append(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    let bound = records.textBound
    var rest = records
    while rest.run.count > 0 {
      let count = min(rest.run.count, table.room(rowLength: bound &+ Int(rest.run.tokenLength)))
      var part = rest
      part.run = rest.run.slice(from: 0, count: count)
      for (index, column) in columns.enumerated() {
        try append(column, index, of: part, bound: bound, in: bytes)
      }
      try table.endRows(count)
      rest.run = rest.run.slice(from: count, count: rest.run.count &- count)
    }
  }

  private func append(
    _ column: FeedbackColumn, _ index: Int, of records: FeedbackRecords, bound: Int,
    in bytes: RawSpan
  ) throws {
    let run = records.run
    let count = run.count
    switch VaryingColumn(column) {
    case .offset:
      try table.append(to: index, bytes: 8 &* count) {
        try $0.append(numbers: count) { Int64(run.offset &+ $0 &* run.stride) }
      }
    case .fileOffset:
      let origin = records.origin
      try table.append(to: index, bytes: 8 &* count) {
        try $0.append(numbers: count) { Int64(origin.fileOffset(of: run.offset &+ $0 &* run.stride)) }
      }
    case .timestamp: try appendTimes(to: index, of: run, factor: 1, in: bytes)
    case .time: try appendTimes(to: index, of: run, factor: 1_000_000, in: bytes)
    case .timeLocal: try appendLocalTimes(to: index, of: run, in: bytes)
    case .token:
      let length = run.stride &- run.headerLength
      try table.append(to: index, bytes: length &* count) { column in
        try column.append(values: count, of: length) { target in
          bytes.withUnsafeBytes { Self.copyTokens(of: run, length, from: $0, to: target) }
        }
      }
    case nil:
      try table.appendValue(index, bound: bound, times: count) { start in
        var row = RowCursor(forms, at: start)
        records.put(column, to: &row)
        return (row.end, row.isNothing)
      }
    }
  }

  private static func copyTokens(
    of run: RecordRun, _ length: Int, from bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
  ) {
    for index in 0..<run.count {
      let start = run.start &+ index &* run.stride &+ run.headerLength
      UnsafeMutableRawBufferPointer(start: target + index &* length, count: length)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start &+ length]))
    }
  }

  private func appendTimes(to index: Int, of run: RecordRun, factor: Int64, in bytes: RawSpan) throws {
    try table.append(to: index, bytes: 8 &* run.count) {
      try $0.append(numbers: run.count) { record in
        factor &* Int64(bytes.uncheckedBigEndianUInt32(at: run.start &+ record &* run.stride))
      }
    }
  }

  private func appendLocalTimes(to index: Int, of run: RecordRun, in bytes: RawSpan) throws {
    guard let clock = forms.clock else { return }
    let length = UTCTime.textLength - 1 + LocalClock.Period.suffixLength
    try table.append(to: index, bytes: length &* run.count) { column in
      try column.append(values: run.count, of: length) { target in
        for record in 0..<run.count {
          let time = bytes.uncheckedBigEndianUInt32(at: run.start &+ record &* run.stride)
          clock.period(at: Int64(time)).write(time, forms.times, to: target + record &* length)
        }
      }
    }
  }
}
