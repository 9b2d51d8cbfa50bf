import APNsWire
import Analysis
import Basics
import PacketCapture

/// Consecutive records whose rows have the same length, so that each column is written in a tight loop of its own. It
/// has no references, because the loops would retain and release them.
struct RowBatch {
  /// Limits in rows and in bytes, for the L1 cache.
  static let maxCount = 128
  private static let maxLength = 16 << 10

  /// Index of the first record's header in the bytes, and its offset in the stream.
  private let start: Int
  private let offset: Int
  private let stride: Int
  private let headerLength: Int
  private(set) var count: Int
  /// In bytes.
  var rowLength = 0

  /// The records of the run from number `first` on.
  init(_ records: FeedbackRecords, from first: Int) {
    let run = records.run
    start = run.start &+ first &* run.stride
    offset = run.offset &+ first &* run.stride
    stride = run.stride
    headerLength = run.headerLength
    count = min(run.count &- first, Self.maxCount)
  }

  mutating func limitLength() {
    if count &* rowLength > Self.maxLength { count = max(1, Self.maxLength / rowLength) }
  }

  mutating func end(before row: Int) { count = min(count, row) }

  /// Rows whose records begin in the same extent of the file.
  struct Extent {
    let origin: SourceExtent
    let rows: Range<Int>

    /// Without the rows from number `end` on.
    func first(_ end: Int) -> Extent { Extent(origin: origin, rows: rows.clamped(to: 0..<end)) }
  }

  // MARK: - Widths

  /// The digits of a column of numbers, and all numbers with that count of digits.
  typealias Width = (digits: Int, range: ClosedRange<UInt64>)

  /// Sets the width of the column of offsets. The batch ends before the first row of another width; likewise below.
  /// - Parameter width: that of the batch before.
  mutating func fitOffsets(_ width: inout Width) {
    fit(&width, areOrdered: true) { batch, index in
      UInt64(truncatingIfNeeded: batch.offset &+ index &* batch.stride)
    }
  }

  mutating func fitFileOffsets(_ width: inout Width, in extent: Extent) {
    let rows = extent.rows
    fit(&width, rows, areOrdered: extent.origin.spacing.groupSize == 0) { $0.fileOffset($1, extent) }
  }

  mutating func fitTimestamps(_ width: inout Width, of run: RecordRun, in bytes: RawSpan) {
    if width.range.contains(UInt64(run.earliest)), width.range.contains(UInt64(run.latest)) { return }
    fit(&width, areOrdered: false) { batch, index in
      UInt64(bytes.uncheckedBigEndianUInt32(at: batch.start &+ index &* batch.stride))
    }
  }

  /// - Parameter areOrdered: whether the values increase from row to row, so that checking the last one suffices.
  @inline(__always)
  private mutating func fit(
    _ width: inout Width, _ rows: Range<Int>? = nil, areOrdered: Bool, _ value: (RowBatch, Int) -> UInt64
  ) {
    let rows = rows ?? 0..<count
    let first = value(self, rows.lowerBound)
    if rows.lowerBound == 0, !width.range.contains(first) { width = Decimal.width(of: first) }
    let range = width.range
    if areOrdered, range.contains(first), range.contains(value(self, rows.upperBound &- 1)) { return }
    if let end = rows.first(where: { !range.contains(value(self, $0)) }) { count = end }
  }

  @inline(__always)
  private func fileOffset(_ index: Int, _ extent: Extent) -> UInt64 {
    UInt64(truncatingIfNeeded: extent.origin.fileOffset(of: offset &+ index &* stride))
  }

  // MARK: - Columns

  @inline(never)
  func writeTimes(_ times: borrowing TimeTexts, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    var header = start
    var target = target
    for _ in 0..<count {
      times.write(bytes.uncheckedBigEndianUInt32(at: header), to: target)
      header &+= stride
      target += rowLength
    }
  }

  @inline(never)
  func writeLocalTimes(
    _ clock: LocalClock, _ times: borrowing TimeTexts, in bytes: RawSpan, to target: UnsafeMutableRawPointer
  ) {
    var header = start
    var target = target
    var period = clock.period(at: Int64(bytes.uncheckedBigEndianUInt32(at: header)))
    for _ in 0..<count {
      let time = bytes.uncheckedBigEndianUInt32(at: header)
      if !period.moments.contains(Int64(time)) { period = clock.period(at: Int64(time)) }
      period.write(time, times, to: target)
      header &+= stride
      target += rowLength
    }
  }

  @inline(never)
  func writeTimestamps(_ field: NumberField, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    write(field, to: target) { UInt64(bytes.uncheckedBigEndianUInt32(at: start &+ $0 &* stride)) }
  }

  func writeTokens(_ letterCase: Hex.LetterCase, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    let tokens = Hex.Column(start: start &+ headerLength, stride: stride, rowLength: rowLength, count: count)
    Hex.encode(bytes, tokens, of: stride &- headerLength, to: target, letterCase)
  }

  @inline(never)
  func writeOffsets(_ field: NumberField, to target: UnsafeMutableRawPointer) {
    writeRising(field, 0..<count, from: UInt64(truncatingIfNeeded: offset), by: stride, to: target)
  }

  @inline(never)
  func writeFileOffsets(_ field: NumberField, of extent: Extent, to target: UnsafeMutableRawPointer) {
    let rows = extent.rows
    if extent.origin.spacing.groupSize > 0 {
      return write(field, rows, to: target) { fileOffset($0, extent) }
    }
    let first = fileOffset(rows.lowerBound, extent)
    writeRising(field, rows, from: first, by: stride &* extent.origin.spacing.stride, to: target)
  }

  /// A column of numbers with one width.
  struct NumberField {
    let decimal: Decimal
    let width: Int
    /// Bytes of each row after the column, which are written later.
    let following: Int
  }

  /// Numbers at even distances.
  @inline(__always)
  private func writeRising(
    _ field: NumberField, _ rows: Range<Int>, from first: UInt64, by step: Int,
    to target: UnsafeMutableRawPointer
  ) {
    let step = UInt64(truncatingIfNeeded: step)
    guard field.following >= 8, field.width <= 12, step < 10_000 else {
      return write(field, rows, to: target) {
        first &+ UInt64(truncatingIfNeeded: $0 &- rows.lowerBound) &* step
      }
    }
    field.decimal.writeRising(
      from: first, by: step, count: rows.count, width: field.width,
      to: target + rows.lowerBound &* rowLength, distance: rowLength)
  }

  /// - Parameter rows: all by default.
  @inline(__always)
  private func write(
    _ field: NumberField, _ rows: Range<Int>? = nil, to target: UnsafeMutableRawPointer,
    _ value: (Int) -> UInt64
  ) {
    let (decimal, width) = (field.decimal, field.width)
    let rows = rows ?? 0..<count
    var target = target + rows.lowerBound &* rowLength
    if field.following < 8 || width > 12 {
      for index in rows {
        decimal.write(value(index), width: width, to: target)
        target += rowLength
      }
    } else if width <= 8 {
      for index in rows {
        decimal.writeInWord(value(index), width: width, to: target)
        target += rowLength
      }
    } else {
      for index in rows {
        let number = value(index)
        let high = number / 100_000_000
        decimal.writeInHalfWord(high, width: width &- 8, to: target)
        decimal.writeInWord(number &- high &* 100_000_000, width: 8, to: target + (width &- 8))
        target += rowLength
      }
    }
  }

  /// Writes the same text into each of the rows, in the largest words that fit. The last two words may overlap.
  func write(_ text: UnsafeRawBufferPointer, _ rows: Range<Int>, to target: UnsafeMutableRawPointer) {
    let target = target + rows.lowerBound &* rowLength
    switch text.count {
    case 1: fill(UInt8.self, text, rows.count, to: target)
    case 2..<4: fill(UInt16.self, text, rows.count, to: target)
    case 4..<8: fill(UInt32.self, text, rows.count, to: target)
    case 8..<16: fill(UInt64.self, text, rows.count, to: target)
    default: fill(SIMD16<UInt8>.self, text, rows.count, to: target)
    }
  }

  @inline(__always)
  private func fill<Word: BitwiseCopyable>(
    _ type: Word.Type, _ text: UnsafeRawBufferPointer, _ count: Int, to target: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Word>.size
    var start = 0
    if text.count > size {
      let second = min(size, text.count &- size)
      let words = (
        text.loadUnaligned(as: type), text.loadUnaligned(fromByteOffset: second, as: type)
      )
      var target = target
      for _ in 0..<count {
        target.storeBytes(of: words.0, as: type)
        target.storeBytes(of: words.1, toByteOffset: second, as: type)
        target += rowLength
      }
      start = 2 &* size
    }
    while start < text.count {
      let index = min(start, text.count &- size)
      let word = text.loadUnaligned(fromByteOffset: index, as: type)
      var target = target + index
      for _ in 0..<count {
        target.storeBytes(of: word, as: type)
        target += rowLength
      }
      start &+= size
    }
  }
}
