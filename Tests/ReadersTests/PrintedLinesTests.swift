import Conformance
import MockServer
import TestSupport
import Testing

@Suite("Judging printed output") struct PrintedLinesTests {
  /// Tokens of 1 byte: 1, 2, 3.
  private let truth = TupleStream().tuple(1, fill: 1).tuple(1, fill: 2).tuple(1, fill: 3).truth

  private func judgement(_ text: String, of truth: TrueRecords? = nil, chunkSize: Int = .max) -> Judgement {
    var lines = PrintedLines(FeedbackJudge(truth: truth ?? self.truth))
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      lines.take(rest.prefix(chunkSize))
      rest = rest.dropFirst(chunkSize)
    }
    return lines.finish(outcome: .completed)
  }

  private static let sound = "1400000000,01\n1400000000,02\n1400000000,03\n"

  @Test(
    "correct output",
    arguments: [
      ("as it is", sound), ("without the last line end", String(sound.dropLast())),
      ("with carriage returns", sound.replacing("\n", with: "\r\n")),
    ]) func right(_ name: String, _ text: String)
  {
    for chunkSize in [1, 2, 7, 14, 1000] {
      let judgement = judgement(text, chunkSize: chunkSize)
      #expect(judgement.correct == 3 && judgement.records == 3, "\(name), \(chunkSize)")
      #expect(judgement.firstDifference == nil, "\(name), \(chunkSize)")
    }
  }

  @Test(
    "an unparsable line counts as a wrong record",
    arguments: Fixtures.rows("unparsable lines", in: "lab-cases") as [String])
  func unparsable(_ line: String) {
    let judgement = judgement("\(line)\n" + Self.sound)
    #expect(judgement.records == 4 && judgement.correct == 3 && judgement.wrong == 1, "\(line)")
    #expect(judgement.firstDifference?.record == 0 && judgement.firstDifference?.emitted == "'\(line)'")
    #expect(judgement.firstDifference?.reason.text.hasPrefix("the line is not a record: ") == true)
  }

  @Test("times may be negative, hex of either case, a token empty") func forms() throws {
    func parsed(_ text: String) throws -> (time: Int64, token: [UInt8]) {
      try #require(PrintedText.tuple(Array(text.utf8)[...]))
    }
    #expect(try parsed("-5,aBcD") == (-5, [0xab, 0xcd]))
    #expect(try parsed("7,") == (7, []))
    #expect(try parsed("007,00").time == 7)
  }

  @Test("an endless line takes bounded memory and is one wrong record") func overlong() {
    let endless = String(repeating: "a", count: 10_000_000)
    let judgement = judgement(endless + "\n" + Self.sound, chunkSize: 100_000)
    #expect(judgement.records == 4 && judgement.correct == 3)
    #expect((judgement.firstDifference?.emitted?.count ?? 0) < 100)
  }

  @Test("the longest possible token is read") func longest() {
    let truth = TupleStream().tuple(65535).truth
    #expect(judgement(text(65535) + "\n", of: truth).firstDifference == nil)
  }

  private static let responses = [
    TrueResponses.Response(offset: 0, status: 8, identifier: 7),
    TrueResponses.Response(offset: 6, status: 10, identifier: 4_294_967_295),
  ]

  @Test(
    "error responses",
    arguments: Fixtures.rows("error responses", in: "lab-cases") as [(String, Int, Int, Int?, String?)])
  func errors(_ text: String, _ records: Int, _ correct: Int, _ difference: Int?, _ reason: String?) {
    let truth = TrueResponses(
      bytes: [8, 8, 0, 0, 0, 7, 8, 10, 255, 255, 255, 255], responses: Self.responses)
    var lines = PrintedLines(ResponseJudge(truth: truth))
    lines.take(Array(text.utf8)[...])
    let judgement = lines.finish(outcome: .completed)
    #expect([judgement.records, judgement.correct, judgement.missed] == [records, correct, 2 - correct])
    #expect(judgement.firstDifference?.record == difference)
    let found = judgement.firstDifference?.reason.text
    #expect(found.map { $0.hasPrefix(reason ?? "?") } == reason.map { _ in true }, "\(found ?? "")")
  }
}
