import ReaderModels
import TestSupport
import Testing

@Suite("All feedback readers")
struct ReaderLawTests {
  @Test("report what the reference readers do", arguments: ReaderFixture.all)
  func reference(_ fixture: ReaderFixture) throws {
    let cut = fixture.ends.map(Chunking.ends) ?? .sizes(fixture.sizes ?? [])
    for model in FeedbackModel.allCases {
      let expected = try #require(fixture.readers[model.rawValue])
      let recording = ReaderRecording.of(model, fixture.bytes, cut: cut)
      #expect(recording.said == expected.said, "\(model)")
      #expect(recording.ending.outcome.rawValue == expected.outcome, "\(model)")
    }
  }

  @Test("the reference has been read")
  func fixtures() {
    #expect(ReaderFixture.all.count == 120)
    #expect(ReaderFixture.all.allSatisfy { $0.readers.count == FeedbackModel.allCases.count })
  }

  @Test("have the names and the order of docs/spec/readers.md#models")
  func names() {
    #expect(FeedbackModel.allCases.map(\.rawValue) == ["cookbook", "csharp", "node", "java"])
    #expect(PHPReader.name == "php")
  }

  @Test("accept any bytes in any chunks, and depend on the chunks only if they say so")
  func anyBytes() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<60 {
      let stream = generator.bytes(generator.pick(0...400)).map { generator.chance(2) ? 0 : $0 }
      let whole = FeedbackModel.allCases.map { ReaderRecording.of($0, stream, cut: .ends([])) }
      let cut = Chunking.size(generator.pick(1...80))
      for (model, whole) in zip(FeedbackModel.allCases, whole) {
        let recording = ReaderRecording.of(model, stream, cut: cut)
        if !model.dependsOnChunks { #expect(recording.said == whole.said) }
        #expect(recording.offsets == recording.offsets.sorted())
        #expect(recording.offsets.allSatisfy { $0 < stream.count })
      }
    }
  }
}
