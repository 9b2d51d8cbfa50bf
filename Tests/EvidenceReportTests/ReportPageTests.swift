import APNsWire
import Analysis
import Basics
import EvidenceReport
import PacketCapture
import TestSupport
import Testing

@Suite("The page of a report") struct ReportPageTests {
  /// The input has ten tuples.
  private func sound(_ page: inout ReportPage) {
    (page.decodedStreams, page.summary.streams, page.summary.feedback) = (1, 1, 10)
    (page.summary.streamBytes, page.summary.recordBytes) = (380, 380)
  }

  @Test("links lead to the page itself, and its policy allows no others") func alone() {
    let text = ReportPage.html(sound)
    let targets = text.matches(of: /href="([^"]*)"/).map { String($0.output.1) }
    #expect(targets.allSatisfy { $0.hasPrefix("#") && text.contains("id=\"\($0.dropFirst())\"") })
    #expect(text.contains("default-src 'none'"))
  }

  @Test("empty sections say so") func empty() {
    let text = ReportPage.html { $0.inputs = [] }
    // The chart, streams, findings, flags, and both lists of tokens.
    #expect(text.ranges(of: "<p class=\"empty\">").count == 6)
    for id in ["gateway", "note", "readers", "recovered"] { #expect(!text.contains("id=\"\(id)\""), "\(id)") }
  }

  private static let levels: KeyValuePairs<String, Sentence.Change> = [
    "sound": { _ in },
    "damaged": { ($0.summary.skippedBytes, $0.summary.findings) = (38, [.skippedBytes: 1]) },
    "doubtful": { $0.flagged[.feedback] = 1 },
    "doubtful": { $0.summary.findings = [.conflictingOverlap: 1] },
    // Ciphertext, and no bytes.
    "unread": {
      $0.summary = Summary()
      ($0.summary.undecodedBytes, $0.summary.findings) = (4315, [.encryptedStream: 1])
    },
    "unread": { $0.summary = Summary() },
  ]

  @Test("the level of the verdict", arguments: Array(levels))
  func level(_ level: String, _ change: Sentence.Change) {
    let text = ReportPage.html { page in
      sound(&page)
      change(&page)
    }
    #expect(text.contains("<div class=\"verdict \(level)\""))
  }

  @Test("every finding code has its own text", arguments: FindingCode.allCases)
  func codeWords(_ code: FindingCode) {
    let words = code.entry
    #expect(words.title != code.rawValue && !words.title.isEmpty && !words.title.hasSuffix("."))
    for text in [words.cause, words.meaning, words.remedy] { #expect(text.hasSuffix(".") && text.count > 4) }
    let text = ReportPage.html { $0.findings = [FindingGroup(code: code, count: 2, examples: [])] }
    #expect(text.contains(">\(code.severity.rawValue)</span> \(words.title) <span class=\"times\">2 ×"))
    #expect(FindingCode.allCases.count { $0.entry == words } == 1)
  }

  @Test("every flag has its own text", arguments: RecordFlags.all.map(\.code))
  func flagWords(_ code: String) throws {
    let flag = try #require(FlagEntry.of(code))
    let words = flag.entry
    #expect(!words.title.isEmpty && !words.title.hasSuffix(".") && !flag.records.isEmpty)
    for text in [words.cause, words.meaning, words.remedy] { #expect(text.hasSuffix(".") && text.count > 4) }
    #expect(FlagEntry.all.count { $0.entry == words } == 1)
  }

  @Test(
    "the glossary explains its terms in order, and pseudonyms only where there are some",
    arguments: [false, true])
  func glossary(_ isRedacted: Bool) throws {
    let html = ReportPage.html { $0.head.isRedacted = isRedacted }
    let list = try #require(html.firstMatch(of: /<dl class="glossary">([\s\S]*?)<\/dl>/)).output.1
    let terms = list.matches(of: /<dt>([^<]+)<\/dt><dd>[^<]+\.<\/dd>/).map { $0.output.1.lowercased() }
    #expect(terms == terms.sorted() && terms.count >= 20)
    #expect(terms.count == list.matches(of: /<dt>/).count)
    #expect(terms.contains("pseudonym") == isRedacted)
  }

  @Test(
    "only nothing is 0 %, and only the whole is 100 %",
    arguments: [
      (0, 10, "0 %"), (1, 100_000, "less than 0.1 %"), (4, 1000, "0.4 %"), (1, 2, "50 %"), (2, 3, "66.7 %"),
      (99_999, 100_000, "more than 99.9 %"), (7, 7, "100 %"), (0, 0, "0 %"),
    ]) func shares(_ part: Int, _ whole: Int, _ expected: String)
  { #expect(Figures.percent(part, of: whole) == expected) }

  @Test(
    "numbers have a comma before each three digits",
    arguments: Fixtures.rows("grouped numbers", in: "page-texts") as [(Int, String)])
  func numbers(_ number: Int, _ expected: String) { #expect(Figures.grouped(number) == expected) }

  @Test(
    "parts of a whole",
    arguments: Fixtures.rows("parts of 12", in: "page-texts") as [(Int, String)])
  func parts(_ part: Int, _ expected: String) { #expect(Figures.part(part, of: 12, "listed") == expected) }

  @Test("key figures") func tiles() {
    let html = ReportPage.html { page in
      (page.summary.streamBytes, page.summary.undecodedBytes, page.summary.feedback) = (38, 1, 1)
      (page.flagged[.feedback], page.invalidations.dead) = (1, 1)
    }
    let tiles = html.matches(of: /<strong>([\d,]+)<\/strong><span>([^<]*)</).map {
      "\($0.output.1) \($0.output.2)"
    }
    #expect(
      Set(tiles).isSuperset(of: [
        "39 bytes examined", "1 feedback tuple", "1 invalidated token", "0 bytes not readable",
        "1 byte not decoded", "0 bytes missing", "1 doubtful record",
      ]), "\(tiles)")
  }

  @Test("a redacted byte is masked in the hex and in the text") func maskedBytes() {
    let bytes = [HexSegment.Byte(0x41, .time), HexSegment.Byte(nil, .token), HexSegment.Byte(0x42, .finding)]
    let finding = Finding(source: "a", stream: 0, offset: 9, length: 1, code: .skippedBytes, message: "")
    let example = FindingExample(finding, bytes: [HexSegment(offset: 7, bytes: bytes)], command: nil)
    let text = ReportPage.html {
      $0.findings = [FindingGroup(code: .skippedBytes, count: 1, examples: [example])]
    }
    #expect(text.contains("<b class=\"time\">41</b> <b class=\"token\">··</b> <b class=\"finding\">42</b>"))
    #expect(text.contains("<span class=\"text\">A·B</span>"))
  }
}
