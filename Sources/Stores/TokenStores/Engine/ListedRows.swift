/// The rows of a reviewed list of a dry run: a replay of the list changes no others (docs/stores.md, "A reviewed
/// list").
package final class ListedRows {
  private struct Row: Hashable {
    var token: [UInt8]
    /// The row's key as text; empty without one.
    var key: String
  }

  /// Whether a row was changed.
  private var rows: [Row: Bool] = [:]
  /// Why the rows of a token were not.
  private var outcomes: [[UInt8]: ReplayOutcome] = [:]
  /// Rows of the same tokens that are not in the list.
  package private(set) var others = 0

  package func add(_ token: [UInt8], key: String) { rows[Row(token: token, key: key)] = false }

  /// Forgets what a replay did, before it is done again.
  package func restart() {
    for row in rows.keys { rows[row] = false }
    (outcomes, others) = ([:], 0)
  }

  /// Whether a replay may change a row that it would.
  func takes(_ token: ArraySlice<UInt8>, key: String?) -> Bool {
    let row = Row(token: Array(token), key: key ?? "")
    guard rows[row] != nil else {
      others += 1
      return false
    }
    rows[row] = true
    return true
  }

  func leave(_ token: ArraySlice<UInt8>, _ outcome: ReplayOutcome) { outcomes[Array(token)] = outcome }

  /// The rows that were not changed, with the outcome of their token; nil if the row is gone.
  package var left: [(token: [UInt8], key: String, outcome: ReplayOutcome?)] {
    rows.filter { !$0.value }.keys.map { ($0.token, $0.key, outcomes[$0.token]) }
      .sorted { $0.token == $1.token ? $0.key < $1.key : $0.token.lexicographicallyPrecedes($1.token) }
  }
}
