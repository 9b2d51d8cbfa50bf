import APNsWire
import Basics

/// Counts of times in bins of equal width: a minute, an hour or a day, the narrowest one whose times fall into few
/// pages of bins. So a few times far from the others do not widen the bins. `Timeline` joins the bins to bars. The bins
/// do not depend on the order of the times.
package struct TimeHistogram: Sendable {
  private struct Width {
    /// Each divides the next, and the bars of a `Timeline` that are longer.
    let seconds: UInt32
    /// Fraction bits of the reciprocal, enough that the product with a quarter of any time gives the exact quotient
    /// and fits in 64 bits: multiplying is several times faster than dividing.
    let bits: UInt32
    let reciprocal: UInt32

    init(_ seconds: UInt32, bits: UInt32) {
      (self.seconds, self.bits) = (seconds, bits)
      let quarter = UInt64(seconds / 4)
      reciprocal = UInt32(((1 << UInt64(bits)) + quarter - 1) / quarter)
    }

    @inline(__always)
    func bin(_ time: UInt32) -> Int {
      Int(truncatingIfNeeded: (UInt64(time &>> 2) &* UInt64(reciprocal)) &>> UInt64(bits))
    }
  }

  private static let widths = [Width(60, bits: 34), Width(3600, bits: 40), Width(86_400, bits: 45)]
  private static let pageBits = 10
  /// The most pages of minutes or hours. All times have 49 pages of days.
  static let maxPages = 64

  private var width = Self.widths[0]
  /// For each page, the index of its first bin in `counts`; -1 without times.
  private var pages: [Int32] = []
  private var counts: [Int] = []

  package init() {}

  package var binWidth: UInt32 { width.seconds }

  /// The bins with times: their start times in seconds since 1970, and their counts.
  package var bins: [(start: UInt32, count: Int)] {
    pages.indices.filter { pages[$0] >= 0 }.flatMap { page in
      (0..<1 << Self.pageBits).compactMap { index in
        let count = counts[Int(pages[page]) + index]
        return count > 0 ? (UInt32(page << Self.pageBits | index) * binWidth, count) : nil
      }
    }
  }

  package mutating func add(_ time: UInt32, count: Int = 1) {
    makeRoom(for: time)
    counts[index(of: time)] &+= count
  }

  package mutating func count(_ run: RecordRun, in bytes: RawSpan) {
    let used = width.bin(run.earliest) >> Self.pageBits...width.bin(run.latest) >> Self.pageBits
    var counted = 0
    if !pages.isEmpty, pages[used].allSatisfy({ $0 >= 0 }) {
      counted = WideLoop.count(
        timesIn: bytes, from: run.start, stride: run.stride, count: run.count, reciprocal: width.reciprocal,
        bits: width.bits, pages: pages, pageBits: Self.pageBits, counts: &counts)
    }
    for index in counted..<run.count { add(run.time(of: index, in: bytes)) }
  }

  private func index(of time: UInt32) -> Int {
    let bin = width.bin(time)
    return Int(pages[bin >> Self.pageBits]) + bin & (1 << Self.pageBits - 1)
  }

  /// Adds the page of a time, and joins bins to wider ones if there are too many pages.
  private mutating func makeRoom(for time: UInt32) {
    if pages.isEmpty { pages = [Int32](repeating: -1, count: width.bin(.max) >> Self.pageBits + 1) }
    let page = width.bin(time) >> Self.pageBits
    if pages[page] >= 0 { return }
    if counts.count < Self.maxPages << Self.pageBits || binWidth == UTCTime.secondsPerDay {
      pages[page] = Int32(counts.count)
      counts += [Int](repeating: 0, count: 1 << Self.pageBits)
    } else {
      let old = bins
      (pages, counts) = ([], [])
      width = Self.widths.first { $0.seconds > binWidth } ?? width
      for bin in old {
        makeRoom(for: bin.start)
        counts[index(of: bin.start)] &+= bin.count
      }
      makeRoom(for: time)
    }
  }
}
