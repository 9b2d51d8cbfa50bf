import APNsWire
import Analysis
import Basics
import PacketCapture

/// Writes feedback records as rows of CSV or JSON, without an allocation per record.
///
/// The rows of a run differ in only a few columns; all other text is formatted once. As long as the widths of these
/// parts stay the same, all rows have the same length and are written column by column, each in its own loop.
final class FeedbackRowWriter {
  /// A column of the rows, or constant text between two parts, which begins at `start` of the texts.
  private struct RowPart {
    /// Nil for text.
    var column: VaryingColumn?
    var start = 0
    /// Bytes in each row of a batch.
    var width = 0
  }

  private let forms: RowForms
  /// The columns, each after its text, and the text after them.
  private let columns: [(lead: [UInt8], column: FeedbackColumn)]
  private let trail: [UInt8]
  /// Whether rows contain columns that depend on the packet or stream.
  private let dependsOnOrigin: Bool
  private let times = TimeTexts()
  private let decimal = Decimal.shared
  private let texts = OutputBuffer(nil)
  @exclusivity(unchecked) private var parts: [RowPart] = []
  /// The indices of the parts whose widths change from batch to batch, and the bytes of all others in a row.
  @exclusivity(unchecked) private var varying: [Int] = []
  @exclusivity(unchecked) private var constantLength = 0
  /// The records that parts and texts were prepared for.
  @exclusivity(unchecked) private var shape: (tokenLength: Int, flags: RecordFlags)?
  @exclusivity(unchecked) private var origin:
    (labels: StreamLabels, direction: Direction, packet: PacketReference?)?

  /// - Parameters:
  ///   - lead: text before each row.
  ///   - trail: text after it.
  init(_ forms: RowForms, _ names: [String], lead: String, trail: String) {
    self.forms = forms
    let columns = FeedbackColumn.columns(names)
    dependsOnOrigin = columns.contains { VaryingColumn($0) == nil && $0 != .tokenLength && $0 != .flags }
    var literal = lead
    self.columns = columns.enumerated().map { index, column in
      let isText = forms.style == .json && [.token, .time, .timeLocal].contains(VaryingColumn(column))
      let quote = isText ? "\"" : ""
      let key = forms.style == .json ? "\"\(column.name)\":\(quote)" : ""
      defer { literal = quote }
      return (Array((literal + (index > 0 ? "," : "") + key).utf8), column)
    }
    self.trail = Array((literal + trail).utf8)
  }

  /// - Parameter bytes: contain the records.
  func write(_ records: FeedbackRecords, in bytes: RawSpan, to output: OutputBuffer) throws {
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
    parts.removeAll(keepingCapacity: true)
    let bound = records.textBound
    var start = 0
    for (lead, column) in columns {
      try texts.append(lead)
      if let varying = VaryingColumn(column) {
        endText(&start)
        parts.append(RowPart(column: varying, width: Self.width(of: varying, records.run)))
      } else {
        try texts.extend(bound) { start in
          var row = RowCursor(forms, at: start)
          records.put(column, to: &row)
          return row.end - start
        }
      }
    }
    try texts.append(trail)
    endText(&start)
    varying = parts.indices.filter { [.offset, .fileOffset, .timestamp].contains(parts[$0].column) }
    constantLength = parts.reduce(0) { $0 + $1.width }
  }

  private func endText(_ start: inout Int) {
    if texts.count > start { parts.append(RowPart(start: start, width: texts.count &- start)) }
    start = texts.count
  }

  /// The width of a column that is as wide in all rows of a run; 0 for others.
  private static func width(of column: VaryingColumn, _ run: RecordRun) -> Int {
    switch column {
    case .time: UTCTime.textLength
    case .timeLocal: UTCTime.textLength - 1 + LocalClock.Period.suffixLength
    case .token: 2 &* run.tokenLength
    case .offset, .fileOffset, .timestamp: 0
    }
  }

  // MARK: - Batches

  /// The rows from record `first` on whose parts have constant widths; sets these widths.
  private func nextBatch(of records: FeedbackRecords, from first: Int, in bytes: RawSpan) -> RowBatch {
    var batch = RowBatch(records, from: first)
    batch.rowLength = constantLength
    for index in varying {
      switch parts[index].column {
      case nil, .time, .timeLocal, .token: break
      case .offset: parts[index].width = batch.fitOffsets()
      case .fileOffset: parts[index].width = batch.fitFileOffsets()
      case .timestamp: parts[index].width = batch.fitTimestamps(of: records.run, in: bytes)
      }
      batch.rowLength &+= parts[index].width
    }
    batch.limitLength()
    return batch
  }

  private func write(_ batch: RowBatch, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    var target = target
    for index in parts.indices {
      let part = parts[index]
      switch part.column {
      case nil:
        let text = UnsafeRawBufferPointer(rebasing: texts.bytes[part.start..<part.start &+ part.width])
        batch.write(text, to: target)
      case .time: batch.writeTimes(times, in: bytes, to: target)
      case .timeLocal:
        if let clock = forms.clock { batch.writeLocalTimes(clock, times, in: bytes, to: target) }
      case .token: batch.writeTokens(forms.letterCase, in: bytes, to: target)
      case .timestamp: batch.writeTimestamps(decimal, part.width, in: bytes, to: target)
      case .offset: batch.writeOffsets(decimal, part.width, to: target)
      case .fileOffset: batch.writeFileOffsets(decimal, part.width, to: target)
      }
      target += part.width
    }
  }
}
