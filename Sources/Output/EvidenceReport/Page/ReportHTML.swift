/// Writes the page: one self-contained HTML file, without network access, and without scripts unless it is interactive.
/// Its parts are in extensions.
package enum ReportHTML {
  /// Its title is also in the contents of the page.
  private typealias Section = (id: HTML, title: HTML, content: HTML)

  package static func text(_ page: ReportPage) -> String { String(decoding: bytes(page), as: UTF8.self) }

  /// In UTF-8.
  package static func bytes(_ page: ReportPage) -> [UInt8] { document(page, sections(page)).bytes }

  private static func sections(_ page: ReportPage) -> [Section] {
    let sections: [(id: HTML, title: HTML, content: HTML?)] = [
      ("note", "Examiner’s remarks", note(page.head.note)),
      ("tokens", "Tokens", tokens(page)),
      ("differences", "Differences", differences(page)),
      ("hours", "Pushes by hour", hours(page)),
      ("totals", "Totals", totals(page)),
      ("examined", "Examined inputs", inputs(page)),
      ("invalidations", "Invalidations over time", invalidations(page)),
      ("streams", "Streams", streams(page)),
      ("findings", "Findings", findings(page)),
      ("recovered", "Recovered records", recovered(page)),
      ("doubtful", "Doubtful records and tokens", flagged(page)),
      ("gateway", "Gateway connections", gateway(page)),
      ("pushes", "Pushes", pushes(page)),
      ("broadcasts", "Broadcasts and channels", broadcasts(page)),
      ("readers", "What faulty readers would have reported", readers(page)),
      ("repeated", "Tokens reported most often", repeatedTokens(page)),
      ("limits", "What this report cannot show", .limits),
      ("glossary", "Glossary", glossary(page.head)),
      ("options", "How to check this report", options(page)),
    ]
    return sections.compactMap { id, title, content in content.map { (id, title, $0) } }
  }

  private static func document(_ page: ReportPage, _ sections: [Section]) -> HTML {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
    \(if: page.isInteractive, "script-src '\(HTML.scriptDigest)'; ")base-uri 'none'; form-action 'none'">
    <meta name="generator" content="apnsift \(page.head.version)">
    <title>\(page.head.title)</title>
    <style>
    \(HTML.styleSheet)</style>
    </head>
    <body>
    \(header(page))<nav aria-label="Contents"><ol>
    \(sections.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>\n" })</ol></nav>
    <main>
    \(sections.lazy.map(section))</main>
    <footer><p>Made with apnsift \(page.head.version). The page needs no network access and runs \
    \(page.isInteractive ? "one script, its own" : "no scripts").</p></footer>
    </body>
    </html>

    """
  }

  private static func section(_ section: Section) -> HTML {
    """
    <section id="\(section.id)">
    <h2>\(section.title)</h2>
    \(section.content)</section>

    """
  }
}
