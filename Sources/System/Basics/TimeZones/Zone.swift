import Synchronization

/// A time zone: its offsets from UTC, and when they change.
///
/// Read from the machine's tz database, as PostgreSQL does. Foundation reports changes of summer time only, not those
/// of the zone itself.
package final class Zone: Sendable {
  struct Change: Equatable, Sendable {
    /// UNIX seconds; the first that has the new offset.
    var moment: Int64
    /// Seconds that the zone's clocks are ahead of UTC from then on.
    var offset: Int64
  }

  /// The seconds of 400 years, after which the calendar with its days of the week repeats.
  private static let cycle: Int64 = 146_097 * 86_400

  /// The valid range of a change: offsets are less than a day, and years end at 9999. The lower bound is the "big bang"
  /// that old compilers of the database write.
  static let offsets: ClosedRange<Int64> = -86_399...86_399
  static let moments: ClosedRange<Int64> = -(1 << 59)...253_402_300_799

  /// Ascending.
  private let changes: [Change]
  private let firstOffset: Int64
  /// From this moment on the changes repeat those of one `cycle` earlier; nil if the last offset stays.
  private let repeatsFrom: Int64?

  /// - Parameter rule: the changes after the last one.
  init(firstOffset: Int64, changes: [Change], rule: ZoneRule?) {
    self.firstOffset = firstOffset
    guard let rule else {
      self.changes = changes
      repeatsFrom = nil
      return
    }
    let last = changes.last
    let day = (last?.moment ?? 0) / 86_400
    let year = last == nil ? 0 : max(0, CivilDate(daysSince1970: Int(day)).year)
    // One cycle, and a year before and after it: a change may be in a year next to that of its rule.
    let following = (year...year + 403).flatMap { rule.changes(in: $0) }
    self.changes = changes + following.filter { $0.moment > (last?.moment ?? .min) }
    repeatsFrom = Int64(CivilDate(year: year + 402, month: 1, day: 1).daysSince1970) * 86_400
  }

  /// Whether the offset is always the same.
  package var isFixed: Bool { changes.isEmpty }

  static let utc = Zone(firstOffset: 0, changes: [], rule: nil)

  /// Seconds that the clocks are ahead of UTC.
  /// - Parameter moment: UNIX seconds, of the years 1 to 9999.
  package func offset(at moment: Int64) -> Int64 { period(at: moment).offset }

  /// The moments around `moment` with the same offset, and the offset.
  func period(at moment: Int64) -> (moments: Range<Int64>, offset: Int64) {
    let near = folded(moment)
    let shift = moment - near
    let index = firstChange(after: near)
    let start = index == 0 ? .min : changes[index - 1].moment + shift
    let end = index == changes.count ? .max : changes[index].moment + shift
    return (start..<end, index == 0 ? firstOffset : changes[index - 1].offset)
  }

  /// The moment at which the zone's clocks show `local`; of two moments, the later one. A time that the clocks skip
  /// counts as if they had not changed. PostgreSQL's `AT TIME ZONE` does the same.
  /// - Parameter local: seconds on the clock since 1970-01-01 00:00:00, of the years 1 to 9999.
  package func moment(ofLocal local: Int64) -> Int64 {
    let near = folded(local)
    // Offsets are less than a day, so the relevant change is the first one after the day before.
    let index = firstChange(after: near - 86_400)
    let before = index == 0 ? firstOffset : changes[index - 1].offset
    guard index < changes.count else { return local - before }
    let change = changes[index]
    let (early, late) = (near - before, near - change.offset)
    if early < change.moment, late < change.moment { return local - before }
    if early > change.moment, late >= change.moment { return local - change.offset }
    return local - (early > late ? before : change.offset)
  }

  /// The same, but of two moments the earlier one: an invalidation must not be later than it was.
  package func firstMoment(ofLocal local: Int64) -> Int64 {
    let last = moment(ofLocal: local)
    let start = period(at: last).moments.lowerBound
    guard start > .min else { return last }
    let first = local - offset(at: start - 1)
    return first < start ? first : last
  }

  /// A moment with the same offset as `moment`, before `repeatsFrom`.
  private func folded(_ moment: Int64) -> Int64 {
    guard let repeatsFrom, moment >= repeatsFrom else { return moment }
    return moment - ((moment - repeatsFrom) / Self.cycle + 1) * Self.cycle
  }

  private func firstChange(after moment: Int64) -> Int { changes.partitioningIndex { $0.moment > moment } }
}

extension Array {
  /// The index, from `start` on, of the first element for which `isAfter` is true, as for all after it; `endIndex` if it is
  /// for none.
  @inlinable @inline(__always)
  package func partitioningIndex(from start: Int = 0, where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (start, count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Sorts by numbers from 0 in one pass; elements of one number stay in their order.
  /// - Parameter count: larger than all numbers.
  @inlinable @inline(__always)
  package mutating func sort(byNumber number: (Element) -> Int, below count: Int) {
    var indices = [Int](repeating: 0, count: count + 1)
    for element in self { indices[number(element) + 1] += 1 }
    for number in 0..<count { indices[number + 1] += indices[number] }
    for element in self {
      self[indices[number(element)]] = element
      indices[number(element)] += 1
    }
  }
}

extension Zone {
  /// Zones that were read: at most the few hundred of the tz database.
  private struct Known {
    var zones: [String: Zone] = [:]
    /// The last one: all rows of a table need the same.
    var last: (name: String, zone: Zone) = ("UTC", .utc)
  }

  private static let known = Mutex(Known())

  /// The zone of that name in the tz database, or of an offset such as `+02:00`; nil if there is none.
  package static func named(_ name: String) -> Zone? {
    known.withLock { known in
      if known.last.name == name { return known.last.zone }
      // A small container has no tz database; UTC needs none.
      guard !name.isEmpty,
        let zone = name == "UTC" ? utc : known.zones[name] ?? fixed(name) ?? ZoneFile.read(name)
      else { return nil }
      known.zones[name] = zone
      known.last = (name, zone)
      return zone
    }
  }

  /// The zone of `+02:00`, `-0530` or `+09`.
  private static func fixed(_ name: String) -> Zone? {
    var text = name[...].utf8
    let isWest = text.first == UInt8(ascii: "-")
    guard text.take("+") || text.take("-"), let hours = text.takeNumber(digits: 2), hours < 24 else {
      return nil
    }
    _ = text.take(":")
    guard let minutes = text.isEmpty ? 0 : text.takeNumber(digits: 2), minutes < 60, text.isEmpty else {
      return nil
    }
    return Zone(firstOffset: Int64((isWest ? -60 : 60) * (60 * hours + minutes)), changes: [], rule: nil)
  }
}
