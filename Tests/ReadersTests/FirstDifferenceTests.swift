import Basics
import Conformance
import ReaderModels
import TestSupport
import Testing

@Suite("The first difference from the true records, and its reason") struct FirstDifferenceTests {
  /// A reader, a stream, and the expected judgement, derived by hand.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var model: FeedbackModel
    var stream: TupleStream
    var cut: Chunking
    /// Records, correct, wrong, missed; the record of the difference.
    var counts: [Int]
    var expected, emitted: String?
    /// The beginning of the reason.
    var reason: String
    var outcome: ReaderOutcome

    init(
      _ name: String, _ model: FeedbackModel, _ stream: TupleStream, _ cut: Chunking,
      _ counts: [Int], _ expected: String?, _ emitted: String?, _ reason: String,
      _ outcome: ReaderOutcome = .completed
    ) {
      (testDescription, self.model, self.stream, self.cut) = (name, model, stream, cut)
      (self.counts, self.expected, self.emitted) = (counts, expected, emitted)
      (self.reason, self.outcome) = (reason, outcome)
    }
  }

  private static let one = TupleStream().tuple()
  private static let two = one.tuple(fill: 0xbb)
  private static func hex(_ pair: String, _ count: Int) -> String { String(repeating: pair, count: count) }

  private static let cases: [Case] = [
    Case(
      "cookbook takes a short read for a tuple", .cookbook, two.tuple(fill: 0xcc), .ends([96, 114]),
      [4, 2, 2, 1, 2], text(fill: 0xcc), "1400000000," + hex("cc", 14) + hex("bb", 18),
      "a read of 20 bytes at offset 76 was taken for a whole tuple of 38; its token ends in bytes of the tuple"
    ),
    Case(
      "cookbook's first read is short", .cookbook, one, .ends([37]), [2, 0, 2, 1, 0], text(),
      "1400000000," + hex("aa", 31) + "00",
      "a read of 37 bytes at offset 0 was taken for a whole tuple of 38; its token ends in zeros"),
    Case(
      "cookbook makes a tuple of a cut tail", .cookbook, two.noise([0x53, 0x72]), .size(38), [3, 2, 1, 0, 2],
      nil, text(fill: 0xbb),
      "a read of 2 bytes at offset 76 was taken for a whole tuple of 38; its token is that of the tuple before"
    ),
    Case(
      "java makes a tuple of a cut tail", .java, two.noise([0x53]), .size(38), [3, 2, 1, 0, 2], nil,
      text(time: 0x5300_0000, fill: 0),
      "a read of 1 byte at offset 76 was taken for a whole tuple of 38; its token is all zeros"),
    Case(
      "java ignores a longer length", .java, one.tuple(54, fill: 0xbb), .size(4096), [3, 1, 2, 1, 1],
      text(54, fill: 0xbb), text(fill: 0xbb),
      "the length at offset 42 is 54, but 32 bytes were taken as the token, and the next tuple begins 22 bytes early"
    ),
    Case(
      "cookbook ignores an empty token", .cookbook, TupleStream().tuple(0).tuple(), .size(44),
      [2, 0, 2, 1, 0], text(), "1400000000,53724e000020" + hex("aa", 26),
      "the length at offset 4 is 0, but 32 bytes were taken as the token, and the next tuple begins 32 bytes late"
    ),
    Case(
      "csharp reads a late time as signed", .csharp, two.tuple(time: 0x8000_0000).tuple(fill: 0xcc),
      .size(4096), [4, 3, 1, 1, 2], text(time: 2_147_483_648), text(time: -2_147_483_648),
      "the time 2147483648 at offset 76 was read as signed: -2147483648"),
    Case(
      "csharp reports an empty token", .csharp, one.tuple(0).tuple(fill: 0xbb), .size(4096), [3, 2, 1, 0, 1],
      text(fill: 0xbb), "1400000000,", "the tuple at offset 38 has an empty token and must not be reported"),
    Case(
      "csharp loops forever", .csharp, one.tuple(100).tuple(), .ends([82]), [1, 1, 0, 2, 1], text(100), nil,
      "the length 100 at offset 42 makes a tuple of 106 bytes, and 44 are buffered", .hangs),
    Case(
      "csharp throws", .csharp, one.noise([0, 0, 0, 0, 0x80, 5]).tuple(fill: 0xbb), .size(4096),
      [1, 1, 0, 1, 1], text(fill: 0xbb), nil, "the length 0x8005 at offset 42 was read as signed (-32763)",
      .throws),
    Case(
      "csharp never sees a short last tuple", .csharp, two.tuple(9), .size(4096), [2, 2, 0, 1, 2], text(9),
      nil, "the reader waits for 38 bytes, but the stream ends 15 bytes after offset 76"),
    Case(
      "csharp takes noise for a tuple", .csharp, TupleStream().noise([UInt8](repeating: 0, count: 6)).tuple(),
      .size(4096), [2, 1, 1, 0, 0], text(), "0,",
      "the bytes at offset 0 were read as a tuple; no tuple begins there, and the next one begins at offset 6"
    ),
    Case(
      "node uses the first byte twice", .node, TupleStream().tuple(fill: 1).tuple(fill: 1), .size(4096),
      [2, 0, 2, 2, 0], text(fill: 1), "1400000000,",
      "the length 0x0020 at offset 4 was read as 0 (the first byte twice), so the token is empty, and the next "
        + "tuple begins 32 bytes early"),
    Case(
      "node reads a length as too long", .node, TupleStream().tuple(512, fill: 1).noise([5, 6]),
      .size(4096), [1, 0, 1, 1, 0], text(512, fill: 1), "1400000000," + hex("01", 512) + "0506",
      "the length 0x0200 at offset 4 was read as 514 (the first byte twice), so the token has 514 bytes, and the "
        + "next tuple begins 2 bytes late"),
    Case(
      "node reads beyond the end", .node, TupleStream().tuple(257).noise([0, 0, 0, 9]), .size(4096),
      [2, 1, 1, 0, 1], nil, "9,", "the record at offset 263 reaches 2 bytes beyond the end of the stream"),
  ]

  @Test("of one of our models", arguments: cases) func models(_ test: Case) {
    let judgement = test.stream.truth.judge(test.model, cut: test.cut)
    let difference = judgement.firstDifference
    let counts = [judgement.records, judgement.correct, judgement.wrong, judgement.missed]
    #expect(counts + [difference?.record ?? -1] == test.counts && judgement.outcome == test.outcome)
    #expect(difference?.expected == test.expected && difference?.emitted == test.emitted)
    #expect(difference?.reason.text.hasPrefix(test.reason) == true, "\(difference?.reason ?? "")")
  }

  @Test(
    "of a reader that failed",
    arguments: [
      (ReaderOutcome.hangs, "the reader did not end"), (.throws, "the reader failed"),
      (.floods, "the reader was terminated"),
    ]) func outcomes(_ outcome: ReaderOutcome, _ ending: String)
  {
    let judgement = TupleStream().tuple().truth.judge([], outcome: outcome)
    #expect(judgement.outcome == outcome)
    let reason = judgement.firstDifference?.reason.text
    #expect(reason == "\(ending), and never reported the 1 tuple from offset 0 on")
  }
}
