import Analysis

extension ReportHTML {
  /// Records that a search found, a row for each chain; nil without any.
  static func recovered(_ page: ReportPage) -> HTML? {
    let (rows, count) = (page.chains.map { row($0, page) }, page.chainCount)
    if count == 0 { return nil }
    let shown = Figures.part(rows.count, of: count, "listed")
    let columns: [Column] = [
      .text("Input", style: "name"), .number("Offset"), .text("Sector"), .text("Form"), .text("Records"),
      .text("Times"), .text("Confidence"),
    ]
    return """
      <p>A search found these records in bytes of any kind, for example of deleted files. Each row is what was \
      found at one location. Offsets are those of the content, from 0; a sector has 512 bytes.</p>
      \(HTML.table(columns, style: "cards wide", rows: rows))\
      \(if: rows.count < count, .paragraph("cut", "\(shown), one of every input before a second of any."))\
      \(HTML.commands("Every record, with its offset:", page.commands.flagged))\
      \(flags(page.summary.flagCounts.filter { $0.code == carved }))
      """
  }

  private static let sectorSize = 512

  private static func row(_ chain: RecoveredChain, _ page: ReportPage) -> [HTML] {
    let location = chain.location
    let offset = location.fileOffset ?? location.offset
    let (sector, byte) = offset.quotientAndRemainder(dividingBy: sectorSize)
    let packet = location.packet.map { ", from packet \(Figures.grouped($0))" } ?? ""
    let times = chain.times.map { times in
      "\(Figures.time(times.lowerBound, page.head.clock)) to \(Figures.time(times.upperBound, page.head.clock))"
    }
    let confidence = Confidence.allCases.compactMap { level in
      chain.confidence[level].map { "\(Figures.grouped($0)) \(level.rawValue)" }
    }
    return [
      "\(location.source)\(HTML.small("stream \(location.stream)\(packet)"))",
      // Without commas: they are copied to other tools.
      "\(offset)", "\(sector), byte \(byte)", "\(chain.form.rawValue)",
      "\(chain.counts.text)", "\(times ?? "–")",
      "\(confidence.isEmpty ? "–" : confidence.joined(separator: ", "))",
    ]
  }
}
