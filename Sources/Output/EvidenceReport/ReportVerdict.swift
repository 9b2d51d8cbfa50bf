import APNsWire
import Analysis
import Basics
import PacketCapture

/// The result of the examination in a few sentences, which claim no more than the rules can detect.
struct ReportVerdict: Equatable {
  enum Level: String { case sound, doubtful, damaged, unread }

  var level: Level
  /// The level in a few words.
  var word: String
  /// The first one summarises the result.
  var sentences: [String]

  init(_ page: ReportPage) {
    let (summary, tokens) = (page.summary, page.invalidations)
    level = Self.level(page)
    word = Self.word(level, page)
    sentences = [
      Self.opening(page),
      Self.sentence(summary.gapBytes, "byte is", "bytes are", "known to be missing."),
      summary.undecodedBytes > 0 && summary.streamBytes > 0 ? Self.undecoded(page) : nil,
      page.inputs.isEmpty
        ? nil
        : Self.sentence(
          page.failures, "input", "inputs", "could not be read in full; the unread part is not counted."),
      Self.sentence(
        page.inputs.count { $0.sameBytesAs != nil }, "input is", "inputs are",
        "identical to an earlier one: the contents are counted again."),
      Self.sentence(
        page.files.count { $0.verdict == .copy }, "more file is", "more files are",
        "identical to an input and left out."),
      Self.sentence(
        page.searchedBytes, "byte was", "bytes were", "searched for records, whatever else they contain."),
      Self.sentence(
        Self.unread(page), "file was", "files were", "not read: this page says nothing about the contents."),
      Self.damage(page), Self.invalidations(tokens, page.head.clock),
      Self.sentence(
        tokens.doubtful, "token is", "tokens are",
        "named only by doubtful records and not counted as invalidated."),
      Self.sentence(
        tokens.recovered, "token is", "tokens are",
        "named only by recovered records and not counted as invalidated."),
      Self.outcomes(summary.gateway), Self.outcomes("pushes", summary.pushes.counts),
      Self.outcomes("broadcasts", summary.requests.broadcasts.counts),
    ].compactMap { $0 }
  }

  /// Nil if the count is 0.
  private static func sentence(_ count: Int, _ one: String, _ several: String, _ rest: String) -> String? {
    count > 0 ? "\(Figures.count(count, one, several)) \(rest)" : nil
  }

  private static func level(_ page: ReportPage) -> Level {
    let summary = page.summary
    if page.inputs.isEmpty || summary.records.all == 0 { return .unread }
    if page.failures > 0 || summary.findingCount(.error) > 0 { return .damaged }
    let flagged = page.flagged.all + page.recovered.all
    return summary.findingCount(.warning) > 0 || flagged > 0 ? .doubtful : .sound
  }

  /// Files whose contents were not read.
  private static func unread(_ page: ReportPage) -> Int {
    page.files.count {
      $0.format == nil && $0.searchedBytes == 0 && ![.part, .known, .copy, .empty].contains($0.verdict)
    }
  }

  private static func word(_ level: Level, _ page: ReportPage) -> String {
    let summary = page.summary
    switch level {
    case .sound:
      return "No damage found" + (unread(page) + summary.undecodedBytes > 0 ? " in what was read" : "")
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
      if summary.undecodedBytes == 0, page.searchedBytes > 0 { return "No record was found." }
      if summary.undecodedBytes == 0 { return "The \(inputs(page)) no stream that apnsift reads." }
      return "Nothing could be decoded: " + undecoded(page, asClause: true)
    }
    let lost = summary.skippedBytes + summary.truncatedBytes
    let read = summary.records.text
    guard lost > 0 else {
      return
        "All \(Figures.count(summary.streamBytes, "byte")) of \(Figures.count(max(page.decodedStreams, 1), "stream")) were read "
        + "as \(read)\(flagged(page, else: "; no rule found a problem"))."
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
    return loss + "; \(read) \(summary.records.all == 1 ? "was" : "were") read\(flagged(page, else: ""))."
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
      sentence(packets, "packet with invalid headers was", "packets with invalid headers were", "skipped."),
    ].compactMap { $0 }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  private static func flagged(_ page: ReportPage, else text: String) -> String {
    let count = page.recovered.all
    let recovered = count > 0 ? ", \(Figures.grouped(count)) of them recovered by a search" : ""
    guard page.flagged.all > 0 else {
      return count > 0
        ? recovered : page.summary.findingCount(.error) + page.summary.findingCount(.warning) > 0 ? "" : text
    }
    if page.summary.records.all == 1 { return ", and it is doubtful" }
    return recovered + ", \(Figures.grouped(page.flagged.all)) of them doubtful"
  }

  private static func undecoded(_ page: ReportPage, asClause: Bool = false) -> String {
    let (summary, bytes) = (page.summary, page.summary.undecodedBytes)
    let codes: [FindingCode] = [.encryptedStream, .decryptionFailed, .unrelatedTLS]
    let isCiphertext = codes.contains { summary.findings[$0, default: 0] > 0 }
    let reason = isCiphertext ? "encrypted or of another protocol" : "of another protocol"
    if asClause {
      return "\(bytes == 1 ? "the 1 byte is" : "all \(Figures.count(bytes, "byte")) are") \(reason)."
    }
    return "\(Figures.count(bytes, "more byte is", "more bytes are")) \(reason) and not decoded."
  }

  // MARK: - Results

  private static func invalidations(_ tokens: Invalidations, _ clock: LocalClock?) -> String? {
    guard let times = tokens.times else { return nil }
    let (first, last) = (Figures.time(times.lowerBound, clock), Figures.time(times.upperBound, clock))
    let span = times.count == 1 ? "at \(first)" : "between \(first) and \(last)"
    return sentence(tokens.dead, "device token is", "device tokens are", "reported as invalidated, \(span).")
  }

  private static func outcomes(_ plural: String, _ pushes: PushCounts) -> String? {
    guard pushes.all > 0 else { return nil }
    let known = PushOutcome.allCases.filter { $0 != .unknown }.map { ($0.rawValue, pushes[$0]) }
    return "Of the \(plural), \(outcomes(known, unknown: pushes[.unknown]))."
  }

  private static func outcomes(_ gateway: GatewayCounts) -> String? {
    guard gateway.requests > 0 else { return nil }
    let known = [RequestOutcome.accepted, .rejected, .discarded].map { ($0.rawValue, gateway[$0]) }
    if gateway.unknown == gateway.requests {
      return "The outcome of \(gateway.requests == 1 ? "the request" : "the requests") is unknown: "
        + "the gateway sends nothing on success, so silence proves nothing."
    }
    if gateway.requests == 1, let outcome = known.first(where: { $0.1 > 0 }) {
      return "The request was \(outcome.0)."
    }
    return "Of the requests, \(outcomes(known, unknown: gateway.unknown))."
  }

  private static func outcomes(_ known: [(name: String, count: Int)], unknown: Int) -> String {
    let parts = known.filter { $0.count > 0 }
      .map { Figures.count($0.count, "was \($0.name)", "were \($0.name)") }
    let rest = unknown > 0 ? "the outcome of \(Figures.grouped(unknown)) is unknown" : nil
    return [parts.isEmpty ? nil : parts.joined(separator: ", "), rest].compactMap { $0 }.joined(
      separator: "; ")
  }
}
