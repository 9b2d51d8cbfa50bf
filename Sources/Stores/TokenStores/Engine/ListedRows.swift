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
  private var reasons: [[UInt8]: String] = [:]
  /// The latest time of a token with milliseconds, which tuples do not have.
  private var times: [[UInt8]: StoreTime] = [:]
  /// Rows of the same tokens that are not in the list.
  private var othersFound: Set<Row> = []
  package var others: Int { othersFound.count }

  /// - Parameter time: when the token was invalidated, if it is more precise than a second.
  package func add(_ token: [UInt8], key: String, at time: StoreTime?) {
    rows[Row(token: token, key: key)] = false
    if let time { times[token] = max(times[token] ?? time, time) }
  }

  /// The time of a token whose tuple has `seconds`.
  func time(of token: RawSpan, _ seconds: UInt32) -> StoreTime {
    let whole = StoreTime(seconds)
    let time = times.isEmpty ? nil : times[token.withUnsafeBytes { Array($0) }]
    return time?.seconds == whole.seconds ? time ?? whole : whole
  }

  /// Forgets what a replay did, before it is done again.
  package func restart() {
    for row in rows.keys { rows[row] = false }
    (reasons, othersFound) = ([:], [])
  }

  /// Whether a replay may change a row that it would.
  func takes(_ token: ArraySlice<UInt8>, key: String?) -> Bool {
    let row = Row(token: Array(token), key: key ?? "")
    guard rows[row] != nil else {
      othersFound.insert(row)
      return false
    }
    rows[row] = true
    return true
  }

  func leave(_ token: [UInt8], _ reason: String) { reasons[token] = reason }

  /// The rows that were not changed, and why.
  package var left: [(token: [UInt8], key: String, reason: String)] {
    rows.filter { !$0.value }.keys.map { ($0.token, $0.key, reasons[$0.token] ?? "gone") }
      .sorted { $0.token == $1.token ? $0.key < $1.key : $0.token.lexicographicallyPrecedes($1.token) }
  }
}
