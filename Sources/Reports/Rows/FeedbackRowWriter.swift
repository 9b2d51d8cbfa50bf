import Analysis
import WireBytes

/// Writes feedback records as rows of a template: runs in, bytes out, no allocation a record.
package final class FeedbackRowWriter {
  private let template: RowTemplate
  private let letterCase: Hex.LetterCase
  private let output: OutputBuffer
  private let decimal = Decimal()
  private var times = TimeTexts()
  /// The plan that was used last, and the records that it was made for.
  private var last: (records: FeedbackRecords, plan: RowPlan)?

  package init(_ template: RowTemplate, letterCase: Hex.LetterCase, output: OutputBuffer) {
    self.template = template
    self.letterCase = letterCase
    self.output = output
  }

  package func write(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    var plan: RowPlan
    if let last, last.records.hasSameShape(as: records) {
      plan = last.plan
    } else {
      plan = RowPlan(template, for: records)
    }
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
    last = (records, plan)
  }
}
