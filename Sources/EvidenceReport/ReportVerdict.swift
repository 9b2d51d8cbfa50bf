import APNsWire
import Analysis
import TimeZones

/// The result of the examination in a few sentences, which claim no more than the rules can detect.
struct ReportVerdict: Equatable {
  enum Level: String {
    case sound, doubtful, damaged, unread
  }

  var level: Level
  /// The level in a few words.
  var word: String
  /// The first one summarises the result.
  var sentences: [String]

  init(_ page: ReportPage) {
    let summary = page.summary
    level = Self.level(page)
    word = Self.word(level, summary)
    sentences = [Self.opening(page)]
    if summary.gapBytes > 0 {
      sentences.append("\(Figures.count(summary.gapBytes, "byte is", "bytes are")) known to be missing.")
    }
    if summary.undecodedBytes > 0, summary.streamBytes > 0 { sentences.append(Self.undecoded(page)) }
    if page.failures > 0, !page.inputs.isEmpty {
      sentences.append(
        "\(Figures.count(page.failures, "input")) could not be read in full; the unread part is not counted.")
    }
    let copies = page.inputs.count { $0.sameBytesAs != nil }
    if copies > 0 {
      sentences.append(
        Figures.count(copies, "input is", "inputs are")
          + " identical to an earlier one: the contents are counted again.")
    }
    if let damage = Self.damage(page) { sentences.append(damage) }
    sentences += Self.invalidations(page.invalidations, page.head.clock)
    sentences += Self.outcomes(summary.gateway)
    if let pushes = Self.outcomes(summary.pushes.counts) { sentences.append(pushes) }
  }

  private static func level(_ page: ReportPage) -> Level {
    let summary = page.summary
    if page.inputs.isEmpty || summary.records.all == 0 { return .unread }
    if page.failures > 0 || summary.findingCount(.error) > 0 { return .damaged }
    return summary.findingCount(.warning) > 0 || page.flagged.all > 0 ? .doubtful : .sound
  }

  private static func word(_ level: Level, _ summary: Summary) -> String {
    switch level {
    case .sound: return "No damage found"
    case .doubtful: return "Read, with doubts"
    case .damaged:
      // Ciphertext and unreadable inputs do not count as damage.
      let other: [FindingCode] = [.encryptedStream, .decryptionFailed, .unreadableInput]
      let others = other.reduce(0) { $0 + summary.findings[$1, default: 0] }
      return summary.findingCount(.error) > others ? "Damage found" : "Not all could be read"
    case .unread: return "Nothing was read"
    }
  }

  // MARK: - The first sentence

  private static func opening(_ page: ReportPage) -> String {
    let summary = page.summary
    if page.inputs.isEmpty { return "No input could be read." }
    if summary.streamBytes == 0 {
      if summary.undecodedBytes == 0 { return "The \(inputs(page)) no stream data." }
      return "Nothing could be decoded: " + undecoded(page, asClause: true)
    }
    let lost = summary.skippedBytes + summary.truncatedBytes
    let read = Self.read(summary)
    guard lost > 0 else {
      return
        "All \(Figures.count(summary.streamBytes, "byte")) of \(Figures.count(max(page.decodedStreams, 1), "stream")) were read "
        + "as \(read)\(doubts(page, else: "; no rule found a problem"))."
    }
    let locations =
      summary.findings[.skippedBytes, default: 0] + summary.findings[.truncatedRecord, default: 0]
    if summary.records.all == 0 {
      return summary.streamBytes == 1
        ? "The 1 byte could not be read as a record."
        : "None of the \(Figures.count(summary.streamBytes, "byte")) could be read as a record."
    }
    let share = Figures.percent(lost, of: summary.streamBytes)
    let loss =
      "Of \(Figures.count(summary.streamBytes, "byte")), \(Figures.grouped(lost)) could not be read (\(share))"
      + (locations > 0 ? ", at \(Figures.count(locations, "location"))" : "")
    return loss + "; \(read) \(summary.records.all == 1 ? "was" : "were") read\(doubts(page, else: ""))."
  }

  private static func inputs(_ page: ReportPage) -> String {
    page.inputs.count == 1 ? "input contains" : "\(Figures.grouped(page.inputs.count)) inputs contain"
  }

  /// Damage to the capture files; nil if there is none. Packets with invalid headers may be of another protocol.
  private static func damage(_ page: ReportPage) -> String? {
    let locations = page.summary.findings[.damagedCapture, default: 0]
    let packets = page.summary.findings[.malformedPacket, default: 0]
    let isOne = page.inputs.count { $0.captureKind != nil } == 1
    let sentences = [
      locations > 0
        ? "The capture \(isOne ? "file is" : "files are") damaged at \(Figures.count(locations, "location"))."
        : nil,
      packets > 0
        ? "\(Figures.count(packets, "packet")) with invalid headers \(packets == 1 ? "was" : "were") skipped."
        : nil,
    ].compactMap { $0 }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// `31 feedback tuples`, `200 requests and 1 error response`.
  private static func read(_ summary: Summary) -> String {
    var parts: [String] = []
    let gateway = summary.gateway
    if summary.feedback > 0 { parts.append(Figures.count(summary.feedback, "feedback tuple")) }
    if gateway.requests > 0 { parts.append(Figures.count(gateway.requests, "request")) }
    if gateway.responses > 0 { parts.append(Figures.count(gateway.responses, "error response")) }
    let pushes = summary.pushes.counts.all
    if pushes > 0 { parts.append(Figures.count(pushes, "push", "pushes")) }
    guard let last = parts.popLast() else { return "no record" }
    return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
  }

  private static func doubts(_ page: ReportPage, else text: String) -> String {
    guard page.flagged.all > 0 else {
      return page.summary.findingCount(.error) + page.summary.findingCount(.warning) > 0 ? "" : text
    }
    if page.summary.records.all == 1 { return ", and it is doubtful" }
    return ", \(Figures.grouped(page.flagged.all)) of them doubtful"
  }

  private static func undecoded(_ page: ReportPage, asClause: Bool = false) -> String {
    let summary = page.summary
    let bytes = Figures.count(summary.undecodedBytes, "byte")
    let codes: [FindingCode] = [.encryptedStream, .decryptionFailed, .unrelatedTLS]
    let isCiphertext = codes.contains { summary.findings[$0, default: 0] > 0 }
    let reason =
      isCiphertext
      ? "encrypted or of another protocol" : "of another protocol"
    let all = summary.undecodedBytes == 1 ? "the 1 byte is" : "all \(bytes) are"
    if asClause { return "\(all) \(reason)." }
    return Figures.count(summary.undecodedBytes, "more byte is", "more bytes are")
      + " \(reason) and not decoded."
  }

  // MARK: - Results

  private static func invalidations(_ invalidations: Invalidations, _ clock: LocalClock?) -> [String] {
    var sentences: [String] = []
    if invalidations.dead > 0, let times = invalidations.times {
      let span =
        times.lowerBound == times.upperBound
        ? "at \(Figures.time(times.lowerBound, clock))"
        : "between \(Figures.time(times.lowerBound, clock)) and \(Figures.time(times.upperBound, clock))"
      sentences.append(
        "\(Figures.count(invalidations.dead, "device token is", "device tokens are")) reported as invalidated, \(span)."
      )
    }
    if invalidations.doubtful > 0 {
      sentences.append(
        "\(Figures.count(invalidations.doubtful, "token is", "tokens are")) named only by doubtful records and not counted as "
          + "invalidated.")
    }
    return sentences
  }

  /// Nil without pushes.
  private static func outcomes(_ pushes: PushCounts) -> String? {
    let parts = PushOutcome.allCases.filter { $0 != .unknown && pushes[$0] > 0 }.map { outcome in
      Figures.count(pushes[outcome], "was \(outcome.rawValue)", "were \(outcome.rawValue)")
    }
    guard pushes.all > 0 else { return nil }
    let rest = pushes.unknown > 0 ? "the outcome of \(Figures.grouped(pushes.unknown)) is unknown" : nil
    let known = parts.isEmpty ? nil : parts.joined(separator: ", ")
    return "Of the pushes, \([known, rest].compactMap { $0 }.joined(separator: "; "))."
  }

  private static func outcomes(_ gateway: GatewayCounts) -> [String] {
    guard gateway.requests > 0 else { return [] }
    if gateway.unknown == gateway.requests {
      let which = gateway.requests == 1 ? "the request" : "the requests"
      return [
        "The outcome of \(which) is unknown: the gateway sends nothing on success, so silence proves nothing."
      ]
    }
    let known: [RequestOutcome] = [.accepted, .rejected, .discarded]
    let parts = known.filter { gateway[$0] > 0 }.map { outcome in
      Figures.count(gateway[outcome], "was \(outcome.rawValue)", "were \(outcome.rawValue)")
    }
    if gateway.requests == 1, let outcome = known.first(where: { gateway[$0] > 0 }) {
      return ["The request was \(outcome.rawValue)."]
    }
    let rest = gateway.unknown > 0 ? "; the outcome of \(Figures.grouped(gateway.unknown)) is unknown" : ""
    return ["Of the requests, \(parts.joined(separator: ", "))\(rest)."]
  }
}
