import APNsWire
import Analysis
import TestSupport
import Testing

@Suite("Raw bytes recognised as feedback") struct FeedbackProbeTests {
  private static let noise = [UInt8](repeating: 0xfe, count: 200)

  static let cases: [(name: String, dump: [UInt8], isFeedback: Bool)] = [
    ("a tuple", Tuples.one(), true), ("tuples", Tuples.one() + Tuples.one(), true),
    ("a tuple that is cut", Tuples.one() + Tuples.one().dropLast(), true),
    ("a dump that lost its beginning", Array(Tuples.one().dropFirst(5)) + Tuples.one() + Tuples.one(), true),
    ("a gap mark at the front", Dumps.mark(76) + Tuples.one() + Tuples.one(), true),
    ("ciphertext", [0x16, 3, 1, 0, 5] + noise, true), ("noise", noise, false),
    ("a tuple in much noise", noise + Tuples.one() + noise, false),
    ("zeros", [UInt8](repeating: 0, count: 500), false),
    ("an ELF", [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0] + noise, false),
  ]

  @Test(arguments: cases) func recognised(_ name: String, _ dump: [UInt8], _ isFeedback: Bool) throws {
    let report = try #require(try DumpAnalysis(dump, as: nil).reports.first)
    #expect(report.recognition == (isFeedback ? .format(.dump(.raw)) : .nothing))
    #expect(report.format == .dump(.raw), "a named file is read in any case")
  }

  @Test("a long dump is recognised by its first 64 KiB, and random bytes are not") func longDumps() throws {
    var generator = SeededGenerator(seed: 71)
    let dump = (0..<5000).flatMap { _ in Dumps.tuple(&generator) }
    #expect(try DumpAnalysis(dump, as: nil).reports.first?.recognition == .format(.dump(.raw)))
    for _ in 0..<200 {
      let bytes = generator.bytes(generator.pick(50...3000))
      #expect(try DumpAnalysis(bytes, as: nil).reports.first?.recognition == .nothing)
    }
  }
}
