import APNsWire
import Analysis

/// What the examination came to, in a few sentences that claim no more than the rules can see.
struct ReportVerdict: Equatable {
  enum Level: String {
    case sound, doubtful, damaged, unread

    /// In two or three words.
    var word: String {
      switch self {
      case .sound: "No damage found"
      case .doubtful: "Read, with doubts"
      case .damaged: "Damage found"
      case .unread: "Nothing was read"
      }
    }
  }

  var level: Level
  /// The first one says it all.
  var sentences: [String]

  init(_ page: ReportPage) {
    let summary = page.summary
    level = Self.level(page)
    sentences = [Self.opening(page)]
    if summary.gapBytes > 0 {
      sentences.append("\(Figures.count(summary.gapBytes, "byte is", "bytes are")) known to be missing.")
    }
    if summary.undecodedBytes > 0, summary.streamBytes > 0 { sentences.append(Self.undecoded(page)) }
    if page.failures > 0, !page.inputs.isEmpty {
      sentences.append(
        "\(Figures.count(page.failures, "input")) could not be read, or not whole: what is missing of "
          + "\(page.failures == 1 ? "it" : "them") is in no figure here.")
    }
    let copies = page.inputs.count { $0.sameBytesAs != nil }
    if copies > 0 {
      sentences.append(
        "\(Figures.count(copies, "input holds", "inputs hold")) the same bytes as another: what is in "
          + "\(copies == 1 ? "it" : "them") is counted again.")
    }
    let damage =
      summary.findings[.damagedCapture, default: 0] + summary.findings[.malformedPacket, default: 0]
    if damage > 0 {
      sentences.append("The captures themselves are damaged in \(Figures.count(damage, "place")).")
    }
    sentences += Self.deaths(page.deaths)
    sentences += Self.outcomes(summary.gateway)
  }

  private static func level(_ page: ReportPage) -> Level {
    let summary = page.summary
    if page.inputs.isEmpty || records(summary) == 0 { return .unread }
    if page.failures > 0 || summary.findingCount(.error) > 0 { return .damaged }
    return summary.findingCount(.warning) > 0 || page.flaggedRecords > 0 ? .doubtful : .sound
  }

  private static func records(_ summary: Summary) -> Int {
    summary.feedback + summary.gateway.requests + summary.gateway.responses
  }

  // MARK: - The first sentence

  private static func opening(_ page: ReportPage) -> String {
    let summary = page.summary
    if page.inputs.isEmpty { return "No input could be read." }
    if summary.streamBytes == 0 {
      if summary.undecodedBytes == 0 { return "The \(inputs(page)) no byte of a stream." }
      return "Nothing could be decoded: " + undecoded(page, asClause: true)
    }
    let lost = summary.skippedBytes + summary.truncatedBytes
    let read = Self.read(summary)
    guard lost > 0 else {
      return
        "All \(Figures.count(summary.streamBytes, "byte")) of \(Figures.count(max(page.decodedStreams, 1), "stream")) were read "
        + "as \(read)\(doubts(page, else: "; no rule found anything wrong with \(records(summary) == 1 ? "it" : "them")"))."
    }
    let places =
      summary.findings[.skippedBytes, default: 0] + summary.findings[.truncatedRecord, default: 0]
    let share = Figures.percent(lost, of: summary.streamBytes)
    return
      "Of \(Figures.count(summary.streamBytes, "byte")), \(Figures.grouped(lost)) could not be read (\(share)), in "
      + "\(Figures.count(places, "place")); \(read) \(records(summary) == 1 ? "was" : "were") read\(doubts(page, else: ""))."
  }

  private static func inputs(_ page: ReportPage) -> String {
    page.inputs.count == 1 ? "input holds" : "\(Figures.grouped(page.inputs.count)) inputs hold"
  }

  /// `31 feedback tuples`, `200 requests and 1 error response`.
  private static func read(_ summary: Summary) -> String {
    var parts: [String] = []
    let gateway = summary.gateway
    if summary.feedback > 0 { parts.append(Figures.count(summary.feedback, "feedback tuple")) }
    if gateway.requests > 0 { parts.append(Figures.count(gateway.requests, "request")) }
    if gateway.responses > 0 { parts.append(Figures.count(gateway.responses, "error response")) }
    guard let last = parts.popLast() else { return "no record" }
    return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
  }

  private static func doubts(_ page: ReportPage, else text: String) -> String {
    guard page.flaggedRecords > 0 else {
      return page.summary.findingCount(.error) + page.summary.findingCount(.warning) > 0 ? "" : text
    }
    return ", \(Figures.grouped(page.flaggedRecords)) of them doubtful"
  }

  private static func undecoded(_ page: ReportPage, asClause: Bool = false) -> String {
    let summary = page.summary
    let bytes = Figures.count(summary.undecodedBytes, "byte")
    let isCiphertext = summary.findings[.encryptedStream, default: 0] > 0
    let reason =
      isCiphertext
      ? "encrypted, or of another protocol, and cannot be read here" : "of another protocol and not read"
    let which = asClause ? "all \(bytes)" : "\(bytes) more"
    return "\(which) \(summary.undecodedBytes == 1 ? "is" : "are") \(reason)."
  }

  // MARK: - What it says

  private static func deaths(_ deaths: Deaths) -> [String] {
    var sentences: [String] = []
    if deaths.dead > 0, let times = deaths.times {
      let span =
        times.lowerBound == times.upperBound
        ? "at \(Figures.time(times.lowerBound))"
        : "between \(Figures.time(times.lowerBound)) and \(Figures.time(times.upperBound))"
      sentences.append(
        "\(Figures.count(deaths.dead, "device token is", "device tokens are")) reported dead, \(span).")
    }
    if deaths.doubtful > 0 {
      sentences.append(
        "\(Figures.count(deaths.doubtful, "token is", "tokens are")) named by doubtful records alone and not counted as "
          + "dead.")
    }
    return sentences
  }

  private static func outcomes(_ gateway: GatewayCounts) -> [String] {
    guard gateway.requests > 0 else { return [] }
    if gateway.unknown == gateway.requests {
      return [
        "What became of the requests is not known: nothing is sent on success, and silence proves nothing."
      ]
    }
    let known: [RequestOutcome] = [.accepted, .rejected, .discarded]
    let parts = known.filter { gateway[$0] > 0 }.map { outcome in
      Figures.count(gateway[outcome], "was \(outcome.rawValue)", "were \(outcome.rawValue)")
    }
    let rest = gateway.unknown > 0 ? "; of \(Figures.grouped(gateway.unknown)) nothing is known" : ""
    return ["Of the requests, \(parts.joined(separator: ", "))\(rest)."]
  }
}
