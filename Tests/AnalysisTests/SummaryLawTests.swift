import Analysis
import PacketCapture
import StreamInputs
import TestSupport
import Testing

@Suite("The summary of an analysis") struct SummaryLawTests {
  @Test("every count is that of the reported records, findings and streams") func sums() throws {
    var generator = SeededGenerator(seed: 41)
    for _ in 0..<60 {
      let dumps = (0..<generator.pick(1...3)).map { _ in Dumps.damaged(&generator) }
      let analysis = try DumpAnalysis(all: dumps)
      let summary = analysis.summary
      let evidence = analysis.evidence
      #expect(summary.recordBytes + summary.skippedBytes + summary.truncatedBytes == summary.streamBytes)
      #expect(summary.feedback == evidence.records.count)
      #expect(summary.recordBytes == evidence.records.reduce(0) { $0 + $1.bytes.count })
      #expect(summary.skippedBytes == length(of: .skippedBytes, evidence))
      #expect(summary.truncatedBytes == length(of: .truncatedRecord, evidence))
      #expect(summary.gapBytes == length(of: .streamGap, evidence))
      #expect(summary.streams == dumps.count && evidence.streams.count == dumps.count)
      #expect(summary.streamBytes == evidence.streams.reduce(0) { $0 + $1.serverBytes })
      #expect(evidence.records.count == evidence.streams.reduce(0) { $0 + $1.records })
      #expect(evidence.findings.count == evidence.streams.reduce(0) { $0 + $1.findings })
      expectCounts(summary, evidence)
    }
  }

  private func length(of code: FindingCode, _ evidence: EvidenceRecording) -> Int {
    evidence.findings.filter { $0.code == code }.reduce(0) { $0 + ($1.length ?? 0) }
  }

  private func expectCounts(_ summary: Summary, _ evidence: EvidenceRecording) {
    var flags: [String: Int] = [:]
    for code in evidence.records.flatMap(\.flags) { flags[code, default: 0] += 1 }
    #expect(Dictionary(uniqueKeysWithValues: summary.flagCounts) == flags)
    #expect(summary.flagCounts.map(\.code) == flags.keys.sorted())
    var findings: [FindingCode: Int] = [:]
    for finding in evidence.findings { findings[finding.code, default: 0] += 1 }
    #expect(summary.findings == findings)
    #expect(summary.findingCount(.error) == evidence.findings.count)
    let times = evidence.records.filter { !$0.flags.contains("implausible-timestamp") }.map(\.time)
    #expect(summary.times?.lowerBound == times.min() && summary.times?.upperBound == times.max())
  }

  @Test("the evidence of a stream is in the order of its offsets") func order() throws {
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<60 {
      let analysis = try DumpAnalysis(Dumps.damaged(&generator))
      let findings = analysis.evidence.findings.compactMap(\.offset)
      #expect(findings == findings.sorted())
      let records = analysis.evidence.records.map(\.offset)
      #expect(records == records.sorted())
    }
  }

  @Test("separate threads for reading, analysis and sinks give the same results") func threads() throws {
    var generator = SeededGenerator(seed: 44)
    for _ in 0..<3 {
      // Several blocks of the reader, and a small input after them.
      let large = (0..<12).flatMap { _ in
        Dumps.damaged(&generator, parts: 40) + (0..<2000).flatMap { _ in Dumps.tuple(&generator) }
      }
      let dumps = [large, Dumps.damaged(&generator)]
      let one = try DumpAnalysis(all: dumps)
      let several = try DumpAnalysis(all: dumps, usesThreads: true)
      #expect(several.evidence.records == one.evidence.records)
      #expect(several.evidence.findingTexts == one.evidence.findingTexts)
      #expect(several.evidence.streams == one.evidence.streams)
      #expect(several.summary.streamBytes == one.summary.streamBytes)
      #expect(one.summary.streamBytes > 3 << 18)
    }
  }

  @Test("an error of a sink on another thread ends the reading") func failingSink() throws {
    final class Failing: EvidenceSink {
      func records(_ records: FeedbackRecords, in bytes: RawSpan) throws { throw CancellationError() }
    }
    var generator = SeededGenerator(seed: 45)
    let dump = (0..<20_000).flatMap { _ in Dumps.tuple(&generator) }
    let files = TemporaryFiles()
    let analyzer = Analyzer(sinks: [Failing()], sinkThreads: 1)
    var reader = try InputReader(options: ReadingOptions(), contentProbes: [], usesThread: true) {
      try analyzer.consume($0)
    }
    let input = Input(try files.write(dump))
    #expect(throws: CancellationError.self) {
      try analyzer.log.begin(source: "dump")
      _ = try reader.read(input, progress: { _ in })
      try analyzer.log.finish()
    }
    reader.stop()
    analyzer.log.stop()
  }

  @Test("earliest and latest leave implausible times out; without a plausible one they are missing")
  func times() throws {
    let analysis = try DumpAnalysis(
      Tuples.one(time: 5) + Tuples.one(time: 1_400_000_001) + Tuples.one(time: 0xffff_ffff))
    #expect(analysis.summary.times == 1_400_000_001...1_400_000_001)
    #expect(try DumpAnalysis(Tuples.one(time: 5)).summary.times == nil)
    #expect(try DumpAnalysis([]).summary.times == nil)
  }
}
