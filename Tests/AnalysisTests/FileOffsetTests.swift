import APNsWire
import Analysis
import Basics
import StreamInputs
import TestSupport
import Testing

/// `file_offset` must be the offset in the file of the record's first byte.
@Suite("File offsets")
struct FileOffsetTests {
  @Test("of records and findings, with gap marks between", arguments: DumpText.allCases)
  func offsets(_ layout: DumpText) throws {
    var generator = SeededGenerator(seed: 51)
    for _ in 0..<25 {
      try expectOffsets(of: Dumps.damaged(&generator, parts: 30), layout)
    }
    // Long enough for several blocks of a file and several of decoded text.
    try expectOffsets(of: (0..<120).flatMap { _ in Dumps.damaged(&generator) }, layout)
  }

  private static func format(of layout: DumpText) -> DumpFormat {
    switch layout {
    case .raw: .raw
    case .base64: .base64
    default: .hex
    }
  }

  private func expectOffsets(of dump: [UInt8], _ layout: DumpText) throws {
    let (text, offsets) = layout.text(of: dump)
    let analysis = try DumpAnalysis(text, as: Self.format(of: layout))
    #expect(analysis.reports.allSatisfy { $0.errors.isEmpty })
    let indices = Self.dumpIndices(of: dump)
    for record in analysis.evidence.records {
      let index = indices(record.offset)
      let isThere =
        record.fileOffset == offsets[index] && dump[index...].starts(with: record.bytes)
      if !isThere { Issue.record("the record at \(record.offset) is not at \(record.fileOffset)") }
    }
    for finding in analysis.evidence.findings {
      let index = finding.code == .streamGap ? nil : finding.offset.map(indices)
      if let index { #expect(finding.fileOffset == offsets[index]) }
    }
    let gaps = analysis.evidence.findings.filter { $0.code == .streamGap }
    let marks = dump.indices.filter { dump[$0] == 0x5b && Self.markLength(dump, $0) != nil }
    #expect(gaps.map(\.fileOffset) == marks.map { offsets[$0] })
  }

  /// Bytes of the mark at `index` and the number of missing bytes in it, parsed independently.
  private static func markLength(_ dump: [UInt8], _ index: Int) -> (text: Int, missing: Int)? {
    // A match of the expression takes long.
    guard dump[index...].dropFirst().first.map({ (0x30...0x39).contains($0) }) == true else { return nil }
    let text = String(decoding: dump[index...].prefix(45), as: UTF8.self)
    guard let match = text.prefixMatch(of: /\[([0-9]+) bytes missing in capture file\]\0?/) else {
      return nil
    }
    return Int(match.1).map { (match.0.utf8.count, $0) }
  }

  /// Maps an offset in the stream to the index in the dump.
  private static func dumpIndices(of dump: [UInt8]) -> (Int) -> Int {
    var runs: [(offset: Int, index: Int)] = [(0, 0)]
    var offset = 0
    var index = 0
    while index < dump.count {
      if dump[index] == 0x5b, let mark = markLength(dump, index) {
        offset += mark.missing
        index += mark.text
        runs.append((offset, index))
      } else {
        offset += 1
        index += 1
      }
    }
    return { offset in
      let run = runs.last { $0.offset <= offset } ?? (0, 0)
      return run.index + offset - run.offset
    }
  }

  @Test("of a skip that is longer than the recorded origins")
  func longSkips() throws {
    let noise = [UInt8](repeating: 0xff, count: 900_000)
    let dump = Tuples.one() + Tuples.one() + noise + Tuples.one() + Tuples.one()
    for layout in [DumpText.raw, .unevenHex, .spacedHex, .xxd] {
      let (text, offsets) = layout.text(of: dump)
      let analysis = try DumpAnalysis(text, as: Self.format(of: layout))
      #expect(analysis.evidence.findingTexts == ["skipped-bytes 76+900000@\(offsets[76])"])
      #expect(analysis.evidence.records.map(\.fileOffset) == [0, 38, 900_076, 900_114].map { offsets[$0] })
    }
  }
}
