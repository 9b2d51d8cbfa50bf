import Analysis
import WireBytes

/// Writes feedback records as rows of a template: runs in, bytes out, no allocation a record.
package final class FeedbackRowWriter {
  private let letterCase: Hex.LetterCase
  private let output: OutputBuffer
  private let decimal = Decimal()
  private var times = TimeTexts()
  private var plan: RowPlan

  package init(_ template: RowTemplate, letterCase: Hex.LetterCase, output: OutputBuffer) {
    self.letterCase = letterCase
    self.output = output
    plan = RowPlan(template)
  }

  package func write(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    plan.update(for: records)
    let plan = plan
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
