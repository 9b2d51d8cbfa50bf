import Analysis
import Reports

extension ReportHTML {
  /// Every other number of records, tokens or bytes on the page is one of these, or a part of one.
  static func totals(_ page: ReportPage) -> HTML {
    let hasCopies = page.inputs.contains { $0.sameBytesAs != nil }
    let undated = page.invalidations.undatedPushes
    let undatedText = Figures.count(
      undated, "push with status 410 dates no token: its timestamp or token is missing",
      "pushes with status 410 date no token: their timestamp or token is missing")
    return """
      \(counts(page))<p>A record that carries a flag is doubtful; it counts once, however many flags it \
      carries. A token counts once, however many records report it. It counts as invalidated if a feedback \
      tuple without a flag reports it, or a push with status 410, a timestamp and no doubt about its status \
      and token; else as \
      doubtful.\(if: page.recovered.all > 0, " A record whose only flag is carved is recovered, not doubtful.")\
      \(if: hasCopies, " Records of identical inputs count again, tokens do not.")\
      \(if: undated > 0, " \(undatedText).")</p>
      <h3>Account of all bytes</h3>
      \(account(page))
      """
  }

  private static func counts(_ page: ReportPage) -> HTML {
    let (read, flagged, recovered) = (page.summary.records, page.flagged, page.recovered)
    let tokens = page.invalidations
    let hasRecovered = recovered.all + tokens.recovered > 0
    let kinds = ExportedKind.ofRecords.filter { read[$0] > 0 }.map { kind in
      (
        kind.plural.prefix(1).uppercased() + kind.plural.dropFirst(), read[kind], recovered[kind],
        flagged[kind]
      )
    }
    let sums = [
      ("All records", read.all, recovered.all, flagged.all),
      (
        "Tokens reported as invalid", tokens.dead + tokens.recovered + tokens.doubtful, tokens.recovered,
        tokens.doubtful
      ),
    ]
    func row(_ noun: String, _ total: Int, _ recovered: Int, _ doubtful: Int) -> [String] {
      let parts = [total - recovered - doubtful] + (hasRecovered ? [recovered] : []) + [doubtful]
      return [noun] + ([total] + parts).map(Figures.grouped)
    }
    return .account(
      ["Read", "Total", "Without a flag"] + (hasRecovered ? ["Recovered"] : []) + ["Doubtful"],
      rows: kinds.map(row), sums: sums.map(row))
  }

  private static func account(_ page: ReportPage) -> HTML {
    let summary = page.summary
    let read = [
      ("In records", summary.recordBytes), ("Skipped: part of no record", summary.skippedBytes),
      ("Cut off: an incomplete record", summary.truncatedBytes),
    ].map { [$0, Figures.grouped($1), Figures.percent($1, of: summary.streamBytes)] }
    let rest = [
      ("Searched for records, also outside of them", page.searchedBytes),
      ("Not decoded: encrypted or of another protocol", summary.undecodedBytes),
      ("Missing from the input", summary.gapBytes),
    ].filter { $0.1 > 0 }.map { [$0, Figures.grouped($1), "–"] }
    return .account(["Category", "Bytes", "Share"], rows: read + rest)
  }
}
