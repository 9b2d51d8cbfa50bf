/// The examiner's remarks, and sections that explain the page.
extension ReportHTML {
  /// Nil without remarks.
  static func note(_ paragraphs: [String]) -> HTML? {
    if paragraphs.isEmpty { return nil }
    let content = paragraphs.map { "<p>\($0)</p>\n" as HTML }
    return "<div class=\"note\">\(content)</div>\n"
  }

  static func glossary(_ head: ReportHead) -> HTML {
    "<dl class=\"glossary\">\n\(HTML.facts(PageTexts.glossary(head), separator: "\n"))</dl>\n"
  }

  static func options(_ page: ReportPage) -> HTML {
    let given = page.head.options.filter { !$0.isDefault }
    return """
      <p>With the same files and options, the same version of the tool produces the same report, byte for \
      byte. The SHA-256 under <a href="#examined">Examined inputs</a> show whether the files are the \
      same.</p>
      \(HTML.command("This page again:", page.commands.report))\
      \(HTML.command("Every record, stream and finding, with its location:", page.commands.everything))\
      <p>The bytes of one record: <code>apnsift show INPUT --stream NUMBER --offset OFFSET</code>. All \
      records of one token: <code>apnsift show INPUT… --token DIGITS</code>.</p>
      \(if: !given.isEmpty, list("Options given", given))\
      \(list("Options with their defaults", page.head.options.filter(\.isDefault)))
      """
  }

  private static func list(_ title: HTML, _ options: [ReportOption]) -> HTML {
    """
    <h3 class="plain">\(title)</h3>
    <dl class="options">
    \(HTML.facts(options.map { ($0.name, $0.text) }, separator: "\n"))</dl>

    """
  }
}
