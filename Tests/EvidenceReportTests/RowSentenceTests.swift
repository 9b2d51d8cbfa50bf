import APNsWire
import Analysis
import Basics
import EvidenceReport
import PacketCapture
import Testing

/// Golden tests of the sentences in the tables and lists of the page.
@Suite("Sentences of rows")
struct RowSentenceTests {
  private static func ofInput(_ change: @escaping @Sendable (inout InputSummary) -> Void)
    -> PageSentence.Change
  {
    { change(&$0.inputs[0]) }
  }

  static let inputs: [PageSentence] = [
    PageSentence("not read", ofInput { $0.format = nil }),
    PageSentence("raw, gzip-compressed", ofInput { $0.compression = "gzip" }),
    PageSentence(
      "pcap capture, 1 packet",
      ofInput {
        $0.captureKind = "pcap"
        $0.packets = 1
      }),
    PageSentence("1 byte", ofInput { $0.bytes = 1 }),
    PageSentence("4,000 bytes (3.91 KiB)", ofInput { $0.bytes = 4000 }),
    PageSentence("unknown", ofInput { $0.sha256 = nil }),
    PageSentence("Identical to", ofInput { $0.sameBytesAs = "b" }),
    PageSentence(": its contents are counted again", ofInput { $0.sameBytesAs = "b" }),
    PageSentence("In records"), PageSentence("Skipped: part of no record"),
    PageSentence("Cut off: an incomplete record"),
    PageSentence("Not decoded: encrypted or of another protocol") { $0.summary.undecodedBytes = 1 },
    PageSentence("Missing from the input") { $0.summary.gapBytes = 1 },
  ]

  @Test("inputs, and the account of their bytes", arguments: inputs)
  func input(_ sentence: PageSentence) { sentence.expect() }

  private static func ofStream(_ change: @escaping @Sendable (inout StreamSummary) -> Void)
    -> PageSentence.Change
  {
    { page in
      var stream = StreamSummary(source: "a.bin", number: 0, streamProtocol: .feedback)
      change(&stream)
      page.streams = [stream]
      page.summary.streams = 2
      page.streamsLeftOut = 1
    }
  }

  static let streams: [PageSentence] = [
    PageSentence("1 of 2 streams is listed. All of them:", ofStream { _ in }),
    PageSentence("1,000 from the server", ofStream { $0.serverBytes = 1000 }),
    PageSentence(
      "1 from the server, 2 from the client",
      ofStream {
        $0.serverBytes = 1
        $0.clientBytes = 2
      }),
  ]

  @Test("streams", arguments: streams)
  func stream(_ sentence: PageSentence) { sentence.expect() }

  static let findings: [PageSentence] = [
    PageSentence(
      "1 record carries flags. A doubtful record was read, and does not count as an invalidation. A record may carry "
        + "several flags."
    ) {
      $0.flagged[.feedback] = 1
      $0.summary.flags[0] = 1
    },
    PageSentence(
      "2 records carry flags. A doubtful record was read, and does not count as an invalidation. A record may carry "
        + "several flags."
    ) {
      $0.flagged[.feedback] = 2
      $0.summary.flags[0] = 2
    },
    PageSentence("None of 2 is shown. All of them:") {
      $0.findings = [FindingGroup(code: .skippedBytes, count: 2, examples: [])]
    },
    PageSentence("1, from the client") {
      let finding = Finding(
        source: "a.bin", stream: 1, direction: .client, code: .skippedBytes, message: .verbatim(""))
      let example = FindingExample(finding, command: nil)
      $0.findings = [FindingGroup(code: .skippedBytes, count: 1, examples: [example])]
    },
    PageSentence(
      "In the bytes below: bytes of the finding, and time, length and token of a neighbouring record."
    ) { $0.findings = [RowSentenceTests.gap(.skippedBytes)] },
    PageSentence("2 bytes between") { $0.findings = [RowSentenceTests.gap(.skippedBytes)] },
    PageSentence("2 bytes missing") { $0.findings = [RowSentenceTests.gap(.streamGap)] },
  ]

  /// A finding whose bytes are shown but for two in the middle.
  private static func gap(_ code: FindingCode) -> FindingGroup {
    let byte = HexSegment.Byte(7, .other)
    let bytes = [
      HexSegment(offset: 0, bytes: [byte]), HexSegment(offset: 3, bytes: [byte]),
    ]
    let finding = Finding(
      source: "a", stream: 0, direction: .server, offset: 1, length: 2, code: code, message: .verbatim(""))
    return FindingGroup(
      code: code, count: 1, examples: [FindingExample(finding, bytes: bytes, command: nil)])
  }

  @Test("findings and flags", arguments: findings)
  func finding(_ sentence: PageSentence) { sentence.expect() }

  private static func ofRow(_ length: Int, counted: UInt32, of records: UInt32) -> PageSentence.Change {
    { page in
      page.invalidations.rows = [
        Invalidations.Row(
          token: "ab", time: 0, countedRecords: counted, records: records, length: length)
      ]
      page.invalidations.repeated = page.invalidations.rows
      page.invalidations.repeatedCount = 2
      page.invalidations.dead = 3
    }
  }

  static let tokens: [PageSentence] = [
    PageSentence("54 bytes", ofRow(54, counted: 1, of: 1)),
    PageSentence("1 doubtful record", ofRow(32, counted: 1, of: 2)),
    PageSentence("1 byte, 2 doubtful records", ofRow(1, counted: 1, of: 3)),
    PageSentence("not counted", ofRow(32, counted: 0, of: 1)),
    PageSentence("4,294,967,295 or more", ofRow(32, counted: .max, of: .max)),
    PageSentence("1 of 3 is listed. All of them, as a table:", ofRow(32, counted: 1, of: 1)),
    PageSentence("Every record, with its location:", ofRow(32, counted: 1, of: 1)),
    PageSentence(
      "The service reports a token again if notifications are sent to it after its invalidation. Many repetitions "
        + "may mean that the sender ignored the first report. 1 of 2 is listed.",
      ofRow(32, counted: 1, of: 1)),
    PageSentence(
      "The service reports a token again if notifications are sent to it after its invalidation. But some inputs "
        + "are identical to others (see Examined inputs), and each copy repeats its tokens. The numbers therefore "
        + "say nothing about the sender."
    ) {
      $0.inputs[0].sameBytesAs = "b"
      $0.invalidations.repeatedCount = 1
    },
    PageSentence("1 invalidated token.") { $0.invalidations.dead = 1 },
    PageSentence(
      "2 invalidated tokens, the latest first. A device that registered again at or after the time of "
        + "invalidation counts as active: compare the two times before acting on this list. Below each token is the location "
        + "of the record with that time and, if another record has an earlier time, of the first one."
    ) { $0.invalidations.dead = 2 },
    PageSentence("1 token is named only by flagged records and not counted as invalidated.") {
      $0.invalidations.doubtful = 1
    },
    PageSentence("2 tokens are named only by flagged records and not counted as invalidated.") {
      $0.invalidations.doubtful = 2
    },
  ]

  @Test("tokens", arguments: tokens)
  func token(_ sentence: PageSentence) { sentence.expect() }

  private static func ofResponse(
    _ change: @escaping @Sendable (inout GatewayRows.Response) -> Void
  ) -> PageSentence.Change {
    { page in
      var response = GatewayRows.Response(at: RecordLocation(source: "a", stream: 0, offset: 1000))
      change(&response)
      page.gateway.responses = [response]
      page.summary.gateway.responses = 2
    }
  }

  static let gateway: [PageSentence] = [
    PageSentence(
      "Status 8, invalid token: identifier 6, which refers to the request at offset 1,255.",
      ofResponse {
        ($0.status, $0.identifier, $0.requestOffset) = (8, 6, 1255)
      }),
    PageSentence(
      "Status 77, not in Apple’s table: identifier 6, which refers to no request in the inputs.",
      ofResponse { ($0.status, $0.identifier) = (77, 6) }),
    PageSentence(
      "Status ··, left out: identifier ··, which refers to no request in the inputs.", ofResponse { _ in }),
    PageSentence("a, stream 0, offset 1,000", ofResponse { _ in }),
    PageSentence(
      "a, stream 0, offset 1,000, packet 1,234, 2013-05-01 09:30:00.5 UTC · after-close, uncorrelated",
      ofResponse {
        ($0.location.packet, $0.capturedAt) = (1234, "2013-05-01T09:30:00.5Z")
        $0.flags = ["after-close", "uncorrelated"]
      }),
    PageSentence("1 of 2 is shown. All of them:", ofResponse { _ in }),
    PageSentence("The inputs contain no error response.") { $0.summary.gateway.unknown = 1 },
    PageSentence(
      "The outcome of each request follows from the errors that the gateway sent before it closed the connection. "
        + "Requests: 1 with command 0, 2,000 with command 2."
    ) {
      $0.summary.gateway.unknown = 2001
      $0.gateway.commands = [1, 0, 2000]
    },
    PageSentence(
      "Sent before the request that an error refers to: the gateway accepted it. Its delivery is not confirmed."
    ) { $0.summary.gateway.accepted = 1 },
    PageSentence("The request that an error refers to: it failed, for the reason below.") {
      $0.summary.gateway.accepted = 1
    },
    PageSentence("Sent after the one that failed: the gateway discarded it, and it had to be sent again.") {
      $0.summary.gateway.accepted = 1
    },
    PageSentence(
      "No error response decides it. The gateway sends nothing on success, so silence proves nothing."
    ) { $0.summary.gateway.accepted = 1 },
    PageSentence("Every request with its outcome:") { $0.summary.gateway.accepted = 1 },
    PageSentence("The discarded requests, which had to be sent again:") { $0.summary.gateway.discarded = 1 },
  ]

  @Test("gateway connections", arguments: gateway)
  func connection(_ sentence: PageSentence) { sentence.expect() }
}
