import APNsWire
import TestSupport
import Testing

/// Tuples of a dump between which a program wrote something.
@Suite("docs/spec/decoding-rules.md#tuples-apart")
struct TuplesApartTests {
  /// What a program writes before and after the read with this number, from 0, and length.
  struct Saving: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var before: @Sendable (_ number: Int, _ length: Int) -> [UInt8] = { _, _ in [] }
    var after: @Sendable (_ number: Int, _ length: Int) -> [UInt8] = { _, _ in [] }
  }

  private static func number(_ number: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func buffer(of size: Int) -> Saving {
    Saving(
      testDescription: "zeros to a buffer of \(size) bytes",
      after: { _, length in [UInt8](repeating: 0, count: (size - length % size) % size) })
  }

  static let savings: [Saving] = [
    Saving(testDescription: "a line feed", after: { _, _ in [10] }),
    Saving(testDescription: "a line break of two bytes", after: { _, _ in [13, 10] }),
    Saving(
      testDescription: "a line feed, not after the last", before: { number, _ in number == 0 ? [] : [10] }),
    buffer(of: 160), buffer(of: 256), buffer(of: 1000),
    Saving(testDescription: "the length in 4 bytes", before: { number($1, bytes: 4) }),
    Saving(
      testDescription: "the length in 2 bytes, the low one first", before: { number($1, bytes: 2).reversed() }
    ),
    Saving(testDescription: "text with the number", before: { read, _ in Array("read \(read + 7): ".utf8) }),
    Saving(
      testDescription: "a line with number and length, and a line feed",
      before: { Array("read \($0): \($1) bytes\r\n".utf8) }, after: { _, _ in [10] }),
    Saving(
      testDescription: "a header that looks like a time",
      before: { Array("REC\0".utf8) + number($1, bytes: 2) }),
  ]

  private static func tuple(_ generator: inout SeededGenerator) -> [UInt8] {
    Tuples.of(generator.bytes(32), time: Tuples.time + UInt32(generator.pick(0...1_000_000)))
  }

  /// Reads of the numbers of tuples in `sizes`, and the decoding that is expected of them.
  private static func saved(_ saving: Saving, _ sizes: [Int]) -> (bytes: [UInt8], expected: [String]) {
    var generator = SeededGenerator(seed: 5)
    var bytes: [UInt8] = []
    var steps: [String] = []
    /// The end of the last tuple.
    var end = 0
    for (read, size) in sizes.enumerated() {
      bytes += saving.before(read, 38 * size)
      if bytes.count > end { steps.append("between \(end)+\(bytes.count - end)") }
      for _ in 0..<size {
        steps.append("record \(bytes.count)")
        bytes += tuple(&generator)
      }
      end = bytes.count
      bytes += saving.after(read, 38 * size)
    }
    if bytes.count > end { steps.append("between \(end)+\(bytes.count - end)") }
    return (bytes, steps)
  }

  private func decoded(_ bytes: [UInt8], chunks size: Int) -> [String] {
    let decoding = WatchedDecoding(feedback: bytes, isDump: true) { size }
    #expect(decoding.breach == nil, "in chunks of \(size)")
    return decoding.evidence.map(\.description)
  }

  @Test(
    "a whole dump, in reads of one tuple or several", arguments: savings,
    [[1, 1, 1, 1, 1, 1], [3, 1, 2, 4, 1, 1, 3], [2, 2, 2, 2]])
  func whole(_ saving: Saving, _ sizes: [Int]) {
    let (bytes, expected) = Self.saved(saving, sizes)
    for size in [1, 7, 37, 38, 39, 40, 300, 1000, bytes.count] {
      #expect(decoded(bytes, chunks: size) == expected, "in chunks of \(size)")
    }
  }

  @Test("a connection has nothing between tuples", arguments: savings)
  func connection(_ saving: Saving) {
    let decoding = WatchedDecoding(feedback: Self.saved(saving, [1, 1, 1, 1]).bytes) { .max / 2 }
    #expect(decoding.breach == nil)
    #expect(!decoding.evidence.text.contains("between"))
  }

  /// Tuples with a line feed after each, of which `changed` makes the bytes of the dump.
  private func decodedLines(_ count: Int, _ changed: (inout [UInt8]) -> Void) -> [String] {
    var bytes = Self.saved(Self.savings[0], Array(repeating: 1, count: count)).bytes
    changed(&bytes)
    let steps = decoded(bytes, chunks: bytes.count)
    for size in [1, 38, 100] { #expect(decoded(bytes, chunks: size) == steps, "in chunks of \(size)") }
    return steps
  }

  @Test("three separators prove what they are, two do not")
  func proof() {
    #expect(decodedLines(3) { _ in }.first == "record 0")
    #expect(decodedLines(2) { _ in }.first == "record 0 unconfirmed-boundary")
  }

  @Test("a tuple with an inserted byte is doubtful, and those after it are found")
  func insertion() {
    let steps = decodedLines(8) { $0.insert(0, at: 39 * 3 + 20) }
    #expect(
      steps[6...].prefix(4).joined(separator: ", ")
        == "record 117 unconfirmed-boundary, skipped 155+2, record 157 resynchronised, between 195+1")
    #expect(steps.last == "between 312+1")
  }

  @Test("a tuple that lost a byte is doubtful")
  func deletion() {
    let steps = decodedLines(8) { $0.remove(at: 39 * 3 + 20) }
    #expect(steps.contains("record 117 unconfirmed-boundary"))
    #expect(steps.last == "between 310+1")
    #expect(decodedLines(8) { $0.remove(at: 39 * 7 + 20) }.last == "record 273 unconfirmed-boundary")
  }

  @Test("where the dump ends inside a tuple, that is cut off")
  func cut() {
    #expect(decodedLines(8) { $0.removeLast(9) }.suffix(2) == ["between 272+1", "truncated 273+30"])
    #expect(decodedLines(8) { $0.removeLast(34) }.suffix(2) == ["between 272+1", "truncated 273+5"])
  }

  @Test("rows of a table are no tuples: their bytes are alike")
  func table() {
    var generator = SeededGenerator(seed: 1)
    let row = generator.bytes(32)
    let rows: [UInt8] = (0..<20).flatMap { Tuples.of(row.dropLast() + [UInt8($0)]) + [0, 0] }
    #expect(!decoded(rows, chunks: rows.count).contains { $0.hasPrefix("between") })
  }

  @Test("bytes that an earlier conversion inserted are no separators")
  func conversion() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let tuples = (0..<40).flatMap { _ in Self.tuple(&generator) }
      let converted = tuples.flatMap { $0 == 10 ? [13, 10] : [$0] }
      #expect(!decoded(converted, chunks: converted.count).contains { $0.hasPrefix("between") })
    }
  }

  static let rests: [(count: Int, bytes: [UInt8], expected: String)] = [
    (0, [], "record 38"),
    (1, [0], "record 38 unconfirmed-boundary, skipped 76+1"),
    (1, [0x53], "record 38 unconfirmed-boundary, skipped 76+1"),
    (4, [0x53, 0x72, 0x4e, 0], "record 38 unconfirmed-boundary, skipped 76+4"),
    (5, [0x53, 0x72, 0x4e, 0, 0], "record 38, truncated 76+5"),
    (5, [0x53, 0x72, 0x4e, 0, 1], "record 38 unconfirmed-boundary, skipped 76+5"),
    (6, [0x53, 0x72, 0x4e, 0, 0, 32], "record 38, truncated 76+6"),
  ]

  @Test("at the end of a dump, up to 4 bytes prove nothing", arguments: rests)
  func rest(_ count: Int, _ bytes: [UInt8], _ expected: String) {
    let dump = Tuples.one() + Tuples.one() + bytes
    #expect(decoded(dump, chunks: dump.count).joined(separator: ", ") == "record 0, " + expected)
    #expect(bytes.count == count)
  }
}
