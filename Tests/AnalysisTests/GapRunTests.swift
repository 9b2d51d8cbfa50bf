import APNsWire
import Analysis
import TestSupport
import Testing

/// docs/spec/decoding-rules.md#runs (a gap ends a run) and docs/spec/decoding-rules.md#start-of-a-run.
@Suite("Runs between gaps")
struct GapRunTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var sentence: String
    var dump: [UInt8]
    /// Records as `offset@fileOffset flags`.
    var records: [String]
    var findings: [String]
    var testDescription: String { sentence }
  }

  private static let whole = Tuples.one()

  static let cases: [Case] = [
    Case(
      sentence: "a mark between tuples", dump: whole + Dumps.mark(76) + whole, records: ["0@0", "114@72"],
      findings: ["stream-gap 38+76@38"]),
    Case(
      sentence: "a gap ends a run: the tuple that it cuts is truncated",
      dump: whole + whole.prefix(20) + Dumps.mark(18) + whole, records: ["0@0", "76@92"],
      findings: ["truncated-record 38+20@38", "stream-gap 58+18@58"]),
    Case(
      sentence:
        "a mark inside a token: its rest is skipped, the next is not flagged",
      dump: whole.prefix(20) + Dumps.mark(10) + whole.suffix(8) + whole, records: ["38@62"],
      findings: ["truncated-record 0+20@0", "stream-gap 20+10@20", "skipped-bytes 30+8@54"]),
    Case(
      sentence: "a dump that begins with a gap does not begin its stream",
      dump: Dumps.mark(76) + [1, 2, 3] + whole, records: ["79@37"],
      findings: ["stream-gap 0+76@0", "skipped-bytes 76+3@34"]),
    Case(
      sentence: "a run after a gap starts at a plausible time",
      dump: Dumps.mark(76) + Tuples.one(time: .max),
      records: [], findings: ["stream-gap 0+76@0", "skipped-bytes 76+38@34"]),
    Case(
      sentence: "the same where the stream begins", dump: Tuples.one(time: 0),
      records: ["0@0 implausible-timestamp"], findings: []),
    Case(
      sentence: "marks side by side are separate gaps",
      dump: whole + Dumps.mark(5) + Dumps.mark(6, nul: true) + whole, records: ["0@0", "49@105"],
      findings: ["stream-gap 38+5@38", "stream-gap 43+6@71"]),
    Case(
      sentence: "a NUL after a mark is no byte of the stream", dump: Dumps.mark(5, nul: true) + whole,
      records: ["5@34"], findings: ["stream-gap 0+5@0"]),
    Case(
      sentence: "a mark at the end", dump: whole + Dumps.mark(5), records: ["0@0"],
      findings: ["stream-gap 38+5@38"]),
    Case(
      sentence: "nothing but a mark", dump: Dumps.mark(5), records: [], findings: ["stream-gap 0+5@0"]),
    Case(
      sentence: "a record after skipped bytes in a run after a gap is resynchronised",
      dump: Dumps.mark(5) + whole + whole.dropLast() + whole, records: ["5@33", "80@108 resynchronised"],
      findings: ["stream-gap 0+5@0", "skipped-bytes 43+37@71"]),
    Case(
      sentence: "the text of a cut mark is bytes of the stream",
      dump: whole + Dumps.mark(5).dropLast(), records: ["0@0 unconfirmed-boundary"],
      findings: ["skipped-bytes 38+32@38"]),
  ]

  @Test(arguments: cases)
  func runs(_ example: Case) throws {
    let analysis = try DumpAnalysis(example.dump)
    let records = analysis.evidence.records.map { record in
      (["\(record.offset)@\(record.fileOffset)"] + record.flags).joined(separator: " ")
    }
    #expect(records == example.records)
    #expect(analysis.evidence.findingTexts == example.findings)
  }
}
