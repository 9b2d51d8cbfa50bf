/// The five faulty readers in plain words (docs/readers.md), and what they would have told their owners.
enum ReaderTexts {
  /// What a program that reads so does; nil for a reader that is not known.
  static func habit(_ name: String) -> String? {
    switch name {
    case "cookbook":
      "Written in Objective-C. It reads 38 bytes at a time into one buffer and does not ask how many came, so that a "
        + "short read is taken for a record whose end is left over from the one before."
    case "csharp":
      "Written in C#. It collects bytes and reads records off as soon as 38 are there, so that a shorter one at the "
        + "end is never seen."
    case "node":
      "Written in JavaScript. It reads the length of a token wrongly, so that tokens come out empty and everything "
        + "behind the first record is misread."
    case "java":
      "Written in Java. It reads 38 bytes at a time and does not ask how many came, so that a short read is taken for a "
        + "record that ends in zeros."
    case "php":
      "Written in PHP. It looks once for an error response, without waiting, and misses one that comes in two pieces."
    default: nil
    }
  }

  /// What its owner would have believed, and what came of that.
  static func verdict(_ total: ReaderTotal) -> String {
    guard total.judged > 0 else { return notJudged(total) }
    var sentences = [total.hasErred ? reports(total) : truth(total)]
    if total.wrong > 0 { sentences.append(wrong(total)) }
    if total.missed > 0 { sentences.append(missed(total)) }
    if total.hangs > 0 { sentences.append("On \(streams(total.hangs)) it would never have ended.") }
    if total.throwing > 0 {
      sentences.append("On \(streams(total.throwing)) it would have failed with an exception.")
    }
    if total.conditional > 0 { sentences.append("This holds if it received the bytes as they are here.") }
    if total.notJudged > 0 { sentences.append(rest(total)) }
    return sentences.joined(separator: " ")
  }

  private static func noun(_ total: ReaderTotal) -> String { total.name == "php" ? "error" : "death" }

  private static func truth(_ total: ReaderTotal) -> String {
    switch total.correct {
    case 0: "There is nothing to report, and it would have reported nothing."
    case 1: "It would have told the truth: 1 \(noun(total)), and it is right."
    default:
      "It would have told the truth: \(Figures.count(total.correct, noun(total))), all of them right"
        + (total.right < total.judged ? ", though not in their order." : ".")
    }
  }

  private static func reports(_ total: ReaderTotal) -> String {
    let reported = "It would have reported \(Figures.count(total.records, noun(total)))"
    switch (total.records, total.correct) {
    case (0, _): return "It would have reported nothing."
    case (1, 0): return reported + "."
    case (1, _): return reported + ", and that is right."
    case (_, 0): return reported + ", none of them right."
    case (let records, let correct) where correct == records: return reported + ", all of them right."
    case (_, let correct): return reported + ", \(Figures.grouped(correct)) of them right."
    }
  }

  /// A wrong report may name no device at all, such as one with an empty token.
  private static func wrong(_ total: ReaderTotal) -> String {
    let count = Figures.count(total.wrong, "report is wrong", "reports are wrong")
    let isOne = total.wrong == 1
    if total.name == "php" { return "\(count): the gateway sent no such error\(isOne ? "" : "s")." }
    return "\(count): no record tells of \(isOne ? "that death" : "those deaths, or not so often"). "
      + "\(isOne ? "If it" : "Where one") names a device that exists, whoever acted on it may have cut off one that was alive."
  }

  /// The token of a death that is missed may stand in another record that is not.
  private static func missed(_ total: ReaderTotal) -> String {
    let count = "\(Figures.count(total.missed, noun(total))) it would have missed"
    if total.name == "php" {
      return count
        + (total.missed == 1
          ? ": a notification that failed may have been taken for sent."
          : ": notifications that failed may have been taken for sent.")
    }
    return count + ": notifications to \(total.missed == 1 ? "that token" : "those tokens") may have gone on."
  }

  private static func notJudged(_ total: ReaderTotal) -> String {
    guard let reason = total.reason else { return "Not judged: there is no stream that it could have read." }
    if total.notJudged == 1 { return "Not judged: \(reason)." }
    return "Not judged by any of \(streams(total.notJudged)). The first reason: \(reason)."
  }

  /// Each stream may have a reason of its own, and one is known.
  private static func rest(_ total: ReaderTotal) -> String {
    let count = Figures.count(total.notJudged, "more stream is", "more streams are")
    guard let reason = total.reason else { return "\(count) not judged." }
    return "\(count) not judged\(total.notJudged == 1 ? "" : "; the first reason"): \(reason)."
  }

  private static func streams(_ count: Int) -> String { Figures.count(count, "stream") }

  // MARK: - All of them

  /// What the verdicts on all readers hang on; nil where they stand as they are.
  static func condition(_ streams: AuditedStreams) -> String? {
    guard streams.conditional > 0 else { return nil }
    let which =
      streams.judged == 1
      ? "The stream that they are judged by has"
      : "Of the \(Figures.grouped(streams.judged)) streams that they are judged by, \(Figures.count(streams.conditional, "has", "have"))"
    return which
      + " bytes that belong to no record. What is said of the readers holds if they received these very bytes. If the file "
      + "was damaged after it was saved, they received others, and it says nothing of them."
  }

  /// Of streams that are left out; nil where none is.
  static func leftOut(_ streams: AuditedStreams) -> String? {
    guard streams.unrecognised > 0 else { return nil }
    return Figures.count(
      streams.unrecognised, "stream is left out: no record was recognised in it.",
      "streams are left out: no record was recognised in them.")
  }
}
