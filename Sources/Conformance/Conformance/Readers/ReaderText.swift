import Basics
import PacketCapture
import Reports

/// The text output of `audit`: a table of the readings, and the first difference of each.
package final class ReaderText: ReaderReport {
  /// The most streams shown; the rest is only counted.
  private static let maxStreams = 20
  /// Width of source names in the table, in characters; of longer names the end is shown.
  private static let sourceLength = 40

  private let output: OutputBuffer
  private let style: TextStyle
  private let chunks: String
  private let triesEverySize: Bool
  private var table: TextTable
  private var sentences = ""
  private var shown = 0
  private var rest = ReaderTally()

  /// - Parameter chunks: how the streams are cut, for the heading.
  package init(_ output: OutputBuffer, style: TextStyle, chunks: String, triesEverySize: Bool) {
    (self.output, self.style, self.chunks, self.triesEverySize) = (output, style, chunks, triesEverySize)
    let columns: [(name: String, alignment: TextTable.Alignment)] =
      [("source", .left), ("stream", .right), ("reader", .left)]
      + (triesEverySize
        ? [("right at", .left), ("first wrong at", .right), ("outcome", .left)]
        : [
          ("records", .right), ("correct", .right), ("wrong", .right), ("missed", .right), ("outcome", .left),
        ])
    table = TextTable(columns.map(\.alignment))
    table.add(columns.map(\.name)) { style.bold($0) }
  }

  package func add(_ rows: [ReaderRow]) {
    guard let first = rows.first else { return }
    guard shown < Self.maxStreams else { return rest.add(rows) }
    shown += 1
    if !triesEverySize { for row in rows { add(row, row.counts) } }
    let errors = (triesEverySize ? addRanges(rows) : rows).compactMap(sentence).joined()
    if case .notJudged(let reason) = first.verdict {
      sentences += heading(first) + "  \(Message.notJudged(reason))\n"
    } else if first.isConditional {
      sentences += heading(first) + "  some of its bytes \(Self.areInNoRecord)\n" + errors
    } else if !errors.isEmpty {
      sentences += heading(first) + errors
    }
  }

  package func end() throws {
    guard shown > 0 else { return }
    try output.append("Readers over \(chunks)\n\n" + table.text + sentences)
    if rest.streams > 0 {
      try output.append("\nand \(Count.of(rest.streams, "more stream")): \(rest.message) (see --json)\n")
    }
    if rest.conditional > 0 {
      try output.append("some bytes of \(rest.conditional) of them \(Self.areInNoRecord)\n")
    }
  }

  // MARK: - The table

  /// Adds a line for each reader; returns the first wrong row of each.
  private func addRanges(_ rows: [ReaderRow]) -> [ReaderRow] {
    var rest = rows[...]
    var wrong: [ReaderRow] = []
    while let first = rest.first {
      let ofReader = rest.prefix { $0.name == first.name }
      rest = rest.dropFirst(ofReader.count)
      let error = ofReader.first { $0.isRight == false }
      let sizes = ofReader.filter { $0.isRight == true }.compactMap(\.chunkSize)
      let isJudged = first.isRight != nil
      add(
        error ?? first,
        [isJudged ? Self.ranges(sizes) : "-", error?.chunkSize.map { String($0) } ?? "-"])
      if let error { wrong.append(error) }
    }
    return wrong
  }

  private func add(_ row: ReaderRow, _ cells: [String]) {
    let source = VisibleText.of(row.source, lastCharacters: Self.sourceLength)
    let wrong: Severity = row.outcome == "completed" ? .warning : .error
    table.add(row, [source, String(row.stream), row.name] + cells, style, wrong: wrong)
  }

  /// Formats ascending numbers: `38, 76`, `1-37, 39-80`; of many ranges the first few.
  static func ranges(_ numbers: [Int]) -> String {
    let ranges = RangeSet(numbers.map { $0..<$0 + 1 }).ranges
    if ranges.isEmpty { return "none" }
    let texts = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound - 1)" }
    let most = 6
    if texts.count <= most { return texts.joined(separator: ", ") }
    let rest = ranges[most...].reduce(0) { $0 + $1.count }
    return texts[..<most].joined(separator: ", ") + " and \(rest) more"
  }

  // MARK: - Differences

  /// Damage may have happened on the wire or on disk: the readers never saw the latter.
  private static let areInNoRecord =
    "are in no record: the readings hold if the readers received exactly these bytes, not if the file was "
    + "damaged after it was saved"

  private func heading(_ row: ReaderRow) -> String {
    "\n" + style.bold("\(VisibleText.of(row.source)) stream \(row.stream)") + "\n"
  }

  private func sentence(_ row: ReaderRow) -> String? {
    guard let difference = row.judgement?.firstDifference else { return nil }
    let reason = Message.recordDiffers(
      difference.reason, record: difference.record, reader: row.name, chunkSize: row.chunkSize)
    return "  \(reason)\n" + difference.records.map { "    \($0)\n" }.joined()
  }

  /// `time,token`, with long tokens abbreviated.
  fileprivate static func short(_ record: String) -> String {
    let shown = 16
    guard let comma = record.firstIndex(of: ",") else { return record }
    let token = record[record.index(after: comma)...]
    guard token.utf8.count > 2 * shown + 1 else { return record }
    return "\(record[...comma])\(token.prefix(shown))…\(token.suffix(shown))"
  }
}

extension ReaderRow {
  /// Records that were reported, correct, wrong and missed.
  package var counts: [String] {
    guard let reading = judgement else { return [String](repeating: "-", count: 4) }
    return [reading.records, reading.correct, reading.wrong, reading.missed].map { String($0) }
  }
}

extension TextTable {
  /// Adds a line for a row, with its outcome in the last cell.
  /// - Parameter wrong: how the outcome is emphasised if the reader is wrong.
  package mutating func add(_ row: ReaderRow, _ cells: [String], _ style: TextStyle, wrong: Severity) {
    let severity = row.isRight == nil ? .note : wrong
    let emphasis = { (text: String) in row.isRight == true ? text : style.severity(severity, text) }
    add(cells.map { Cell(text: $0) } + [Cell(text: row.outcome, style: emphasis)])
  }
}

extension VisibleText {
  /// The end of longer texts.
  package static func of(_ text: String, lastCharacters most: Int) -> String {
    let text = of(text)
    return text.count <= most ? text : "…" + text.suffix(most - 1)
  }
}

extension FirstDifference {
  package var records: [Message] {
    [
      expected.map { Message("expected \(ReaderText.short($0))") },
      emitted.map { Message("reported \(ReaderText.short($0))") },
    ].compactMap { $0 }
  }
}
