import Analysis
import EvidenceReport
import Testing

/// Golden tests of the sentences that sum up the results.
@Suite("Sentences of the verdict")
struct VerdictSentenceTests {
  static let openings: [PageSentence] = [
    PageSentence("No input could be read.") { $0.inputs = [] },
    PageSentence("The 2 inputs contain no stream data.") { $0.inputs += $0.inputs },
    PageSentence("Nothing could be decoded: all 4,315 bytes are encrypted or of another protocol.") {
      $0.summary.undecodedBytes = 4315
      $0.summary.findings = [.encryptedStream: 1]
    },
    PageSentence("Nothing could be decoded: the 1 byte is of another protocol.") {
      $0.summary.undecodedBytes = 1
    },
    PageSentence("All 380 bytes of 1 stream were read as no record; no rule found a problem.") { $0.read(0) },
    PageSentence("All 380 bytes of 2 streams were read as 10 feedback tuples.") {
      $0.read(10)
      $0.decodedStreams = 2
      $0.summary.findings = [.midstreamStart: 1]
    },
    PageSentence(
      "All 380 bytes of 1 stream were read as 1 feedback tuple, 2 requests and 3 error responses, 1,000 of them "
        + "doubtful."
    ) {
      $0.read(1)
      $0.summary.gateway.accepted = 2
      $0.summary.gateway.responses = 3
      $0.flagged[.feedback] = 1000
    },
    PageSentence(
      "All 380 bytes of 1 stream were read as 1 request and 1 error response; no rule found a problem."
    ) {
      $0.read(0)
      $0.summary.gateway.rejected = 1
      $0.summary.gateway.responses = 1
    },
    PageSentence("Of 380 bytes, 7 could not be read (1.8 %); 2 feedback tuples were read.") {
      $0.read(2, skipped: 7)
    },
  ]

  @Test("the opening", arguments: openings)
  func opening(_ sentence: PageSentence) { sentence.expect() }

  static let losses: [PageSentence] = [
    PageSentence("1 byte is known to be missing.") { $0.summary.gapBytes = 1 },
    PageSentence("1,460 bytes are known to be missing.") { $0.summary.gapBytes = 1460 },
    PageSentence("1 more byte is of another protocol and not decoded.") {
      $0.read(10)
      $0.summary.undecodedBytes = 1
    },
    PageSentence("2 more bytes are encrypted or of another protocol and not decoded.") {
      $0.read(10)
      $0.summary.undecodedBytes = 2
      $0.summary.findings = [.encryptedStream: 1]
    },
    PageSentence("1 input could not be read in full; the unread part is not counted.") { $0.failures = 1 },
    PageSentence("2 inputs could not be read in full; the unread part is not counted.") { $0.failures = 2 },
    PageSentence("2 inputs could not be read in full; see the findings.") { $0.failures = 2 },
    PageSentence("1 input is identical to an earlier one: the contents are counted again.") {
      $0.inputs[0].sameBytesAs = "b"
    },
    PageSentence("2 inputs are identical to an earlier one: the contents are counted again.") {
      $0.inputs[0].sameBytesAs = "b"
      $0.inputs += $0.inputs
    },
    PageSentence("The capture file is damaged at 1 location. 2 packets with invalid headers were skipped.") {
      $0.inputs[0].captureKind = "pcap"
      $0.summary.findings = [.damagedCapture: 1, .malformedPacket: 2]
    },
  ]

  @Test("what is missing or counted twice", arguments: losses)
  func loss(_ sentence: PageSentence) { sentence.expect() }

  static let results: [PageSentence] = [
    PageSentence("Nothing was read") { _ in },
    PageSentence("1 device token is reported as invalidated, at 2013-05-01 09:30:00 UTC.") {
      $0.invalidations.dead = 1
      $0.invalidations.times = 1_367_400_600...1_367_400_600
    },
    PageSentence(
      "2 device tokens are reported as invalidated, between 2013-05-01 09:30:00 UTC and 2013-05-02 09:30:00 UTC."
    ) {
      $0.invalidations.dead = 2
      $0.invalidations.times = 1_367_400_600...1_367_487_000
    },
    PageSentence("1 token is named only by doubtful records and not counted as invalidated.") {
      $0.invalidations.doubtful = 1
    },
    PageSentence("2 tokens are named only by doubtful records and not counted as invalidated.") {
      $0.invalidations.doubtful = 2
    },
    PageSentence(
      "The outcome of the request is unknown: the gateway sends nothing on success, so silence proves nothing."
    ) { $0.summary.gateway.unknown = 1 },
    PageSentence(
      "The outcome of the requests is unknown: the gateway sends nothing on success, so silence proves nothing."
    ) { $0.summary.gateway.unknown = 2 },
    PageSentence("Of the requests, 1 was accepted, 1 was rejected, 2 were discarded.") {
      $0.summary.gateway.accepted = 1
      $0.summary.gateway.rejected = 1
      $0.summary.gateway.discarded = 2
    },
  ]

  @Test("results", arguments: results)
  func result(_ sentence: PageSentence) { sentence.expect() }

  private static let units: [(hours: UInt32, by: String, phrase: String)] = [
    (1, "minute", "in the minute from 1970-01-01 00:00"),
    (3, "5 minutes", "in the 5 minutes from 1970-01-01 00:00"),
    (12, "15 minutes", "in the 15 minutes from 1970-01-01 00:00"),
    (48, "hour", "in the hour from 1970-01-01 00:00"),
    (14 * 24, "6 hours", "in the 6 hours from 1970-01-01 00:00"),
    (40 * 24, "day", "on 1970-01-01"), (300 * 24, "week", "in the week from 1970-01-01"),
    (1461 * 24, "month", "in 1970-01"), (14 * 365 * 24, "quarter", "in 1970 Q1"),
    (40 * 365 * 24, "year", "in 1970"), (100 * 365 * 24, "5 years", "in the 5 years from 1970"),
  ]

  @Test("the timeline names its unit", arguments: units.indices)
  func unit(_ index: Int) {
    let unit = Self.units[index]
    let change: PageSentence.Change = { page in
      for time in [0, 0, unit.hours * 3600] { page.invalidations.histogram.add(time) }
    }
    for text in [
      "3 invalidations by \(unit.by), at the times that Apple’s service reported. Each token counts once, at the "
        + "latest time among its records. Flagged records do not count.",
      "Invalidated tokens by \(unit.by) (UTC).", "Invalidations by \(unit.by)",
      "the most, 2, \(unit.phrase).",
    ] {
      PageSentence(text, change).expect()
    }
  }
}
