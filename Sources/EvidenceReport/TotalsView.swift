import Analysis

/// The totals in the page: every other number of records, tokens or bytes in it is one of these, or a part of one.
struct TotalsView {
  struct Row {
    let noun: String
    let total: String
    let sound: String
    let doubtful: String

    init(_ noun: String, _ total: Int, doubtful: Int) {
      self.noun = noun
      self.total = Figures.grouped(total)
      sound = Figures.grouped(total - doubtful)
      self.doubtful = Figures.grouped(doubtful)
    }
  }

  struct AccountRow {
    let category: String
    let bytes: String
    let share: String
  }

  let records: [Row]
  let allRecords: Row
  let tokens: Row
  let undated: String
  let hasUndated: Bool
  let hasCopies: Bool
  let account: [AccountRow]

  init(_ page: ReportPage) {
    let (read, flagged) = (page.summary.records, page.flagged)
    records = [
      ("Feedback tuples", read.feedback, flagged.feedback), ("Requests", read.requests, flagged.requests),
      ("Error responses", read.responses, flagged.responses), ("Pushes", read.pushes, flagged.pushes),
    ].filter { $0.1 > 0 }.map { Row($0.0, $0.1, doubtful: $0.2) }
    allRecords = Row("All records", read.all, doubtful: flagged.all)
    let invalidations = page.invalidations
    tokens = Row(
      "Tokens reported as invalid", invalidations.dead + invalidations.doubtful,
      doubtful: invalidations.doubtful)
    undated = Figures.count(
      invalidations.undatedPushes, "push with status 410 dates no token: its timestamp or token is missing",
      "pushes with status 410 date no token: their timestamp or token is missing")
    hasUndated = invalidations.undatedPushes > 0
    hasCopies = page.inputs.contains { $0.sameBytesAs != nil }
    account = Self.account(page.summary)
  }

  private static func account(_ summary: Summary) -> [AccountRow] {
    let rows = [
      ("In records", summary.recordBytes), ("Skipped: part of no record", summary.skippedBytes),
      ("Cut off: an incomplete record", summary.truncatedBytes),
    ]
    let shares = rows.map { category, bytes in
      AccountRow(
        category: category, bytes: Figures.grouped(bytes),
        share: Figures.percent(bytes, of: summary.streamBytes))
    }
    let rest = [
      ("Not decoded: encrypted or of another protocol", summary.undecodedBytes),
      ("Missing from the input", summary.gapBytes),
    ].filter { $0.1 > 0 }
    return shares + rest.map { AccountRow(category: $0.0, bytes: Figures.grouped($0.1), share: "–") }
  }
}
