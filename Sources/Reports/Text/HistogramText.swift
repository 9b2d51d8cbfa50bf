import Analysis
import WireBytes

/// A histogram of times as lines of text.
enum HistogramText {
  /// Cells of the longest bar.
  private static let barLength = 40

  static func text(_ histogram: TimeHistogram) -> String {
    let bins = histogram.bins
    guard let most = bins.map(\.count).max(), most > 0 else { return "" }
    // For bins of a day or more, the date is enough.
    let labelLength = histogram.width >= UTCTime.secondsPerDay ? 10 : 16
    return bins.map { bin in
      let label = String(UTCTime.text(bin.start).prefix(labelLength))
      let cells = (bin.count * barLength + most - 1) / most
      let bar = String(repeating: "█", count: cells)
      return "  \(label)  \(bar)\(bin.count > 0 ? " " : "")\(bin.count)\n"
    }.joined()
  }
}
