import APNsWire
import Analysis
import TestSupport
import Testing

/// docs/spec/decoding-rules.md#runs (a gap ends a run), docs/spec/decoding-rules.md#start-of-a-run and
/// docs/spec/decoding-rules.md#ciphertext (a direction whose first run begins as TLS does).
@Suite("Runs of a dump") struct GapRunTests {
  /// A sentence, a dump, its records as `offset@fileOffset flags`, and its findings.
  typealias Case = (sentence: String, dump: [UInt8], records: [String], findings: [String])

  private static let whole = Tuples.one()
  private static func mark(_ length: Int) -> [UInt8] { Dumps.mark(length) }

  private static let betweenGaps: [Case] = [
    ("a mark between tuples", whole + mark(76) + whole, ["0@0", "114@72"], ["stream-gap 38+76@38"]),
    (
      "a gap ends a run: the tuple that it cuts is truncated", whole + whole.prefix(20) + mark(18) + whole,
      ["0@0", "76@92"], ["truncated-record 38+20@38", "stream-gap 58+18@58"]
    ),
    (
      "a mark inside a token: its rest is skipped, the next is not flagged",
      whole.prefix(20) + mark(10) + whole.suffix(8) + whole, ["38@62"],
      ["truncated-record 0+20@0", "stream-gap 20+10@20", "skipped-bytes 30+8@54"]
    ),
    (
      "a dump that begins with a gap does not begin its stream", mark(76) + [1, 2, 3] + whole, ["79@37"],
      ["stream-gap 0+76@0", "skipped-bytes 76+3@34"]
    ),
    (
      "a run after a gap starts at a plausible time", mark(76) + Tuples.one(time: .max), [],
      ["stream-gap 0+76@0", "skipped-bytes 76+38@34"]
    ), ("the same where the stream begins", Tuples.one(time: 0), ["0@0 implausible-timestamp"], []),
    (
      "marks side by side are separate gaps", whole + mark(5) + Dumps.mark(6, nul: true) + whole,
      ["0@0", "49@105"], ["stream-gap 38+5@38", "stream-gap 43+6@71"]
    ),
    (
      "a NUL after a mark is no byte of the stream", Dumps.mark(5, nul: true) + whole, ["5@34"],
      ["stream-gap 0+5@0"]
    ), ("a mark at the end", whole + mark(5), ["0@0"], ["stream-gap 38+5@38"]),
    ("nothing but a mark", mark(5), [], ["stream-gap 0+5@0"]),
    (
      "a record after skipped bytes in a run after a gap is resynchronised",
      mark(5) + whole + whole.dropLast() + whole, ["5@33", "80@108 resynchronised"],
      ["stream-gap 0+5@0", "skipped-bytes 43+37@71"]
    ),
    (
      "the text of a cut mark is bytes of the stream", whole + mark(5).dropLast(),
      ["0@0 unconfirmed-boundary"], ["skipped-bytes 38+32@38"]
    ),
  ]

  private static let tls: [UInt8] = [0x17, 0x03, 0x01, 0x00, 0x20] + [UInt8](repeating: 0xab, count: 32)

  private static let ciphertext: [Case] = [
    ("a TLS record", tls, [], ["encrypted-stream 0+37@0"]),
    ("three bytes", Array(tls.prefix(3)), [], ["encrypted-stream 0+3@0"]),
    ("two bytes are none", Array(tls.prefix(2)), [], ["skipped-bytes 0+2@0"]),
    ("one byte is none", [0x17], [], ["skipped-bytes 0+1@0"]),
    ("tuples after it are not decoded", tls + whole + whole, [], ["encrypted-stream 0+113@0"]),
    (
      "after a gap, at the offset of the gap mark", mark(76) + tls, [],
      ["stream-gap 0+76@0", "encrypted-stream 0+113@0"]
    ),
    (
      "gaps in it are counted; it is one finding, and comes in the order of offsets",
      tls + mark(100) + tls + mark(7), [], ["encrypted-stream 0+181@0"]
    ),
    (
      "only the first run counts", whole + whole + mark(9) + tls, ["0@0", "38@38"],
      ["stream-gap 76+9@76", "skipped-bytes 85+37@109"]
    ),
    (
      "a first run of two bytes is none, whatever follows", Array(tls.prefix(2)) + mark(9) + tls, [],
      ["skipped-bytes 0+2@0", "stream-gap 2+9@2", "skipped-bytes 11+37@35"]
    ),
  ]

  @Test("records and findings", arguments: betweenGaps + ciphertext) func runs(_ example: Case) throws {
    let analysis = try DumpAnalysis(example.dump)
    let records = analysis.evidence.records.map { record in
      (["\(record.offset)@\(record.fileOffset)"] + record.flags).joined(separator: " ")
    }
    #expect(records == example.records, "\(example.sentence)")
    #expect(analysis.evidence.findingTexts == example.findings, "\(example.sentence)")
    let summary = analysis.summary
    #expect(summary.recordBytes + summary.skippedBytes + summary.truncatedBytes == summary.streamBytes)
    let isEncrypted = example.findings.contains { $0.hasPrefix("encrypted") }
    #expect(analysis.evidence.streams.map(\.streamProtocol) == [isEncrypted ? .encrypted : .feedback])
    #expect((summary.undecodedBytes > 0) == isEncrypted)
    #expect(analysis.evidence.streams.first?.serverGapBytes == summary.gapBytes)
  }

  @Test("each stream is detected separately, and the gaps of ciphertext are counted") func several() throws {
    let analysis = try DumpAnalysis(all: [Self.tls + Dumps.mark(100) + Self.tls, Self.whole, Self.tls])
    #expect(analysis.summary.undecodedBytes == 111 && analysis.summary.streamBytes == 38)
    #expect(analysis.summary.gapBytes == 100)
    #expect(analysis.evidence.streams.map(\.streamProtocol) == [.encrypted, .feedback, .encrypted])
    #expect(analysis.evidence.records.map(\.source) == ["dump 1"])
  }
}
