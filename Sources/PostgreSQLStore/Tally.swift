import TokenStores

/// How many staged rows had each outcome, and what was written.
struct Tally {
  private var counts: [Judgement: Int] = [:]
  /// Rows to be inserted and updated, as judged.
  private(set) var toInsert = 0
  private(set) var toUpdate = 0
  /// Rows that were inserted.
  private(set) var inserted = 0

  /// Reads rows of outcome and count, and what follows of: to insert, to update, inserted. Rows without a count are
  /// none of its business.
  ///
  /// - Parameter staged: how many rows have an outcome; those that no count tells of are unchanged.
  init(_ rows: QueryResult, of staged: Int) {
    for row in 0..<rows.count where !rows.isNull(row, 1) {
      func number(_ column: Int) -> Int { Int(clamping: rows.integer(row, column) ?? 0) }
      if let judgement = Judgement(rawValue: rows.integer(row, 0) ?? -1) { counts[judgement] = number(1) }
      guard rows.columns > 2 else { continue }
      toInsert += number(2)
      toUpdate += number(3)
      inserted += number(4)
    }
    counts[.unchanged, default: 0] += staged - counts.values.reduce(0, +)
  }

  private func count(_ judgement: Judgement) -> Int { counts[judgement] ?? 0 }

  var foreign: Int { count(.foreign) }

  var replay: ReplayCounts {
    var result = ReplayCounts()
    result.inserted = count(.inserted)
    result.unknown = count(.unknown)
    result.kept = count(.kept)
    result.unchanged = count(.unchanged)
    result.updated = count(.updated)
    result.invalidated = count(.invalidated)
    return result
  }

  var registration: RegistrationCounts {
    var result = RegistrationCounts()
    result.added = count(.added)
    result.revived = count(.revived)
    result.raised = count(.raised)
    result.unchanged = count(.unchanged)
    return result
  }
}
