import Analysis
import Basics

extension ReportHTML {
  static func findings(_ page: ReportPage) -> HTML {
    if page.findings.isEmpty { return .empty("There are no findings.") }
    let hasBytes = page.findings.contains { $0.examples.contains { !$0.bytes.isEmpty } }
    return """
      <p>A finding describes a problem at one location. An error means that bytes were lost or cannot be \
      read. A warning means that data were read but are in doubt. A note is for information.</p>
      \(if: hasBytes, legend)\(page.findings.map { group($0, page.commands[.findings]) })
      """
  }

  private static let legend: HTML = """
    <p class="legend">In the bytes below: <b class="finding">bytes of the finding</b>, and <b \
    class="time">time</b>, <b class="length">length</b> and <b class="token">token</b> of a neighbouring \
    record.</p>

    """

  private static func group(_ found: FindingGroup, _ command: String) -> HTML {
    let (entry, severity) = (found.code.entry, found.code.severity.rawValue)
    let shown = Figures.part(found.examples.count, of: found.count, "shown")
    return """
      <article class="finding">
      <h3><span class="severity \(severity)">\(severity)</span> \(entry.title) \
      <span class="times">\(Figures.grouped(found.count)) ×</span></h3>
      <p class="code"><code>\(found.code.rawValue)</code></p>
      <p>\(entry.cause) \(entry.meaning)</p>
      <p><b>What to do.</b> \(entry.remedy)</p>
      \(found.examples.map(example))\
      \(if: found.examples.count < found.count, .command("\(shown). All of them:", command))</article>

      """
  }

  private static func example(_ found: FindingExample) -> HTML {
    let message = found.finding.message.text
    return """
      <div class="box">
      <dl class="facts">\(facts(found.finding))</dl>
      \(if: !message.isEmpty, .paragraph("message", "\(message)"))\
      \(found.fileText.map(text))\(if: found.isDecoded, "<p class=\"between\">decoded:</p>\n")\
      \(if: !found.bytes.isEmpty, "<div class=\"hex\">\(bytes(found))</div>\n")\
      \(found.command.map { "<pre class=\"command\">\($0)</pre>\n" })</div>

      """
  }

  private static func text(_ excerpt: FileExcerpt) -> HTML {
    """
    <p class="between">in the file at offset \(excerpt.offset):</p>
    <pre class="command">\(excerpt.lines.joined(separator: "\n"))</pre>

    """
  }

  private static func facts(_ finding: Finding) -> [HTML] {
    let sender = finding.direction.map { ", from the \($0.rawValue)" } ?? ""
    let length = finding.length.flatMap { $0 > 0 ? $0 : nil }
    return HTML.facts([
      ("Input", finding.source), ("Stream", finding.stream.map { "\($0)\(sender)" }),
      ("Offset", finding.offset.map(Figures.grouped)), ("Bytes", length.map(Figures.grouped)),
      ("Packet", finding.packet.map(Figures.grouped)),
      ("Offset in the file", finding.fileOffset.map(Figures.grouped)),
    ])
  }

  private static func bytes(_ found: FindingExample) -> [HTML] {
    var end: Int?
    return found.bytes.map { segment in
      defer { end = segment.offset + segment.bytes.count }
      let distance = end.map { segment.offset - $0 } ?? 0
      let bytes = Figures.count(distance, "byte")
      // Bytes of a gap are missing from the input; others are left out of the page.
      let note: HTML =
        found.finding.code == .streamGap
        ? "<p class=\"between missing\">\(bytes) missing</p>" : "<p class=\"between\">\(bytes) between</p>"
      return "\(if: distance > 0, note)<div class=\"cells\">\(cells(segment))</div>"
    }
  }

  /// Bytes by eights, which the page arranges by the width of the screen.
  private static func cells(_ segment: HexSegment) -> [HTML] {
    stride(from: 0, to: segment.bytes.count, by: 8).map { start in
      let bytes = segment.bytes[start...].prefix(8)
      let text = bytes.map { $0.value.map { 0x20...0x7e ~= $0 ? String(Unicode.Scalar($0)) : "." } ?? "·" }
        .joined()
      return """
        <div class="cell"><span class="offset">\(segment.offset + start)</span>\
        <span class="bytes">\(runs(bytes))</span><span \
        class="text">\(text)</span></div>
        """
    }
  }

  /// Consecutive bytes of one kind together.
  private static func runs(_ bytes: ArraySlice<HexSegment.Byte>) -> [HTML] {
    var runs: [HTML] = []
    var rest = bytes
    while let kind = rest.first?.kind {
      let run = rest.prefix { $0.kind == kind }
      rest = rest.dropFirst(run.count)
      let digits = run.map { byte in byte.value.map { Hex.string([$0]) } ?? "··" }
      runs.append("<b class=\"\(kind.rawValue)\">\(digits.joined(separator: " "))</b> ")
    }
    return runs
  }
}
