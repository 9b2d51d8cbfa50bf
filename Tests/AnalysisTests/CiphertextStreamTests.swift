import APNsWire
import Analysis
import TestSupport
import Testing

/// docs/spec/decoding-rules.md#ciphertext: a direction whose first run begins as TLS does.
@Suite("Streams of ciphertext")
struct CiphertextStreamTests {
  private static let tls: [UInt8] = [0x17, 0x03, 0x01, 0x00, 0x20] + [UInt8](repeating: 0xab, count: 32)
  private static let tuples = Tuples.one() + Tuples.one()

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var dump: [UInt8]
    var findings: [String]
    var undecoded: Int
    var gapBytes = 0
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "a TLS record", dump: tls, findings: ["encrypted-stream 0+37@0"], undecoded: 37),
    Case(name: "three bytes", dump: Array(tls.prefix(3)), findings: ["encrypted-stream 0+3@0"], undecoded: 3),
    Case(
      name: "two bytes are none", dump: Array(tls.prefix(2)), findings: ["skipped-bytes 0+2@0"],
      undecoded: 0),
    Case(name: "one byte is none", dump: [0x17], findings: ["skipped-bytes 0+1@0"], undecoded: 0),
    Case(
      name: "tuples after it are not decoded", dump: tls + tuples, findings: ["encrypted-stream 0+113@0"],
      undecoded: 113),
    Case(
      name: "after a gap, at the offset of the gap mark", dump: Dumps.mark(76) + tls,
      findings: ["stream-gap 0+76@0", "encrypted-stream 0+113@0"], undecoded: 37, gapBytes: 76),
    Case(
      name: "gaps in it are counted; it is one finding, and comes in the order of offsets",
      dump: tls + Dumps.mark(100) + tls + Dumps.mark(7), findings: ["encrypted-stream 0+181@0"],
      undecoded: 74,
      gapBytes: 107),
    Case(
      name: "only the first run counts", dump: tuples + Dumps.mark(9) + tls,
      findings: ["stream-gap 76+9@76", "skipped-bytes 85+37@109"], undecoded: 0, gapBytes: 9),
    Case(
      name: "a first run of two bytes is none, whatever follows",
      dump: Array(tls.prefix(2)) + Dumps.mark(9) + tls,
      findings: ["skipped-bytes 0+2@0", "stream-gap 2+9@2", "skipped-bytes 11+37@35"], undecoded: 0,
      gapBytes: 9),
  ]

  @Test(arguments: cases)
  func streams(_ example: Case) throws {
    let analysis = try DumpAnalysis(example.dump)
    #expect(analysis.evidence.findingTexts == example.findings)
    #expect(analysis.summary.undecodedBytes == example.undecoded)
    #expect(analysis.summary.gapBytes == example.gapBytes)
    let summary = analysis.summary
    #expect(summary.recordBytes + summary.skippedBytes + summary.truncatedBytes == summary.streamBytes)
    #expect(
      analysis.evidence.streams.map(\.streamProtocol) == [example.undecoded > 0 ? .encrypted : .feedback])
    #expect(analysis.evidence.streams.first?.serverGapBytes == example.gapBytes)
    #expect(analysis.evidence.streams.first?.findings == example.findings.count)
    if example.undecoded > 0 { #expect(analysis.evidence.records.isEmpty) }
  }

  @Test("each stream is detected separately")
  func several() throws {
    let analysis = try DumpAnalysis(all: [Self.tls, Self.tuples, Self.tls])
    #expect(analysis.summary.undecodedBytes == 74 && analysis.summary.streamBytes == 76)
    #expect(analysis.evidence.streams.map(\.streamProtocol) == [.encrypted, .feedback, .encrypted])
    #expect(analysis.evidence.records.map(\.source) == ["dump 1", "dump 1"])
  }

  @Test("the public alert fragment")
  func vector() throws {
    let analysis = try DumpAnalysis([0x15, 0x03, 0x01, 0x00, 0x20, 0x68, 0x2c])
    #expect(analysis.evidence.findingTexts == ["encrypted-stream 0+7@0"])
  }
}
