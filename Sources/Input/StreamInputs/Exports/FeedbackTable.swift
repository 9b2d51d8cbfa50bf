import APNsWire
import Basics
import PacketCapture

/// Reads tables of feedback: a header line with columns for a token and its time, as in apnsift's own CSV
/// (docs/spec/text-lines.md#tables).
struct FeedbackTable: ExportLines {
  let zone: LogZone?
  private var columns: FeedbackColumns?
  /// The flags of the streams so far: each set has one.
  private var streams: Set<UInt32> = []

  init(zone: LogZone?) { self.zone = zone }

  mutating func read(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    guard line.isStart, text.skippingBlanks(from: 0) < text.byteCount else { return }
    guard line.isEnd else {
      return events.fault("the line is too long for a row; line skipped", at: line.position(0))
    }
    guard let columns else {
      columns = FeedbackColumns(header: text)
      if columns == nil {
        events.fault(
          "expected a header with a column for the token and one for its time", at: line.position(0))
      }
      return
    }
    guard let row = columns.row(text, zone) else {
      return events.fault(

        "expected the header's columns: column \(columns.token + 1) with a token in hex, column "
          + "\(columns.time + 1) with a time such as 2014-05-13T16:53:20Z, or seconds or milliseconds "
          + "since 1970; line skipped", at: line.position(0))
    }
    emit(row, text, of: line, into: &events)
  }

  mutating func finish(at position: TextPosition, into events: inout ExportEvents) {}

  private mutating func emit(
    _ row: FeedbackColumns.Row, _ text: RawSpan, of line: TextLine, into events: inout ExportEvents
  ) {
    let key = Int(row.flags.rawValue)
    if streams.insert(row.flags.rawValue).inserted {
      events.append(.begin(key: key, ExportConnection(server: .first, feedbackFlags: row.flags.rawValue)))
    }
    events.append(.segment(key: key, .first, nil))
    let header = row.time.header(tokenLength: row.token.count / 2)
    _ = events.text.append(
      upTo: header.count, at: line.fileOffset &+ row.timeIndex, spacing: Stride(stride: 0)
    ) { for byte in header { $0.append(byte) } }
    _ = events.text.appendHex(
      text, row.token, maxCount: .max, at: line.fileOffset &+ row.token.lowerBound)
  }
}

/// Which columns of a table have what.
struct FeedbackColumns {
  struct Row {
    var time: LineTime
    var timeIndex: Int
    /// The digits of the token.
    var token: Range<Int>
    var flags: RecordFlags = []
  }

  private static let tokens = ["token", "devicetoken"]
  /// The best name first.
  private static let times = [
    "failedat", "invalidatedat", "invalidsince", "unregisteredat", "unregisteredsince", "feedbacktime",
    "time",
    "timestamp",
  ]
  /// Of tables of pushes, and of devices in use.
  private static let others = [
    "status", "outcome", "reason", "registeredat", "lastregistered", "subscribedat",
  ]
  private static let mostDigits = 2 * Int(UInt16.max)

  private let delimiter: UInt8
  private let count: Int
  let token: Int
  let time: Int
  private let flags: Int?

  /// Nil unless it names both columns, and none of another kind of table.
  init?(header: RawSpan) {
    let delimiters: [UInt8] = [0x2c, 0x09, 0x3b, 0x7c]
    let delimiter = delimiters.first { mark in (0..<header.byteCount).contains { header.byte(at: $0) == mark }
    }
    guard let delimiter, header.byteCount <= 8192 else { return nil }
    let names = Self.fields(header, delimiter).map {
      header.string($0).lowercased().filter { "a"..."z" ~= $0 }
    }
    guard let token = Self.tokens.lazy.compactMap({ names.firstIndex(of: $0) }).first,
      let time = Self.times.lazy.compactMap({ names.firstIndex(of: $0) }).first,
      !Self.others.contains(where: names.contains)
    else { return nil }
    (self.delimiter, count, self.token, self.time) = (delimiter, names.count, token, time)
    flags = names.firstIndex(of: "flags")
  }

  /// Nil if its fields are not those of a record.
  func row(_ text: RawSpan, _ zone: LogZone?) -> Row? {
    let fields = Self.fields(text, delimiter)
    guard fields.count == count else { return nil }
    let (token, time) = (fields[token], fields[time])
    guard !token.isEmpty, token.count % 2 == 0, token.count <= Self.mostDigits,
      Digits.hexEnd(in: text, from: token.lowerBound, to: token.upperBound) == token.upperBound,
      let found = text.withUnsafeBytes({
        LineTime(at: time.lowerBound, to: time.upperBound, in: $0, zone: zone)
      }), found.end == time.upperBound
    else { return nil }
    var row = Row(time: found, timeIndex: time.lowerBound, token: token)
    if !found.hasZone { row.flags.insert(.assumedUTC) }
    for code in flags.map({ text.string(fields[$0]).split(separator: ";") }) ?? [] {
      guard let flag = RecordFlags.all.first(where: { $0.code == code })?.flag else { return nil }
      row.flags.insert(flag)
    }
    return row
  }

  /// The fields of a line, without quotes and blanks at their ends. Delimiters in quotes are part of a field.
  private static func fields(_ text: RawSpan, _ delimiter: UInt8) -> [Range<Int>] {
    var fields: [Range<Int>] = []
    var start = 0
    var isQuoted = false
    for index in 0...text.byteCount {
      let byte = index < text.byteCount ? text.byte(at: index) : delimiter
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard index == text.byteCount || byte == delimiter && !isQuoted else { continue }
      fields.append(trimmed(start..<index, of: text))
      start = index &+ 1
    }
    return fields
  }

  private static func trimmed(_ field: Range<Int>, of text: RawSpan) -> Range<Int> {
    func isMargin(_ index: Int) -> Bool {
      ASCII.isBlank(text.byte(at: index)) || text.byte(at: index) == UInt8(ascii: "\"")
    }
    var (start, end) = (field.lowerBound, field.upperBound)
    while start < end, isMargin(start) { start &+= 1 }
    while end > start, isMargin(end &- 1) { end &-= 1 }
    return start..<end
  }
}
