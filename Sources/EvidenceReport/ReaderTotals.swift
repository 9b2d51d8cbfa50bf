import PacketCapture
import Readers
import Reports

/// Adds up what each faulty reader made of all streams.
package final class ReaderTotals: ReaderReport {
  /// In the order in which they came first.
  package private(set) var totals: [ReaderTotal] = []
  /// Streams that are judged, and how many of them have bytes that belong to no record.
  package private(set) var judgedStreams = 0
  package private(set) var conditionalStreams = 0
  private let redacts: Bool

  /// - Parameter redacts: whether words and records of a difference, which may be of a token, are left out.
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
