import StreamInputs
import TestSupport
import Testing

@Suite("Streams that other tools exported")
struct ExportTests {
  /// A case of Tests/Fixtures/export-cases.txt.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var format: ExportFormat
    var text: String
    /// As `ExportRecording.summary` and `.errorPlaces` write them.
    var expected: String
    var errors: String
    var testDescription: String { "\(format.rawValue): \(name)" }
  }

  static let cases = MarkedCase.all("export-cases.txt").compactMap { one in
    ExportFormat(rawValue: one.section).map { format in
      Case(
        name: one.name, format: format, text: one.text, expected: one.lines("=").joined(separator: " "),
        errors: one.lines("!").joined(separator: " "))
    }
  }

  @Test func areThere() { #expect(Self.cases.count == 83) }

  @Test(arguments: cases)
  func reads(_ example: Case) {
    let recording = ExportRecording.of(Array(example.text.utf8), as: example.format)
    #expect(recording.summary == example.expected)
    #expect(recording.errorPlaces == example.errors)
    #expect(recording.misuse == [])
  }

  @Test("any blocks give the same", arguments: cases)
  func anyBlocks(_ example: Case) {
    let text = Array(example.text.utf8)
    let whole = ExportRecording.of(text, as: example.format)
    for size in 1...40 {
      let recording = ExportRecording.of(text, as: example.format, blockSize: { size })
      #expect(recording == whole, "blocks of \(size)")
    }
  }

  @Test("cut anywhere, or with any byte changed, it is read to its end", arguments: cases)
  func damaged(_ example: Case) {
    let text = Array(example.text.utf8)
    var generator = SeededGenerator(seed: 5)
    for cut in 0..<text.count {
      #expect(ExportRecording.of(Array(text[..<cut]), as: example.format).misuse == [])
      var changed = text
      changed[cut] = generator.pick([0, 0x0a, 0x20, 0x30, 0x66, 0x7d, 0xff])
      for format in ExportFormat.allCases {
        #expect(ExportRecording.of(changed, as: format).misuse == [])
      }
    }
  }
}
