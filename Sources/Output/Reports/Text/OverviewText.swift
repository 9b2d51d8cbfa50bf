import APNsWire
import Analysis
import Basics
import PacketCapture

/// The text output of `inspect`: a screenful.
package struct OverviewText {
  private let summary: Summary
  private let overview: Overview
  private let style: TextStyle
  private let clock: LocalClock?
  private var text = ""
  /// The most streams shown of an input; of the rest only their number is shown.
  private static let maxStreamsShown = 40
  private static let maxTopicsShown = 10
  private static let maxHoursShown = 24
  /// By the name of the input, for each input of that name in turn.
  private var groups: [String: [[StreamSummary]]]

  /// - Parameter clock: for local times; nil without them.
  package static func text(
    _ summary: Summary, inputs: [InputSummary], overview: Overview, clock: LocalClock? = nil, style: TextStyle
  ) -> String {
    var overviewText = OverviewText(
      summary: summary, overview: overview, style: style, clock: clock, groups: grouped(overview.streams))
    for input in inputs { overviewText.add(input) }
    let leftOut = overview.streamsLeftOut
    if leftOut > 0 { overviewText.text += "and \(Count.of(leftOut, "more stream"))\n" }
    overviewText.addRecords()
    overviewText.addFlags()
    overviewText.addFindings()
    overviewText.addAccount()
    return overviewText.text
  }

  private mutating func add(_ input: InputSummary) {
    text += style.bold(VisibleText.of(input.source)) + "\n"
    let compression = input.compressionText
    let format = input.captureKind.map { "\($0) capture" } ?? input.format ?? "not read"
    let packets = input.packets.map { ", \(Count.of($0, "packet"))" } ?? ""
    let size = Count.of(input.bytes, "byte") + (input.bytes < 1024 ? "" : " (\(ByteSize.text(input.bytes)))")
    text += "  \(format)\(compression), \(size)\(packets)\n"
    if let sha256 = input.sha256 { text += "  SHA-256 \(sha256)\n" }
    if let first = input.sameBytesAs { text += "  identical to \(VisibleText.of(first))\n" }
    addStreams(of: input.source)
  }

  /// The streams of the next input named `source`. Those of known protocols are shown in preference to others.
  private mutating func addStreams(of source: String) {
    guard groups[source]?.isEmpty == false, let streams = groups[source]?.removeFirst() else { return }
    let ordered =
      streams.filter { $0.streamProtocol != .other } + streams.filter { $0.streamProtocol == .other }
    for stream in ordered.prefix(Self.maxStreamsShown).sorted(by: { $0.number < $1.number }) { add(stream) }
    let rest = ordered.dropFirst(Self.maxStreamsShown)
    if !rest.isEmpty { text += "  and \(Count.of(rest.count, "more stream"))\(Self.protocols(rest))\n" }
  }

  /// `: 12 feedback, 3 other`.
  private static func protocols(_ streams: ArraySlice<StreamSummary>) -> String {
    let counts = StreamProtocol.allCases.compactMap { kind in
      let count = streams.count { $0.streamProtocol == kind }
      return count > 0 ? "\(count) \(kind.rawValue)" : nil
    }
    return ": " + counts.joined(separator: ", ")
  }

  /// Streams by the input they come from. An input may be named twice: its streams are numbered from 0 again.
  private static func grouped(_ streams: [StreamSummary]) -> [String: [[StreamSummary]]] {
    var groups: [String: [[StreamSummary]]] = [:]
    var numbers: [String: Set<Int>] = [:]
    for stream in streams {
      if numbers[stream.source, default: []].insert(stream.number).inserted {
        if groups[stream.source] == nil { groups[stream.source] = [[]] }
      } else {
        numbers[stream.source] = [stream.number]
        groups[stream.source]?.append([])
      }
      let last = (groups[stream.source]?.count ?? 1) - 1
      groups[stream.source]?[last].append(stream)
    }
    return groups
  }

  private mutating func add(_ stream: StreamSummary) {
    let bytes = stream.serverBytes &+ stream.clientBytes &+ stream.serverGapBytes &+ stream.clientGapBytes
    if bytes == 0, stream.client == nil {
      text += "  stream \(stream.number): empty\n"
      return
    }
    var parts = [stream.streamProtocol.rawValue]
    if let client = stream.client, let server = stream.server { parts.append("\(client) to \(server)") }
    parts.append(Self.bytes(of: stream))
    if stream.streamProtocol == .feedback { parts.append(Count.of(stream.records, "record")) }
    if let gateway = stream.gateway { parts.append(gateway.text) }
    if let pushes = stream.pushes, pushes.all > 0 || stream.broadcasts.all &+ stream.channels.all == 0 {
      parts.append(pushes.text())
    }
    if stream.broadcasts.all > 0 { parts.append(stream.broadcasts.text("broadcast")) }
    if stream.channels.all > 0 { parts.append(stream.channels.text("channel request")) }
    let missing = stream.serverGapBytes &+ stream.clientGapBytes
    parts.append(missing > 0 ? "\(Count.of(missing, "byte")) missing" : "no gaps")
    text += "  stream \(stream.number): \(parts.joined(separator: ", "))\n"
    if let forms = stream.forms { text += "    read by \(forms)\n" }
    if let encryption = stream.encryption { text += "    \(EncryptionText.of(encryption))\n" }
  }

  /// `11400 bytes from the server`, and the client's if there are any.
  private static func bytes(of stream: StreamSummary) -> String {
    if stream.serverBytes == 0, stream.clientBytes > 0 {
      return "\(Count.of(stream.clientBytes, "byte")) from the client"
    }
    let server = "\(Count.of(stream.serverBytes, "byte")) from the server"
    return stream.clientBytes > 0 ? "\(server), \(stream.clientBytes) from the client" : server
  }

  private mutating func addRecords() {
    let gateway = summary.gateway
    if gateway.requests &+ gateway.responses > 0 { text += "\n" + style.bold(gateway.text) + "\n" }
    if summary.pushes.counts.all > 0 {
      add(summary.pushes, "push", of: "Topics")
      addKinds()
      addHours()
      addLags()
      addKeys()
    }
    add(summary.requests.broadcasts, "broadcast", of: "Apps of broadcasts")
    add(summary.requests.channels, "channel request", of: "Apps with channels")
    if summary.feedback == 0, summary.recordCount > 0 { return }
    let distinct = summary.distinctTokens.map { " with \(Count.of($0, "distinct token"))" } ?? ""
    text += "\n" + style.bold("\(Count.of(summary.feedback, "record"))\(distinct)")
    if let times = summary.times {
      text += ", from \(UTCTime.text(times.lowerBound)) to \(UTCTime.text(times.upperBound))"
      if let clock {
        text += "\n  \(clock.name): from \(clock.text(times.lowerBound)) to \(clock.text(times.upperBound))"
      }
    }
    text += "\n" + HistogramText.text(overview.times, of: "records")
  }

  /// By status and reason, then by topic.
  /// - Parameter topics: the title of the topics, or of the apps.
  private mutating func add(_ pushes: PushTally, _ noun: String, of topics: String) {
    if pushes.counts.all == 0 { return }
    text += "\n" + style.bold(pushes.counts.text(noun)) + "\n"
    var table = TextTable([.left, .right])
    for answer in pushes.answers {
      let status = answer.status.map { String($0) } ?? "no status"
      let words = [answer.operation, status, answer.text.map(VisibleText.of)].compactMap { $0 }
      table.add(["  " + words.joined(separator: " "), String(answer.count)])
    }
    if pushes.otherAnswers > 0 { table.add(["  other answers", String(pushes.otherAnswers)]) }
    text += table.text
    if pushes.topics.isEmpty { return }
    text += "\n" + style.bold(topics) + "\n"
    table = TextTable([.left, .right])
    for topic in pushes.topics.prefix(Self.maxTopicsShown) {
      table.add(["  " + VisibleText.of(topic.text ?? ""), String(topic.count)])
    }
    let rest = pushes.topics.dropFirst(Self.maxTopicsShown).reduce(pushes.otherTopics) { $0 + $1.count }
    if rest > 0 { table.add(["  other \(topics.split(separator: " ")[0].lowercased())", String(rest)]) }
    text += table.text
  }

  /// By what their tokens are for, unless all are an app's on a device.
  private mutating func addKinds() {
    let kinds = summary.pushes.kinds
    guard kinds.contains(where: { $0.kind != .device && $0.kind != nil }) else { return }
    text += "\n" + style.bold("Pushes by kind of token") + "\n"
    let outcomes = PushOutcome.allCases.filter { summary.pushes.counts[$0] > 0 }
    var table = TextTable([.left] + outcomes.map { _ in .right })
    table.add(["  kind"] + outcomes.map(\.rawValue))
    for row in kinds {
      table.add(["  \(row.kind?.rawValue ?? "unknown")"] + outcomes.map { String(row.counts[$0]) })
    }
    text += table.text
  }

  /// By hour and status, the latest hours last.
  private mutating func addHours() {
    let (all, used) = (summary.pushes.hours, summary.pushes.hours.usedStatuses)
    let hours = all.hours
    guard !hours.isEmpty else { return }
    text += "\n" + style.bold("Pushes by hour and status") + " (UTC)\n"
    var table = TextTable([.left] + used.map { _ in .right })
    table.add(["  hour"] + used.map { PushHours.statuses[$0] })
    for hour in hours.suffix(Self.maxHoursShown) {
      table.add(["  " + Timeline.Unit.hour.label(hour.start)] + used.map { String(hour.counts[$0]) })
    }
    text += table.text
    let notes = [
      (hours.count - Self.maxHoursShown, "earlier hour", "; --json has them"),
      (all.others, "push", " of other hours (--max-hours)"), (all.undated, "push", " without a time"),
    ].filter { $0.0 > 0 }.map { Count.of($0.0, $0.1) + $0.2 }
    if !notes.isEmpty { text += "  not shown: \(notes.joined(separator: ", "))\n" }
  }

  /// How late tokens were reported, and what was sent to them after that.
  private mutating func addLags() {
    let (lags, tokens) = (summary.pushes.lags, summary.tokens)
    if let median = lags.percentile(50), let p90 = lags.percentile(90) {
      text +=
        "\n" + style.bold("\(Count.of(lags.count, "answer")) 410") + " after the token was invalid for: "
      let times = [("median", median), ("p90", p90), ("maximum", lags.longest)]
      text += times.map { "\($0) \(TimeSpan.text(milliseconds: $1))" }.joined(separator: ", ") + "\n"
    }
    if let tokens, tokens.sendsAfter410 > 0 {
      text +=
        "\(Count.of(tokens.sendsAfter410, "send")) to \(Count.of(tokens.sentAfter410, "token")) after a 410\n"
    }
  }

  /// The keys of the providers' tokens.
  private mutating func addKeys() {
    let keys = summary.providerKeys
    if keys.keys.isEmpty { return }
    text += "\n" + style.bold("Keys of the provider") + "\n"
    for key in keys.keys.prefix(Self.maxTopicsShown) { text += "  \(VisibleText.of(key.text))\n" }
    let more = keys.keys.count - Self.maxTopicsShown
    if more > 0 { text += "  and \(Count.of(more, "more key"))\n" }
    if keys.others > 0 { text += "  \(Count.of(keys.others, "push")) with another provider token\n" }
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
      let shown = overview.examples(of: code)
      for finding in shown { text += "    \(Self.line(finding))\n" }
      if count > shown.count { text += "    and \(count - shown.count) more\n" }
    }
  }

  private mutating func addAccount() {
    text += "\n\(summary.recordBytes) of \(summary.streamBytes) bytes are in records"
    let rest = [
      (summary.skippedBytes, "skipped"), (summary.truncatedBytes, "cut off"),
      (summary.undecodedBytes, "not decoded"), (summary.gapBytes, "missing"),
    ]
    for (bytes, fate) in rest where bytes > 0 { text += ", \(bytes) \(fate)" }
    text += "\n"
  }

  private static func line(_ finding: Finding) -> String {
    var location = VisibleText.of(finding.source)
    // A dump has one stream of one direction, which need not be named.
    if let stream = finding.stream, stream > 0 || finding.packet != nil {
      location += " stream \(stream)"
      if let direction = finding.direction { location += " \(direction.rawValue)" }
    }
    if let offset = finding.offset { location += " offset \(offset)" }
    if let packet = finding.packet { location += " packet \(packet)" }
    return "\(location): \(finding.message)"
  }
}
