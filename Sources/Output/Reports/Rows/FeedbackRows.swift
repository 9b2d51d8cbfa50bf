import APNsWire
import Analysis
import Basics
import PacketCapture

/// Writes feedback records as rows of a template, without an allocation per record.
///
/// The rows of a run differ in only a few columns; all other text is formatted once. As long as the widths of these
/// columns stay the same, all rows have the same length and are written column by column, each in its own loop.
package final class FeedbackRowWriter {
  /// A column of the rows, or constant text between two columns, which begins at `start` of the texts.
  private struct Column {
    enum Kind {
      case text, offset, fileOffset, timestamp, time, timeLocal, token

      var varies: Bool {
        switch self {
        case .offset, .fileOffset, .timestamp: true
        case .text, .time, .timeLocal, .token: false
        }
      }
    }

    var kind: Kind
    var start = 0
    /// Bytes in each row of a batch.
    var width = 0
  }

  private let template: RowTemplate
  private let dependsOnOrigin: Bool
  private let letterCase: Hex.LetterCase
  private let times = TimeTexts()
  private let decimal = Decimal.shared
  private let texts = OutputBuffer(nil)
  @exclusivity(unchecked) private var columns: [Column] = []
  /// The indices of the columns whose widths change from batch to batch, and the bytes of all others in a row.
  @exclusivity(unchecked) private var varying: [Int] = []
  @exclusivity(unchecked) private var constantLength = 0
  /// The records that columns and texts were prepared for.
  @exclusivity(unchecked) private var shape: (tokenLength: Int, flags: RecordFlags)?
  @exclusivity(unchecked) private var origin:
    (labels: StreamLabels, direction: Direction, packet: PacketReference?)?

  package init(_ template: RowTemplate, letterCase: Hex.LetterCase) {
    self.template = template
    self.letterCase = letterCase
    dependsOnOrigin = template.dependsOnOrigin
  }

  /// - Parameter bytes: contain the records.
  package func write(_ records: FeedbackRecords, in bytes: RawSpan, to output: OutputBuffer) throws {
    if !isReady(for: records) { try prepare(for: records) }
    var first = 0
    while first < records.run.count {
      let batch = nextBatch(of: records, from: first, in: bytes)
      let length = batch.count &* batch.rowLength
      try output.extend(length) { target in
        write(batch, in: bytes, to: target)
        return length
      }
      first &+= batch.count
    }
  }

  // MARK: - Texts

  private func isReady(for records: FeedbackRecords) -> Bool {
    guard let shape, shape == (records.run.tokenLength, records.run.flags) else { return false }
    guard dependsOnOrigin, let origin else { return true }
    return records.labels === origin.labels && records.direction == origin.direction
      && records.origin.packet == origin.packet
  }

  private func prepare(for records: FeedbackRecords) throws {
    shape = (records.run.tokenLength, records.run.flags)
    if dependsOnOrigin { origin = (records.labels, records.direction, records.origin.packet) }
    texts.removeAll()
    columns.removeAll(keepingCapacity: true)
    var start = 0
    for part in template.parts {
      switch part {
      case .text(let literal): try texts.append(literal)
      case .column(let column):
        guard let kind = Self.kind(of: column) else {
          try template.append(column, of: records, to: texts)
          continue
        }
        endText(&start)
        columns.append(Column(kind: kind, width: Self.width(of: kind, records.run)))
      }
    }
    endText(&start)
    varying = columns.indices.filter { columns[$0].kind.varies }
    constantLength = columns.reduce(0) { $0 + $1.width }
  }

  private func endText(_ start: inout Int) {
    if texts.count > start { columns.append(Column(kind: .text, start: start, width: texts.count &- start)) }
    start = texts.count
  }

  /// The width of a column that is as wide in all rows of a run; 0 for others.
  private static func width(of kind: Column.Kind, _ run: RecordRun) -> Int {
    switch kind {
    case .time: UTCTime.textLength
    case .timeLocal: UTCTime.textLength - 1 + LocalClock.Period.suffixLength
    case .token: 2 &* run.tokenLength
    case .text, .offset, .fileOffset, .timestamp: 0
    }
  }

  /// Nil for a column that is the same in all rows of a run.
  private static func kind(of column: FeedbackColumn) -> Column.Kind? {
    switch column {
    case .offset, .streamOffset: .offset
    case .fileOffset: .fileOffset
    case .timestamp: .timestamp
    case .time: .time
    case .timeLocal: .timeLocal
    case .token: .token
    default: nil
    }
  }

  // MARK: - Batches

  /// The rows from record `first` on whose columns have constant widths; sets these widths.
  private func nextBatch(of records: FeedbackRecords, from first: Int, in bytes: RawSpan) -> RowBatch {
    var batch = RowBatch(records, from: first)
    batch.rowLength = constantLength
    for index in varying {
      switch columns[index].kind {
      case .text, .time, .timeLocal, .token: break
      case .offset: columns[index].width = batch.fitOffsets()
      case .fileOffset: columns[index].width = batch.fitFileOffsets()
      case .timestamp: columns[index].width = batch.fitTimestamps(of: records.run, in: bytes)
      }
      batch.rowLength &+= columns[index].width
    }
    batch.limitLength()
    return batch
  }

  private func write(_ batch: RowBatch, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    var target = target
    for index in columns.indices {
      let column = columns[index]
      switch column.kind {
      case .text:
        let text = UnsafeRawBufferPointer(rebasing: texts.bytes[column.start..<column.start &+ column.width])
        batch.write(text, to: target)
      case .time: batch.writeTimes(times, in: bytes, to: target)
      case .timeLocal:
        if let clock = template.clock { batch.writeLocalTimes(clock, times, in: bytes, to: target) }
      case .token: batch.writeTokens(letterCase, in: bytes, to: target)
      case .timestamp: batch.writeTimestamps(decimal, column.width, in: bytes, to: target)
      case .offset: batch.writeOffsets(decimal, column.width, to: target)
      case .fileOffset:
        batch.writeFileOffsets(decimal, column.width, to: target)
      }
      target += column.width
    }
  }
}
