import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

/// What the catalogue says of the records around damage, held against damaged dumps.
@Suite("Claims of the catalogue")
struct CatalogueClaimTests {
  private static let tuples = (0..<8).map {
    Tuples.of((0..<32).map { UInt8(7 &* $0 &+ 31) ^ 0x55 }, time: 1_400_000_000 + $0)
  }

  private func recording(of dump: [UInt8]) throws -> EvidenceRecording {
    let recording = EvidenceRecording()
    try Analyzer(sinks: [recording]).analyse { try $0.bytes(dump) }
    return recording
  }

  /// The records directly before skipped bytes.
  private func recordsBeforeSkips(_ recording: EvidenceRecording) -> [EvidenceRecording.Record] {
    recording.findings.filter { $0.code == .skippedBytes }.compactMap { finding in
      recording.records.last { $0.offset < finding.offset ?? 0 }
    }
  }

  @Test("the record before skipped bytes may be damaged: a dump that was sent as text (LF became CRLF)")
  func textMode() throws {
    let dump = Array(try Fixtures.data("cases/examiner/ftp-ascii.bin"))
    let isCR = { index in index + 1 < dump.count && dump[index] == 13 && dump[index + 1] == 10 }
    let sent = dump.indices.filter { !isCR($0) }.map { dump[$0] }
    let truth = Set(stride(from: 0, to: sent.count - 37, by: 38).map { Array(sent[$0..<$0 + 38]) })
    let before = recordsBeforeSkips(try recording(of: dump))
    #expect(before.count == 4)
    let damaged = before.filter { !truth.contains($0.bytes) }
    #expect(damaged.first?.offset == 114)
    #expect(damaged.allSatisfy { $0.flags.contains("unconfirmed-boundary") })
    let meaning = FindingCode.skippedBytes.entry.meaning
    #expect(meaning.contains("The record directly before them may be damaged, too"))
  }

  @Test("and has a flag then, wherever a few bytes are lost or inserted", arguments: [-3, -2, -1, 1, 2, 3])
  func directlyBefore(_ change: Int) throws {
    let sent = Self.tuples.flatMap { $0 }
    var damaged = 0
    for index in 0..<sent.count - 38 {
      let rest = sent[(index + max(0, -change))...]
      let dump = Array(sent[..<index]) + [UInt8](repeating: 0xf7, count: max(0, change)) + Array(rest)
      for record in recordsBeforeSkips(try recording(of: dump)) where !Self.tuples.contains(record.bytes) {
        damaged += 1
        #expect(record.flags.contains("unconfirmed-boundary"), "\(change) bytes at \(index)")
      }
    }
    #expect(damaged > 0 || change < 0)
  }

  @Test(
    "no entry calls records certain: rules see only what does not fit",
    arguments: FindingCode.allCases.map { ($0.rawValue, $0.entry) }
      + FlagEntry.all.map { ($0.code, $0.entry) })
  func words(_ head: String, _ entry: CatalogueEntry) {
    for word in ["sound", "certain", "not affected", "undamaged", "guarantee"] {
      #expect(!"\(entry.cause) \(entry.meaning)".contains(word), "\(head) says \(word)")
    }
  }
}
