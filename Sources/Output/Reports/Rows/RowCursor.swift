import APNsWire
import Basics

/// The encoding of a row's values.
package enum RowStyle: Sendable {
  case csv, json
  /// As in CSV, but never in quotes.
  case plain
  /// The bytes of one value: a number or time in 8 bytes, text, bytes, or a list (`ArrowColumn`).
  case arrow
}

/// How a writer writes values.
final class RowForms {
  let style: RowStyle
  let letterCase: Hex.LetterCase
  /// For local times; nil without them.
  let clock: LocalClock?
  let times = TimeTexts()

  init(_ style: RowStyle, _ letterCase: Hex.LetterCase, _ clock: LocalClock?) {
    (self.style, self.letterCase, self.clock) = (style, letterCase, clock)
  }
}

/// Writes the values of a row, one after another. The caller provides enough memory, which is not checked here:
/// `bound` for a text, and `valueBound` for any other value.
struct RowCursor {
  /// Bytes of the longest value other than text: a capture time with an offset, in quotes.
  static let valueBound = CaptureTime.maxTextLength + LocalClock.Period.suffixLength + 2

  static let blockLength = 16

  static let flagsBound = max(
    RecordFlags.all.reduce(0) { $0 + $1.code.utf8.count + 4 },
    PushFlags.all.reduce(0) { $0 + $1.code.utf8.count + 4 })

  /// Its writer keeps it: counting references for each row would take time.
  private unowned(unsafe) let forms: RowForms
  private let style: RowStyle
  private let decimal: Decimal
  /// Of which the row's ranges are; valid while the row is written.
  let bytes: UnsafeRawBufferPointer
  private(set) var end: UnsafeMutableRawPointer
  /// Whether the last value does not apply.
  private(set) var isNothing = false
  /// The last time in UTC.
  private(set) var time: CaptureTime?
  private var isInList = false

  init(
    _ forms: RowForms, _ decimal: Decimal = .shared,
    of bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    at start: UnsafeMutableRawPointer
  ) {
    (self.forms, self.decimal, self.bytes) = (forms, decimal, bytes)
    (style, end) = (forms.style, start)
  }

  /// The largest size, in bytes, of a value for `count` bytes of text.
  static func bound(_ count: Int) -> Int { max(JSONEscapes.bound(count), CSVText.bound(count)) }

  static func bound(_ text: String?) -> Int { text.map { bound($0.utf8.count) } ?? valueBound }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    end.storeBytes(of: byte, as: UInt8.self)
    end += 1
  }

  /// Copies text in blocks, with up to 15 bytes after it: most texts are short, and a call would take longer.
  @inline(__always)
  mutating func put(blocksOf text: UnsafeRawPointer, _ count: Int) {
    var index = 0
    while index < count {
      let block = text.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      end.storeBytes(of: block, toByteOffset: index, as: SIMD16<UInt8>.self)
      index &+= Self.blockLength
    }
    end += count
  }

  /// Copies bytes that are already formatted.
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { end.copyMemory(from: start, byteCount: bytes.count) }
    end += bytes.count
  }

  /// Writes a value that does not apply: `null`, or an empty field.
  mutating func putNothing() {
    isNothing = true
    guard style == .json else { return }
    let null: StaticString = "null"
    end.storeBytes(of: UnsafeRawPointer(null.utf8Start).loadUnaligned(as: UInt32.self), as: UInt32.self)
    end += 4
  }

  @inline(__always)
  private mutating func put(binary number: Int64) {
    end.storeBytes(of: number.littleEndian, as: Int64.self)
    end += 8
  }

  // MARK: - Values

  mutating func put(_ text: String?) {
    guard let text else { return putNothing() }
    put(text: text)
  }

  mutating func put(text: String) {
    var text = text
    text.withUTF8 { put(text: UnsafeRawBufferPointer($0)) }
  }

  /// - Parameter text: UTF-8.
  mutating func put(text: UnsafeRawBufferPointer) {
    switch style {
    case .json: end += JSONEscapes.write(text, to: end)
    case .csv: end += CSVText.write(text, to: end)
    case .plain: put(text)
    case .arrow:
      if isInList {
        end.storeBytes(of: UInt32(truncatingIfNeeded: text.count).littleEndian, as: UInt32.self)
        end += 4
      }
      put(text)
    }
  }

  /// A word that needs no escape in any style.
  mutating func put(word: String) {
    var word = word
    putQuote()
    word.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    putQuote()
  }

  /// A number that is not negative.
  @inline(__always)
  mutating func put(_ number: Int?) {
    guard let number else { return putNothing() }
    put(UInt64(clamping: number))
  }

  mutating func put(_ number: UInt64) {
    if style == .arrow { return put(binary: Int64(clamping: number)) }
    let isShort = number < Decimal.hundredMillion
    end += isShort ? decimal.writeShort(number, to: end) : decimal.write(number, to: end)
  }

  @inline(__always)
  mutating func put(_ time: CaptureTime?) {
    guard let time, UInt32(exactly: time.seconds) != nil || time.hasText else { return putNothing() }
    self.time = time
    if style == .arrow { return put(binary: time.microseconds) }
    putQuote()
    end += forms.times.write(time, to: end)
    putQuote()
  }

  mutating func put(local time: CaptureTime?) {
    guard let time, time.hasText, let clock = forms.clock else { return putNothing() }
    putQuote()
    end += clock.period(at: time.seconds).write(time, to: end)
    putQuote()
  }

  mutating func put(_ flags: RecordFlags) { put(flags, of: RecordFlags.all) }

  mutating func put(_ flags: PushFlags) { put(flags, of: PushFlags.all) }

  @inline(__always)
  private mutating func put<Flags: OptionSet>(_ flags: Flags, of all: [(flag: Flags, code: String)])
  where Flags.Element == Flags {
    beginList()
    if !flags.isEmpty {
      var isFirst = true
      for entry in all where flags.contains(entry.flag) {
        beginElement(isFirst: isFirst)
        isFirst = false
        put(text: entry.code)
      }
    }
    endList()
  }

  /// Several values in one column: `[1,2]` or `1;2`.
  mutating func beginList() {
    isInList = true
    if style == .json { put(UInt8(ascii: "[")) }
  }

  mutating func beginElement(isFirst: Bool) {
    if !isFirst, style != .arrow { put(style == .json ? UInt8(ascii: ",") : UInt8(ascii: ";")) }
  }

  mutating func endList() {
    isInList = false
    if style == .json { put(UInt8(ascii: "]")) }
  }

  /// A list of texts. In CSV it is one text, so that its quotes are right.
  mutating func put(_ texts: [String]) {
    if style == .csv { return put(text: texts.joined(separator: ";")) }
    beginList()
    for (index, text) in texts.enumerated() {
      beginElement(isFirst: index == 0)
      put(text: text)
    }
    endList()
  }

  /// The bytes in hex; in Arrow as they are.
  /// - Parameter letterCase: nil for that of the writer.
  mutating func put(hexOf range: Range<Int>?, _ letterCase: Hex.LetterCase? = nil) {
    guard let range else { return putNothing() }
    let bytes = RawSpan(_unsafeBytes: bytes).extracting(range)
    if style == .arrow { return bytes.withUnsafeBytes { put($0) } }
    putQuote()
    Hex.encode(bytes, from: 0, count: range.count, to: end, letterCase: letterCase ?? forms.letterCase)
    end += 2 * range.count
    putQuote()
  }

  /// - Parameter range: of UTF-8.
  mutating func put(textOf range: Range<Int>?) {
    guard let range else { return putNothing() }
    let readable = bytes.count &- range.lowerBound
    RawSpan(_unsafeBytes: bytes).extracting(range).withUnsafeBytes {
      if style == .csv { end += CSVText.write($0, readable: readable, to: end) } else { put(text: $0) }
    }
  }

  @inline(__always)
  private mutating func putQuote() { if style == .json { put(UInt8(ascii: "\"")) } }
}

/// The layout of rows of one kind. What rows that are alike share is formatted once, with the keys and commas.
final class RowFrame<Row: TableRow> {
  private let forms: RowForms
  private let columns: [Row.Column]
  /// Takes the rows in place of an output; nil if they are text.
  private let table: (any RowTable)?
  /// The current row of a table, in memory that is reused.
  @exclusivity(unchecked) private var values: [RowValue] = []
  private let decimal = Decimal.shared
  /// The text before each value, and the text after the last.
  private let leads: [[UInt8]]
  private let trail: [UInt8]
  /// The shape that the texts were made for, and the object whose address it has.
  @exclusivity(unchecked) private var shape = RowShape(repeating: .max)
  @exclusivity(unchecked) private var owner: AnyObject?
  /// All bits of the words that seldom differ among the rows of an owner.
  @exclusivity(unchecked) private var shared = RowShape(repeating: .max)
  /// The number of rows, and of differences in these words.
  @exclusivity(unchecked) private var (rows, differences) = (0, 0)
  /// Formatting what rows share takes as long as writing a column in that number of rows.
  private static var rowsPerDifference: Int { 64 }
  /// The columns whose values differ, each with the end of the text before it in `texts`: the first `varyingCount`.
  private let varying: UnsafeMutablePointer<(column: Row.Column, end: Int)>
  @exclusivity(unchecked) private var varyingCount = 0
  private let texts = OutputBuffer(nil)
  /// Bytes of a row's leads and of its values other than text, and of the texts that rows like the model share.
  private let bound: Int
  @exclusivity(unchecked) private var sharedBound = 0
  /// The maximum number of occurrences of a column: columns may be repeated.
  private let repetitions: Int

  /// - Parameters:
  ///   - ends: text before each row, and after it.
  ///   - table: with these columns; nil for rows of text.
  init(_ forms: RowForms, _ ends: (lead: String, trail: String), _ names: [String], table: (any RowTable)?) {
    (self.forms, self.table, columns) = (forms, table, Row.Column.columns(names))
    leads = names.enumerated().map { index, name in
      let key = forms.style == .json ? "\"\(name)\":" : ""
      return Array(((index > 0 ? "," : ends.lead) + key).utf8)
    }
    trail = Array(ends.trail.utf8)
    varying = .allocate(capacity: columns.count)
    bound = leads.reduce(trail.count + RowCursor.blockLength) { $0 + $1.count + RowCursor.valueBound }
    repetitions = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).values.max() ?? 1
  }

  deinit { varying.deallocate() }

  /// - Parameter bytes: of which the row's ranges are.
  func write(
    _ row: Row, of bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    to output: OutputBuffer
  ) throws {
    if let table {
      return try append(row, of: bytes, bound: bound &+ repetitions &* row.textBound, to: table)
    }
    let differing = (row.shape ^ shape) & shared
    let joined = differing.lowHalf | differing.highHalf
    let rest = joined.lowHalf | joined.highHalf
    if rest[0] | rest[1] != 0 { try prepare(for: row, bytes) }
    rows &+= 1
    guard let start = texts.bytes.baseAddress,
      let target = try output.room(bound &+ repetitions &* (sharedBound &+ row.ownBound))
    else { return }
    var cursor = RowCursor(forms, decimal, of: bytes, at: target)
    var text = start
    for part in UnsafeBufferPointer(start: varying, count: varyingCount) {
      let end = start + part.end
      cursor.put(blocksOf: text, end - text)
      row.put(part.column, to: &cursor)
      text = end
    }
    cursor.put(blocksOf: text, start + texts.count - text)
    output.count &+= cursor.end - target
  }

  /// Writes the values of a row into `texts`, for a table.
  private func append(
    _ row: Row, of bytes: UnsafeRawBufferPointer, bound: Int, to table: any RowTable
  ) throws {
    values.removeAll(keepingCapacity: true)
    texts.removeAll()
    try texts.extend(bound) { start in
      var end = start
      for column in columns {
        var cursor = RowCursor(forms, decimal, of: bytes, at: end)
        row.put(column, to: &cursor)
        let value = UnsafeRawBufferPointer(start: end, count: cursor.end - end)
        values.append(RowValue(bytes: value, isNothing: cursor.isNothing, time: cursor.time))
        end = cursor.end
      }
      return end - start
    }
    try table.append(values)
  }

  /// Formats what rows like `row` share.
  @inline(never)
  private func prepare(for row: Row, _ bytes: UnsafeRawBufferPointer) throws {
    sharedBound = row.textBound &- row.ownBound
    if row.shape[0] == shape[0] {
      differences += 1
      let areFrequent = differences > 4 + rows / Self.rowsPerDifference
      if areFrequent { shared.replace(with: 0, where: row.shape .!= shape) }
    }
    (shape, owner) = (row.shape, row.owner)
    varyingCount = 0
    texts.removeAll()
    try texts.extend(bound &+ repetitions &* row.textBound) { start in
      var cursor = RowCursor(forms, decimal, of: bytes, at: start)
      for (index, column) in columns.enumerated() {
        leads[index].withUnsafeBytes { cursor.put($0) }
        if let word = row.word(of: column), shared[word] != 0 {
          row.put(column, to: &cursor)
        } else {
          varying[varyingCount] = (column, cursor.end - start)
          varyingCount += 1
        }
      }
      trail.withUnsafeBytes { cursor.put($0) }
      return cursor.end - start
    }
  }
}
