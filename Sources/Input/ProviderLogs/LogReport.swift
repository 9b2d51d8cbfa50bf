import APNsWire

/// A token of a list, with the time at which it became invalid (docs/spec/text-lines.md#lists).
package struct LogReport: Equatable, Sendable {
  /// In seconds since 1970.
  package var time: UInt32
  package var flags: RecordFlags
  /// Whether names say that it is one of feedback: a list is not recognised without.
  package var isNamed: Bool

  private static let names = LogNames(of: .reports)

  /// Whether a column's name says by itself that its times are those at which tokens became invalid.
  package static func isInvalidation(_ name: String) -> Bool {
    names.meaning(named: name).map { $0.field == .invalidation && $0.rank >= LogPush.namedRank } ?? false
  }
}

/// Makes records of the lines of lists.
extension LogPush {
  /// Names of times that say so themselves have a rank from here on.
  static let namedRank: UInt8 = 3
  /// The other rows of apnsift's own exports.
  private static let otherRows: [StaticString] = [
    "header", "stream", "finding", "request", "response", "push", "broadcast", "channel", "token", "summary",
  ]

  func makeReport(_ values: LogValues) -> LogOutcome {
    report = nil
    let kind = values[.kind].isText ? LogText(raw(values[.kind])) : nil
    let isFeedback = kind?.isWhole("feedback") ?? false
    let (token, time) = (values[.token], values[.invalidation])
    if let kind, !values.names(.status), time.rank < Self.namedRank,
      Self.otherRows.contains(where: kind.isWhole)
    {
      return .passed
    }
    // Lines with an answer belong to a log.
    guard !values.names(.status), !values.names(.reason), !values.names(.success), values.names(.token) else {
      return .unrelated
    }
    if let conflict = values.conflict { return .finding(LogFinding(.twoValues, conflict.range)) }
    guard token.kind != .absent, time.kind != .absent else {
      return values.names(.invalidation) ? .passed : .unrelated
    }
    if values.unsetTimeRank > max(time.rank, Self.namedRank - 1) { return .passed }
    // A token in use has a time, too.
    if values.names(.use), time.rank < Self.namedRank { return .passed }
    guard token.isText, settle(text(token)), fields[.token] != nil else {
      return .finding(LogFinding(.tokenIsNoHex, token.range))
    }
    var found = LogReport(
      time: 0, flags: [], isNamed: isFeedback || time.rank >= Self.namedRank || values.names(.tokenLength))
    switch time.isScalar ? LogTimes.milliseconds(text(time), zone: time.isUTC ? nil : zone) : .invalid {
    case .time(let milliseconds) where milliseconds / 1000 <= Int64(UInt32.max):
      found.time = UInt32(milliseconds / 1000)
    case .zoneless(let milliseconds) where milliseconds / 1000 <= Int64(UInt32.max):
      found.time = UInt32(milliseconds / 1000)
      // The name says UTC, unless the user says otherwise; the clock of the user's zone may show it twice.
      if time.isUTC == (zone != nil) { found.flags.insert(.assumedUTC) }
    case .absent: return .passed
    case .time, .zoneless, .invalid: return .finding(LogFinding(.timeIsNoTime, time.range))
    }
    guard let flags = flags(values[.flags]) else {
      return .finding(LogFinding(.unknownFlag, values[.flags].range))
    }
    found.flags.formUnion(flags)
    if !plausible.contains(found.time) { found.flags.insert(.implausibleTimestamp) }
    report = found
    return .push
  }

  /// The flags of a record that apnsift wrote; nil if one is unknown.
  private func flags(_ value: LogValue) -> RecordFlags? {
    guard value.kind != .absent else { return [] }
    var flags: RecordFlags = []
    let codes = String(decoding: text(value), as: UTF8.self).split { ";, []\"".contains($0) }
    for code in codes {
      guard let flag = RecordFlags.all.first(where: { $0.code == code })?.flag else { return nil }
      flags.insert(flag)
    }
    return flags
  }
}
