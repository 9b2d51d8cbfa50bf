import APNsWire
import Analysis
import TestSupport
import Testing

@Suite("The histogram of times")
struct TimeHistogramTests {
  /// The narrowest of a minute, an hour and a day with which all times fall into 64 pages of 1024 bins; a day is always
  /// enough.
  private func model(_ times: [UInt32]) -> [UInt32: Int] {
    let width =
      ([60, 3600] as [UInt32]).first { width in Set(times.map { $0 / width / 1024 }).count <= 64 } ?? 86_400
    return Dictionary(times.map { ($0 / width * width, 1) }, uniquingKeysWith: +)
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
    let expected = model(times)
    for order in [times, times.sorted(), times.sorted(by: >), times.shuffled(using: &generator)] {
      let shown = histogram(order, cut: generator.pick(1...9)).bins
      #expect(Dictionary(uniqueKeysWithValues: shown.map { ($0.start, $0.count) }) == expected)
      #expect(zip(shown, shown.dropFirst()).allSatisfy { $0.start < $1.start })
      var single = TimeHistogram()
      for time in order { single.add(time) }
      #expect(
        single.bins.map(\.start) == shown.map(\.start) && single.bins.map(\.count) == shown.map(\.count))
    }
  }

  @Test("agrees with a plain count, in any order")
  func plainCount() {
    var generator = SeededGenerator(seed: 61)
    for _ in 0..<400 {
      let span = UInt32(1) << UInt32(generator.pick(0...31))
      let first = UInt32.random(in: 0...(.max - span), using: &generator)
      let times = (0..<generator.pick(1...180)).map { _ in
        UInt32.random(in: first...(first + span), using: &generator)
      }
      expectModel(times, &generator)
    }
  }

  @Test("the earliest and the latest time")
  func extremes() {
    var generator = SeededGenerator(seed: 62)
    for times in [
      [0], [.max], [0, .max], [.max, .max - 1], [0, 61_439], [0, 61_440], [59, 61_440], [0, 14_745_600],
      // 64 pages of minutes, and one more.
      (0..<64).map { $0 * 61_440 + 59 }, (0..<65).map { $0 * 61_440 + 59 },
      // The last and the first seconds of bins of any width.
      (1...60).map { $0 * 86_400 - 1 } + (1...60).map { $0 * 86_400 } + (0...60).map { .max - $0 * 3600 },
    ] as [[UInt32]] {
      expectModel(times, &generator)
    }
    #expect(TimeHistogram().bins.isEmpty)
  }
}
