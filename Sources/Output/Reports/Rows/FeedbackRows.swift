import APNsWire
import Analysis
import Basics
import PacketCapture

/// Writes feedback records as rows of CSV or JSON, without an allocation per record.
///
/// The rows of a run differ in only a few columns; all other text is formatted once. As long as the widths of these
/// parts stay the same, all rows have the same length and are written column by column, each in its own loop.
final class FeedbackRowWriter {
  /// A column of the rows, or the text between two of them.
  private struct RowPart {
    /// Nil for text.
    var column: VaryingColumn?
    /// Of text: the sections, and where it begins in `texts`.
    var sections = 0..<0
    var start = 0
    /// Bytes in each row of a batch.
    var width = 0
    /// Of numbers: their width in the last batch.
    var digits: RowBatch.Width = Decimal.width(of: 0)
  }

  /// A section of a text.
  private enum TextSection {
    /// In `constants`: the same in all rows of a stream with one shape.
    case constant(Range<Int>)
    /// The same in all rows of a packet.
    case ofPacket(FeedbackColumn)
  }

  private let forms: RowForms
  /// The columns, each after its text, and the text after them.
  private let columns: [(lead: [UInt8], column: FeedbackColumn)]
  private let trail: [UInt8]
  private let dependsOnStream: Bool
  private let dependsOnPacket: Bool
  private let times = TimeTexts()
  private let decimal = Decimal.shared
  private let constants = OutputBuffer(nil)
  private let texts = OutputBuffer(nil)
  @exclusivity(unchecked) private var parts: [RowPart] = []
  @exclusivity(unchecked) private var sections: [TextSection] = []
  /// The indices of the parts whose widths change from batch to batch, and the bytes of all others in a row.
  @exclusivity(unchecked) private var varying: [Int] = []
  @exclusivity(unchecked) private var constantLength = 0
  /// What the constants, and the texts, were made for.
  @exclusivity(unchecked) private var shape: (tokenLength: Int, flags: RecordFlags)?
  @exclusivity(unchecked) private var stream: (labels: StreamLabels, direction: Direction)?
  @exclusivity(unchecked) private var packet: PacketReference?

  /// - Parameters:
  ///   - lead: text before each row.
  ///   - trail: text after it.
  init(_ forms: RowForms, _ names: [String], lead: String, trail: String) {
    self.forms = forms
    let columns = FeedbackColumn.columns(names)
    dependsOnPacket = columns.contains { $0.isOfPacket }
    dependsOnStream = columns.contains {
      VaryingColumn($0) == nil && !$0.isOfPacket && $0 != .tokenLength && $0 != .flags
    }
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
    if !isReady(for: records) {
      try prepare(for: records)
    } else if dependsOnPacket, records.origin.packet != packet {
      try makeTexts(for: records, all: false)
    }
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
    guard dependsOnStream, let stream else { return true }
    return records.labels === stream.labels && records.direction == stream.direction
  }

  private func prepare(for records: FeedbackRecords) throws {
    shape = (records.run.tokenLength, records.run.flags)
    if dependsOnStream { stream = (records.labels, records.direction) }
    constants.removeAll()
    parts.removeAll(keepingCapacity: true)
    sections.removeAll(keepingCapacity: true)
    let bound = records.textBound
    var (firstSection, start) = (0, 0)
    func endConstant() {
      if constants.count > start { sections.append(.constant(start..<constants.count)) }
      start = constants.count
    }
    func endText() {
      endConstant()
      if sections.count > firstSection { parts.append(RowPart(sections: firstSection..<sections.count)) }
      firstSection = sections.count
    }
    for (lead, column) in columns {
      try constants.append(lead)
      if let varying = VaryingColumn(column) {
        endText()
        parts.append(RowPart(column: varying, width: Self.width(of: varying, records.run)))
      } else if column.isOfPacket {
        endConstant()
        sections.append(.ofPacket(column))
      } else {
        try constants.extend(bound) { start in
          var row = RowCursor(forms, at: start)
          records.put(column, to: &row)
          return row.end - start
        }
      }
    }
    try constants.append(trail)
    endText()
    try placeTexts()
    varying = parts.indices.filter { [.offset, .fileOffset, .timestamp].contains(parts[$0].column) }
    constantLength = parts.reduce(0) { $0 + $1.width }
    try makeTexts(for: records, all: true)
  }

  /// Reserves the longest text of each part.
  private func placeTexts() throws {
    texts.removeAll()
    for index in parts.indices where parts[index].column == nil {
      parts[index].start = texts.count
      let bound = sections[parts[index].sections].reduce(0) { bound, section in
        if case .constant(let range) = section { bound + range.count } else { bound + RowCursor.valueBound }
      }
      try texts.extend(bound) { _ in bound }
    }
  }

  /// - Parameter all: whether texts without a column of the packet are made, too.
  private func makeTexts(for records: FeedbackRecords, all: Bool) throws {
    packet = records.origin.packet
    let constants = constants.bytes
    texts.change { texts in
      guard let base = texts.baseAddress else { return }
      for index in parts.indices where parts[index].column == nil {
        let part = parts[index]
        // A text of one section is constant.
        guard all || part.sections.count > 1 else { continue }
        var row = RowCursor(forms, at: base + part.start)
        for section in part.sections {
          switch sections[section] {
          case .constant(let range): row.put(UnsafeRawBufferPointer(rebasing: constants[range]))
          case .ofPacket(let column): records.put(column, to: &row)
          }
        }
        parts[index].width = row.end - (base + part.start)
        constantLength &+= parts[index].width &- part.width
      }
    }
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
      case .offset: batch.fitOffsets(&parts[index].digits)
      case .fileOffset: batch.fitFileOffsets(&parts[index].digits)
      case .timestamp: batch.fitTimestamps(&parts[index].digits, of: records.run, in: bytes)
      }
      parts[index].width = parts[index].digits.digits
      batch.rowLength &+= parts[index].width
    }
    batch.limitLength()
    return batch
  }

  private func write(_ batch: RowBatch, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    let end = target + batch.rowLength
    var target = target
    for index in parts.indices {
      let part = parts[index]
      let number = RowBatch.NumberField(
        decimal: decimal, width: part.width, following: end - target &- part.width)
      switch part.column {
      case nil:
        let text = UnsafeRawBufferPointer(rebasing: texts.bytes[part.start..<part.start &+ part.width])
        batch.write(text, to: target)
      case .time: batch.writeTimes(times, in: bytes, to: target)
      case .timeLocal:
        if let clock = forms.clock { batch.writeLocalTimes(clock, times, in: bytes, to: target) }
      case .token: batch.writeTokens(forms.letterCase, in: bytes, to: target)
      case .timestamp: batch.writeTimestamps(number, in: bytes, to: target)
      case .offset: batch.writeOffsets(number, to: target)
      case .fileOffset: batch.writeFileOffsets(number, to: target)
      }
      target += part.width
    }
  }
}
