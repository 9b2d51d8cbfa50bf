import TimeZones

/// The invalidated tokens in the page.
struct InvalidationsView {
  struct Row {
    let rank: String
    let token: String
    let foundIn: String?
    let invalidated: String
    let localTime: String?
    let often: String
    let remark: String?
  }

  let rows: [Row]
  let hasRows: Bool
  let hasDead: Bool
  let isCut: Bool
  let shown: String
  let total: String
  let doubtful: String
  let hasDoubtful: Bool
  let repeated: [Row]
  let hasRepeated: Bool
  let hasRepeatedRows: Bool
  let repeatedShown: String?
  /// Whether some inputs are identical, so that copies repeat tokens.
  let hasCopies: Bool
  let commands: [String]
  let recordsCommand: String
  let tokenWord: String

  init(_ page: ReportPage) {
    let invalidations = page.invalidations
    rows = invalidations.rows.enumerated().map { Self.row($0, $1, page.head.clock) }
    hasRows = !rows.isEmpty
    hasDead = invalidations.dead > 0
    isCut = rows.count < invalidations.dead
    shown = Figures.part(rows.count, of: invalidations.dead, "listed")
    total = Figures.count(invalidations.dead, "invalidated token", "invalidated tokens, the latest first")
    doubtful = Figures.count(invalidations.doubtful, "token is", "tokens are")
    hasDoubtful = invalidations.doubtful > 0
    repeated = invalidations.repeated.enumerated().map { Self.row($0, $1, page.head.clock) }
    hasRepeated = invalidations.repeatedCount > 0
    hasRepeatedRows = !repeated.isEmpty
    repeatedShown =
      invalidations.repeatedCount > repeated.count
      ? Figures.part(repeated.count, of: invalidations.repeatedCount, "listed") : nil
    hasCopies = page.inputs.contains { $0.sameBytesAs != nil }
    commands = page.commands.deadTokens
    recordsCommand = page.commands.records
    tokenWord = page.head.isRedacted ? "Pseudonym" : "Token"
  }

  /// Length of nearly all tokens, in bytes; any other length is shown.
  private static let usualLength = 32

  private static func row(_ index: Int, _ token: Invalidations.Row, _ clock: LocalClock?) -> Row {
    let flagged = token.records &- token.countedRecords
    let remarks = [
      token.length == usualLength ? nil : Figures.count(token.length, "byte"),
      flagged > 0 ? Figures.count(Int(flagged), "doubtful record") : nil,
    ].compactMap { $0 }
    return Row(
      rank: Figures.grouped(index + 1), token: token.token,
      foundIn: token.location.map { "\($0.source), \($0.text)" },
      invalidated: token.countedRecords > 0 ? Figures.time(token.time) : "not counted",
      localTime: token.countedRecords > 0 ? clock?.text(token.time) : nil,
      often: Figures.atMost(token.records), remark: remarks.isEmpty ? nil : remarks.joined(separator: ", "))
  }
}
