import Analysis
import Basics
import EvidenceReport
import Testing

/// Bars of a timeline. The expected bars are derived by hand from a calendar.
@Suite("The timeline of a report") struct TimelineTests {
  /// As in a report.
  private static let maxBars = 62

  private func timeline(_ times: TimeHistogram) throws -> Timeline {
    try #require(Timeline(times, maxBars: Self.maxBars))
  }

  /// - Parameter times: with blanks between them.
  private func histogram(_ times: String) throws -> TimeHistogram {
    var histogram = TimeHistogram()
    for time in times.split(separator: " ") { histogram.add(try #require(UTCTime.parse(String(time)))) }
    return histogram
  }

  @Test(
    "the unit grows with the span, and bars begin where the calendar's units do",
    arguments: [
      ("2013-05-01T09:59:59Z 2013-05-01T10:00:00Z", .minute, "2013-05-01 09:59, 2013-05-01 10:00"),
      ("2013-05-01T09:04:00Z 2013-05-01T14:00:00Z", .fiveMinutes, "2013-05-01 09:00, 2013-05-01 14:00"),
      ("2013-05-01T09:14:00Z 2013-05-02T00:00:00Z", .quarterHour, "2013-05-01 09:00, 2013-05-02 00:00"),
      // Two and a half days are 61 hours.
      ("2013-05-01T09:30:00Z 2013-05-03T22:59:00Z", .hour, "2013-05-01 09:00, 2013-05-03 22:00"),
      ("2013-05-01T09:30:00Z 2013-05-04T00:00:00Z", .quarterDay, "2013-05-01 06:00, 2013-05-04 00:00"),
      ("2013-05-01T09:30:00Z 2013-06-30T00:00:00Z", .day, "2013-05-01, 2013-06-30"),
      // 1 May 2013 was a Wednesday, 1 October 2013 a Tuesday.
      ("2013-05-01T09:30:00Z 2013-10-01T00:00:00Z", .week, "2013-04-29, 2013-09-30"),
      ("2013-05-31T23:59:59Z 2016-02-29T00:00:00Z", .month, "2013-05, 2016-02"),
      ("2009-06-17T00:00:00Z 2021-04-30T00:00:00Z", .quarter, "2009 Q2, 2021 Q2"),
      ("1970-01-01T00:00:00Z 2021-04-30T00:00:00Z", .year, "1970, 2021"),
      ("1970-01-01T00:00:00Z 2106-02-07T06:28:15Z", .fiveYears, "1970, 2105"),
    ] as [(String, Timeline.Unit, String)]) func unit(_ text: String, _ unit: Timeline.Unit, _ ends: String)
    throws
  {
    let timeline = try timeline(histogram(text))
    #expect(timeline.unit == unit)
    let labels = timeline.bars.map { unit.label($0.start) }
    #expect("\(labels[0]), \(labels[labels.count - 1])" == ends)
    #expect(timeline.bars.count <= Self.maxBars)
    #expect(timeline.bars.map(\.count).reduce(0, +) == 2)
    #expect([timeline.bars.first?.count, timeline.bars.last?.count] == [1, 1])
    #expect(timeline.bars.dropFirst().dropLast().allSatisfy { $0.count == 0 })
  }

  @Test("each time is counted in its bar") func counts() throws {
    let found = try timeline(
      histogram(
        "2012-12-31T23:59:59Z 2013-01-01T00:00:00Z 2013-03-31T12:00:00Z 2013-04-01T00:00:00Z "
          + "2013-02-10T00:00:00Z 2013-02-11T00:00:00Z"))
    #expect(found.unit == .week)
    let bars = found.bars.filter { $0.count > 0 }.map { "\(found.unit.label($0.start)) \($0.count)" }
    // 31 December 2012, 4 and 11 February, 25 March and 1 April 2013 were Mondays.
    #expect(bars == ["2012-12-31 2", "2013-02-04 1", "2013-02-11 1", "2013-03-25 1", "2013-04-01 1"])
  }

  @Test("a few times far from all others are counted beside bars of the unit that suits the others")
  func outliers() throws {
    var times = try histogram("2000-07-01T00:00:00Z 2029-01-01T00:00:00Z")
    // From 2013-05-01T00:00:00Z on.
    for minute in 0..<38 { times.add(1_367_366_400 + UInt32(minute) * 60) }
    let found = try timeline(times)
    #expect(found.unit == .minute && found.bars.map(\.count) == [Int](repeating: 1, count: 38))
    #expect([found.earlier, found.later, found.total] == [1, 1, 38])
    // Three of 41 are no few.
    times.add(0)
    let all = try timeline(times)
    #expect(all.unit == .year && all.total == 41 && all.earlier + all.later == 0)
  }

  @Test("one of four times can be far from the others, and one of three cannot") func singleOutlier() throws {
    let three = "2013-05-01T09:00:00Z 2013-05-01T09:00:10Z 2030-01-01T00:00:00Z"
    #expect(try timeline(histogram(three)).unit == .year)
    let four = try timeline(histogram(three + " 2013-05-01T09:01:00Z"))
    #expect(four.unit == .minute && four.later == 1)
  }

  @Test(
    "times that are spread evenly are all in bars without gaps, at any span",
    arguments: [60, 3600, 7200, 86_400, 604_800, 2_600_000, 40_000_000, 400_000_000] as [UInt32],
    [9, 61, 62, 63, 64, 65, 70] as [UInt32])
  func even(_ step: UInt32, _ count: UInt32) throws {
    // Spans of more than 32 bits are left out.
    for start in [0, 1_367_366_400] where start + Int(count - 1) * Int(step) < 1 << 32 {
      var times = TimeHistogram()
      for index in 0..<count { times.add(UInt32(start) + index * step) }
      let found = try timeline(times)
      #expect(found.total == Int(count) && found.bars.map(\.count).reduce(0, +) == Int(count))
      #expect(found.bars.count <= Self.maxBars)
      #expect(zip(found.bars, found.bars.dropFirst()).allSatisfy { $0.start < $1.start })
    }
  }

  @Test("fourteen bars suffice for all times") func decades() throws {
    let all = try histogram("1970-01-01T00:00:00Z 2106-02-07T06:28:15Z")
    let found = try #require(Timeline(all, maxBars: 14))
    #expect(found.unit == .decade && found.bars.count == 14)
    #expect(
      [found.bars.first, found.bars.last].map { found.unit.label($0?.start ?? 1) } == ["1970", "2100"])
  }

  @Test(
    "an axis ends at a round figure at or above the highest bar",
    arguments: [
      (0, [0, 1]), (1, [0, 1]), (4, [0, 1, 2, 3, 4]), (5, [0, 2, 4, 6]), (8, [0, 2, 4, 6, 8]),
      (9, [0, 5, 10]), (20, [0, 5, 10, 15, 20]), (21, [0, 10, 20, 30]), (101, [0, 50, 100, 150]),
      (1_234_567, [0, 500_000, 1_000_000, 1_500_000]),
    ]) func axis(_ highest: Int, _ marks: [Int])
  { #expect(AxisScale(highest: highest).marks == marks) }
}
