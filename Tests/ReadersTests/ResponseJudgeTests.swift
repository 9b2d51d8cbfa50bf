import Basics
import Conformance
import ReaderModels
import TestSupport
import Testing

@Suite("Judging the reader of error responses") struct ResponseJudgeTests {
  private static let first: [UInt8] = [8, 7, 0, 0, 0, 1]
  private static let second: [UInt8] = [8, 10, 0x12, 0x34, 0x56, 0x78]

  /// A stream, the offsets of the true responses in it, the cut, the counts (records, correct, wrong, missed), and of the
  /// first difference record, expected, emitted, and the beginning of the reason.
  typealias Difference = (record: Int, expected: String?, emitted: String?, reason: String)
  private static let cases: [(String, [UInt8], [Int], Chunking, [Int], Difference?)] = [
    ("one, whole", first, [0], .size(4096), [1, 1, 0, 0], nil),
    ("nothing", [], [], .size(4096), [0, 0, 0, 0], nil),
    ("a cut one is no true one", [8, 7, 0], [], .size(4096), [0, 0, 0, 0], nil),
    (
      "in two parts", first, [0], .ends([2, 6]), [0, 0, 0, 1],
      (0, "7,1", nil, "the error arrived in parts: 2 bytes, then 4; the single read returned 2")
    ),
    (
      "in three parts", first, [0], .ends([1, 3, 6]), [0, 0, 0, 1],
      (0, "7,1", nil, "the error arrived in parts: 1 byte, then 2, then 3; the single read returned 1")
    ),
    (
      "in six parts, with more after them", first + [8, 7], [0], .size(1), [0, 0, 0, 1],
      (
        0, "7,1", nil,
        "the error arrived in parts: 1 byte, then 1, then 1, then 1, then 1, then 1; the single read returned 1"
      )
    ),
    (
      "a part that has more than the error", first + second, [0, 6], .ends([5, 12]), [0, 0, 0, 2],
      (0, "7,1", nil, "the error arrived in parts: 5 bytes, then 1; the single read returned 5")
    ),
    (
      "only the first", first + second, [0, 6], .size(4096), [1, 1, 0, 1],
      (1, "10,305419896", nil, "only the first 6 bytes are read: the error at offset 6")
    ),
    (
      "a wrong command", [7] + first.dropFirst() + second, [6], .size(4096), [1, 0, 1, 1],
      (0, "10,305419896", "7,1", "the bytes at offset 0 begin with 0x07")
    ),
    (
      "a wrong command and no error", [0x48, 84, 0, 0, 0, 2, 1], [], .size(4096), [1, 0, 1, 0],
      (0, nil, "84,2", "the bytes at offset 0 begin with 0x48")
    ),
    (
      "the end of an error that begins before the stream", [8, 9] + first, [2], .size(4096), [1, 0, 1, 1],
      (
        0, "7,1", "9,134676480",
        "the 6 bytes at offset 0 were read as an error; no error begins there, and the first one begins at offset 2"
      )
    ),
    (
      "an error that says by chance what a later one says", [9] + first.dropFirst() + second + first,
      [6, 12], .size(4096), [1, 1, 0, 1], (0, "10,305419896", "7,1", "the bytes at offset 0 begin with 0x09")
    ),
  ]

  @Test("derived by hand", arguments: cases) func byHand(
    _ name: String, _ stream: [UInt8], _ offsets: [Int], _ cut: Chunking, _ counts: [Int],
    _ difference: Difference?
  ) {
    let responses = offsets.map { offset in
      TrueResponses.Response(
        offset: offset, status: stream[offset + 1],
        identifier: stream[(offset + 2)..<(offset + 6)].reduce(0) { $0 << 8 | UInt32($1) })
    }
    let judgement = TrueResponses(bytes: stream, responses: responses).judgePHP(cut: cut)
    #expect([judgement.records, judgement.correct, judgement.wrong, judgement.missed] == counts, "\(name)")
    #expect(judgement.outcome == .completed)
    let found = judgement.firstDifference
    #expect(found?.record == difference?.record && found?.expected == difference?.expected, "\(name)")
    #expect(found?.emitted == difference?.emitted, "\(name)")
    #expect(found?.reason.text.hasPrefix(difference?.reason ?? "") != false, "\(name)")
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
