import APNsWire

/// Pushes by the hour of their answers and by status (docs/spec/pushes.md#over-time).
package struct PushHours: Equatable, Sendable {
  package struct Hour: Equatable, Sendable {
    /// Seconds since 1970 at which it begins.
    package var start: UInt32
    /// In the order of `statuses`.
    package fileprivate(set) var counts = [Int](repeating: 0, count: PushHours.statuses.count)
  }

  private static let known: [UInt16] = [200, 400, 403, 404, 405, 410, 413, 429, 500, 503]
  /// The statuses with counts of their own, all others, and none.
  package static let statuses = known.map { "\($0)" } + ["other", "none"]
  package static let defaultMost = 366 * 24

  /// The most hours with counts of their own.
  package var mostHours = PushHours.defaultMost
  /// By the number of the hour since 1970.
  private var byNumber: [UInt32: Hour] = [:]
  /// Pushes of other hours, and those that nothing dates.
  package private(set) var others = 0
  package private(set) var undated = 0

  /// Those with pushes, in their order.
  package var hours: [Hour] { byNumber.values.sorted { $0.start < $1.start } }

  /// Indices in `statuses` of those that occur.
  package var usedStatuses: [Int] {
    let totals = byNumber.values.reduce(into: Hour(start: 0).counts) { totals, hour in
      for index in totals.indices { totals[index] += hour.counts[index] }
    }
    return totals.indices.filter { totals[$0] > 0 }
  }

  mutating func count(_ push: PushRecord) {
    guard let number = push.answeredAt.flatMap({ UInt32(exactly: $0.seconds) }).map({ $0 / 3600 }) else {
      undated &+= 1
      return
    }
    if byNumber.count >= mostHours, byNumber[number] == nil {
      others &+= 1
      return
    }
    let status = push.fields.status.map { Self.known.firstIndex(of: $0) ?? Self.known.count }
    byNumber[number, default: Hour(start: number * 3600)].counts[status ?? Self.known.count + 1] &+= 1
  }
}

/// How late tokens were reported as invalid: the times of answers 410 less those that Apple names in them.
package struct InvalidationLags: Equatable, Sendable {
  /// By the lag in milliseconds, rounded toward zero to three digits: some ten thousand at most.
  private var counts: [Int: Int] = [:]
  package private(set) var count = 0
  /// In milliseconds, exact.
  package private(set) var longest = 0

  /// The least lag, rounded, that this share of all lags does not exceed; nil without lags.
  package func percentile(_ percent: Int) -> Int? {
    var rest = (count * percent + 99) / 100
    for (lag, count) in counts.sorted(by: { $0.key < $1.key }) {
      rest -= count
      if rest <= 0 { return lag }
    }
    return nil
  }

  mutating func count(_ push: PushRecord) {
    guard push.fields.outcome == .invalidated, push.fields.flags.isDisjoint(with: .tokenFlags),
      let invalidated = push.fields.timestamp, let answered = push.answeredAt, answered.hasText
    else { return }
    let lag = Int(answered.microseconds / 1000 &- invalidated)
    var unit = 1
    while lag.magnitude / UInt(unit) >= 1000 { unit *= 10 }
    counts[lag / unit * unit, default: 0] += 1
    longest = count == 0 ? lag : max(longest, lag)
    count += 1
  }
}
