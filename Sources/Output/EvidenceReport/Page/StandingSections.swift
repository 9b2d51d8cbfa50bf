/// The examiner's remarks, and sections that explain the page.
extension ReportHTML {
  /// Nil without remarks.
  static func note(_ paragraphs: [String]) -> HTML? {
    if paragraphs.isEmpty { return nil }
    let content = paragraphs.map { "<p>\($0)</p>\n" as HTML }
    return "<div class=\"note\">\(content)</div>\n"
  }

  static let limits: HTML = """
    <p>A record without a flag starts where a record should, has a normal length and a plausible time, and \
    what follows it can begin another record, or nothing follows. That is not proof. No rule can detect:</p>
    <ul>
    <li><strong>Bits changed inside a token or a time.</strong> The result looks like any other record.</li>
    <li><strong>Whole records that were lost.</strong> The records before and after the loss appear to be \
    consecutive.</li>
    <li><strong>A loss of exactly one record’s length across a boundary.</strong> It joins the beginning of \
    one record to the end of another. The result looks complete, but is made of two.</li>
    <li><strong>Bytes inserted into or lost from the last record before an end.</strong> What follows it is \
    too short to show that its token is shifted.</li>
    <li><strong>Data that are not in the inputs</strong>: other connections, other days, anything that the \
    service did not report.</li>
    </ul>
    <p>Nor can this report show whether a device is active today. A fingerprint taken when a file was saved \
    proves more than any rule: compare it with the one under <a href="#examined">Examined inputs</a>.</p>

    """

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
