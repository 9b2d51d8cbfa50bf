import Analysis
import Basics

extension ReportHTML {
  private static let maxColumns = 62
  private static let maxHours = 48

  /// Nil unless pushes have times.
  static func hours(_ page: ReportPage) -> HTML? {
    let all = page.summary.pushes.hours
    let hours = all.hours
    var histogram = TimeHistogram()
    for hour in hours { histogram.add(hour.start, count: hour.counts.reduce(0, +)) }
    guard let timeline = Timeline(histogram, maxBars: maxColumns, from: .hour) else { return nil }
    let left = [
      (all.others, " of other hours, above the limit --max-hours"),
      (all.undated, " without a time"),
      (timeline.earlier + timeline.later, " far from all others, not in the charts"),
    ].filter { $0.0 > 0 }.map { Figures.count($0.0, "push", "pushes") + $0.1 }
    return """
      <p>Pushes by the time of their answers: when the packet was captured, or the line of the log was \
      written.\(if: !left.isEmpty, " Not counted here: \(left.joined(separator: ", ")).")</p>
      \(charts(hours, timeline))\(table(hours, all.usedStatuses, page.head.clock))\
      \(if: hours.count > maxHours, .command(
        "The latest \(Figures.grouped(maxHours)) of \(Figures.grouped(hours.count)) hours are listed. All of them, as push_hours in the summary:",
        page.commands.everything))
      """
  }

  private static func charts(_ hours: [PushHours.Hour], _ timeline: Timeline) -> HTML {
    let rows = PushHours.statuses.indices.map { status in
      var row = TimelineSVG.Series(name: PushHours.statuses[status], counts: timeline.bars.map { _ in 0 })
      for hour in hours {
        if let bar = timeline.bar(of: hour.start) { row.counts[bar] += hour.counts[status] }
      }
      return row
    }.filter { $0.counts.contains { $0 > 0 } }
    let others = timeline.bars.indices.map { bar in
      rows.reduce(0) { $0 + ($1.name == "200" ? 0 : $1.counts[bar]) }
    }
    let parts = TimelineSVG.pictures(timeline, id: "series", noun: "push") {
      $0.part = TimelineSVG.Series(name: "not accepted", counts: others)
    }
    let heat = TimelineSVG.pictures(timeline, id: "heat", noun: "push") { $0.rows = rows }
    return """
      <figure>
      \(parts)<figcaption>Pushes by \
      \(timeline.unit.name) (UTC); the lower part was not accepted.</figcaption>
      </figure>
      <figure>
      \(heat)<figcaption>Pushes by status and \(timeline.unit.name) (UTC): \
      the stronger a cell, the more of its row.</figcaption>
      </figure>

      """
  }

  private static func table(_ hours: [PushHours.Hour], _ used: [Int], _ clock: LocalClock?) -> HTML {
    .table(
      [.text("Hour (UTC)", style: "when")] + used.map { .number("\(PushHours.statuses[$0])") },
      rows: hours.suffix(maxHours).reversed().lazy.map { hour in
        ["\(Timeline.Unit.hour.label(hour.start))\(HTML.small(clock?.text(hour.start)))"]
          + used.map { "\(Figures.grouped(hour.counts[$0]))" }
      })
  }
}
