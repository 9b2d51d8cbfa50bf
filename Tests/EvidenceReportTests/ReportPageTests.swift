import APNsWire
import Analysis
import Basics
import CaptureWriting
import EvidenceReport
import PacketCapture
import Reports
import Testing

/// Rendering of report pages.
@Suite("The page of a report") struct ReportPageTests {
  private func page(_ change: (inout ReportPage) -> Void = { _ in }) -> String {
    var page = ReportPage(ReportHead(title: "A title", version: "1.2.3"))
    change(&page)
    return ReportHTML.text(page)
  }

  /// An input of 380 bytes with ten tuples.
  private func sound(_ page: inout ReportPage) {
    page.inputs = [InputSummary(source: "a.bin", format: "raw", bytes: 380, sha256: "00ff")]
    page.summary.streams = 1
    page.summary.streamBytes = 380
    page.summary.recordBytes = 380
    page.summary.feedback = 10
    page.decodedStreams = 1
  }

  @Test("links lead to the page itself, and its policy allows no others") func alone() {
    let text = page(sound)
    let targets = text.matches(of: /href="([^"]*)"/).map { String($0.output.1) }
    #expect(targets.allSatisfy { $0.hasPrefix("#") && text.contains("id=\"\($0.dropFirst())\"") })
    #expect(text.contains("default-src 'none'"))
  }

  // MARK: - Empty states

  @Test("empty sections say so") func empty() {
    let text = page()
    // The chart, streams, findings, flags, and both lists of tokens.
    #expect(text.ranges(of: "<p class=\"empty\">").count == 6)
    for id in ["gateway", "note", "readers", "recovered"] { #expect(!text.contains("id=\"\(id)\""), "\(id)") }
  }

  private static let levels: [(level: String, change: PageSentence.Change)] = [
    ("sound", { _ in }),
    ("damaged", { ($0.summary.skippedBytes, $0.summary.findings) = (38, [.skippedBytes: 1]) }),
    ("doubtful", { $0.flagged[.feedback] = 1 }),
    ("doubtful", { $0.summary.findings = [.conflictingOverlap: 1] }),
    // Ciphertext, and no bytes.
    (
      "unread",
      {
        $0.summary = Summary()
        ($0.summary.undecodedBytes, $0.summary.findings) = (4315, [.encryptedStream: 1])
      }
    ), ("unread", { $0.summary = Summary() }),
  ]

  @Test("the level of the verdict", arguments: levels.indices) func level(_ index: Int) {
    let text = page { page in
      sound(&page)
      Self.levels[index].change(&page)
    }
    #expect(text.contains("<div class=\"verdict \(Self.levels[index].level)\""))
  }

  // MARK: - Words

  @Test("every finding code has its own text", arguments: FindingCode.allCases) func codeWords(
    _ code: FindingCode
  ) {
    let words = code.entry
    #expect(words.title != code.rawValue && !words.title.isEmpty && !words.title.hasSuffix("."))
    for text in [words.cause, words.meaning, words.remedy] { #expect(text.hasSuffix(".") && text.count > 4) }
    let text = page { page in page.findings = [FindingGroup(code: code, count: 2, examples: [])] }
    #expect(text.contains(">\(code.severity.rawValue)</span> \(words.title) <span class=\"times\">2 ×"))
    #expect(FindingCode.allCases.count { $0.entry == words } == 1)
  }

  @Test("every flag has its own text", arguments: RecordFlags.all.map(\.code)) func flagWords(_ code: String)
    throws
  {
    let flag = try #require(FlagEntry.of(code))
    let words = flag.entry
    #expect(!words.title.isEmpty && !words.title.hasSuffix(".") && !flag.records.isEmpty)
    for text in [words.cause, words.meaning, words.remedy] { #expect(text.hasSuffix(".") && text.count > 4) }
    #expect(FlagEntry.all.count { $0.entry == words } == 1)
  }

  // MARK: - Figures

  @Test(
    "only nothing is 0 %, and only the whole is 100 %",
    arguments: [
      (0, 10, "0 %"), (1, 100_000, "less than 0.1 %"), (4, 1000, "0.4 %"), (1, 2, "50 %"), (2, 3, "66.7 %"),
      (99_999, 100_000, "more than 99.9 %"), (7, 7, "100 %"), (0, 0, "0 %"),
    ]) func shares(_ part: Int, _ whole: Int, _ expected: String)
  { #expect(Figures.percent(part, of: whole) == expected) }

  @Test(
    "numbers have a comma before each three digits",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (-1234, "-1,234"), (1_234_567, "1,234,567"),
      (.max, "9,223,372,036,854,775,807"),
    ]) func numbers(_ number: Int, _ expected: String)
  { #expect(Figures.grouped(number) == expected) }

  // MARK: - Bytes

  @Test("a redacted byte is masked in the hex and in the text") func maskedBytes() {
    let bytes = [HexSegment.Byte(0x41, .time), HexSegment.Byte(nil, .token), HexSegment.Byte(0x42, .finding)]
    let text = page { page in
      page.findings = [
        FindingGroup(
          code: .skippedBytes, count: 1,
          examples: [
            FindingExample(
              Finding(
                source: "a", stream: 0, direction: .server, offset: 9, length: 1, code: .skippedBytes,
                message: .verbatim("")), bytes: [HexSegment(offset: 7, bytes: bytes)], command: nil)
          ])
      ]
    }
    #expect(text.contains("<b class=\"time\">41</b> <b class=\"token\">··</b> <b class=\"finding\">42</b>"))
    #expect(text.contains("<span class=\"text\">A·B</span>"))
  }
}
