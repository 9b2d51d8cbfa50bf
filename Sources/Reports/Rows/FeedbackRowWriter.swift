import Analysis
import WireBytes

/// Writes feedback records as rows of a template: runs in, bytes out, no allocation a record.
package final class FeedbackRowWriter {
  /// What changes from run to run, in one value: it is looked up once a run.
  private struct Rows {
    var plan: RowPlan
    var times = TimeTexts()
    let letterCase: Hex.LetterCase
    let decimal = Decimal()

    mutating func write(_ records: FeedbackRecords, in bytes: RawSpan, to output: OutputBuffer) throws {
      plan.update(for: records)
      var done = 0
      while done < records.run.count {
        let room = try output.reserve(plan.rowBound)
        let count = min(room / plan.rowBound, records.run.count - done)
        output.write { target, position in
          plan.write(
            records, from: done, count: count, in: bytes, letterCase: letterCase, decimal: decimal,
            times: &times, into: &target, at: position)
        }
        done += count
      }
    }
  }

  private let output: OutputBuffer
  private var rows: Rows

  package init(_ template: RowTemplate, letterCase: Hex.LetterCase, output: OutputBuffer) {
    self.output = output
    rows = Rows(plan: RowPlan(template), letterCase: letterCase)
  }

  package func write(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    try rows.write(records, in: bytes, to: output)
  }
}
