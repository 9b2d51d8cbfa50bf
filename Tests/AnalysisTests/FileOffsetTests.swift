import APNsWire
import Analysis
import Basics
import StreamInputs
import TestSupport
import Testing

/// `file_offset` must be the offset in the file of the record's first byte.
@Suite("File offsets")
struct FileOffsetTests {
  /// A text format of a dump, with the file offset of each byte.
  enum Layout: String, CaseIterable, Sendable {
    case raw, wrappedHex, spacedHex, unevenHex, xxd, hexdump, base64

    var format: DumpFormat {
      switch self {
      case .raw: .raw
      case .base64: .base64
      default: .hex
      }
    }

    func text(of dump: [UInt8]) -> (text: [UInt8], offsets: [Int]) {
      switch self {
      case .raw: (dump, Array(0..<dump.count))
      case .wrappedHex: lines(dump, of: 30, group: 30) { _, _ in ("", "") }
      case .spacedHex: lines(dump, of: 16, group: 1) { _, _ in ("", "") }
      case .unevenHex: lines(dump, of: 10, group: 4) { _, _ in ("", "") }
      case .xxd: lines(dump, of: 16, group: 2) { ("\(Self.eight($0)): ", "  \(Self.shown($1))") }
      case .hexdump: hexdump(dump)
      case .base64: base64(dump)
      }
    }

    private func lines(
      _ dump: [UInt8], of size: Int, group: Int, frame: (Int, ArraySlice<UInt8>) -> (String, String)
    ) -> (text: [UInt8], offsets: [Int]) {
      var text: [UInt8] = []
      var offsets: [Int] = []
      for start in stride(from: 0, to: dump.count, by: size) {
        let row = dump[start..<min(start + size, dump.count)]
        let (before, after) = frame(start, row)
        text += before.utf8
        for (index, byte) in row.enumerated() {
          if index > 0, index % group == 0 { text.append(0x20) }
          offsets.append(text.count)
          text += Hex.string([byte]).utf8
        }
        text += after.utf8 + [0x0a]
      }
      return (text, offsets)
    }

    /// The last line is the offset of the end.
    private func hexdump(_ dump: [UInt8]) -> (text: [UInt8], offsets: [Int]) {
      let (text, offsets) = lines(dump, of: 16, group: 1) {
        ("\(Self.eight($0))  ", "  |\(Self.shown($1))|")
      }
      return (text + Array("\(Self.eight(dump.count))\n".utf8), offsets)
    }

    private static func eight(_ number: Int) -> String {
      String(String(number + 1 << 32, radix: 16).dropFirst())
    }

    private static func shown(_ row: ArraySlice<UInt8>) -> String {
      String(row.map { (0x20...0x7e).contains($0) ? Character(Unicode.Scalar($0)) : "." })
    }

    /// The offset of byte i in a group of three is that of character i of the four.
    private func base64(_ dump: [UInt8]) -> (text: [UInt8], offsets: [Int]) {
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
      var text: [UInt8] = []
      var offsets: [Int] = []
      for start in stride(from: 0, to: dump.count, by: 3) {
        if start > 0, start % 57 == 0 { text.append(0x0a) }
        let group = dump[start..<min(start + 3, dump.count)]
        offsets += group.indices.map { text.count + $0 - start }
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        text += (0...group.count).map { alphabet[bits >> (18 - 6 * $0) & 63] }
        text += repeatElement(0x3d, count: 3 - group.count)
      }
      return (text, offsets)
    }
  }

  @Test("of records and findings, with gap marks between", arguments: Layout.allCases)
  func offsets(_ layout: Layout) throws {
    var generator = SeededGenerator(seed: 51)
    for _ in 0..<25 {
      try expectOffsets(of: Dumps.damaged(&generator, parts: 30), layout)
    }
    // Long enough for several blocks of a file and several of decoded text.
    try expectOffsets(of: (0..<120).flatMap { _ in Dumps.damaged(&generator) }, layout)
  }

  private func expectOffsets(of dump: [UInt8], _ layout: Layout) throws {
    let (text, offsets) = layout.text(of: dump)
    let analysis = try DumpAnalysis(text, as: layout.format)
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
    for layout in [Layout.raw, .unevenHex, .xxd] {
      let (text, offsets) = layout.text(of: dump)
      let analysis = try DumpAnalysis(text, as: layout.format)
      #expect(analysis.evidence.findingTexts == ["skipped-bytes 76+900000@\(offsets[76])"])
      #expect(analysis.evidence.records.map(\.fileOffset) == [0, 38, 900_076, 900_114].map { offsets[$0] })
    }
  }
}
