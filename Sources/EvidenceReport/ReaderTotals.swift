import PacketCapture
import Readers
import Reports

/// Adds up the results of each faulty reader over all streams.
package final class ReaderTotals: ReaderReport {
  /// In the order of their first rows.
  package private(set) var totals: [ReaderTotal] = []
  /// Judged streams, and those among them with bytes that belong to no record.
  package private(set) var judgedStreams = 0
  package private(set) var conditionalStreams = 0
  private let redacts: Bool

  /// - Parameter redacts: whether to leave out the text of a difference, which may contain a token.
  package init(redacts: Bool) { self.redacts = redacts }

  /// Adds the rows of a stream.
  package func add(_ rows: [ReaderRow]) {
    judgedStreams += rows.contains { $0.isRight != nil } ? 1 : 0
    conditionalStreams += rows.contains { $0.isConditional } ? 1 : 0
    for row in rows { add(row) }
  }

  package func end() {}

  private func add(_ row: ReaderRow) {
    let index =
      totals.firstIndex { $0.name == row.name }
      ?? {
        totals.append(ReaderTotal(row.name))
        return totals.count - 1
      }()
    switch row.verdict {
    case .notJudged(let reason):
      totals[index].notJudged += 1
      totals[index].reason = totals[index].reason ?? reason
    case .judged(let reading):
      add(reading, of: row, to: &totals[index])
    }
  }

  private func add(_ reading: Judgement, of row: ReaderRow, to total: inout ReaderTotal) {
    total.judged += 1
    total.conditional += row.isConditional ? 1 : 0
    total.right += row.isRight == true ? 1 : 0
    total.records += reading.records
    total.correct += reading.correct
    total.wrong += reading.wrong
    total.missed += reading.missed
    total.hangs += reading.outcome == .hangs ? 1 : 0
    total.throwing += reading.outcome == .throws ? 1 : 0
    guard total.difference == nil, let first = reading.firstDifference else { return }
    var difference = ReaderTotal.Difference(source: row.source, stream: row.stream, record: first.record)
    if !redacts {
      difference.reason = first.reason
      difference.expected = first.expected
      difference.emitted = first.emitted
    }
    total.difference = difference
  }
}
