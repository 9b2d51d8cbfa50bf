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

  /// What its owner would have believed.
  static func verdict(_ total: ReaderTotal) -> String {
    guard total.judged > 0 else {
      return "Not judged: \(total.reason ?? "there is no stream that it could have read")."
    }
    let isFeedback = total.name != "php"
    let noun = isFeedback ? "death" : "error"
    if !total.hasErred {
      return "It would have told the truth: \(Figures.count(total.correct, noun)), all of them right"
        + (total.right < total.judged ? ", though not in their order." : ".") + rest(total)
    }
    var sentences = [
      "It would have reported \(Figures.count(total.records, noun)), "
        + "\(total.correct == 0 ? "none" : Figures.grouped(total.correct)) of them right."
    ]
    if total.wrong > 0 { sentences.append(wrong(total.wrong, isFeedback: isFeedback)) }
    if total.missed > 0 { sentences.append(missed(total.missed, isFeedback: isFeedback)) }
    if total.hangs > 0 { sentences.append("On \(streams(total.hangs)) it would never have ended.") }
    if total.throwing > 0 {
      sentences.append("On \(streams(total.throwing)) it would have failed with an exception.")
    }
    return sentences.joined(separator: " ") + rest(total)
  }

  private static func wrong(_ count: Int, isFeedback: Bool) -> String {
    let reports = Figures.count(count, "report was", "reports were")
    guard isFeedback else { return "\(reports) wrong." }
    return
      "\(reports) wrong: a token, or a time, that no record holds. Whoever acted on them may have cut off devices "
      + "that were alive."
  }

  private static func missed(_ count: Int, isFeedback: Bool) -> String {
    guard isFeedback else {
      return
        "\(Figures.count(count, "error")) it would have missed: failed notifications would have been taken for sent."
    }
    return "\(Figures.count(count, "death")) it would have missed: notifications to "
      + "\(count == 1 ? "that token" : "those tokens") would have gone on."
  }

  private static func rest(_ total: ReaderTotal) -> String {
    guard total.notJudged > 0 else { return "" }
    let reason = total.reason.map { ": \($0)" } ?? ""
    return " \(Figures.count(total.notJudged, "stream is", "streams are")) not judged\(reason)."
  }

  private static func streams(_ count: Int) -> String { Figures.count(count, "stream") }
}
