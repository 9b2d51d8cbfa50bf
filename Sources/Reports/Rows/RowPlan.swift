import Analysis
import WireBytes

/// A template worked out for one run of records: what is the same in all of its rows is text already, and
/// what is left differs from record to record.
struct RowPlan {
  /// What differs within a run.
  enum Value {
    case offset, fileOffset, timestamp, time, token, nothing
  }

  /// Some text, then a value.
  struct Step {
    var textStart: Int
    var textLength: Int
    var value: Value
  }

  /// Text is copied in words of this many bytes, so as much may be read and written behind its end.
  @inline(__always) private static var slack: Int { 16 }

  private(set) var steps: [Step] = []
  private var text: [UInt8] = []
  /// No row is longer, in bytes, slack counted in.
  private(set) var rowBound = 0
  private let template: RowTemplate
  private let dependsOnOrigin: Bool
  /// What the plan was worked out for.
  private var last: FeedbackRecords?

  init(_ template: RowTemplate) {
    self.template = template
    dependsOnOrigin = template.dependsOnOrigin
  }

  /// Works the plan out for `records`. Packets are small, and streams take turns: this reuses what it has.
  mutating func update(for records: FeedbackRecords) {
    if let last, isFit(for: records, after: last) { return }
    last = records
    steps.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    var start = 0
    for part in template.parts {
      switch part {
      case .text(let literal): text += literal
      case .column(let column):
        if !template.append(column, of: records, to: &text) { end(Self.value(of: column), &start) }
      }
    }
    end(.nothing, &start)
    for _ in 0..<Self.slack { text.append(0) }
    let valueBound = max(Decimal.maxDigits, UTCTime.textLength, 2 * records.run.tokenLength)
    rowBound = text.count + steps.count * (valueBound + Self.slack)
  }

  private func isFit(for records: FeedbackRecords, after last: FeedbackRecords) -> Bool {
    guard records.hasSameShape(as: last) else { return false }
    if !dependsOnOrigin { return true }
    return records.labels === last.labels && records.direction == last.direction
      && records.origin.packet == last.origin.packet
  }

  private mutating func end(_ value: Value, _ start: inout Int) {
    steps.append(Step(textStart: start, textLength: text.count - start, value: value))
    start = text.count
  }

  private static func value(of column: FeedbackColumn) -> Value {
    switch column {
    case .offset: .offset
    case .fileOffset: .fileOffset
    case .timestamp: .timestamp
    case .time: .time
    case .token: .token
    default: .nothing
    }
  }

  /// Writes `count` rows, of the records from `first` (from 0) on, at `position` of `target`, which has room
  /// for `rowBound` bytes a row. Returns the index behind them.
  func write(
    _ records: FeedbackRecords, from first: Int, count: Int, in bytes: RawSpan,
    letterCase: Hex.LetterCase, decimal: Decimal, times: inout TimeTexts, into target: inout MutableRawSpan,
    at position: Int
  ) -> Int {
    let run = records.run
    let text = text.span.bytes
    let steps = steps.span
    var offsetWidth = Decimal.Width()
    var fileOffsetWidth = Decimal.Width()
    var timestampWidth = Decimal.Width()
    var end = position
    for index in first..<(first &+ count) {
      let start = run.start &+ index &* run.stride
      let offset = run.offset &+ index &* run.stride
      for stepIndex in steps.indices {
        let step = steps[stepIndex]
        Self.copy(text, from: step.textStart, count: step.textLength, into: &target, at: end)
        end &+= step.textLength
        switch step.value {
        case .nothing: break
        case .token:
          let token = start &+ run.headerLength
          if run.tokenLength == 32 {
            Hex.encode32(bytes, from: token, into: &target, at: end, letterCase: letterCase)
          } else {
            Hex.encode(
              bytes, from: token, count: run.tokenLength, into: &target, at: end, letterCase: letterCase)
          }
          end &+= 2 &* run.tokenLength
        case .time:
          times.write(bytes.uncheckedBigEndianUInt32(at: start), into: &target, at: end)
          end &+= UTCTime.textLength
        case .timestamp:
          let seconds = UInt64(bytes.uncheckedBigEndianUInt32(at: start))
          end &+= decimal.encode(seconds, width: &timestampWidth, into: &target, at: end)
        case .offset:
          let offset = UInt64(truncatingIfNeeded: offset)
          end &+= decimal.encode(offset, width: &offsetWidth, into: &target, at: end)
        case .fileOffset:
          let place = UInt64(truncatingIfNeeded: records.origin.fileOffset(of: offset))
          end &+= decimal.encode(place, width: &fileOffsetWidth, into: &target, at: end)
        }
      }
    }
    return end
  }

  @inline(__always)
  private static func copy(
    _ text: RawSpan, from start: Int, count: Int, into target: inout MutableRawSpan, at position: Int
  ) {
    var done = 0
    while done < count {
      let word = text.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ done, as: SIMD16<UInt8>.self)
      target.storeBytes(of: word, toUncheckedByteOffset: position &+ done, as: SIMD16<UInt8>.self)
      done &+= slack
    }
  }
}
