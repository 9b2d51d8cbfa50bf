import Conformance
import ReaderModels
import TestSupport
import Testing

@Suite("Judging what readers report")
struct FeedbackJudgeTests {
  /// Tokens 1, 2, 2, 3 and an empty one, at the same time.
  private let truth = TupleStream().tuple(1, fill: 1).tuple(1, fill: 2).tuple(0).tuple(1, fill: 2)
    .tuple(1, fill: 3).truth

  @Test(
    "as a multiset, in any order",
    arguments: [
      ("all in order", [1, 2, 2, 3], 4, Int?.none),
      ("all in reverse", [3, 2, 2, 1], 4, 0),
      ("one missing", [1, 2, 3], 3, 2),
      ("one too often: it is matched once", [1, 1, 1, 2, 2, 3], 4, 1),
      ("two of a kind, and a third", [2, 2, 2], 2, 0),
      ("one that agreed is matched already", [1, 2, 2, 2, 3], 4, 3),
      ("none", [], 0, 0),
      ("unrelated ones", [7, 8, 9], 0, 0),
    ] as [(String, [UInt8], Int, Int?)])
  func multiset(_ name: String, _ tokens: [UInt8], _ correct: Int, _ difference: Int?) {
    let judgement = truth.judge(tokens.map { (Int64(Tuples.time), [$0]) })
    let counts = [judgement.records, judgement.correct, judgement.missed]
    #expect(counts == [tokens.count, correct, 4 - correct], "\(name)")
    #expect(judgement.firstDifference?.record == difference, "\(name)")
  }

  @Test("token bytes and time must both be equal")
  func equality() {
    #expect(truth.judge([(Int64(Tuples.time) + 1 << 32, [1])]).correct == 0)
    #expect(truth.judge([(Int64(Tuples.time), [1, 0])]).correct == 0)
    let emptyToken = truth.judge([(Int64(Tuples.time), [])])
    #expect([emptyToken.records, emptyToken.correct, emptyToken.wrong, emptyToken.missed] == [1, 0, 1, 4])
  }

  @Test("tuples can be given one by one or as runs")
  func runs() {
    let stream = TupleStream().tuple(fill: 1).tuple(fill: 2).tuple(fill: 3)
    let run = TrueRecords(bytes: stream.bytes, runs: [(offset: 0, tokenLength: 32, count: 3)])
    #expect(run.count == 3)
    for size in [20, 38, 4096] {
      #expect(run.judge(.java, cut: .size(size)) == stream.truth.judge(.java, cut: .size(size)))
    }
  }

  @Test("all readers read an empty stream correctly", arguments: FeedbackModel.allCases)
  func empty(_ model: FeedbackModel) {
    #expect(TupleStream().truth.judge(model, cut: .standard) == Judgement())
  }

  @Test("sound streams in chunks of 38: all are right except node, which needs lengths such as 257")
  func sound() {
    let usual = (1...9).reduce(TupleStream()) { $0.tuple(fill: $1) }.truth
    let long = (1...9).reduce(TupleStream()) { $0.tuple(257, fill: $1) }.truth
    var right = Judgement()
    (right.records, right.correct) = (9, 9)
    for model in FeedbackModel.allCases {
      #expect((usual.judge(model, cut: .size(38)) == right) == (model != .node))
      #expect((long.judge(model, cut: .size(263)) == right) == (model == .node || model == .csharp))
    }
  }

  @Test("as the reference judges", arguments: ReaderFixture.all)
  func reference(_ fixture: ReaderFixture) throws {
    let truth = TrueRecords(bytes: fixture.bytes, runs: fixture.tuples.map { ($0[0], $0[1], 1) })
    let cut = fixture.ends.map(Chunking.ends) ?? .sizes(fixture.sizes ?? [])
    for model in FeedbackModel.allCases {
      let expected = try #require(fixture.readers[model.rawValue])
      let judgement = truth.judge(model, cut: cut)
      let counts = [judgement.records, judgement.correct, judgement.missed]
      #expect(counts == [expected.said.count, expected.correct, expected.missed], "\(model)")
      #expect(judgement.outcome.rawValue == expected.outcome, "\(model)")
      #expect(judgement.firstDifference?.record == expected.difference, "\(model)")
      let emitted = expected.difference.flatMap { $0 < expected.said.count ? expected.said[$0] : nil }
      #expect(judgement.firstDifference?.emitted == emitted, "\(model)")
    }
  }

  @Test("every record is correct or wrong, every true one matched or missed, for all chunk sizes")
  func accounting() {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<100 {
      var stream = TupleStream()
      for _ in 0..<generator.pick(0...20) {
        stream = stream.tuple(generator.pick([0, 5, 32, 32, 32, 54]), fill: UInt8(generator.pick(0...3)))
        if generator.chance(9) { stream = stream.noise(generator.bytes(generator.pick(1...50))) }
      }
      let truth = stream.truth
      let whole = stream.runs.filter { $0.tokenLength > 0 }.count
      #expect(truth.count == whole)
      for model in FeedbackModel.allCases {
        let judgement = truth.judge(model, cut: .size(generator.pick(1...80)))
        #expect(judgement.correct + judgement.wrong == judgement.records)
        #expect(judgement.correct + judgement.missed == whole)
        #expect(judgement.correct >= 0 && judgement.wrong >= 0 && judgement.missed >= 0)
        let perfect = judgement.wrong == 0 && judgement.missed == 0
        if judgement.firstDifference == nil { #expect(perfect) }
      }
    }
  }
}
