import PacketCapture

/// The results of the faulty readers in the page.
struct ReadersView {
  struct Reader {
    let name: String
    let habit: String
    let judgement: String
    let counts: [PageView.Fact]
    let isRight: Bool
    let isWrong: Bool
    let difference: String
    let hasDifference: Bool
    let compared: [PageView.Fact]
  }

  let isAudited: Bool
  let readers: [Reader]
  let hasReaders: Bool
  let chunks: String
  let condition: String?
  let leftOut: String?
  let command: String

  init(_ page: ReportPage) {
    isAudited = page.isAudited
    readers = page.readers.map(Self.reader)
    hasReaders = !readers.isEmpty
    chunks = page.chunks
    condition = ReaderTexts.condition(page.auditedStreams)
    leftOut = ReaderTexts.leftOut(page.auditedStreams)
    command = page.commands.audit
  }

  private static func reader(_ total: ReaderTotal) -> Reader {
    let isJudged = total.judged > 0
    func figure(_ number: Int) -> String { isJudged ? Figures.grouped(number) : "–" }
    let counts = [
      PageView.Fact(name: "Streams", value: figure(total.judged)),
      PageView.Fact(name: "True records", value: figure(total.correct + total.missed)),
      PageView.Fact(name: "Reported", value: figure(total.records)),
      PageView.Fact(name: "Correct", value: figure(total.correct)),
      PageView.Fact(name: "Wrong", value: figure(total.wrong)),
      PageView.Fact(name: "Missed", value: figure(total.missed)),
    ]
    let difference = total.difference.map(text) ?? ""
    let compared = [
      total.difference?.expected.map {
        PageView.Fact(name: "True record", value: record($0, of: total.name))
      },
      total.difference?.emitted.map { PageView.Fact(name: "Reported", value: record($0, of: total.name)) },
    ].compactMap { $0 }
    return Reader(
      name: total.name, habit: ReaderTexts.habit(total.name) ?? "", judgement: ReaderTexts.verdict(total),
      counts: counts, isRight: isJudged && !total.hasErred, isWrong: isJudged && total.hasErred,
      difference: difference,
      hasDifference: !difference.isEmpty, compared: compared)
  }

  /// Formats `time,token`, or for error responses `status,identifier`, for the page.
  private static func record(_ text: String, of reader: String) -> String {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return text }
    if reader == "php" { return "status \(parts[0]), identifier \(parts[1])" }
    let time = UInt32(parts[0]).map(Figures.time) ?? "time \(parts[0])"
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

  private static func text(_ difference: ReaderTotal.Difference) -> String {
    "\(difference.source), stream \(difference.stream), record \(difference.record + 1)"
      + (difference.reason.map { ": \($0)." } ?? ".")
  }
}
