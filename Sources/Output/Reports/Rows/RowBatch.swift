import APNsWire
import Analysis
import Basics
import PacketCapture

/// Consecutive records whose rows have the same length, so that each column is written in a tight loop of its own. It
/// has no references, because the loops would retain and release them.
struct RowBatch {
  /// Limits in rows and in bytes, for the L1 cache.
  private static let maxCount = 128
  private static let maxLength = 16 << 10

  /// Index of the first record's header in the bytes, and its offset in the stream.
  private let start: Int
  private let offset: Int
  private let origin: SourceExtent
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
    origin = records.origin
    stride = run.stride
    headerLength = run.headerLength
    count = min(run.count &- first, Self.maxCount)
  }

  mutating func limitLength() {
    if count &* rowLength > Self.maxLength { count = max(1, Self.maxLength / rowLength) }
  }

  // MARK: - Widths

  /// Width of the offset column, in digits. The batch ends before the first row of another width; likewise below.
  mutating func fitOffsets() -> Int {
    fit(areOrdered: true) { batch, index in UInt64(truncatingIfNeeded: batch.offset &+ index &* batch.stride)
    }
  }

  mutating func fitFileOffsets() -> Int {
    fit(areOrdered: origin.spacing.groupSize == 0) { $0.fileOffset($1) }
  }

  mutating func fitTimestamps(of run: RecordRun, in bytes: RawSpan) -> Int {
    let width = Decimal.width(of: UInt64(run.earliest))
    if width.range.contains(UInt64(run.latest)) { return width.digits }
    return fit(areOrdered: false) { batch, index in
      UInt64(bytes.uncheckedBigEndianUInt32(at: batch.start &+ index &* batch.stride))
    }
  }

  /// - Parameter areOrdered: whether the values increase from row to row, so that checking the last one suffices.
  private mutating func fit(areOrdered: Bool, _ value: (RowBatch, Int) -> UInt64) -> Int {
    let width = Decimal.width(of: value(self, 0))
    if areOrdered, width.range.contains(value(self, count &- 1)) { return width.digits }
    if let end = (0..<count).first(where: { !width.range.contains(value(self, $0)) }) { count = end }
    return width.digits
  }

  private func fileOffset(_ index: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: origin.fileOffset(of: offset &+ index &* stride))
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
  func writeTimestamps(
    _ decimal: Decimal, _ width: Int, in bytes: RawSpan, to target: UnsafeMutableRawPointer
  ) {
    var header = start
    var target = target
    for _ in 0..<count {
      decimal.write(UInt64(bytes.uncheckedBigEndianUInt32(at: header)), width: width, to: target)
      header &+= stride
      target += rowLength
    }
  }

  func writeTokens(_ letterCase: Hex.LetterCase, in bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    let tokens = Hex.Column(
      start: start &+ headerLength, stride: stride, rowLength: rowLength, count: count)
    Hex.encode(bytes, tokens, of: stride &- headerLength, to: target, letterCase)
  }

  @inline(never)
  func writeOffsets(_ decimal: Decimal, _ width: Int, to target: UnsafeMutableRawPointer) {
    var offset = offset
    var target = target
    for _ in 0..<count {
      decimal.write(UInt64(truncatingIfNeeded: offset), width: width, to: target)
      offset &+= stride
      target += rowLength
    }
  }

  @inline(never)
  func writeFileOffsets(_ decimal: Decimal, _ width: Int, to target: UnsafeMutableRawPointer) {
    var target = target
    for index in 0..<count {
      decimal.write(fileOffset(index), width: width, to: target)
      target += rowLength
    }
  }

  /// Writes the same text into each row, in the largest words that fit. The last two words may overlap.
  func write(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    switch text.count {
    case 1: fill(UInt8.self, text, to: target)
    case 2..<4: fill(UInt16.self, text, to: target)
    case 4..<8: fill(UInt32.self, text, to: target)
    case 8..<16: fill(UInt64.self, text, to: target)
    default: fill(SIMD16<UInt8>.self, text, to: target)
    }
  }

  @inline(__always)
  private func fill<Word: BitwiseCopyable>(
    _ type: Word.Type, _ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Word>.size
    var start = 0
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
