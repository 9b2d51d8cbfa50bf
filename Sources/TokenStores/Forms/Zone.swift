import Synchronization
import WireBytes

/// A time zone: how far its clocks are ahead of UTC, and when that changed or will change.
///
/// Read from the tz database of the machine, as PostgreSQL does, and not asked of Foundation: that one tells of the
/// changes of summer time alone, and not of those of the zone itself.
final class Zone: Sendable {
  struct Change: Equatable, Sendable {
    /// UNIX seconds; the first that has the new offset.
    var moment: Int64
    /// Seconds that the zone's clocks are ahead of UTC from then on.
    var offset: Int64
  }

  /// The calendar with its days of the week repeats after 400 years, so many seconds.
  private static let cycle: Int64 = 146_097 * 86_400

  /// What a change may have: no clock is a day ahead of another, and none was changed after the year 9999. The lower
  /// bound is the "big bang" that old compilers of the database write.
  static let offsets: ClosedRange<Int64> = -86_399...86_399
  static let moments: ClosedRange<Int64> = -(1 << 59)...253_402_300_799

  /// Ascending.
  private let changes: [Change]
  private let firstOffset: Int64
  /// From then on the changes are those of `cycle` before; nil where there are none for ever.
  private let repeatsFrom: Int64?

  /// - Parameter rule: by which the changes go on after the last one.
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
    // One cycle, and a year before and after it: a change may lie in the year beside that of its rule.
    let following = (year...year + 403).flatMap { rule.changes(in: $0) }
    self.changes = changes + following.filter { $0.moment > (last?.moment ?? .min) }
    repeatsFrom = Int64(CivilDate(year: year + 402, month: 1, day: 1).daysSince1970) * 86_400
  }

  static let utc = Zone(firstOffset: 0, changes: [], rule: nil)

  /// Seconds that the clocks are ahead of UTC.
  /// - Parameter moment: UNIX seconds, of the years 1 to 9999.
  func offset(at moment: Int64) -> Int64 {
    let index = firstChange(after: folded(moment))
    return index == 0 ? firstOffset : changes[index - 1].offset
  }

  /// The moment at which the zone's clocks show `local`. Of two moments it is the later one; a time that the clocks
  /// leave out is taken as if they had not been changed. So does PostgreSQL's `AT TIME ZONE`.
  /// - Parameter local: seconds since the clocks showed 1970-01-01 00:00:00; of the years 1 to 9999.
  func moment(ofLocal local: Int64) -> Int64 {
    let near = folded(local)
    // No offset reaches a whole day, so the change that matters is the first one after the day before.
    let index = firstChange(after: near - 86_400)
    let before = index == 0 ? firstOffset : changes[index - 1].offset
    guard index < changes.count else { return local - before }
    let change = changes[index]
    let (early, late) = (near - before, near - change.offset)
    if early < change.moment, late < change.moment { return local - before }
    if early > change.moment, late >= change.moment { return local - change.offset }
    return local - (early > late ? before : change.offset)
  }

  /// A moment that has the same offsets as `moment`, and for which the changes are known.
  private func folded(_ moment: Int64) -> Int64 {
    guard let repeatsFrom, moment >= repeatsFrom else { return moment }
    return moment - ((moment - repeatsFrom) / Self.cycle + 1) * Self.cycle
  }

  private func firstChange(after moment: Int64) -> Int { changes.partitioningIndex { $0.moment > moment } }
}

extension Array {
  /// The index of the first element for which `isAfter` holds, as it does for all that follow; `endIndex` for none.
  func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Zone {
  /// Zones that were asked for. There are no more than the tz database has, some hundred.
  private struct Known {
    var zones: [String: Zone] = [:]
    /// The one that was asked for last, as all rows of a table ask for the same.
    var last: (name: String, zone: Zone) = ("UTC", .utc)
  }

  private static let known = Mutex(Known())

  /// The zone that the tz database calls `name`; nil where it has none.
  static func named(_ name: String) -> Zone? {
    known.withLock { known in
      if known.last.name == name { return known.last.zone }
      // UTC needs no database, and a small container has none.
      guard let zone = name == "UTC" ? utc : known.zones[name] ?? ZoneFile.read(name) else { return nil }
      known.zones[name] = zone
      known.last = (name, zone)
      return zone
    }
  }
}
