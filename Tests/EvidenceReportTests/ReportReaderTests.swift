import Analysis
import Basics
import Conformance
import EvidenceReport
import TestSupport
import Testing

/// The page's sentences about the faulty readers. The wording is pinned here.
@Suite("The readers in a report") struct ReportReaderTests {
  private func page(_ change: (inout ReportPage) -> Void) -> String {
    ReportPage.html { page in
      (page.readers, page.isAudited) = ([ReaderTotal("java")], true)
      change(&page)
    }
  }

  /// Of a name; records, correct, missed; streams judged, with a hang, with an exception, and not judged.
  private static func total(_ text: String) -> Sentence.Change {
    { page in
      let words = text.split(separator: " ")
      let figures = words.dropFirst().map { Int($0) ?? 0 }
      var total = ReaderTotal(String(words[0]))
      (total.records, total.correct, total.missed) = (figures[0], figures[1], figures[2])
      (total.judged, total.hangs, total.throwing, total.notJudged) = (
        figures[3], figures[4], figures[5], figures[6]
      )
      total.right = total.wrong + total.missed + total.hangs + total.throwing == 0 ? total.judged : 0
      total.reason = figures[6] > 0 ? "the input is missing 3 bytes" : nil
      page.readers = [total]
    }
  }

  private static let verdicts: KeyValuePairs<String, Sentence.Change> = [
    "It would have reported correctly: 2 invalidations, though in a different order.": {
      $0.readers = [ReaderTotal("java")]
      ($0.readers[0].records, $0.readers[0].correct, $0.readers[0].judged) = (2, 2, 1)
    },
    "1 stream is left out: no record was recognised in it.": {
      ($0.readers, $0.auditedStreams) = ([ReaderTotal("java")], AuditedStreams(judged: 1, unrecognised: 1))
    },
    "2 streams are left out: no record was recognised in them.": {
      ($0.readers, $0.auditedStreams) = ([ReaderTotal("java")], AuditedStreams(judged: 1, unrecognised: 2))
    },
  ]

  @Test(
    "results and their consequences",
    arguments: (Fixtures.rows("verdicts on readers", in: "page-texts") as [(String, String)]).map {
      Sentence(text: $0.0, change: total($0.1))
    } + verdicts.map(Sentence.init(text:change:)))
  func verdict(_ sentence: Sentence) { sentence.expect() }

  /// In hex.
  private static func token(_ length: Int) -> String { String(repeating: "ab", count: length) }

  @Test(
    "the first difference, with unusually long tokens abbreviated",
    arguments: [
      ("java", "7,ab", "1970-01-01 00:00:07 UTC, ab"), ("java", "-1,ab", "time -1, ab"),
      ("php", "8,6", "status 8, identifier 6"), ("java", "nonsense", "nonsense"),
      ("java", "7,", "1970-01-01 00:00:07 UTC, an empty token"),
      ("java", "7,\(token(100))", "1970-01-01 00:00:07 UTC, \(token(100))"),
      ("java", "7,\(token(101))", "1970-01-01 00:00:07 UTC, abababababababab…abababababababab (101 bytes)"),
      (
        "java", "7,\(token(3341))", "1970-01-01 00:00:07 UTC, abababababababab…abababababababab (3,341 bytes)"
      ),
    ]) func difference(_ reader: String, _ record: String, _ shown: String)
  {
    for reason in [nil, Message.verbatim("why")] {
      let text = page { page in
        page.readers = [ReaderTotal(reader)]
        (page.readers[0].source, page.readers[0].stream) = ("a", 1)
        page.readers[0].difference = FirstDifference(
          record: 2, expected: record, emitted: record, reason: reason ?? "")
      }
      let location = "First difference: a, stream 1, record 3"
      #expect(text.contains("<p class=\"message\">\(location)\(reason == nil ? "." : ": why.")</p>"))
      #expect(text.contains("<span>True record</span> \(shown)</p>"))
      #expect(text.contains("<span>Reported</span> \(shown)</p>"))
    }
  }

  @Test(
    "the assumption if bytes belong to no record",
    arguments: [
      (1, 1, "The stream that they are judged on has bytes that belong to no record."),
      (3, 1, "Of the 3 streams that they are judged on, 1 has bytes that belong to no record."),
      (3, 2, "Of the 3 streams that they are judged on, 2 have bytes that belong to no record."),
    ]) func condition(_ judged: Int, _ conditional: Int, _ expected: String)
  {
    let text = page { page in
      page.auditedStreams = AuditedStreams(judged: judged, conditional: conditional)
      (page.readers[0].judged, page.readers[0].conditional) = (judged, conditional)
    }
    let condition = " These results hold if the readers received exactly these bytes."
    #expect(text.contains("<p class=\"alert\">\(expected)\(condition)"))
    #expect(text.contains("This holds if it received exactly these bytes."))
    let sound = page { $0.auditedStreams = AuditedStreams(judged: judged) }
    #expect(!sound.contains("belong to no record. These results"))
  }
}
