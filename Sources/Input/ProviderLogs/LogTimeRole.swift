import APNsWire

/// What the `timestamp` of a line with status 410 is (docs/spec/provider-logs.md#times).
enum LogTimeRole: Int {
  /// The time of the invalidation, the time of the line, or one of both.
  case invalidation, line, undecided
}

/// Lines of a log: their number, and that of the first one, from 1.
package typealias LogLines = (count: Int, first: Int)

/// What the lines of a log show about their members named `timestamp`.
struct LogTimeEvidence {
  /// A log's own times follow each other within this time, in milliseconds.
  private static let longestStep: Int64 = 3_600_000
  /// The shortest time from an invalidation to the own time of its line, in milliseconds.
  private static let shortestLag: Int64 = 300_000

  /// Pushes with another status have such a time, too: all are log times.
  var isOnOthers = false
  /// Pushes with another status lack it, or it is long before the line's own time: loggers do not do that.
  var isSupported = false
  private var isTaken = false
  /// Whether the times at the start of the log follow its lines.
  private var followedLines = false
  private var last: Int64?
  private var (lowest, highest, longest): (Int64, Int64, Int64) = (.max, 0, 0)
  private var (path, changes) = (0.0, 0)

  init() {}

  /// Keeps what the start of the log shows.
  init(after start: LogTimeEvidence) {
    (isOnOthers, isSupported, followedLines) = (start.isOnOthers, start.isSupported, start.followsLines)
  }

  /// The role of the next line's time.
  /// - Parameters:
  ///   - own: the line's own time.
  ///   - isUsual: whether the time has Apple's form.
  mutating func role(of time: Int64, own: LogTimes.ReadTime, isUsual: Bool) -> LogTimeRole {
    add(time)
    if case .time(let own) = own {
      guard own &- time >= Self.shortestLag else { return .line }
      isSupported = true
    }
    guard !followedLines, isUsual || isSupported else { return .undecided }
    isTaken = true
    return .invalidation
  }

  private mutating func add(_ time: Int64) {
    (lowest, highest) = (min(lowest, time), max(highest, time))
    if let last, last != time {
      let step = max(last, time) &- min(last, time)
      (longest, path, changes) = (max(longest, step), path + Double(step), changes &+ 1)
    }
    last = time
  }

  /// Whether the times follow each other closely, or rise or fall with the lines: Apple's times do neither.
  private var followsLines: Bool {
    let fewest = isSupported ? 8 : 1
    return changes >= fewest && longest <= Self.longestStep
      || changes >= max(fewest, 4) && path <= 1.1 * Double(highest &- lowest)
  }

  /// Whether times were taken that are log times, as the lines so far show.
  var isInvalidation: Bool { isTaken && (isOnOthers || followsLines) }
}

extension LogPush {
  /// Sets the time of the invalidation, or the role of a time that may be it.
  func takeTime(_ values: LogValues) -> LogFinding? {
    let (time, nested) = (values[.timestamp], values[.nestedTimestamp])
    if values[.invalidation].kind != .absent { return read(values[.invalidation]) { fields.timestamp = $0 } }
    guard fields.status == 410 else {
      guard fields.status != nil else { return nil }
      note(time, in: &times)
      note(nested, in: &nestedTimes)
      return nil
    }
    guard nested.kind != .absent else {
      guard values.areElsewhere(time) else { return take(time, values, &times) }
      role = .line
      return nil
    }
    if values.hasReason(beside: nested) { return take(nested, values, &nestedTimes) }
    role = .line
    return take(time, values, &times)
  }

  /// Notes whether a push with another status has a time.
  @inline(__always)
  private func note(_ value: LogValue, in evidence: inout LogTimeEvidence) {
    guard value.kind != .absent else { return evidence.isSupported = true }
    guard !evidence.isOnOthers else { return }
    switch LogTimes.milliseconds(text(value), zone: zone) {
    case .time: evidence.isOnOthers = true
    case .absent: evidence.isSupported = true
    case .invalid, .zoneless: evidence.isOnOthers = value.isScalar && LogText(raw(value)).digits > 0
    }
  }

  private func take(
    _ value: LogValue, _ values: LogValues, _ evidence: inout LogTimeEvidence
  ) -> LogFinding? {
    guard value.kind != .absent else { return nil }
    // Clients that cannot read the answer put their own reason and time there.
    guard values[.reason].kind == .absent || hasAnswer(values) else {
      role = .line
      return nil
    }
    // The object of an answer has no other members of the line.
    let isAnswer =
      value.container > 0
      && ![LogField.token, .status, .logMark].contains { values[$0].container == value.container }
    var own = isAnswer || isExported(value, values) ? .absent : ownTime(values)
    // The entry of a logger around it has its own.
    if own == .absent, value.container > 0, values[.timestamp].kind != .absent {
      own = LogTimes.milliseconds(text(values[.timestamp]), zone: zone)
    }
    guard !evidence.isOnOthers, isAnswer || own != .absent || !values.names(.logMark) else {
      role = .line
      return nil
    }
    // Apple's answer has a number of milliseconds.
    let isNumber = value.count >= 12 && raw(value).prefix(12).allSatisfy { 0x30...0x39 ~= $0 }
    return read(value) { time in
      role = evidence.role(of: time, own: own, isUsual: isAnswer || isNumber)
      if role == .invalidation { fields.timestamp = time }
    }
  }

  /// Whether a line may be a row of apnsift: those have the time of the invalidation as `time`, too.
  private func isExported(_ time: LogValue, _ values: LogValues) -> Bool {
    time.rank == LogNames.exactTimeRank && !values.names(.logMark)
      && LogTimes.milliseconds(text(time)) == LogTimes.milliseconds(text(values[.lineTime]))
  }

  /// The own time of a line, or of the one around it.
  func ownTime(_ values: LogValues) -> LogTimes.ReadTime {
    values[.lineTime].kind == .absent ? outerTime : readOwn(values[.lineTime])
  }

  /// The time of a line with another line in it, of which a `timestamp` is its own.
  func timeAround(_ values: LogValues) -> LogTimes.ReadTime {
    let own = ownTime(values)
    return own == .absent && values[.timestamp].kind != .absent ? readOwn(values[.timestamp]) : own
  }

  private func readOwn(_ value: LogValue) -> LogTimes.ReadTime {
    let own = LogTimes.milliseconds(text(value), zone: zone)
    // Before September 2001: a duration.
    return if case .time(..<1_000_000_000_000) = own { .absent } else { own }
  }

  /// Sets when the line was written: its own time, else a `timestamp` that is not Apple's.
  func takeLogTime(_ values: LogValues) {
    let isTaken = values[.lineTime].rank >= LogNames.loggedTimeRank || !isExported(values[.timestamp], values)
    var time = isTaken ? ownTime(values) : outerTime
    if time == .absent, role == .line || fields.status != 410 || values.areElsewhere(values[.timestamp]) {
      time = readOwn(values[.timestamp])
    }
    if case .time(let milliseconds) = time { fields.loggedAt = milliseconds }
  }

  private func read(_ value: LogValue, _ take: (Int64) -> Void) -> LogFinding? {
    guard value.isScalar else { return LogFinding(.timeIsNoTime, value.range) }
    switch LogTimes.milliseconds(text(value), zone: value.isUTC ? nil : zone) {
    case .time(let milliseconds): take(milliseconds)
    case .zoneless(let milliseconds) where value.isUTC: take(milliseconds)
    case .absent: break
    case .zoneless: return LogFinding(.timeHasNoZone, value.range)
    case .invalid: return LogFinding(.timeIsNoTime, value.range)
    }
    return nil
  }
}
