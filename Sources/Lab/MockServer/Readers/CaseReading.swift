import Basics
import Conformance
import Reports

/// The result of an external reader on one stream of a case.
struct CaseReading: Sendable {
  /// The case, by its name, and its description.
  var name: String
  var shows = ""
  var row: ReaderRow
  /// How the reader ended, unless normally.
  var ending: Message?
  /// The last lines of its standard error.
  var complaint: [String]
  /// Whether its case has several such streams, so that the stream must be named.
  var isOneOfMany = false
  /// How long the reader ran.
  var time: Duration?

  var test: TestRow {
    let label = isOneOfMany ? "\(name), stream \(row.stream) of \(row.source)" : name
    return TestRow(name: label, shows: shows, verdict: verdict, time: time)
  }

  private var verdict: TestRow.TestResult {
    switch row.verdict {
    case .notJudged(let reason): return .skipped(reason.text)
    case .judged(let reading):
      guard row.isRight == false else { return .passed }
      let counts = Message(
        "\(row.outcome): \(Count.of(reading.records, "record")), \(reading.correct) correct, "
          + "\(reading.wrong) wrong, \(reading.missed) missed")
      return .failed(counts.text, details: details)
    }
  }

  /// The first difference, how the reader ended, and its standard error.
  var details: [String] {
    var lines: [String] = []
    if let difference = row.judgement?.firstDifference {
      lines.append(Message.recordDiffers(difference.reason, record: difference.record).text)
      lines += difference.records.map { "  \($0)" }
    }
    if let ending { lines.append(ending.text) }
    return lines + complaint.map { "  \($0)" }
  }

  /// A JSON row as in `audit`, with the case and the ending.
  var json: JSONValue {
    guard case .object(var members) = ReaderJSON.object(row) else { return .null }
    members.insert(("case", .string(name)), at: 1)
    members.append(("ending", JSONValue(ending?.text)))
    return .object(members)
  }
}

/// The text output of `verify --reader`: a table of the readings, and the first difference of each.
enum CaseReadingText {
  /// Width of case names in the table, in characters; of longer names the end is shown.
  private static let nameLength = 50

  /// - Parameter isVerbose: whether to describe each case.
  static func text(_ readings: [CaseReading], style: TextStyle, isVerbose: Bool) -> String {
    guard !readings.isEmpty else { return "" }
    var table = TextTable([.left, .right, .right, .right, .right, .right, .left])
    table.add(["case", "stream", "records", "correct", "wrong", "missed", "outcome"]) { style.bold($0) }
    for reading in readings {
      let name = VisibleText.of(reading.name, lastCharacters: nameLength)
      let cells = [name, String(reading.row.stream)] + reading.row.counts
      table.add(reading.row, cells, style, wrong: .error)
    }
    return table.text + readings.map { sentences($0, style: style, isVerbose: isVerbose) }.joined()
  }

  private static func sentences(_ reading: CaseReading, style: TextStyle, isVerbose: Bool) -> String {
    var lines = (isVerbose ? ["shows: \(reading.shows)"] : []) + reading.details
    if case .notJudged(let reason) = reading.row.verdict { lines.append(Message.notJudged(reason).text) }
    guard !lines.isEmpty else { return "" }
    return "\n" + style.bold("\(VisibleText.of(reading.name)) stream \(reading.row.stream)") + "\n"
      + lines.map { "  \(VisibleText.of($0))\n" }.joined()
  }
}
