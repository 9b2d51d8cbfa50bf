import Basics
import Conformance
import TestSupport
import Testing
import Wording

/// A stream, the output of a reader, and the expected reason for the last record, derived by hand.
struct PrintedCase: Sendable, CustomTestStringConvertible {
  var name: String
  var stream: TupleStream
  /// Times and tokens; all but the last are right.
  var printed: [(Int64, [UInt8])]
  var reason: Message

  var testDescription: String { name }
}

@Suite("Reasons for the first wrong record of an external reader")
struct PrintedReasonTests {
  private static let time = Int64(Tuples.time)
  private static func bytes(_ count: Int, _ fill: UInt8) -> [UInt8] { [UInt8](repeating: fill, count: count) }

  /// Tuples at 0, 38 and 98; the second one ends at 98.
  private static let longer = TupleStream().tuple().tuple(54, fill: 0xbb).tuple(fill: 0xcc)
  /// Tuples at 0, 38 (empty) and 44.
  private static let empty = TupleStream().tuple().tuple(0, time: 7).tuple(fill: 0xbb)
  private static let noise = TupleStream().tuple().noise([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])

  private static let emptyTokens: [PrintedCase] = [
    PrintedCase(
      name: "an empty token", stream: empty, printed: [(time, bytes(32, 0xaa)), (7, [])],
      reason: .emptyTokenReported(at: 38)),
    PrintedCase(
      name: "an empty token with a time read as signed",
      stream: TupleStream().tuple(0, time: .max).tuple(), printed: [(-1, [])],
      reason: .emptyTokenReported(at: 0)),
    PrintedCase(
      name: "an empty token after the last true tuple", stream: TupleStream().tuple().tuple(0),
      printed: [(time, bytes(32, 0xaa)), (time, [])],
      reason: .emptyTokenReported(at: 38)),
    PrintedCase(
      name: "the next one of two empty tokens",
      stream: TupleStream().tuple(0).tuple().tuple(0).tuple(fill: 0xbb),
      printed: [(time, bytes(32, 0xaa)), (time, [])],
      reason: .emptyTokenReported(at: 44)),
    PrintedCase(
      name: "32 bytes instead of an empty token", stream: empty,
      printed: [(time, bytes(32, 0xaa)), (7, [0x53, 0x72, 0x4e, 0, 0, 32] + bytes(26, 0xbb))],
      reason: .emptyTokenReported(at: 38, token: 32)),
    PrintedCase(
      name: "an empty token of a tuple that has one", stream: empty, printed: [(time, [])],
      reason: .tupleReported(at: 0, token: 0, of: 32)),
  ]

  private static let alignment: [PrintedCase] = [
    PrintedCase(
      // 0xbbbbbbbb is 3149642683. From 82 on there are 16 bytes of the long token, a header, a token.
      name: "38 bytes on, regardless of the length", stream: longer,
      printed: [
        (time, bytes(32, 0xaa)), (time, bytes(54, 0xbb)),
        (3_149_642_683, bytes(16, 0xbb) + [0x53, 0x72, 0x4e, 0, 0, 32] + bytes(32, 0xcc)),
      ],
      reason: .bytesInsideTuple(at: 76, tupleEnd: 98)),
    PrintedCase(
      name: "the same with a signed time and 32 bytes", stream: longer,
      printed: [
        (time, bytes(32, 0xaa)), (time, bytes(54, 0xbb)),
        (-1_145_324_613, bytes(16, 0xbb) + [0x53, 0x72, 0x4e, 0, 0, 32] + bytes(10, 0xcc)),
      ],
      reason: .bytesInsideTuple(at: 76, tupleEnd: 98)),
    PrintedCase(
      name: "too little of a long token", stream: longer,
      printed: [(time, bytes(32, 0xaa)), (time, bytes(32, 0xbb))],
      reason: .tupleReported(at: 38, token: 32, of: 54)),
    PrintedCase(
      name: "too much after a short token", stream: TupleStream().tuple(30).tuple(fill: 0xbb),
      printed: [(time, bytes(30, 0xaa) + [0x53, 0x72])],
      reason: .tupleReported(at: 0, token: 32, of: 30)),
    PrintedCase(
      name: "too little of a later tuple", stream: longer,
      printed: [(time, bytes(32, 0xaa)), (time, bytes(20, 0xcc))],
      reason: .tupleReported(at: 98, insteadOf: 38, token: 20, of: 32)),
    PrintedCase(
      name: "bytes that were skipped", stream: noise.tuple(fill: 0xbb),
      printed: [(time, bytes(32, 0xaa)), (0x0102_0304, [7, 8, 9, 10])],
      reason: .bytesOutsideTuples(at: 38, next: 48)),
    PrintedCase(
      name: "a tail that is cut off", stream: noise,
      printed: [(time, bytes(32, 0xaa)), (0x0102_0304, [7, 8, 9, 10])],
      reason: .bytesOutsideTuples(at: 38, next: nil)),
    PrintedCase(
      name: "a token whose bytes occur elsewhere, after a different time", stream: longer,
      printed: [(time, bytes(32, 0xaa)), (9, bytes(20, 0xcc))],
      reason: .tupleReported(at: 38, otherTime: true, token: 20, of: 54)),
    PrintedCase(
      name: "zeros, which occur anywhere", stream: TupleStream().tuple(fill: 0).tuple(fill: 0xbb),
      printed: [(0, [0, 0])],
      reason: .tupleReported(at: 0, otherTime: true, token: 2, of: 32)),
    PrintedCase(
      name: "a time that does not fit in four bytes", stream: longer, printed: [(1 << 32, bytes(20, 0xcc))],
      reason: .tupleReported(at: 0, otherTime: true, token: 20, of: 32)),
  ]

  @Test("reasons", arguments: emptyTokens + alignment)
  func reasons(_ test: PrintedCase) {
    var judge = FeedbackJudge(truth: test.stream.truth)
    for (time, token) in test.printed { judge.receive(time: time, token: token) }
    let difference = judge.finish(outcome: .completed).firstDifference
    #expect(difference?.record == test.printed.count - 1)
    #expect(difference?.reason == test.reason)
  }

  @Test("a pattern search equals a slow reference")
  func search() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let bytes = (0..<generator.pick(0...60)).map { _ in UInt8(generator.pick(0...1)) }
      let pattern = (0..<generator.pick(0...6)).map { _ in UInt8(generator.pick(0...1)) }
      let (start, every) = (generator.pick(0...20), generator.pick(1...4))
      let starts = stride(from: start, through: max(bytes.count - pattern.count, start - 1), by: 1)
      let expected = starts.first { index in
        index.isMultiple(of: every) && Array(bytes[index..<index + pattern.count]) == pattern
      }
      let found = PatternSearch(pattern).first(in: bytes, from: start) { $0.isMultiple(of: every) }
      #expect(found == expected, "\(pattern) in \(bytes) from \(start), every \(every)")
    }
  }
}
