import Basics
import Conformance
import ReaderModels
import TestSupport
import Testing

@Suite("Judging the reader of error responses") struct ResponseJudgeTests {
  /// `cut` has the sizes of chunks; `counts` are records, correct, wrong and missed; of the first difference there are the
  /// record, what is expected and emitted, and the beginning of the reason.
  @Test(
    "derived by hand",
    arguments: Fixtures.rows("judged by hand", in: "lab-cases")
      as [(String, String, [Int], [Int], [Int], Int?, String?, String?, String)])
  func byHand(
    _ name: String, _ hex: String, _ offsets: [Int], _ cut: [Int], _ counts: [Int], _ record: Int?,
    _ expected: String?, _ emitted: String?, _ reason: String
  ) throws {
    let stream = try #require(Hex.bytes(hex))
    let responses = offsets.map { offset in
      TrueResponses.Response(
        offset: offset, status: stream[offset + 1],
        identifier: stream[(offset + 2)..<(offset + 6)].reduce(0) { $0 << 8 | UInt32($1) })
    }
    let judgement = TrueResponses(bytes: stream, responses: responses).judgePHP(cut: .sizes(cut))
    #expect([judgement.records, judgement.correct, judgement.wrong, judgement.missed] == counts, "\(name)")
    #expect(judgement.outcome == .completed)
    let found = judgement.firstDifference
    #expect(found?.record == record && found?.expected == expected && found?.emitted == emitted, "\(name)")
    #expect(found?.reason.text.hasPrefix(reason) != false, "\(name)")
  }

  @Test("as the reference judges", arguments: ResponseFixture.all) func reference(_ fixture: ResponseFixture)
  {
    let responses = fixture.responses.map {
      TrueResponses.Response(offset: $0[0], status: UInt8($0[1]), identifier: UInt32($0[2]))
    }
    let judgement = TrueResponses(bytes: fixture.bytes, responses: responses).judgePHP(
      cut: .ends(fixture.ends))
    let counts = [judgement.records, judgement.correct, judgement.missed]
    #expect(counts == [fixture.said.count, fixture.correct, fixture.missed])
    #expect(judgement.firstDifference?.record == fixture.difference)
    let emitted = fixture.difference == 0 ? fixture.said.first : nil
    #expect(judgement.firstDifference?.emitted == emitted)
  }

  @Test("the reference has been read") func fixtures() { #expect(ResponseFixture.all.count == 40) }
}
