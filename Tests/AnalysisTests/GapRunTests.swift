import APNsWire
import Analysis
import TestSupport
import Testing

/// docs/spec/decoding-rules.md#runs (a gap ends a run), docs/spec/decoding-rules.md#start-of-a-run and
/// docs/spec/decoding-rules.md#ciphertext (a direction whose first run
/// begins as TLS does): what samples/corpus/feedback lacks.
@Suite("Runs of a dump") struct GapRunTests {
  /// A sentence, a dump, its records as `offset@fileOffset flags`, and its findings.
  typealias Case = (sentence: String, dump: [UInt8], records: [String], findings: [String])

  private static let whole = Tuples.one()
  private static func mark(_ length: Int) -> [UInt8] { Dumps.mark(length) }

  private static let betweenGaps: [Case] = [
    (
      "a run after a gap starts at a plausible time", mark(76) + Tuples.one(time: .max), [],
      ["stream-gap 0+76@0", "skipped-bytes 76+38@34"]
    ), ("the same where the stream begins", Tuples.one(time: 0), ["0@0 implausible-timestamp"], []),
    ("a mark at the end", whole + mark(5), ["0@0"], ["stream-gap 38+5@38"]),
    ("nothing but a mark", mark(5), [], ["stream-gap 0+5@0"]),
    (
      "a record after skipped bytes in a run after a gap is resynchronised",
      mark(5) + whole + whole.dropLast() + whole, ["5@33", "80@108 resynchronised"],
      ["stream-gap 0+5@0", "skipped-bytes 43+37@71"]
    ),
  ]

  private static let tls: [UInt8] = [0x17, 0x03, 0x01, 0x00, 0x20] + [UInt8](repeating: 0xab, count: 32)

  private static let ciphertext: [Case] = [
    ("three bytes", Array(tls.prefix(3)), [], ["encrypted-stream 0+3@0"]),
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
