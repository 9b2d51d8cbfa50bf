import Analysis
import EvidenceReport
import PacketCapture
import Reports
import Testing

/// Sentences of the page with counts of zero, one and more. The wording is pinned here.
@Suite("Sentences of a report")
struct ReportSentenceTests {
  private func page(_ change: (inout ReportPage) -> Void) -> String {
    var page = ReportPage(ReportHead(title: "A title", version: "1.2.3"))
    page.inputs = [InputSummary(source: "a.bin", format: "raw", bytes: 380, sha256: "00ff")]
    change(&page)
    return ReportHTML.text(page)
  }

  // MARK: - The verdict

  /// Bytes in records, skipped bytes, findings, tuples, flagged tuples.
  private static let openings: [([Int], String)] = [
    ([0, 0, 0, 0, 0], "The input contains no stream data."),
    ([0, 1, 1, 0, 0], "The 1 byte could not be read as a record."),
    ([0, 6682, 1, 0, 0], "None of the 6,682 bytes could be read as a record."),
    (
      [38, 1, 1, 1, 0], "Of 39 bytes, 1 could not be read (2.6 %), at 1 location; 1 feedback tuple was read."
    ),
    (
      [38, 7, 2, 1, 1],
      "Of 45 bytes, 7 could not be read (15.6 %), at 2 locations; 1 feedback tuple was read, and it is doubtful."
    ),
    (
      [76, 4, 1, 2, 1],
      "Of 80 bytes, 4 could not be read (5 %), at 1 location; 2 feedback tuples were read, 1 of them doubtful."
    ),
    (
      [38, 0, 0, 1, 0],
      "All 38 bytes of 1 stream were read as 1 feedback tuple; no rule found a problem."
    ),
    ([38, 0, 0, 1, 1], "All 38 bytes of 1 stream were read as 1 feedback tuple, and it is doubtful."),
  ]

  @Test("the opening sentence", arguments: openings)
  func opening(_ figures: [Int], _ expected: String) {
    let text = page { page in
      page.summary.recordBytes = figures[0]
      page.summary.skippedBytes = figures[1]
      page.summary.streamBytes = figures[0] + figures[1]
      page.summary.findings = figures[2] > 0 ? [.skippedBytes: figures[2]] : [:]
      page.summary.feedback = figures[3]
      page.flagged[.feedback] = figures[4]
      page.decodedStreams = 1
    }
    #expect(text.contains("<p class=\"opening\">\(expected)</p>"), "\(expected)")
  }

  @Test("key figures")
  func tiles() {
    let text = page { page in
      page.summary.streamBytes = 38
      page.summary.undecodedBytes = 1
      page.summary.feedback = 1
      page.flagged[.feedback] = 1
      page.invalidations.dead = 1
    }
    for tile in [
      ("39", "bytes examined"), ("1", "feedback tuple"), ("1", "invalidated token"),
      ("0", "bytes not readable"),
      ("1", "byte not decoded"), ("0", "bytes missing"), ("1", "doubtful record"),
    ] {
      #expect(text.contains("<strong>\(tile.0)</strong><span>\(tile.1)</span>"), "\(tile)")
    }
  }

  private static let words: [([FindingCode: Int], String)] = [
    ([FindingCode.encryptedStream: 2], "Not all could be read"),
    ([.unreadableInput: 1], "Not all could be read"),
    ([.encryptedStream: 2, .skippedBytes: 1], "Damage found"), ([.streamGap: 1], "Damage found"),
    ([.midstreamStart: 1], "Read, with doubts"), ([:], "No damage found"),
  ]

  @Test("only damage is called damage", arguments: words)
  func word(_ findings: [FindingCode: Int], _ expected: String) {
    let text = page { page in
      page.summary.feedback = 1
      page.summary.findings = findings
      page.failures = findings[.unreadableInput, default: 0]
    }
    #expect(text.contains("<p class=\"word\">\(expected)</p>"))
  }

  @Test(
    "outcomes of requests",
    arguments: [
      ([0, 1, 0, 0], "<p>The request was rejected.</p>"),
      (
        [2, 1, 0, 1], "<p>Of the requests, 2 were accepted, 1 was rejected; the outcome of 1 is unknown.</p>"
      ),
    ])
  func outcomes(_ counts: [Int], _ expected: String) {
    let text = page { page in
      page.summary.gateway.accepted = counts[0]
      page.summary.gateway.rejected = counts[1]
      page.summary.gateway.discarded = counts[2]
      page.summary.gateway.unknown = counts[3]
    }
    #expect(text.contains(expected))
  }

  private static let damages: [([FindingCode: Int], Int, String)] = [
    ([FindingCode.damagedCapture: 1], 1, "The capture file is damaged at 1 location."),
    ([.damagedCapture: 3], 2, "The capture files are damaged at 3 locations."),
    ([.malformedPacket: 1], 1, "1 packet with invalid headers was skipped."),
  ]

  @Test("damaged captures, and packets with invalid headers", arguments: damages)
  func captures(_ findings: [FindingCode: Int], _ captures: Int, _ expected: String) {
    let text = page { page in
      var input = InputSummary(source: "a.pcap", format: "capture", bytes: 9, sha256: nil)
      input.captureKind = "pcap"
      page.inputs = [InputSummary](repeating: input, count: captures)
      page.summary.findings = findings
    }
    #expect(text.contains("<p>\(expected)</p>"))
  }

  // MARK: - Parts of a whole

  @Test(
    "parts of a whole",
    arguments: [
      (0, "None of 12 is listed"), (1, "1 of 12 is listed"), (2, "2 of 12 are listed"),
      (1000, "1,000 of 12 are listed"),
    ])
  func parts(_ part: Int, _ expected: String) {
    #expect(Figures.part(part, of: 12, "listed") == expected)
  }

  // MARK: - The timeline

  private static let timelines: [([UInt32], String)] = [
    ([UInt32(0)], "1 invalidation in the minute from 1970-01-01 00:00."),
    ([0, 9], "2 invalidations, all in the minute from 1970-01-01 00:00."),
    (
      [0, 60],
      "2 invalidations in 2 bars from 1970-01-01 00:00 to 1970-01-01 00:01; at most 1 per bar."
    ),
    (
      [0, 60, 61],
      "3 invalidations in 2 bars from 1970-01-01 00:00 to 1970-01-01 00:01; "
        + "the most, 2, in the minute from 1970-01-01 00:01."
    ),
    (
      [0, 0, 40 * 86_400],
      "3 invalidations in 41 bars from 1970-01-01 to 1970-02-10; the most, 2, on 1970-01-01."
    ),
  ]

  @Test("text alternative of the timeline", arguments: timelines)
  func timeline(_ times: [UInt32], _ expected: String) {
    let text = page { page in
      for time in times { page.invalidations.histogram.add(time) }
    }
    #expect(text.contains("<desc id=\"timeline-wide-desc\">\(expected)</desc>"), "\(expected)")
  }
}
