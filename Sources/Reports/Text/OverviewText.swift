import Analysis
import WireBytes

/// What `inspect` shows to people: a screenful of text.
package struct OverviewText {
  private let summary: Summary
  private let inputs: [InputSummary]
  private let overview: Overview
  private let style: TextStyle
  private var text = ""
  /// Streams come in the order of the inputs; these have been shown.
  private var shownStreams = 0

  package init(_ summary: Summary, inputs: [InputSummary], overview: Overview, style: TextStyle) {
    self.summary = summary
    self.inputs = inputs
    self.overview = overview
    self.style = style
    for input in inputs { add(input) }
    addLeftOut()
    addRecords()
    addFlags()
    addFindings()
    addAccount()
  }

  package static func text(
    _ summary: Summary, inputs: [InputSummary], overview: Overview, style: TextStyle
  ) -> String {
    OverviewText(summary, inputs: inputs, overview: overview, style: style).text
  }

  private mutating func add(_ input: InputSummary) {
    text += style.bold(VisibleText.of(input.source)) + "\n"
    let compression = input.compression.map { ", \($0)-compressed" } ?? ""
    text += "  \(input.format ?? "not read")\(compression), \(Self.size(input.bytes))\n"
    if let sha256 = input.sha256 { text += "  SHA-256 \(sha256)\n" }
    var last = -1
    // An input may be named twice in a row: its streams are numbered from 0 again.
    while shownStreams < overview.streams.count, case let stream = overview.streams[shownStreams],
      stream.source == input.source, stream.number > last
    {
      add(stream)
      last = stream.number
      shownStreams += 1
    }
  }

  private mutating func add(_ stream: StreamSummary) {
    text +=
      "  stream \(stream.number): \(stream.speaks.rawValue), "
      + "\(Count.of(stream.serverBytes, "byte")) from the server"
    text += stream.speaks == .encrypted ? "" : ", \(Count.of(stream.records, "record"))"
    text += stream.serverGapBytes > 0 ? ", \(Count.of(stream.serverGapBytes, "byte")) missing" : ", no gaps"
    text += "\n"
  }

  private mutating func addLeftOut() {
    if overview.streamsLeftOut > 0 { text += "and \(Count.of(overview.streamsLeftOut, "more stream"))\n" }
  }

  private mutating func addRecords() {
    let distinct = summary.distinctTokens.map { " with \(Count.of($0, "distinct token"))" } ?? ""
    text += "\n" + style.bold("\(Count.of(summary.feedback, "record"))\(distinct)")
    if let times = summary.times {
      text += ", from \(UTCTime.text(times.lowerBound)) to \(UTCTime.text(times.upperBound))"
    }
    text += "\n" + HistogramText.text(overview.times)
  }

  private mutating func addFlags() {
    guard !summary.flagCounts.isEmpty else { return }
    text += "\n" + style.bold("Flags") + " (flagged records are not replayed)\n"
    for (code, count) in summary.flagCounts { text += "  \(style.yellow(code))  \(count)\n" }
  }

  private mutating func addFindings() {
    let codes = FindingCode.allCases.filter { summary.findings[$0, default: 0] > 0 }
    guard !codes.isEmpty else { return }
    text += "\n" + style.bold("Findings") + "\n"
    for code in codes {
      let count = summary.findings[code, default: 0]
      text += "  \(style.severity(code.severity, "\(code.severity.rawValue) \(code.rawValue)"))  \(count)\n"
      let places = overview.places[code, default: []]
      for place in places { text += "    \(Self.place(place))\n" }
      if count > places.count { text += "    and \(count - places.count) more\n" }
    }
  }

  private mutating func addAccount() {
    text += "\n\(summary.recordBytes) of \(summary.streamBytes) bytes are in records"
    let rest = [
      (summary.skippedBytes, "skipped"), (summary.truncatedBytes, "cut off"),
      (summary.undecodedBytes, "encrypted"), (summary.gapBytes, "missing"),
    ]
    for (bytes, fate) in rest where bytes > 0 { text += ", \(bytes) \(fate)" }
    text += "\n"
  }

  private static func place(_ finding: Finding) -> String {
    let offset = finding.offset.map { " offset \($0)" } ?? ""
    return "\(VisibleText.of(finding.source))\(offset): \(finding.message)"
  }

  private static func size(_ bytes: Int) -> String {
    bytes < 1024 ? Count.of(bytes, "byte") : "\(bytes) bytes (\(ByteSize.text(bytes)))"
  }
}
