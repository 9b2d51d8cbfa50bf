/// Summarises the results of the five faulty readers (docs/spec/readers.md#models).
enum ReaderTexts {
  /// The reader's results, and their consequences.
  static func verdict(_ total: ReaderTotal) -> String {
    guard total.judged > 0 else { return notJudged(total) }
    var sentences = [total.hasErred ? reports(total) : truth(total)]
    if total.wrong > 0 { sentences.append(wrong(total)) }
    if total.missed > 0 { sentences.append(missed(total)) }
    if total.hangs > 0 { sentences.append("On \(streams(total.hangs)) it would never have finished.") }
    if total.throwing > 0 {
      sentences.append("On \(streams(total.throwing)) it would have failed with an exception.")
    }
    if total.conditional > 0 { sentences.append("This holds if it received exactly these bytes.") }
    if total.notJudged > 0 { sentences.append(rest(total)) }
    return sentences.joined(separator: " ")
  }

  private static func noun(_ total: ReaderTotal) -> String { total.name == "php" ? "error" : "invalidation" }

  private static func truth(_ total: ReaderTotal) -> String {
    switch total.correct {
    case 0: "There is nothing to report, and it would have reported nothing."
    case 1: "It would have reported correctly: 1 \(noun(total))."
    default:
      "It would have reported correctly: \(Figures.count(total.correct, noun(total)))"
        + (total.right < total.judged ? ", though in a different order." : ".")
    }
  }

  private static func reports(_ total: ReaderTotal) -> String {
    let reported = "It would have reported \(Figures.count(total.records, noun(total)))"
    switch (total.records, total.correct) {
    case (0, _): return "It would have reported nothing."
    case (1, 0): return reported + "."
    case (1, _): return reported + ", which is correct."
    case (_, 0): return reported + ", none of them correct."
    case (let records, let correct) where correct == records: return reported + ", all of them correct."
    case (_, let correct): return reported + ", \(Figures.grouped(correct)) of them correct."
    }
  }

  /// A wrong report may name no device at all, such as a report with an empty token.
  private static func wrong(_ total: ReaderTotal) -> String {
    let count = Figures.count(total.wrong, "report is wrong", "reports are wrong")
    let isOne = total.wrong == 1
    if total.name == "php" { return "\(count): the gateway sent no such error\(isOne ? "" : "s")." }
    return "\(count): the stream contains no such record\(isOne ? "" : "s, or fewer of them"). "
      + "If \(isOne ? "it" : "one") names an existing device, acting on it may have cut off an active device."
  }

  /// The token of a missed record may also appear in a record that was not missed.
  private static func missed(_ total: ReaderTotal) -> String {
    let count = "It would have missed \(Figures.count(total.missed, noun(total)))"
    let isOne = total.missed == 1
    if total.name == "php" {
      return
        "\(count): \(isOne ? "a failed notification" : "failed notifications") may have been treated as sent."
    }
    return "\(count): notifications to \(isOne ? "that token" : "those tokens") may have continued."
  }

  private static func notJudged(_ total: ReaderTotal) -> String {
    guard let reason = total.reason else { return "Not judged: no stream is of the kind that it reads." }
    if total.notJudged == 1 { return "Not judged: \(reason)." }
    return "Not judged on any of \(streams(total.notJudged)). The first reason: \(reason)."
  }

  /// Each stream may have its own reason; only the first is kept.
  private static func rest(_ total: ReaderTotal) -> String {
    let count = Figures.count(total.notJudged, "more stream is", "more streams are")
    guard let reason = total.reason else { return "\(count) not judged." }
    return "\(count) not judged\(total.notJudged == 1 ? "" : "; the first reason"): \(reason)."
  }

  private static func streams(_ count: Int) -> String { Figures.count(count, "stream") }

  /// The assumption on which all verdicts rest; nil if there is none.
  static func condition(_ streams: AuditedStreams) -> String? {
    guard streams.conditional > 0 else { return nil }
    let which =
      streams.judged == 1
      ? "The stream that they are judged on has"
      : "Of the \(Figures.grouped(streams.judged)) streams that they are judged on, \(Figures.count(streams.conditional, "has", "have"))"
    return which
      + " bytes that belong to no record. These results hold if the readers received exactly these bytes. If the file was "
      + "damaged after it was saved, the readers received different bytes, and the results do not apply."
  }

  /// A sentence about streams that are left out; nil if there are none.
  static func leftOut(_ streams: AuditedStreams) -> String? {
    guard streams.unrecognised > 0 else { return nil }
    return Figures.count(
      streams.unrecognised, "stream is left out: no record was recognised in it.",
      "streams are left out: no record was recognised in them.")
  }
}
