import Analysis
import Reports

/// The top of the page: title, verdict and key figures.
extension ReportHTML {
  static func header(_ page: ReportPage) -> HTML {
    let verdict = ReportVerdict(page)
    return """
      <header class="top">
      <p class="kind">Evidence report</p>
      <h1>\(page.head.title)</h1>
      <dl class="making">\(making(page.head))</dl>
      <div class="verdict \(verdict.level.rawValue)">
      <p class="word">\(verdict.word)</p>
      <p class="opening">\(verdict.sentences.first ?? "")</p>
      \(verdict.sentences.dropFirst().map { "<p>\($0)</p>\n" })<p class="caveat">These results come from \
      fixed rules; their limits are described under <a href="#limits">What this report cannot show</a>.</p>
      </div>
      <ul class="tiles">\(tiles(page))</ul>
      \(if: page.head.isRedacted, redaction(page.head))</header>

      """
  }

  private static func making(_ head: ReportHead) -> [HTML] {
    HTML.facts([
      ("Case", head.caseName), ("Examiner", head.examiner), ("Made", head.madeAt),
      ("With", "apnsift \(head.version)"),
      ("Local times", head.clock.map { "\($0.name), next to UTC" }),
    ])
  }

  private static func tiles(_ page: ReportPage) -> HTML {
    let (summary, tokens, read) = (page.summary, page.invalidations, page.summary.records)
    let hasGateway = read[.requests] + read[.responses] > 0
    let others = ExportedKind.ofRecords.filter { $0 != .feedback && read[$0] > 0 }
    func tile(_ kind: ExportedKind) -> HTML { Self.tile(read[kind], kind.noun, kind.plural) }
    return """
      \(if: page.searchedBytes > 0, Self.tile(page.searchedBytes, "byte searched", "bytes searched"))\
      \(Self.tile(summary.streamBytes + summary.undecodedBytes, "byte examined", "bytes examined"))\
      \(if: read[.feedback] > 0 || others.isEmpty, tile(.feedback))\
      \(if: read[.feedback] + read[.pushes] > 0 || !hasGateway,
        Self.tile(tokens.dead, "invalidated token", "invalidated tokens"))\(others.map(tile))\
      \(Self.tile(summary.skippedBytes + summary.truncatedBytes, "byte not readable", "bytes not readable"))\
      \(if: summary.undecodedBytes > 0,
        Self.tile(summary.undecodedBytes, "byte not decoded", "bytes not decoded"))\
      \(Self.tile(summary.gapBytes, "byte missing", "bytes missing"))\
      \(if: page.recovered.all > 0, Self.tile(page.recovered.all, "recovered record", "recovered records"))\
      \(Self.tile(page.flagged.all, "doubtful record", "doubtful records"))\
      \(if: tokens.doubtful > 0, Self.tile(tokens.doubtful, "doubtful token", "doubtful tokens"))
      """
  }

  private static func tile(_ count: Int, _ noun: String, _ plural: String) -> HTML {
    "<li><strong>\(Figures.grouped(count))</strong><span>\(count == 1 ? noun : plural)</span></li>"
  }

  private static func redaction(_ head: ReportHead) -> HTML {
    """
    <p class="redaction"><strong>Redacted.</strong> Every token, every address of a connection, and every host name \
    and name in a certificate is replaced by a pseudonym, and every byte that is or may be part of a token by \
    <code>··</code>. Messages that could quote bytes are left out.\
    \(if: head.hasMaskedText, " A name, a title or a remark contained text that looks like a token or an address; that text is masked.") \
    The fingerprints (SHA-256) are those of the original files.</p>

    """
  }
}
