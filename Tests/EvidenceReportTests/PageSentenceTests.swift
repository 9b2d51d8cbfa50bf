import APNsWire
import Analysis
import EvidenceReport
import PacketCapture
import PushTestSupport
import Reports
import Testing

/// Sentences of the page with their numbers and plurals. Where a condition decides a part of a sentence, that part is here.
@Suite("Sentences of a page") struct PageSentenceTests {
  typealias Change = Sentence.Change

  /// Bytes in records, skipped bytes, findings, tuples, flagged tuples.
  private static func read(_ figures: Int...) -> Change {
    { page in
      (page.summary.recordBytes, page.summary.skippedBytes) = (figures[0], figures[1])
      page.summary.streamBytes = figures[0] + figures[1]
      page.summary.findings = figures[2] > 0 ? [.skippedBytes: figures[2]] : [:]
      (page.summary.feedback, page.flagged[.feedback]) = (figures[3], figures[4])
    }
  }

  private static func found(_ findings: [FindingCode: Int]) -> Change {
    { page in
      (page.summary.feedback, page.summary.findings) = (1, findings)
      page.failures = findings[.unreadableInput, default: 0]
    }
  }

  /// The opening, and only damage is called damage.
  private static let verdicts: KeyValuePairs<String, Sentence.Change> = [
    "No input could be read.": { $0.inputs = [] },
    "The input contains no stream that apnsift reads.": { _ in },
    "The 2 inputs contain no stream that apnsift reads.": { $0.inputs += $0.inputs },
    "Nothing could be decoded: all 4,315 bytes are encrypted or of another protocol.": {
      ($0.summary.undecodedBytes, $0.summary.findings) = (4315, [.encryptedStream: 1])
    },
    "Nothing could be decoded: the 1 byte is of another protocol.": { $0.summary.undecodedBytes = 1 },
    "The 1 byte could not be read as a record.": read(0, 1, 1, 0, 0),
    "None of the 6,682 bytes could be read as a record.": read(0, 6682, 1, 0, 0),
    "could not be read (2.6 %), at 1 location; 1 feedback tuple was read.": read(38, 1, 1, 1, 0),
    "at 2 locations; 1 feedback tuple was read, and it is doubtful.": read(38, 7, 2, 1, 1),
    "(5 %), at 1 location; 2 feedback tuples were read, 1 of them doubtful.": read(76, 4, 1, 2, 1),
    "Of 380 bytes, 7 could not be read (1.8 %); 2 feedback tuples were read.": read(373, 7, 0, 2, 0),
    "1 stream were read as 1 feedback tuple; no rule found a problem.": read(38, 0, 0, 1, 0),
    "All 38 bytes of 1 stream were read as 1 feedback tuple, and it": read(38, 0, 0, 1, 1),
    "were read as no record; no rule found a problem.": read(380, 0, 0, 0, 0),
    "All 380 bytes of 2 streams were read as 10 feedback tuples.": {
      read(380, 0, 0, 10, 0)(&$0)
      ($0.decodedStreams, $0.summary.findings) = (2, [.midstreamStart: 1])
    },
    "as 1 feedback tuple, 2 requests and 3 error responses, 1,000 of them doubtful.": {
      read(380, 0, 0, 1, 1000)(&$0)
      ($0.summary.gateway.accepted, $0.summary.gateway.responses) = (2, 3)
    },
    "as 1 request and 1 error response; no rule found a problem.": {
      read(380, 0, 0, 0, 0)(&$0)
      ($0.summary.gateway.rejected, $0.summary.gateway.responses) = (1, 1)
    },
    "Nothing was read": { _ in },
    "Not all could be read": found([.encryptedStream: 2]),
    "Not all could be read": found([.unreadableInput: 1]),
    "Damage found": found([.encryptedStream: 2, .skippedBytes: 1]),
    "Damage found": found([.streamGap: 1]),
    "Read, with doubts": found([.midstreamStart: 1]),
    "No damage found": found([:]),
  ]

  private static func captures(_ count: Int, _ findings: [FindingCode: Int]) -> Change {
    { page in
      page.inputs[0].captureKind = "pcap"
      page.inputs = [InputSummary](repeating: page.inputs[0], count: count)
      page.summary.findings = findings
    }
  }

  /// What is missing or counted twice.
  private static let losses: KeyValuePairs<String, Sentence.Change> = [
    "1 byte is known to be missing.": { $0.summary.gapBytes = 1 },
    "1,460 bytes are known to be missing.": { $0.summary.gapBytes = 1460 },
    "1 more byte is of another protocol and not decoded.": {
      read(380, 0, 0, 10, 0)(&$0)
      $0.summary.undecodedBytes = 1
    },
    "2 more bytes are encrypted or of another protocol and not decoded.": {
      read(380, 0, 0, 10, 0)(&$0)
      ($0.summary.undecodedBytes, $0.summary.findings) = (2, [.encryptedStream: 1])
    },
    "1 input could not be read in full; the unread part is not counted.": { $0.failures = 1 },
    "2 inputs could not be read in full; the unread part is not counted.": { $0.failures = 2 },
    "2 inputs could not be read in full; see the findings.": { $0.failures = 2 },
    "1 input is identical to an earlier one: the contents are counted again.": {
      $0.inputs[0].sameBytesAs = "b"
    },
    "2 inputs are identical to an earlier one: the contents are counted again.": {
      $0.inputs[0].sameBytesAs = "b"
      $0.inputs += $0.inputs
    },
    "The capture file is damaged at 1 location.": captures(1, [.damagedCapture: 1]),
    "The capture files are damaged at 3 locations.": captures(2, [.damagedCapture: 3]),
    "1 packet with invalid headers was skipped.": captures(1, [.malformedPacket: 1]),
    "2 packets with invalid headers were skipped.": captures(1, [.malformedPacket: 2]),
  ]

  private static func outcomes(_ accepted: Int, _ rejected: Int, _ discarded: Int, _ unknown: Int) -> Change {
    { page in
      (page.summary.gateway.accepted, page.summary.gateway.rejected) = (accepted, rejected)
      (page.summary.gateway.discarded, page.summary.gateway.unknown) = (discarded, unknown)
    }
  }

  private static func response(
    _ change: @escaping @Sendable (inout GatewayRows.Response) -> Void = { _ in }
  ) -> Change {
    { page in
      var response = GatewayRows.Response(at: RecordLocation(source: "a", stream: 0, offset: 1000))
      change(&response)
      (page.gateway.responses, page.summary.gateway.responses) = ([response], 2)
    }
  }

  /// Outcomes and responses.
  private static let gateway: KeyValuePairs<String, Sentence.Change> = [
    "The outcome of the request is unknown: the gateway sends": outcomes(0, 0, 0, 1),
    "The outcome of the requests is unknown: the gateway sends": outcomes(0, 0, 0, 2),
    "The request was rejected.": outcomes(0, 1, 0, 0),
    "Of the requests, 1 was accepted, 1 was rejected, 2 were discarded.": outcomes(1, 1, 2, 0),
    "2 were accepted, 1 was rejected; the outcome of 1 is unknown.": outcomes(2, 1, 0, 1),
    "Every request with its outcome:": outcomes(1, 0, 0, 0),
    "The discarded requests, which had to be sent again:": outcomes(0, 0, 1, 0),
    "The inputs contain no error response.": outcomes(0, 0, 0, 1),
    "Requests: 1 with command 0, 2,000 with command 2.": {
      ($0.summary.gateway.unknown, $0.gateway.commands) = (2001, [1, 0, 2000])
    },
    "Status 8, invalid token: identifier 6, which refers to the request at offset 1,255.":
      response { ($0.status, $0.identifier, $0.requestOffset) = (8, 6, 1255) },
    "Status 77, not in Apple’s table: identifier 6, which refers to no request in the inputs.":
      response { ($0.status, $0.identifier) = (77, 6) },
    "Status ··, left out: identifier ··, which refers to no request in the inputs.": response(),
    "a, stream 0, offset 1,000": response(),
    "offset 1,000, packet 1,234, 2013-05-01 09:30:00.5 UTC · after-close, uncorrelated":
      response {
        ($0.location.packet, $0.capturedAt) = (1234, "2013-05-01T09:30:00.5Z")
        $0.flags = ["after-close", "uncorrelated"]
      },
    "1 of 2 is shown. All of them:": response(),
  ]

  private static func input(_ change: @escaping @Sendable (inout InputSummary) -> Void) -> Change {
    { change(&$0.inputs[0]) }
  }

  private static func stream(_ client: Int, _ server: Int) -> Change {
    { page in
      var stream = StreamSummary(source: "a.bin", number: 0, streamProtocol: .feedback)
      (stream.clientBytes, stream.serverBytes) = (client, server)
      (page.streams, page.summary.streams, page.streamsLeftOut) = ([stream], 2, 1)
    }
  }

  /// A finding whose bytes are shown but for two in the middle.
  private static func gap(_ code: FindingCode, _ direction: Direction? = .server) -> Change {
    { page in
      let byte = HexSegment.Byte(7, .other)
      let finding = Finding(
        source: "a", stream: 1, direction: direction, offset: 1, length: 2, code: code, message: "")
      let bytes = [HexSegment(offset: 0, bytes: [byte]), HexSegment(offset: 3, bytes: [byte])]
      let example = FindingExample(finding, bytes: bytes, command: nil)
      page.findings = [FindingGroup(code: code, count: 1, examples: [example])]
    }
  }

  /// Inputs, streams, findings and flags.
  private static let rows: KeyValuePairs<String, Sentence.Change> = [
    "not read": input { $0.format = nil },
    "raw, gzip-compressed": input { $0.compression = "gzip" },
    "pcap capture, 1 packet": input { ($0.captureKind, $0.packets) = ("pcap", 1) },
    "1 byte": input { $0.bytes = 1 },
    "4,000 bytes (3.91 KiB)": input { $0.bytes = 4000 },
    "unknown": input { $0.sha256 = nil },
    "Identical to": input { $0.sameBytesAs = "b" },
    "Not decoded: encrypted or of another protocol": { $0.summary.undecodedBytes = 1 },
    "Missing from the input": { $0.summary.gapBytes = 1 },
    "1 of 2 streams is listed. All of them:": stream(0, 0),
    "1,000 from the server": stream(0, 1000),
    "1 from the server, 2 from the client": stream(2, 1),
    "1 record carries flags.": { ($0.flagged[.feedback], $0.summary.flags[0]) = (1, 1) },
    "2 records carry flags.": { ($0.flagged[.feedback], $0.summary.flags[0]) = (2, 2) },
    "None of 2 is shown. All of them:": {
      $0.findings = [FindingGroup(code: .skippedBytes, count: 2, examples: [])]
    },
    "1, from the client": gap(.skippedBytes, .client),
    "In the bytes below: bytes of the finding, and time, length and token of a": gap(.skippedBytes),
    "2 bytes between": gap(.skippedBytes),
    "2 bytes missing": gap(.streamGap),
  ]

  private static func row(_ length: Int, counted: UInt32, of records: UInt32) -> Change {
    { page in
      page.invalidations.repeated = [
        Invalidations.Row(token: "ab", time: 0, countedRecords: counted, records: records, length: length)
      ]
      (page.invalidations.repeatedCount, page.invalidations.dead) = (2, 3)
    }
  }

  /// Tokens that became invalid, of which the page lists one.
  private static func listed(_ count: Int, isInteractive: Bool = false) -> Change {
    { page in
      let sightings = TokenSightings(memory: 1 << 20, temporaryDirectory: "/tmp", now: .max)
      let tokens = (0..<count).map { [UInt8](repeating: UInt8($0), count: 32) }
      try? sightings.add(
        tokens.map { .invalidated($0, at: 1_600_000_000_000, topic: "com.example.voip") }, source: "a")
      page.summary.tokens = try? sightings.counts()
      try? sightings.visitSides { token, history, _ in
        guard let history, page.tokens.isEmpty else { return }
        page.tokens = [TokenLine(token, history, input: 0)]
      }
      page.isInteractive = isInteractive
    }
  }

  private static let tokens: KeyValuePairs<String, Sentence.Change> = [
    "54 bytes": row(54, counted: 1, of: 1),
    "1 doubtful record": row(32, counted: 1, of: 2),
    "1 byte, 2 doubtful records": row(1, counted: 1, of: 3),
    "not counted": row(32, counted: 0, of: 1),
    "4,294,967,295 or more": row(32, counted: .max, of: .max),
    "1 of 3 is listed. All of them, as a table:": listed(3),
    "3 tokens: 3 invalidated, 3 sent to.": listed(3),
    "1 token: 1 invalidated, 1 sent to.": listed(1),
    "lacks 2 tokens: those that became invalid, or were seen, earlier.": listed(3, isInteractive: true),
    "Many repetitions may mean that the sender ignored": row(32, counted: 1, of: 1),
    "1 of 2 is listed.": row(32, counted: 1, of: 1),
    "But some inputs are identical to others (see Examined inputs), and each copy repeats": {
      ($0.inputs[0].sameBytesAs, $0.invalidations.repeatedCount) = ("b", 1)
    },
    "1 token is named only by doubtful records and not": { $0.invalidations.doubtful = 1 },
    "2 tokens are named only by doubtful records and not": { $0.invalidations.doubtful = 2 },
    "1 device token is reported as invalidated, at 2013-05-01 09:30:00 UTC.": {
      ($0.invalidations.dead, $0.invalidations.times) = (1, 1_367_400_600...1_367_400_600)
    },
    "2 device tokens are reported as invalidated, between 2013-05-01 09:30:00 UTC and 2013-05-02 09:30:00 UTC.":
      {
        ($0.invalidations.dead, $0.invalidations.times) = (2, 1_367_400_600...1_367_487_000)
      },
  ]

  private static func compared(
    _ counts: [TokenDifference.Difference: Int], same: Int, command: String? = nil
  ) -> Change {
    { page in
      var differences = TokenDifferences(from: "monday")
      (differences.counts, differences.same) = (counts, same)
      (page.differences, page.commands.differences) = (differences, command)
    }
  }

  /// Differences from other inputs.
  private static let differences: KeyValuePairs<String, Sentence.Change> = [
    "Compared with monday, tokens are: 1,000 only here, 2 only there, 1 in both with another time, "
      + "3 in both with the same time. The times are those of invalidation.":
      compared([.onlyA: 1000, .onlyB: 2, .otherTime: 1], same: 3),
    "Compared with monday, tokens are: 4 only there.": compared([.onlyB: 4], same: 0),
    "Compared with monday, which has no tokens either.": compared([:], same: 0),
    "1 input there could not be read in full, so tokens may be missing there.": {
      compared([.onlyA: 4], same: 0)(&$0)
      $0.differences?.failures = 1
    },
    "None of 4 is listed.": compared([.onlyB: 4], same: 0),
    "None of 4 is listed. All of them:": compared([.onlyB: 4], same: 0, command: "apnsift"),
  ]

  /// Of every page, of empty sections, and of each reader.
  private static let general: KeyValuePairs<String, Sentence.Change> = [
    "Redacted. Every token, every address of a connection, and every host name": {
      $0.head.isRedacted = true
    },
    "or a remark contained text that looks like a token or an address; that text is masked.": {
      ($0.head.isRedacted, $0.head.hasMaskedText) = (true, true)
    },
    "Made with apnsift 1.2.3. The page needs no network access and runs no scripts.": { _ in },
    "There are no streams.": { _ in },
    "There are no findings.": { _ in },
    "No record carries a flag.": { _ in },
    "No token appears in more than one record.": { _ in },
    "recognised in any stream, so the readers could not be tested.": { _ in },
    "same bytes, cut into chunks of 9 bytes.": {
      ($0.readers, $0.chunks) = ([ReaderTotal("java")], "chunks of 9 bytes")
    },
    "Written in Objective-C.": { $0.readers = [ReaderTotal("cookbook")] },
    "Written in C#.": { $0.readers = [ReaderTotal("csharp")] },
    "Written in JavaScript.": { $0.readers = [ReaderTotal("node")] },
    "Written in Java.": { $0.readers = [ReaderTotal("java")] },
    "Written in PHP.": { $0.readers = [ReaderTotal("php")] },
  ]

  private static func times(_ times: UInt32...) -> Change {
    { page in for time in times { page.invalidations.histogram.add(time) } }
  }

  /// Hours up to the last of three invalidations, the unit of the bars, and the first bar.
  private static let units: [(hours: UInt32, by: String, phrase: String)] = [
    (1, "minute", "in the minute from 1970-01-01 00:00"),
    (3, "5 minutes", "in the 5 minutes from 1970-01-01 00:00"),
    (12, "15 minutes", "in the 15 minutes from 1970-01-01 00:00"),
    (48, "hour", "in the hour from 1970-01-01 00:00"),
    (14 * 24, "6 hours", "in the 6 hours from 1970-01-01 00:00"), (40 * 24, "day", "on 1970-01-01"),
    (300 * 24, "week", "in the week from 1970-01-01"), (1461 * 24, "month", "in 1970-01"),
    (14 * 365 * 24, "quarter", "in 1970 Q1"), (40 * 365 * 24, "year", "in 1970"),
    (100 * 365 * 24, "5 years", "in the 5 years from 1970"),
  ]

  /// The timeline in words, with its unit.
  private static let timelines: KeyValuePairs<String, Sentence.Change> = [
    "1 invalidation in the minute from 1970-01-01 00:00.": times(0),
    "2 invalidations, all in the minute from 1970-01-01 00:00.": times(0, 9),
    "2 invalidations in 2 bars from 1970-01-01 00:00 to 1970-01-01 00:01; at most 1 per bar.": times(0, 60),
    "41 bars from 1970-01-01 to 1970-02-10; the most, 2,": times(0, 0, 40 * 86_400),
  ]

  private static let ofUnits = units.flatMap { unit in
    [
      "3 invalidations by \(unit.by), at the times that Apple’s service reported.",
      "Invalidated tokens by \(unit.by) (UTC).", "Invalidations by \(unit.by)",
      "the most, 2, \(unit.phrase).",
    ].map { Sentence(text: $0, change: times(0, 0, unit.hours * 3600)) }
  }

  @Test(
    "is in the text of an element",
    arguments: [verdicts, losses, gateway, rows, tokens, differences, general, timelines]
      .flatMap { $0.map(Sentence.init(text:change:)) } + ofUnits)
  func sentence(_ sentence: Sentence) { sentence.expect() }
}
