import APNsWire
import WireBytes

/// Counts of times in bins of equal width, which is a minute, an hour or a day, and grows with the span of the times.
/// `Timeline` joins the bins to bars. The bins do not depend on the order of the times.
package struct TimeHistogram: Sendable {
  /// In seconds. Each width divides the next, and the bars of a `Timeline` that are longer.
  private static let widths: [UInt32] = [60, 3600, UTCTime.secondsPerDay]
  /// The most bins of minutes or hours. All 32-bit times have 49,711 days.
  static let maxBins: UInt32 = 4096
  private static let maxDays = UInt32.max / UTCTime.secondsPerDay + 1

  private var widthIndex = 0
  /// Start of the first bin in seconds since 1970, a multiple of the width.
  private var start: UInt32 = 0
  private var counts: [Int] = []
  /// The earliest and the latest time.
  private var times: ClosedRange<UInt32>?

  package init() {}

  private var width: UInt32 { Self.widths[widthIndex] }

  /// The bins with times: their start times in seconds since 1970, and their counts.
  package var bins: [(start: UInt32, count: Int)] {
    counts.indices.filter { counts[$0] > 0 }.map { (start &+ UInt32($0) &* width, counts[$0]) }
  }

  package mutating func add(_ time: UInt32) {
    makeRoom(for: time...time)
    counts[Int((time &- start) / width)] &+= 1
  }

  package mutating func count(_ run: RecordRun, in bytes: RawSpan) {
    makeRoom(for: run.earliest...run.latest)
    let start = start
    let reciprocal = reciprocal
    var bins = counts.mutableSpan
    for index in 0..<run.count {
      let time = bytes.uncheckedBigEndianUInt32(at: run.start &+ index &* run.stride)
      let bin = (UInt64(time &- start) &>> 2 &* reciprocal) &>> Self.reciprocalBits
      bins[Int(truncatingIfNeeded: bin)] &+= 1
    }
  }

  /// Fraction bits of the reciprocal. With 45 bits, the product with a quarter of any time in the bins gives the exact
  /// quotient for each of the widths, and fits in 64 bits.
  private static let reciprocalBits: UInt64 = 45

  /// The reciprocal of a quarter of the width, rounded up: multiplying is several times faster than dividing.
  private var reciprocal: UInt64 {
    let quarter = UInt64(width / 4)
    return ((1 << Self.reciprocalBits) + quarter - 1) / quarter
  }

  /// Moves or joins the bins so that they cover `more`.
  private mutating func makeRoom(for more: ClosedRange<UInt32>) {
    if let times, times.lowerBound <= more.lowerBound, more.upperBound <= times.upperBound { return }
    let all =
      min(times?.lowerBound ?? .max, more.lowerBound)...max(times?.upperBound ?? 0, more.upperBound)
    times = all
    let (old, oldWidth) = (self, width)
    while widthIndex + 1 < Self.widths.count, all.upperBound / width - all.lowerBound / width >= Self.maxBins
    {
      widthIndex += 1
    }
    let end = UInt64(start) + UInt64(counts.count) * UInt64(width)
    if width == oldWidth, all.lowerBound >= start, UInt64(all.upperBound) < end { return }
    if widthIndex + 1 == Self.widths.count {
      (start, counts) = (0, [Int](repeating: 0, count: Int(Self.maxDays)))
    } else {
      // The same room before and after the times: times may come in either order.
      let middle = all.lowerBound / width / 2 + all.upperBound / width / 2
      start = (middle - min(middle, Self.maxBins / 2)) * width
      counts = [Int](repeating: 0, count: Int(Self.maxBins) + 1)
    }
    for bin in old.bins { counts[Int((bin.start - start) / width)] += bin.count }
  }
}
