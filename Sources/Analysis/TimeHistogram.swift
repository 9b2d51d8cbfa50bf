import APNsWire
import WireBytes

/// Histogram of record times, with up to `maxBins` bins of an equal width that grows with the span of the times. The
/// bins do not depend on the order of the records.
package struct TimeHistogram: Sendable {
  package static let maxBins = 16

  /// Bin widths in seconds: 1, 5 and 15 minutes, 1 and 6 hours, 1 day, 1, 4, 12, 24, 48 and 768 weeks. Each divides the
  /// next, so that bins can be joined without the records; sixteen of the last width cover all 32-bit times.
  private static let widths: [UInt32] = [
    60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_419_200, 7_257_600, 14_515_200, 29_030_400,
    464_486_400,
  ]

  private var widthIndex = 0
  /// Start of the first bin in seconds since 1970, a multiple of the width.
  private var start: UInt32 = 0
  private var counts = [Int](repeating: 0, count: maxBins)

  package init() {}

  /// Fraction bits of the width's reciprocal (rounded up). With 58 bits, the product with any time in the bins
  /// gives the exact quotient for each of `widths`, and fits in 64 bits.
  private static let reciprocalBits: UInt64 = 58

  /// The reciprocal of the width, times 2 to the power of `reciprocalBits`: multiplying is several times faster than
  /// dividing.
  private var binsPerSecond: UInt64 {
    ((1 << Self.reciprocalBits) + UInt64(width) - 1) / UInt64(width)
  }

  /// Width of a bin in seconds.
  package var width: UInt32 { Self.widths[widthIndex] }

  /// The bins from the first to the last with records, with their start times in seconds since 1970.
  package var bins: [(start: UInt32, count: Int)] {
    guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 })
    else { return [] }
    return (first...last).map { (start &+ UInt32($0) &* width, counts[$0]) }
  }

  package mutating func count(_ run: RecordRun, in bytes: RawSpan) {
    makeRoom(for: run.earliest...run.latest)
    let start = start
    let binsPerSecond = binsPerSecond
    var bins = counts.mutableSpan
    for index in 0..<run.count {
      let time = bytes.uncheckedBigEndianUInt32(at: run.start &+ index &* run.stride)
      let bin = (UInt64(time &- start) &* binsPerSecond) &>> Self.reciprocalBits
      bins[Int(truncatingIfNeeded: bin)] &+= 1
    }
  }

  /// Moves or joins the bins so that they cover `times`.
  private mutating func makeRoom(for times: ClosedRange<UInt32>) {
    let end = UInt64(start) + UInt64(width) * UInt64(Self.maxBins)
    if times.lowerBound >= start, UInt64(times.upperBound) < end { return }
    let old = bins
    let earliest = min(times.lowerBound, old.first?.start ?? .max)
    let latest = max(times.upperBound, old.last?.start ?? .min)
    while latest / width - earliest / width >= UInt32(Self.maxBins), widthIndex + 1 < Self.widths.count {
      widthIndex += 1
    }
    start = earliest / width * width
    counts = [Int](repeating: 0, count: Self.maxBins)
    for bin in old { counts[Int((bin.start - start) / width)] += bin.count }
  }
}
