import Analysis

/// Draws a timeline as SVG: bars, or a row of cells for each of several series. The colours come from the page's style sheet, which has a light and a dark scheme.
struct TimelineSVG {
  /// The size of the picture, in units of the viewBox. Phones get a narrow picture of its own: a scaled-down wide one
  /// would be illegible.
  struct Size {
    var id: String
    var width: Double
    var height: Double
    /// The most labels below the bars.
    var maxLabels: Int

    static let wide = Size(id: "wide", width: 880, height: 250, maxLabels: 8)
    static let narrow = Size(id: "narrow", width: 350, height: 220, maxLabels: 3)
  }

  private static let top = 14.0
  private static let bottom = 30.0
  /// Width of a digit next to the axis, in units of the viewBox.
  private static let digitWidth = 7.4

  /// Counts for each bar.
  struct Series {
    var name: String
    var counts: [Int]
  }

  private static let rowHeight = 22.0

  private let timeline: Timeline
  private let size: Size
  private let id: String
  private let noun: String
  private let scale: AxisScale
  /// What is drawn in another colour at the floor of the bars; nil for bars of one colour.
  var part: Series?
  /// The rows of a heat map; empty for bars.
  var rows: [Series] = []

  /// - Parameters:
  ///   - id: the beginning of ids in the page.
  ///   - noun: for the counted items, in the singular.
  init(_ timeline: Timeline, size: Size, id: String, noun: String) {
    (self.timeline, self.size, self.id, self.noun) = (timeline, size, id, noun)
    scale = AxisScale(highest: timeline.highest?.count ?? 0)
  }

  /// A wide picture, and a narrow one for phones.
  static func pictures(
    _ timeline: Timeline, id: String, noun: String, _ change: (inout TimelineSVG) -> Void = { _ in }
  ) -> [HTML] {
    [Size.wide, .narrow].map { size in
      var picture = TimelineSVG(timeline, size: size, id: id, noun: noun)
      change(&picture)
      return picture.html
    }
  }

  private var left: Double {
    let names = rows.isEmpty ? [Figures.grouped(scale.end)] : rows.map(\.name)
    return Double(names.map(\.count).max() ?? 0) * Self.digitWidth + 10
  }
  private var height: Double {
    rows.isEmpty ? size.height : Self.top + Double(rows.count) * Self.rowHeight + Self.bottom
  }
  private var floor: Double { height - Self.bottom }
  private var step: Double { (size.width - left - 2) / Double(max(timeline.bars.count, 1)) }

  var html: HTML {
    """
    <svg class="chart \(size.id)" viewBox="0 0 \(size.width) \(height)" \
    role="img" aria-labelledby="\(id)-\(size.id)-title \(id)-\(size.id)-desc">
    <title id="\(id)-\(size.id)-title">\(noun.prefix(1).uppercased() + Figures.plural(noun).dropFirst()) by \(timeline.unit.name)</title>
    <desc id="\(id)-\(size.id)-desc">\(description)</desc>
    \(rows.isEmpty ? axis + bars : cells)\(labels)</svg>

    """
  }

  private var description: String {
    guard let first = timeline.bars.first, let last = timeline.bars.last, let highest = timeline.highest
    else { return "No bars." }
    let unit = timeline.unit
    let total = Figures.count(timeline.total, noun, Figures.plural(noun))
    if timeline.bars.count == 1 {
      return "\(total)\(timeline.total > 1 ? ", all" : "") \(unit.phrase(first.start))."
    }
    let isAlone = timeline.bars.count { $0.count == highest.count } == 1
    let most = "\(Figures.grouped(highest.count))\(isAlone ? ", \(unit.phrase(highest.start))" : " per bar")"
    return "\(total) in \(Figures.count(timeline.bars.count, "bar")) from \(unit.label(first.start)) to "
      + "\(unit.label(last.start)); \(isAlone ? "the most," : "at most") \(most)."
  }

  /// Horizontal lines at round figures, each with its figure.
  private var axis: [HTML] {
    scale.marks.map { mark in
      let y = height(at: mark)
      return """
        <line class="\(mark == 0 ? "base" : "grid")" x1="\(left)" x2="\(size.width)" y1="\(y)" y2="\(y)"/>\
        <text class="figure" x="\(left - 8)" y="\(y + 4)">\(Figures.grouped(mark))</text>

        """
    }
  }

  private func height(at count: Int) -> Double {
    floor - (floor - Self.top) * Double(count) / Double(max(scale.end, 1))
  }

  private var bars: [HTML] {
    let width = max(step * 0.8, 1)
    let shown = min(width, 72)
    return timeline.bars.enumerated().filter { $1.count > 0 }.map { index, bar in
      // A bar with a count is always visible.
      let x = min(left + Double(index) * step + (step - width) / 2, size.width - width)
      func rect(_ style: HTML, _ count: Int, _ name: String = "") -> HTML {
        let tall = max(floor - height(at: count), 1.5)
        return """
          <rect class="\(style)" x="\(x + (width - shown) / 2)" y="\(floor - tall)" \
          width="\(shown)" height="\(tall)" rx="1.5">\
          <title>\(title(index, count))\(name)</title></rect>

          """
      }
      let inner = part.flatMap {
        $0.counts[index] > 0 ? rect("bar part", $0.counts[index], " " + $0.name) : nil
      }
      return "\(rect("bar", bar.count))\(inner)"
    }
  }

  private func title(_ index: Int, _ count: Int) -> String {
    "\(timeline.unit.label(timeline.bars[index].start)): \(Figures.count(count, noun, Figures.plural(noun)))"
  }

  /// A row for each series; a cell is as dark as its count is high in its row.
  private var cells: [HTML] {
    rows.enumerated().map { number, row in
      let y = Self.top + Double(number) * Self.rowHeight
      let highest = Double(row.counts.max() ?? 1)
      let cells = row.counts.enumerated().filter { $1 > 0 }.map { index, count in
        """
        <rect class="bar" x="\(left + Double(index) * step)" y="\(y)" width="\(max(step - 1, 1))" \
        height="\(Self.rowHeight - 2)" fill-opacity="\(0.1 + 0.9 * Double(count) / highest)">\
        <title>\(row.name), \(title(index, count))</title></rect>

        """ as HTML
      }
      return """
        <text class="figure" x="\(left - 8)" y="\(y + 14)">\(row.name)</text>
        \(cells)
        """
    }
  }

  /// Labels of some bars, evenly spaced, without overlap.
  private var labels: [HTML] {
    let count = timeline.bars.count
    let every = max(1, (count + size.maxLabels - 1) / size.maxLabels)
    return stride(from: 0, to: count, by: every).map { index in
      let label = timeline.unit.label(timeline.bars[index].start)
      let half = Double(label.count) * 3.6
      let x = min(max(left + (Double(index) + 0.5) * step, half), size.width - half)
      return """
        <text class="label" x="\(x)" y="\(height - 9)">\(label)</text>

        """
    }
  }
}

extension HTML {
  /// At most one decimal, formatted independently of the system.
  fileprivate mutating func appendInterpolation(_ value: Double) {
    let tenths = Int((value * 10).rounded())
    appendInterpolation(tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)")
  }
}

/// Round figures for an axis that begins at 0.
package struct AxisScale: Equatable {
  /// Ascending, the first one 0.
  package var marks: [Int]

  var end: Int { marks.last ?? 0 }

  /// The step is one, two or five times a power of ten; at most five marks are above 0.
  package init(highest: Int) {
    var (step, power) = (1, 1)
    while highest > step * 4, power < Int.max / 100 {
      step = step == power ? 2 * power : step == 2 * power ? 5 * power : 10 * power
      if step == 10 * power { power = step }
    }
    let above = max(1, highest / step + (highest % step > 0 ? 1 : 0))
    marks = (0...above).map { $0 * step }
  }
}
