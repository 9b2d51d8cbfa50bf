import Analysis

/// Doubtful records and tokens in the page.
struct DoubtsView {
  struct Flag {
    let code: String
    let count: String
    let title: String
    let meaning: String
    let remedy: String
  }

  struct Reason {
    let reason: String
    let flag: String
  }

  struct Row {
    let kind: String?
    let token: String?
    let time: String?
    let source: String
    let location: String
    let reasons: [Reason]
  }

  let flags: [Flag]
  let hasFlags: Bool
  let flagged: String
  let records: [Row]
  let hasRecords: Bool
  let isCut: Bool
  let shown: String
  let commands: [String]
  let tokens: [Row]
  let hasTokens: Bool
  let tokensAreCut: Bool
  let tokensShown: String
  let tokenWord: String

  init(_ page: ReportPage) {
    flags = page.summary.flagCounts.map { code, count in
      let entry = FlagEntry.of(code)?.entry
      return Flag(
        code: code, count: Figures.grouped(count), title: entry?.title ?? code,
        meaning: entry.map { "\($0.cause) \($0.meaning)" } ?? "", remedy: entry?.remedy ?? "")
    }
    hasFlags = !flags.isEmpty
    flagged = Figures.count(page.flagged.all, "record carries flags", "records carry flags")
    records = page.doubtfulRecords.map { record in
      Row(
        kind: record.kind.rawValue, token: record.token,
        time: record.time.map { Figures.time($0, page.head.clock) },
        source: record.location.source, location: record.location.text, reasons: Self.reasons(record.flags))
    }
    hasRecords = !records.isEmpty
    isCut = records.count < page.flagged.all
    shown = Figures.part(records.count, of: page.flagged.all, "listed")
    commands = page.commands.doubtful
    let doubtful = page.invalidations.doubtful
    tokens = page.invalidations.doubtfulRows.map { token in
      Row(
        kind: nil, token: token.token, time: nil, source: token.location?.source ?? "",
        location: token.location?.text ?? "", reasons: Self.reasons(ofToken: token.flags))
    }
    hasTokens = !tokens.isEmpty
    tokensAreCut = tokens.count < doubtful
    tokensShown = Figures.part(tokens.count, of: doubtful, "listed")
    tokenWord = page.head.isRedacted ? "Pseudonym" : "Token"
  }

  /// The table of tokens keeps only the flags that tuples can have.
  private static func reasons(ofToken flags: [String]) -> [Reason] {
    flags.isEmpty ? [Reason(reason: "A push whose status or body is doubtful", flag: "")] : reasons(flags)
  }

  private static func reasons(_ flags: [String]) -> [Reason] {
    flags.map { Reason(reason: FlagEntry.of($0)?.entry.title ?? $0, flag: $0) }
  }
}
