import APNsWire
import Analysis
import Basics
import PacketCapture

/// Writes feedback records as rows of CSV or JSON, without an allocation per record.
///
/// The rows of a run differ in only a few columns; all other text is formatted once, or once for each packet. As long as
/// the widths of these parts stay the same, all rows have the same length and are written column by column, each in its
/// own loop.
final class FeedbackRowWriter {
  /// A column of the rows, or the text between two of them.
  private struct RowPart {
    /// Nil for text.
    var column: VaryingColumn?
    /// Of text: the sections, where it begins in `texts`, and there the bytes from the text of one extent to the next.
    var sections = 0..<0
    var start = 0
    var slot = 0
    /// Bytes in each row of a batch.
    var width = 0
    /// Of numbers: their width in the last batch.
    var digits: RowBatch.Width = Decimal.width(of: 0)
  }

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
  /// Whether a column of the packet, or that of file offsets, is written.
  private let dependsOnExtent: Bool
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
  /// The extents of the batch's rows.
  @exclusivity(unchecked) private var extents: [RowBatch.Extent] = []
  /// The packet of the texts for the first extent: mostly, a batch begins in the packet that the last one began in, or in
  /// none.
  @exclusivity(unchecked) private var firstPacket: PacketReference??

  /// - Parameters:
  ///   - lead: text before each row.
  ///   - trail: text after it.
  init(_ forms: RowForms, _ names: [String], lead: String, trail: String) {
    self.forms = forms
    let columns = FeedbackColumn.columns(names)
    dependsOnExtent = columns.contains { $0.isOfPacket || $0 == .fileOffset }
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
    if !isReady(for: records) { try prepare(for: records) }
    var rest = records
    var first = 0
    while first < records.run.count {
      while let next = rest.laterExtents.first,
        next.streamOffset <= rest.run.offset &+ first &* rest.run.stride
      {
        rest.origin = next
        rest.laterExtents.removeFirst()
      }
      let batch = nextBatch(of: rest, from: first, in: bytes)
      let length = batch.count &* batch.rowLength
      if let target = try output.room(length) { write(batch, in: bytes, to: target) }
      output.count &+= length
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
    try constants.extend(RowCursor.blockLength) { _ in 0 }
    endText()
    try placeTexts()
    firstPacket = nil
    for index in parts.indices where parts[index].column == nil && parts[index].slot == 0 {
      parts[index].width = makeText(of: index, nil, at: 0)
    }
    varying = parts.indices.filter {
      [.offset, .fileOffset, .timestamp].contains(parts[$0].column) || parts[$0].slot > 0
    }
    constantLength = parts.reduce(0) { $0 + $1.width }
  }

  /// Reserves the longest text of each part, and of each extent of a batch if they differ.
  private func placeTexts() throws {
    texts.removeAll()
    for index in parts.indices where parts[index].column == nil {
      parts[index].start = texts.count
      var bound = RowCursor.blockLength
      for section in sections[parts[index].sections] {
        switch section {
        case .constant(let range): bound += range.count
        case .ofPacket:
          bound += RowCursor.valueBound
          parts[index].slot = 1
        }
      }
      parts[index].slot *= bound
      let size = max(bound, parts[index].slot &* RowBatch.maxCount)
      try texts.extend(size) { _ in size }
    }
  }

  /// Makes the text of a part for the extent at `extent` of the batch; returns its length.
  private func makeText(of index: Int, _ packet: PacketReference?, at extent: Int) -> Int {
    let part = parts[index]
    return texts.change { texts in
      guard let base = texts.baseAddress, let constants = constants.bytes.baseAddress else { return 0 }
      let start = base + (part.start &+ extent &* part.slot)
      var row = RowCursor(forms, decimal, at: start)
      for section in part.sections {
        switch sections[section] {
        case .constant(let range): row.put(blocksOf: constants + range.lowerBound, range.count)
        case .ofPacket(let column): column.put(packet, to: &row)
        }
      }
      return row.end - start
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
    // About, by the widths of the batch before, so that not many texts are made for later batches.
    batch.rowLength = constantLength &+ varying.reduce(0) { $0 &+ parts[$1].width }
    batch.limitLength()
    if dependsOnExtent { findExtents(of: records, from: first, &batch) }
    batch.rowLength = constantLength
    for index in varying {
      switch parts[index].column {
      case .time, .timeLocal, .token: break
      case nil: batch.rowLength &+= parts[index].width
      case .offset: batch.fitOffsets(&parts[index].digits)
      case .fileOffset:
        for extent in extents where extent.rows.lowerBound < batch.count {
          batch.fitFileOffsets(&parts[index].digits, in: extent.first(batch.count))
        }
      case .timestamp: batch.fitTimestamps(&parts[index].digits, of: records.run, in: bytes)
      }
      guard parts[index].column != nil else { continue }
      parts[index].width = parts[index].digits.digits
      batch.rowLength &+= parts[index].width
    }
    batch.limitLength()
    while let last = extents.last, last.rows.upperBound > batch.count {
      extents.removeLast()
      if last.rows.lowerBound < batch.count { extents.append(last.first(batch.count)) }
    }
    return batch
  }

  /// Finds the extents of a batch, and makes their texts. The batch ends before the first of another width.
  private func findExtents(of records: FeedbackRecords, from first: Int, _ batch: inout RowBatch) {
    extents.removeAll(keepingCapacity: true)
    var isMade = firstPacket == .some(records.origin.packet)
    firstPacket = .some(records.origin.packet)
    var origin = records.origin
    var row = 0
    for next in records.laterExtents {
      let end = records.count(before: next.streamOffset) &- first
      if end >= batch.count { break }
      if end > row {
        guard add(origin, row..<end, isMade, &batch) else { return }
        (row, isMade) = (end, false)
      }
      origin = next
    }
    _ = add(origin, row..<batch.count, isMade, &batch)
  }

  /// Adds the extent of some rows, unless its texts have other widths than those of the first.
  /// - Parameter isMade: whether the texts are those of the batch before.
  @inline(__always)
  private func add(
    _ origin: SourceExtent, _ rows: Range<Int>, _ isMade: Bool, _ batch: inout RowBatch
  ) -> Bool {
    for index in varying where parts[index].slot > 0 && !isMade {
      let width = makeText(of: index, origin.packet, at: extents.count)
      if extents.isEmpty { parts[index].width = width }
      if width != parts[index].width {
        batch.end(before: rows.lowerBound)
        return false
      }
    }
    extents.append(RowBatch.Extent(origin: origin, rows: rows))
    return true
  }

  private func write(_ batch: RowBatch, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    let end = target + batch.rowLength
    var target = target
    for index in parts.indices {
      let part = parts[index]
      let number = RowBatch.NumberField(
        decimal: decimal, width: part.width, following: end - target &- part.width)
      switch part.column {
      case nil where part.slot > 0:
        for (index, extent) in extents.enumerated() {
          batch.write(text(of: part, at: index), extent.rows, to: target)
        }
      case nil: batch.write(text(of: part, at: 0), 0..<batch.count, to: target)
      case .time: batch.writeTimes(forms.times, in: bytes, to: target)
      case .timeLocal:
        if let clock = forms.clock { batch.writeLocalTimes(clock, forms.times, in: bytes, to: target) }
      case .token: batch.writeTokens(forms.letterCase, in: bytes, to: target)
      case .timestamp: batch.writeTimestamps(number, in: bytes, to: target)
      case .offset: batch.writeOffsets(number, to: target)
      case .fileOffset: for extent in extents { batch.writeFileOffsets(number, of: extent, to: target) }
      }
      target += part.width
    }
  }

  private func text(of part: RowPart, at extent: Int) -> UnsafeRawBufferPointer {
    let start = part.start &+ extent &* part.slot
    return UnsafeRawBufferPointer(rebasing: texts.bytes[start..<start &+ part.width])
  }
}
