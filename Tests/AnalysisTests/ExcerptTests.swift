import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("The bytes around findings")
struct ExcerptTests {
  private final class Excerpts: EvidenceSink {
    private(set) var all: [Excerpt] = []
    var needs: EvidenceNeeds { .gatewayRecords }
    func excerpt(_ excerpt: Excerpt) { all.append(excerpt) }
  }

  /// Analyses `chunks`, with gaps of the lengths between them.
  private func excerpts(
    _ chunks: [[UInt8]], gaps: [Int] = [], perCode: Int = 9, chunkSize: Int = .max
  ) throws -> [Excerpt] {
    let sink = Excerpts()
    var options = AnalysisOptions()
    options.excerptsPerCode = perCode
    try Analyzer(options, sinks: [sink]).analyse { analyzer in
      var offset = 0
      for (index, chunk) in chunks.enumerated() {
        for start in stride(from: 0, to: chunk.count, by: min(chunkSize, max(chunk.count, 1))) {
          let part = Array(chunk[start..<min(chunk.count, start + min(chunkSize, chunk.count))])
          try analyzer.bytes(part, at: offset)
          offset += part.count
        }
        guard index < gaps.count else { continue }
        try analyzer.gap(StreamGap(offset: offset, length: gaps[index], fileOffset: nil), in: .dump)
        offset += gaps[index]
      }
    }
    return sink.all.sorted { $0.number < $1.number }
  }

  private func tuples(_ count: Int) -> [UInt8] {
    Array(repeatElement(Tuples.one(), count: count).joined())
  }

  /// The expected bytes of a part.
  private func expect(_ excerpt: Excerpt, _ ranges: [Range<Int>], of bytes: [UInt8]) {
    #expect(excerpt.parts.map { $0.start..<$0.start + $0.bytes.count } == ranges)
    for (part, range) in zip(excerpt.parts, ranges) { #expect(part.bytes == Array(bytes[range])) }
  }

  @Test(
    "40 before it and 24 after it, however the bytes come, with the tuples near it",
    arguments: [1, 7, 1000])
  func skipped(_ chunkSize: Int) throws {
    let dump = tuples(3) + [0xff, 0xfe, 0xfd] + tuples(40)
    let excerpt = try #require(try excerpts([dump], chunkSize: chunkSize).first)
    #expect(excerpt.finding.code == .skippedBytes && excerpt.range == 114..<117)
    expect(excerpt, [74..<141], of: dump)
    #expect(excerpt.tuples.map(\.range).contains(117..<155) && excerpt.tuples.map(\.range).contains(76..<114))
    #expect(excerpt.tuples.first { $0.range.lowerBound == 117 }?.isSure == false, "it is resynchronised")
  }

  @Test("the first and the last bytes of a long finding")
  func long() throws {
    let dump =
      Tuples.one() + Tuples.one() + [UInt8](repeating: 0xff, count: 500) + Tuples.one() + Tuples.one()
    let excerpt = try #require(try excerpts([dump]).first)
    #expect(excerpt.range == 76..<576)
    expect(excerpt, [36..<140, 568..<600], of: dump)
  }

  @Test("the bytes before and after a gap", arguments: [1, 1000])
  func gap(_ chunkSize: Int) throws {
    let tuples = Tuples.one() + Tuples.one()
    let excerpt = try #require(try excerpts([tuples, tuples], gaps: [10], chunkSize: chunkSize).first)
    #expect(excerpt.finding.code == .streamGap)
    #expect(excerpt.parts.map(\.start) == [36, 86] && excerpt.parts.map(\.bytes.count) == [40, 24])
  }

  @Test("also if the finding waits for the outcome of requests")
  func waiting() throws {
    let requests = (0..<40).map { GatewayBytes.request(UInt32($0) + 5) }
    let dump = Array(requests[..<20].joined()) + [9] + Array(requests[20...].joined())
    let offset = 20 * requests[0].count
    let all = try excerpts([dump], chunkSize: 10)
    #expect(all.map(\.finding.code) == [.unknownCommand, .skippedBytes] && all.map(\.number) == [1, 2])
    for excerpt in all { expect(excerpt, [offset - 40..<offset + 25], of: dump) }
  }

  @Test("only the first few of each code")
  func few() throws {
    let damaged = tuples(2) + [0xff]
    let dump = Array(repeatElement(damaged, count: 9).joined()) + tuples(2)
    #expect(try excerpts([dump], perCode: 3).map { $0.range?.lowerBound } == [76, 153, 230])
    #expect(try excerpts([dump], perCode: 0).isEmpty)
  }
}
