import Basics
import Conformance
import TestSupport
import Testing

@Suite("Reasons for the first wrong record of an external reader") struct PrintedReasonTests {
  /// A stream, the times and tokens that a reader printed (all but the last are right), and the reason for the last one,
  /// derived by hand.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var stream: TupleStream
    var printed: [(time: Int64, token: [UInt8])]
    var reason: String

    init(_ name: String, _ stream: TupleStream, _ printed: [(Int64, [UInt8])], _ reason: String) {
      (testDescription, self.stream, self.printed, self.reason) = (name, stream, printed, reason)
    }
  }

  private static let time = Int64(Tuples.time)
  private static func bytes(_ count: Int, _ fill: UInt8) -> [UInt8] { [UInt8](repeating: fill, count: count) }

  /// Tuples at 0, 38 and 98; the second one ends at 98.
  private static let longer = TupleStream().tuple().tuple(54, fill: 0xbb).tuple(fill: 0xcc)
  /// Tuples at 0, 38 (empty) and 44.
  private static let empty = TupleStream().tuple().tuple(0, time: 7).tuple(fill: 0xbb)
  private static let noise = TupleStream().tuple().noise([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  /// Tokens of one byte: 1, 2, 3.
  private static let small = TupleStream().tuple(1, fill: 1).tuple(1, fill: 2).tuple(1, time: .max, fill: 3)
  private static let first = (time, bytes(32, 0xaa))
  private static let long = (time, bytes(54, 0xbb))
  /// Sixteen bytes of the long token, and a header.
  private static let inside = bytes(16, 0xbb) + [0x53, 0x72, 0x4e, 0, 0, 32]

  private static func empty(_ offset: Int) -> String {
    "the tuple at offset \(offset) has an empty token and must not be reported"
  }

  private static let cases: [Case] = [
    Case("an empty token", empty, [first, (7, [])], empty(38)),
    Case(
      "an empty token with a time read as signed", TupleStream().tuple(0, time: .max).tuple(), [(-1, [])],
      empty(0)),
    Case(
      "an empty token after the last true tuple", TupleStream().tuple().tuple(0), [first, (time, [])],
      empty(38)),
    Case(
      "the next one of two empty tokens", TupleStream().tuple(0).tuple().tuple(0).tuple(fill: 0xbb),
      [first, (time, [])], empty(44)),
    Case(
      "32 bytes instead of an empty token", empty,
      [first, (7, [0x53, 0x72, 0x4e, 0, 0, 32] + bytes(26, 0xbb))],
      empty(38) + ": its token consists of the 32 bytes after it"),
    Case(
      "an empty token of a tuple that has one", empty, [(time, [])],
      "the tuple at offset 0 was reported with a token of 0 bytes instead of 32"),
    // 0xbbbbbbbb is 3149642683.
    Case(
      "38 bytes on, regardless of the length", longer,
      [first, long, (3_149_642_683, inside + bytes(32, 0xcc))],
      "its bytes are those at offset 76, where no tuple begins: the tuple before it ends at 98"),
    Case(
      "the same with a signed time and 32 bytes", longer,
      [first, long, (-1_145_324_613, inside + bytes(10, 0xcc))],
      "its bytes are those at offset 76, where no tuple begins: the tuple before it ends at 98"),
    Case(
      "too little of a long token", longer, [first, (time, bytes(32, 0xbb))],
      "the tuple at offset 38 was reported with a token of 32 bytes instead of 54"),
    Case(
      "too much after a short token", TupleStream().tuple(30).tuple(fill: 0xbb),
      [(time, bytes(30, 0xaa) + [0x53, 0x72])],
      "the tuple at offset 0 was reported with a token of 32 bytes instead of 30"),
    Case(
      "too little of a later tuple", longer, [first, (time, bytes(20, 0xcc))],
      "the tuple at offset 98 was reported instead of the one at offset 38, with a token of 20 bytes instead of 32"
    ),
    Case(
      "bytes that were skipped", noise.tuple(fill: 0xbb), [first, (0x0102_0304, [7, 8, 9, 10])],
      "its bytes are those at offset 38, where no tuple begins: the next one begins at 48"),
    Case(
      "a tail that is cut off", noise, [first, (0x0102_0304, [7, 8, 9, 10])],
      "its bytes are those at offset 38, where no whole tuple begins"),
    Case(
      "a token whose bytes occur elsewhere, after a different time", longer, [first, (9, bytes(20, 0xcc))],
      "the tuple at offset 38 was reported with a different time and a token of 20 bytes instead of 54"),
    Case(
      "zeros, which occur anywhere", TupleStream().tuple(fill: 0).tuple(fill: 0xbb), [(0, [0, 0])],
      "the tuple at offset 0 was reported with a different time and a token of 2 bytes instead of 32"),
    Case(
      "a time that does not fit in four bytes", longer, [(1 << 32, bytes(20, 0xcc))],
      "the tuple at offset 0 was reported with a different time and a token of 20 bytes instead of 32"),
    Case("nothing", small, [], "the reader ended, and never reported the 3 tuples from offset 0 on"),
    Case(
      "the second tuple first", small, [(time, [2])],
      "the tuple at offset 7 was reported instead of the one at offset 0"),
    Case(
      "a signed time", small, [(time, [1]), (time, [2]), (-1, [3])],
      "the time 4294967295 at offset 14 was read as signed: -1"),
    Case(
      "milliseconds", small, [(1_400_000_000_000, [1])],
      "the time 1400000000 at offset 0 was reported as 1400000000000"),
    Case(
      "other bytes", small, [(time, [9])],
      "the tuple at offset 0 was reported with different bytes as its token"),
    Case(
      "another length", small, [(7, [1, 0])],
      "the tuple at offset 0 was reported with a different time and a token of 2 bytes instead of 1"),
    Case(
      "too many", small, [(time, [1]), (time, [2]), (4_294_967_295, [3]), (0, [])],
      "the stream has only 3 tuples"),
  ]

  @Test("reasons", arguments: cases) func reasons(_ test: Case) {
    let difference = test.stream.truth.judge(test.printed).firstDifference
    #expect(difference?.record == max(0, test.printed.count - 1) && difference?.reason.text == test.reason)
    #expect(difference?.emitted == test.printed.last.map { "\($0.time),\(TestHex.text($0.token))" })
  }

  @Test("a pattern search equals a slow reference") func search() {
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
