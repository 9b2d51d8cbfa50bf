import Analysis

/// A histogram of times as lines of text, a bar each, with a heading. A line has at most 80 columns.
enum HistogramText {
  private static let maxBars = 24
  private static let lineLength = 80
  /// Cells of the longest bar.
  private static let barLength = 40

  /// - Parameter noun: for the counted items, in the plural.
  static func text(_ histogram: TimeHistogram, of noun: String) -> String {
    guard let timeline = Timeline(histogram, maxBars: maxBars), let most = timeline.highest?.count, most > 0
    else { return "" }
    let label = "  \(timeline.unit.name) (UTC)"
    // Labels have at most 16 characters, and columns are two spaces apart.
    let others = max(label.count, 18) + max(noun.count, String(most).count) + 4
    let longest = Double(min(barLength, lineLength - others))
    var table = TextTable([.left, .right, .left])
    table.add([label, noun, ""])
    for bar in timeline.bars {
      // A bar with a count has at least one cell.
      let cells = Int((Double(bar.count) * longest / Double(most)).rounded(.up))
      table.add([
        "  " + timeline.unit.label(bar.start), String(bar.count), String(repeating: "█", count: cells),
      ])
    }
    let outside = [(timeline.earlier, "earlier"), (timeline.later, "later")].filter { $0.0 > 0 }
    let note = outside.map { "\($0.0) \($0.1)" }.joined(separator: " and ")
    return table.text + (note.isEmpty ? "" : "  not shown: \(note)\n")
  }
}
