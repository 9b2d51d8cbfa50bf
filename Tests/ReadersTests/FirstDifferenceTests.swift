import Basics
import Conformance
import ReaderModels
import TestSupport
import Testing
import Wording

/// A reader, a stream, and the expected judgement, derived by hand.
struct JudgingCase: Sendable, CustomTestStringConvertible {
  var name: String
  var model: FeedbackModel
  var stream: TupleStream
  var cut: Chunking
  /// Records, correct, wrong, missed.
  var counts: [Int]
  var outcome: ReaderOutcome = .completed
  var difference: FirstDifference

  var testDescription: String { name }
}

@Suite("The first difference from the true records, and its reason")
struct FirstDifferenceTests {
  private static let two = TupleStream().tuple().tuple(fill: 0xbb)
  private static let aa32 = String(repeating: "aa", count: 32)

  private static let cases: [JudgingCase] = [
    JudgingCase(
      name: "cookbook takes a short read for a tuple", model: .cookbook,
      stream: two.tuple(fill: 0xcc), cut: .ends([96, 114]), counts: [4, 2, 2, 1],
      difference: FirstDifference(
        record: 2, expected: text(fill: 0xcc),
        emitted: "1400000000," + String(repeating: "cc", count: 14) + String(repeating: "bb", count: 18),
        reason: .shortRead(20, at: 76, isStale: true))),
    JudgingCase(
      name: "cookbook's first read is short", model: .cookbook, stream: TupleStream().tuple(),
      cut: .ends([37]), counts: [2, 0, 2, 1],
      difference: FirstDifference(
        record: 0, expected: text(), emitted: "1400000000," + aa32.dropLast(2) + "00",
        reason: .shortRead(37, at: 0, isStale: false))),
    JudgingCase(
      name: "cookbook makes a tuple of a cut tail", model: .cookbook, stream: two.noise([0x53, 0x72]),
      cut: .size(38), counts: [3, 2, 1, 0],
      difference: FirstDifference(
        record: 2, expected: nil, emitted: text(fill: 0xbb),
        reason: .shortRead(2, at: 76, isStale: true))),
    JudgingCase(
      name: "java makes a tuple of a cut tail", model: .java, stream: two.noise([0x53]), cut: .size(38),
      counts: [3, 2, 1, 0],
      difference: FirstDifference(
        record: 2, expected: nil, emitted: text(time: 0x5300_0000, fill: 0),
        reason: .shortRead(1, at: 76, isStale: false))),
    JudgingCase(
      name: "java ignores a longer length", model: .java,
      stream: TupleStream().tuple().tuple(54, fill: 0xbb), cut: .size(4096), counts: [3, 1, 2, 1],
      difference: FirstDifference(
        record: 1, expected: text(54, fill: 0xbb), emitted: text(fill: 0xbb),
        reason: .lengthIgnored(54, at: 42))),
    JudgingCase(
      name: "cookbook ignores an empty token", model: .cookbook, stream: TupleStream().tuple(0).tuple(),
      cut: .size(44), counts: [2, 0, 2, 1],
      difference: FirstDifference(
        record: 0, expected: text(),
        emitted: "1400000000,53724e000020" + String(repeating: "aa", count: 26),
        reason: .lengthIgnored(0, at: 4))),
    JudgingCase(
      name: "csharp reads a late time as signed", model: .csharp,
      stream: two.tuple(time: 0x8000_0000).tuple(fill: 0xcc), cut: .size(4096), counts: [4, 3, 1, 1],
      difference: FirstDifference(
        record: 2, expected: text(time: 2_147_483_648), emitted: text(time: -2_147_483_648),
        reason: .timeReadAsSigned(2_147_483_648, at: 76, readAs: -2_147_483_648))),
    JudgingCase(
      name: "csharp reports an empty token", model: .csharp,
      stream: TupleStream().tuple().tuple(0).tuple(fill: 0xbb), cut: .size(4096), counts: [3, 2, 1, 0],
      difference: FirstDifference(
        record: 1, expected: text(fill: 0xbb), emitted: "1400000000,",
        reason: .emptyTokenReported(at: 38))),
    JudgingCase(
      name: "csharp loops forever", model: .csharp,
      stream: TupleStream().tuple().tuple(100).tuple(), cut: .ends([82]), counts: [1, 1, 0, 2],
      outcome: .hangs,
      difference: FirstDifference(
        record: 1, expected: text(100), emitted: nil,
        reason:
          "the length 100 at offset 42 makes a tuple of 106 bytes, and 44 are buffered: the reader "
          + "loops forever")),
    JudgingCase(
      name: "csharp throws", model: .csharp,
      stream: TupleStream().tuple().noise([0, 0, 0, 0, 0x80, 5]).tuple(fill: 0xbb), cut: .size(4096),
      counts: [1, 1, 0, 1], outcome: .throws,
      difference: FirstDifference(
        record: 1, expected: text(fill: 0xbb), emitted: nil,
        reason: .readerThrows(length: -32763, at: 42))),
    JudgingCase(
      name: "csharp never sees a short last tuple", model: .csharp, stream: two.tuple(9), cut: .size(4096),
      counts: [2, 2, 0, 1],
      difference: FirstDifference(
        record: 2, expected: text(9), emitted: nil,
        reason:
          "the reader waits for 38 bytes, but the stream ends 15 bytes after offset 76: the rest is "
          + "never seen")),
    JudgingCase(
      name: "csharp takes noise for a tuple", model: .csharp,
      stream: TupleStream().noise([UInt8](repeating: 0, count: 6)).tuple(), cut: .size(4096),
      counts: [2, 1, 1, 0],
      difference: FirstDifference(
        record: 0, expected: text(), emitted: "0,",
        reason: .noTupleBegins(at: 0, next: 6))),
    JudgingCase(
      name: "node uses the first byte twice", model: .node,
      stream: TupleStream().tuple(fill: 1).tuple(fill: 1), cut: .size(4096), counts: [2, 0, 2, 2],
      difference: FirstDifference(
        record: 0, expected: text(fill: 1), emitted: "1400000000,",
        reason: .lengthByteReadTwice(0x0020, at: 4, readAs: 0))),
    JudgingCase(
      name: "node reads a length as too long", model: .node,
      stream: TupleStream().tuple(512, fill: 1).noise([5, 6]),
      cut: .size(4096), counts: [1, 0, 1, 1],
      difference: FirstDifference(
        record: 0, expected: text(512, fill: 1),
        emitted: "1400000000," + String(repeating: "01", count: 512) + "0506",
        reason: .lengthByteReadTwice(0x0200, at: 4, readAs: 514))),
    JudgingCase(
      name: "node reads beyond the end", model: .node, stream: TupleStream().tuple(257).noise([0, 0, 0, 9]),
      cut: .size(4096), counts: [2, 1, 1, 0],
      difference: FirstDifference(
        record: 1, expected: nil, emitted: "9,",
        reason:
          "the record at offset 263 reaches 2 bytes beyond the end of the stream, and the missing "
          + "bytes were read as zeros")),
  ]

  @Test("of one of our models", arguments: cases)
  func models(_ test: JudgingCase) {
    let judgement = test.stream.truth.judge(test.model, cut: test.cut)
    #expect([judgement.records, judgement.correct, judgement.wrong, judgement.missed] == test.counts)
    #expect(judgement.outcome == test.outcome)
    #expect(judgement.firstDifference == test.difference)
  }

  private static let printed: [(String, [(Int64, [UInt8])], String?, Message)] = [
    ("nothing", [], nil, .tuplesNeverReported(3, from: 0, .readerEnded)),
    (
      "the second tuple first", [(1_400_000_000, [2])], "1400000000,02",
      "the tuple at offset 7 was reported instead of the one at offset 0"
    ),
    (
      "a signed time", [(1_400_000_000, [1]), (1_400_000_000, [2]), (-1, [3])], "-1,03",
      .timeReadAsSigned(4_294_967_295, at: 14, readAs: -1)
    ),
    (
      "milliseconds", [(1_400_000_000_000, [1])], "1400000000000,01",
      "the time 1400000000 at offset 0 was reported as 1400000000000"
    ),
    (
      "other bytes", [(1_400_000_000, [9])], "1400000000,09",
      .tupleReported(at: 0, token: 1, of: 1)
    ),
    (
      "another length", [(7, [1, 0])], "7,0100",
      .tupleReported(at: 0, otherTime: true, token: 2, of: 1)
    ),
    (
      "too many", [(1_400_000_000, [1]), (1_400_000_000, [2]), (4_294_967_295, [3]), (0, [])], "0,",
      "the stream has only 3 tuples"
    ),
  ]

  @Test("of an external reader", arguments: printed)
  func programs(_ name: String, _ records: [(Int64, [UInt8])], _ emitted: String?, _ reason: Message) {
    let stream = TupleStream().tuple(1, fill: 1).tuple(1, fill: 2).tuple(1, time: .max, fill: 3)
    var judge = FeedbackJudge(truth: stream.truth)
    for (time, token) in records { judge.receive(time: time, token: token) }
    let judgement = judge.finish(outcome: .completed)
    #expect(judgement.firstDifference?.emitted == emitted, "\(name)")
    #expect(judgement.firstDifference?.reason == reason, "\(name)")
  }

  @Test(
    "of a reader that failed",
    arguments: [
      (ReaderOutcome.hangs, Message("the reader did not end")), (.throws, "the reader failed"),
      (.floods, "the reader was terminated"),
    ])
  func outcomes(_ outcome: ReaderOutcome, _ ending: Message) {
    let judgement = FeedbackJudge(truth: TupleStream().tuple().truth).finish(outcome: outcome)
    #expect(judgement.outcome == outcome)
    #expect(judgement.firstDifference?.reason == .tuplesNeverReported(1, from: 0, ending))
  }
}
