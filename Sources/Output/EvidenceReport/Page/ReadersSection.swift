import Conformance

extension ReportHTML {
  /// The results of the faulty readers; nil unless they were asked for.
  static func readers(_ page: ReportPage) -> HTML? {
    if !page.isAudited { return nil }
    if page.readers.isEmpty {
      return .empty(
        "No feedback tuple or error response was recognised in any stream, so the readers could not be tested."
      )
    }
    let streams = page.auditedStreams
    return """
      <p>Most programs that read this protocol were copied from a few published articles with known faults. \
      This section shows what programs based on some of these articles (readers) would have reported if they \
      had received the same bytes, cut into \(page.chunks). It helps to assess old lists of tokens that such \
      a program wrote.</p>
      \(ReaderTexts.condition(streams).map { HTML.paragraph("alert", "\($0)") })\
      \(ReaderTexts.leftOut(streams).map { "<p>\($0)</p>\n" })\
      \(page.readers.map(reader))\(HTML.command("The results for each stream:", page.commands.audit))
      """
  }

  private static func reader(_ total: ReaderTotal) -> HTML {
    let (style, word): (HTML, HTML) =
      total.judged == 0 ? ("note", "not judged") : total.hasErred ? ("error", "wrong") : ("right", "correct")
    return """
      <article class="reader">
      <h3><span class="reader-name">\(total.name)</span> <span class="severity \(style)">\(word)</span></h3>
      <p class="habit">\(PageTexts.habits[total.name] ?? "")</p>
      <dl class="facts">\(figures(total))</dl>
      <p>\(ReaderTexts.verdict(total))</p>
      \(total.difference.map { difference($0, of: total) })</article>

      """
  }

  private static func figures(_ total: ReaderTotal) -> [HTML] {
    let figures = [
      ("Streams", total.judged), ("True records", total.correct + total.missed), ("Reported", total.records),
      ("Correct", total.correct), ("Wrong", total.wrong), ("Missed", total.missed),
    ]
    return HTML.facts(figures.map { ($0, total.judged > 0 ? Figures.grouped($1) : "–") })
  }

  private static func difference(_ difference: FirstDifference, of total: ReaderTotal) -> HTML {
    let reason = difference.reason.text.isEmpty ? "" : ": \(difference.reason)"
    let records: [(HTML, String?)] = [
      ("True record", difference.expected), ("Reported", difference.emitted),
    ]
    let compared = records.compactMap { name, text in
      text.map { HTML.paragraph("token", "<span>\(name)</span> \(record($0, of: total.name))") }
    }
    return """
      <p class="message">First difference: \(total.source), stream \(total.stream), record \
      \(difference.record + 1)\(reason).</p>
      \(compared)
      """
  }

  /// Formats `time,token`, or for error responses `status,identifier`, for the page.
  private static func record(_ text: String, of reader: String) -> String {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return text }
    if reader == "php" { return "status \(parts[0]), identifier \(parts[1])" }
    let time = UInt32(parts[0]).map { Figures.time($0) } ?? "time \(parts[0])"
    return "\(time), \(token(parts[1]))"
  }

  /// Hex digits of the longest common token, 100 bytes. Misread tokens can be longer, and are abbreviated.
  private static let mostDigits = 200

  private static func token(_ digits: Substring) -> String {
    if digits.isEmpty { return "an empty token" }
    let length = digits.utf8.count
    guard length > mostDigits else { return String(digits) }
    return "\(digits.prefix(16))…\(digits.suffix(16)) (\(Figures.count(length / 2, "byte")))"
  }
}
