import APNsWire
import Analysis
import PacketCapture
import Reports
import Testing

@Suite("The text overview")
struct OverviewTextTests {
  private func overview(of records: [Batch] = []) -> Overview {
    let overview = Overview()
    for batch in records { overview.records(batch.records, in: batch.bytes.span.bytes) }
    return overview
  }

  private func text(
    _ summary: Summary, _ overview: Overview, inputs: [InputSummary] = [], coloured: Bool = false
  ) -> String {
    OverviewText.text(summary, inputs: inputs, overview: overview, style: TextStyle(isColoured: coloured))
  }

  /// A stream of the input `a`.
  private func add(
    _ number: Int, _ streamProtocol: StreamProtocol, to overview: Overview,
    _ change: (inout StreamSummary) -> Void = { _ in }
  ) {
    var stream = StreamSummary(source: "a", number: number, streamProtocol: streamProtocol)
    change(&stream)
    overview.stream(stream, report: StreamReport(.dump))
  }

  @Test("nothing at all")
  func nothing() {
    #expect(text(Summary(), overview()) == "\n0 records\n\n0 of 0 bytes are in records\n")
  }

  @Test("an input with all details")
  func everything() {
    var summary = Summary()
    (summary.feedback, summary.distinctTokens) = (3, 2)
    (summary.recordBytes, summary.streamBytes, summary.skippedBytes) = (114, 2000, 1)
    (summary.truncatedBytes, summary.undecodedBytes, summary.gapBytes) = (2, 3, 4)
    summary.times = 1_367_400_600...1_367_487_000
    for (index, entry) in RecordFlags.all.enumerated() where entry.code == "resynchronised" {
      summary.flags[index] = 5
    }
    summary.findings = [.skippedBytes: 4, .encryptedStream: 2, .unrecognisedInput: 1]
    let overview = overview(of: [Batch(tokens: [[1], [2]], times: [1_367_400_600, 1_367_487_000])])
    add(0, .feedback, to: overview) { ($0.serverBytes, $0.serverGapBytes, $0.records) = (2000, 4, 3) }
    let encrypted = FindingCode.encryptedStream
    let findings =
      (0..<4).map { Finding(source: "a", offset: $0, code: .skippedBytes, message: "why") } + [
        Finding(source: "b", code: .unrecognisedInput, message: "skipped"),
        Finding(
          source: "c", stream: 0, direction: .client, offset: 7, packet: 9, code: encrypted, message: "why"),
        Finding(source: "d", stream: 2, direction: .server, offset: 3, code: encrypted, message: "why"),
      ]
    for finding in findings { overview.finding(finding) }
    let inputs = [
      InputSummary(source: "a", format: "hex", bytes: 4000, sha256: "00ff"),
      InputSummary(source: "b", format: nil, bytes: 5, sha256: nil),
    ]
    #expect(
      text(summary, overview, inputs: inputs) == """
        a
          hex, 4000 bytes (3.91 KiB)
          SHA-256 00ff
          stream 0: feedback, 2000 bytes from the server, 3 records, 4 bytes missing
        b
          not read, 5 bytes

        3 records with 2 distinct tokens, from 2013-05-01T09:30:00Z to 2013-05-02T09:30:00Z
          6 hours (UTC)     records
          2013-05-01 06:00        1  ████████████████████████████████████████
          2013-05-01 12:00        0
          2013-05-01 18:00        0
          2013-05-02 00:00        0
          2013-05-02 06:00        1  ████████████████████████████████████████

        Flags (flagged records are not replayed)
          resynchronised  5

        Findings
          error skipped-bytes  4
            a offset 0: why
            a offset 1: why
            a offset 2: why
            and 1 more
          error encrypted-stream  2
            c stream 0 client offset 7 packet 9: why
            d stream 2 server offset 3: why
          note unrecognised-input  1
            b: skipped

        114 of 2000 bytes are in records, 1 skipped, 2 cut off, 3 not decoded, 4 missing

        """)
  }

  @Test("a dump of no bytes is empty, and of no protocol; a connection of no bytes has its port's")
  func empty() {
    let overview = overview()
    add(0, .feedback, to: overview)
    add(1, .feedback, to: overview) { ($0.client, $0.server) = ("192.0.2.1:49152", "192.0.2.2:2196") }
    let lines = text(
      Summary(), overview, inputs: [InputSummary(source: "a", format: "raw", bytes: 0, sha256: nil)])
    #expect(
      lines.hasPrefix(
        """
        a
          raw, 0 bytes
          stream 0: empty
          stream 1: feedback, 192.0.2.1:49152 to 192.0.2.2:2196, 0 bytes from the server, 0 records, no gaps

        """), "\(lines)")
  }

  @Test("a duplicate input names the first one, with control characters escaped")
  func repeatedInput() {
    var copy = InputSummary(source: "b", format: "raw", bytes: 5, sha256: nil)
    copy.sameBytesAs = "a\u{1b}"
    #expect(
      text(Summary(), overview(), inputs: [copy])
        == "b\n  raw, 5 bytes\n  identical to a\\x1b\n\n0 records\n\n0 of 0 bytes are in records\n")
  }

  @Test("a capture with connections to a gateway, and more streams than are shown")
  func gateway() {
    var summary = Summary()
    (summary.gateway.accepted, summary.gateway.rejected) = (2, 1)
    (summary.gateway.discarded, summary.gateway.responses) = (1, 1)
    let overview = overview()
    add(0, .gateway, to: overview) { stream in
      (stream.client, stream.server) = ("192.0.2.1:50000", "192.0.2.2:2195")
      (stream.clientBytes, stream.serverBytes, stream.gateway) = (188, 6, summary.gateway)
    }
    for number in 1..<42 { add(number, .other, to: overview) { $0.clientBytes = 1 } }
    var input = InputSummary(source: "a", format: "capture", bytes: 9000, sha256: nil)
    (input.captureKind, input.compression, input.packets) = ("pcap", "zstd", 1)
    let others = (1..<40).map { "  stream \($0): other, 1 byte from the client, no gaps\n" }.joined()
    let counts = "4 requests (2 accepted, 1 rejected, 1 discarded), 1 response"
    #expect(
      text(summary, overview, inputs: [input]) == """
        a
          pcap capture, zstd-compressed, 9000 bytes (8.79 KiB), 1 packet
          stream 0: gateway, 192.0.2.1:50000 to 192.0.2.2:2195, 6 bytes from the server, 188 from the client, \
        \(counts), no gaps
        \(others)  and 2 more streams: 2 other

        \(counts)

        0 of 0 bytes are in records

        """)
  }

  @Test("bars are proportional, and visible for every count")
  func bars() {
    let times = [UInt32](repeating: 0, count: 80) + [60, 120, 120] + [UInt32](repeating: 180, count: 41)
    let overview = overview(of: [Batch(tokens: times.map { _ in [] }, times: times)])
    let lines = text(Summary(), overview).split(separator: "\n").filter { $0.contains("1970") }
    #expect(lines.map { $0.count { $0 == "█" } } == [40, 1, 1, 21])
    #expect(lines.map { $0.split(separator: " ")[2] } == ["80", "1", "2", "41"])
  }

  @Test("bars are calendar units, and the heading names the unit")
  func units() {
    // 2012-02-29 and 2013-03-01, UTC.
    let overview = overview(of: [Batch(tokens: [[], []], times: [1_330_473_600, 1_362_096_000])])
    let lines = text(Summary(), overview).split(separator: "\n").dropFirst()
    #expect(lines.first == "  month (UTC)  records")
    #expect(lines.dropFirst().first == "  2012-02            1  ████████████████████████████████████████")
    #expect(lines.contains { $0.hasPrefix("  2013-03 ") })
    #expect(lines.filter { $0.contains("20") }.count == 14)
  }

  @Test("lines fit 80 columns, whatever the counts")
  func width() {
    for shift in 0..<12 {
      let run = (0..<3).flatMap { [UInt32](repeating: 60 * UInt32($0), count: 1 << shift) }
      let overview = overview(of: [Batch(tokens: run.map { _ in [] }, times: run)])
      #expect(text(Summary(), overview).split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }

  @Test("an encrypted stream has no records to count, and streams beyond a thousand are only counted")
  func streams() {
    let overview = overview()
    for number in 0..<1002 { add(number, .encrypted, to: overview) { $0.serverBytes = 7 } }
    let lines = text(
      Summary(), overview, inputs: [InputSummary(source: "a", format: "raw", bytes: 1, sha256: nil)]
    ).split(separator: "\n")
    #expect(lines[2] == "  stream 0: encrypted, 7 bytes from the server, no gaps")
    #expect(lines.contains("and 2 more streams"))
  }

  @Test("colour is optional and does not change the words")
  func colour() {
    var summary = Summary()
    summary.findings = [.skippedBytes: 1]
    summary.flags[0] = 1
    let plain = text(summary, overview())
    let coloured = text(summary, overview(), coloured: true)
    #expect(!plain.contains("\u{1b}"))
    #expect(coloured.contains("\u{1b}[31merror skipped-bytes\u{1b}[0m"))
    #expect(coloured.replacing(/\u{1b}\[[0-9]+m/, with: "") == plain)
  }
}
