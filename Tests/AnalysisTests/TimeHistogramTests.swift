import APNsWire
import Analysis
import TestSupport
import Testing

@Suite("The histogram of times")
struct TimeHistogramTests {
  /// 1, 5, 15 minutes, 1, 6 hours, 1 day, 1, 4, 12, 24, 48 and 768 weeks.
  private static let widths = [1, 5, 15, 60, 360, 1440, 10_080, 40_320, 120_960, 241_920, 483_840, 7_741_440]
    .map {
      UInt32($0 * 60)
    }

  /// The narrowest of the widths with which all times fall into 16 bins.
  private func model(_ times: [UInt32]) -> (width: UInt32, bins: [UInt32: Int]) {
    let first = times.min() ?? 0
    let last = times.max() ?? 0
    let width = Self.widths.first { last / $0 - first / $0 < 16 } ?? 0
    var bins: [UInt32: Int] = [:]
    for time in times { bins[time / width * width, default: 0] += 1 }
    return (width, bins)
  }

  private func histogram(_ times: [UInt32], cut: Int = 1) -> TimeHistogram {
    var histogram = TimeHistogram()
    for start in stride(from: 0, to: times.count, by: cut) {
      let part = times[start..<min(times.count, start + cut)]
      let bytes = part.flatMap { Tuples.of([1, 2], time: $0) }
      let run = RecordRun.sample(
        tokenLength: 2, count: part.count, times: (part.min() ?? 0)...(part.max() ?? 0))
      histogram.count(run, in: bytes.span.bytes)
    }
    return histogram
  }

  private func expectModel(_ times: [UInt32], _ generator: inout SeededGenerator) {
    let (width, bins) = model(times)
    for order in [times, times.sorted(), times.sorted(by: >), times.shuffled(using: &generator)] {
      let histogram = histogram(order, cut: generator.pick(1...9))
      #expect(histogram.width == width)
      let shown = histogram.bins
      #expect(shown.count <= TimeHistogram.maxBins)
      #expect(shown.first?.count ?? 1 > 0 && shown.last?.count ?? 1 > 0)
      #expect(Dictionary(uniqueKeysWithValues: shown.filter { $0.count > 0 }) == bins)
      #expect(zip(shown, shown.dropFirst()).allSatisfy { $1.start - $0.start == width })
    }
  }

  @Test("agrees with a plain count, in any order")
  func plainCount() {
    var generator = SeededGenerator(seed: 61)
    for _ in 0..<400 {
      let span = UInt32(1) << UInt32(generator.pick(0...31))
      let first = UInt32.random(in: 0...(.max - span), using: &generator)
      let times = (0..<generator.pick(1...60)).map { _ in
        UInt32.random(in: first...(first + span), using: &generator)
      }
      expectModel(times, &generator)
    }
  }

  @Test("the earliest and the latest time")
  func extremes() {
    var generator = SeededGenerator(seed: 62)
    for times in [[0], [.max], [0, .max], [.max, .max - 1], [0, 959], [0, 960], [59, 960]] as [[UInt32]] {
      expectModel(times, &generator)
    }
    #expect(TimeHistogram().bins.isEmpty)
  }
}
