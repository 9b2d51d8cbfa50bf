import Conformance

/// Adds up the results of each faulty reader over all streams.
final class ReaderTotals: ReaderReport {
  /// In the order of their first rows.
  private(set) var totals: [ReaderTotal] = []
  private(set) var streams = AuditedStreams()

  func add(_ rows: [ReaderRow]) {
    streams.judged += rows.contains { $0.isRight != nil } ? 1 : 0
    streams.conditional += rows.contains { $0.isConditional } ? 1 : 0
    for row in rows { add(row) }
  }

  func end() {}

  private func add(_ row: ReaderRow) {
    let index = totals.firstIndex { $0.name == row.name } ?? totals.endIndex
    if index == totals.endIndex { totals.append(ReaderTotal(row.name)) }
    switch row.verdict {
    case .notJudged(let reason):
      totals[index].notJudged += 1
      totals[index].reason = totals[index].reason ?? reason
    case .judged(let reading): add(reading, of: row, to: &totals[index])
    }
  }

  private func add(_ reading: Judgement, of row: ReaderRow, to total: inout ReaderTotal) {
    total.judged += 1
    total.conditional += row.isConditional ? 1 : 0
    total.right += row.isRight == true ? 1 : 0
    total.records += reading.records
    total.correct += reading.correct
    total.missed += reading.missed
    total.hangs += reading.outcome == .hangs ? 1 : 0
    total.throwing += reading.outcome == .throws ? 1 : 0
    guard total.difference == nil, let first = reading.firstDifference else { return }
    (total.difference, total.source, total.stream) = (first, row.source, row.stream)
  }
}
