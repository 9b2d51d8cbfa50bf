import APNsWire
import Basics

/// Adds the tokens of rejected pushes to a token table, or to one for each app (docs/spec/interface.md#replay-rule):
/// those with status 410, as of the response's timestamp. Optionally also those of other token errors, and of a 410
/// without timestamp, as of the response's capture time.
package final class PushCollector: EvidenceSink {
  /// The most apps with a table of their own.
  package static let mostApps = 100

  private let flaggedCount: Bool
  private let takesErrors: Bool
  private let takesOtherApps: Bool
  /// Plausible times, in seconds since 1970.
  private let plausibleTimes: ClosedRange<UInt32>
  private let origins: TokenOrigins?
  /// The kind of tokens to add, unless the app is itself a topic of another kind; nil for all kinds. An unknown kind
  /// counts as `device`.
  package var tokenKind: TokenKind?
  /// Makes the table of each app that a topic names; nil adds all pushes to one table.
  package var makeTable: (() -> TokenTable)?
  /// The added pushes without `makeTable`.
  package let added: AddedPushes
  /// With `makeTable`, the added pushes of each app; one more than `mostApps` if there are too many.
  package private(set) var apps: [String: AddedPushes] = [:]
  package private(set) var leftOut = PushesLeftOut()
  /// Pushes with an implausible time, which no reader of inputs flags: it depends on the day of the replay.
  package private(set) var implausibleCount = 0
  /// The first finding of doubtful times: a replay would use wrong ones, or lack some.
  package private(set) var doubtfulTimes: Finding?
  /// The topics of added pushes, and of pushes left out because of their app.
  package private(set) var topics: PushTopics

  /// - Parameters:
  ///   - flaggedCount: whether times count although the token or the time is doubtful.
  ///   - takesErrors: whether to add token errors without a timestamp, as of their capture time.
  ///   - app: the app to add tokens of; empty for any app.
  ///   - takesOtherApps: whether to add pushes although their topic names another app.
  ///   - now: the latest plausible time, in seconds since 1970. A time in the future would keep a token invalidated even
  ///     if it is registered again.
  ///   - origins: as for `TokenCollector`.
  package init(
    _ table: TokenTable, flaggedCount: Bool, takesErrors: Bool, app: String = "",
    takesOtherApps: Bool = false, now: UInt32, origins: TokenOrigins? = nil
  ) {
    (added, self.flaggedCount, self.takesErrors) = (AddedPushes(to: table), flaggedCount, takesErrors)
    (self.takesOtherApps, self.origins) = (takesOtherApps, origins)
    topics = PushTopics(app: app)
    plausibleTimes = min(FeedbackRules.serviceStart, now)...now
  }

  package func finding(_ finding: Finding) {
    if finding.code == .doubtfulTimes, doubtfulTimes == nil { doubtfulTimes = finding }
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    for push in pushes.records {
      switch push.fields.status {
      case 410:
        let time = push.fields.timestamp.flatMap(InvalidationTime.init(milliseconds:))
        let reason = push.packet == nil ? \PushesLeftOut.undated : \.untimed
        try add(push, at: time, otherwise: reason, pushes.labels, bytes)?.invalidated += 1
      case 400 where push.fields.blamesToken(bytes):
        let reason = push.packet == nil ? \PushesLeftOut.uncaptured : \.refused
        try add(push, at: nil, otherwise: reason, pushes.labels, bytes)?.refused += 1
      default: break
      }
    }
  }

  /// Returns where the push was added; nil if it is left out.
  /// - Parameters:
  ///   - time: Apple's time; nil takes the capture time.
  ///   - reason: counts the push if capture times are not taken.
  private func add(
    _ push: PushRecord, at time: InvalidationTime?, otherwise reason: WritableKeyPath<PushesLeftOut, Int>,
    _ labels: StreamLabels, _ bytes: RawSpan
  ) throws -> AddedPushes? {
    guard time != nil || takesErrors && push.packet != nil else { return leaveOut(reason) }
    guard let token = push.fields[.token], !token.isEmpty else { return leaveOut(\.withoutToken) }
    let captured = push.packet?.seconds(in: plausibleTimes).map { InvalidationTime(seconds: $0) }
    guard let time = time ?? captured else { return leaveOut(\.uncaptured) }
    let kind = push.fields.tokenKind(in: bytes) ?? .device
    if kind != tokenKind ?? kind, !topics.areOfKind(push.fields[.topic], in: bytes) {
      leftOut.ofOtherKinds[kind, default: 0] += 1
      return nil
    }
    let topic = push.fields[.topic].map { topics.add(bytes.extracting($0), of: push, labels) }
    if topic == nil { topics.hasUnknown = true }
    if topic?.isOwn == false, !takesOtherApps { return leaveOut(\.ofOtherApps) }
    guard let added = added(to: topic?.app) else { return leaveOut(\.withoutApp) }
    try add(push, bytes.extracting(token), at: time, labels, to: added)
    return added
  }

  private func leaveOut(_ reason: WritableKeyPath<PushesLeftOut, Int>) -> AddedPushes? {
    leftOut[keyPath: reason] += 1
    return nil
  }

  /// Where pushes of `app` are added; nil if each app has its own table, and the name is missing or cannot be one.
  private func added(to app: String?) -> AddedPushes? {
    guard let makeTable else { return added }
    guard let app else { return nil }
    if let known = apps[app] { return known }
    guard apps.count <= Self.mostApps, app.isBundleID else { return nil }
    let new = AddedPushes(to: makeTable())
    apps[app] = new
    return new
  }

  private func add(
    _ push: PushRecord, _ token: RawSpan, at time: InvalidationTime, _ labels: StreamLabels,
    to added: AddedPushes
  ) throws {
    let tokenFlags = push.fields.flags.intersection(.tokenFlags)
    var flags = tokenFlags.asRecordFlags
    if !plausibleTimes.contains(time.seconds) {
      flags.insert(.implausibleTimestamp)
      implausibleCount += 1
    }
    let counts = flaggedCount || tokenFlags.isEmpty && flags.isEmpty
    if !counts { added.tokenFlags.formUnion(tokenFlags) }
    let origin = origins?.origin(
      labels, push.offset, fileOffset: push.fileOffset, packet: push.packet?.number)
    try added.table.add(
      token, at: (time.seconds, time.milliseconds), flags: flags, counts: counts, from: origin)
  }
}

/// The pushes that were added to one table.
package final class AddedPushes {
  package let table: TokenTable
  /// Number of pushes with status 410, and with other token errors.
  package fileprivate(set) var invalidated = 0
  package fileprivate(set) var refused = 0
  /// The flags of pushes whose times do not count.
  package fileprivate(set) var tokenFlags: PushFlags = []

  fileprivate init(to table: TokenTable) { self.table = table }
}

/// Counts of pushes with an invalid token that were not added.
package struct PushesLeftOut: Equatable, Sendable {
  /// Status 410 without a time of Apple's, and of no packet: nothing dates them.
  package var undated = 0
  /// Status 410 without a timestamp.
  package var untimed = 0
  /// The capture time is needed, but missing or implausible.
  package var uncaptured = 0
  /// The token is unknown or not hex.
  package var withoutToken = 0
  /// Another token error, and `takesErrors` is false.
  package var refused = 0
  /// The topic is that of another app.
  package var ofOtherApps = 0
  /// Each app has its own table, and no topic names the app.
  package var withoutApp = 0
  /// The token is of another kind than the requested one.
  package var ofOtherKinds: [TokenKind: Int] = [:]

  package init() {}
}

/// A time with 32-bit unsigned seconds, as in tuples, and milliseconds.
private struct InvalidationTime {
  var seconds: UInt32
  var milliseconds: UInt16 = 0
}

extension InvalidationTime {
  /// A time after 2106 is the latest one, which is not plausible. Nil for a time before 1970.
  init?(milliseconds number: Int64) {
    guard number >= 0 else { return nil }
    (seconds, milliseconds) = (UInt32(clamping: number / 1000), UInt16(truncatingIfNeeded: number % 1000))
  }
}

extension PushFields {
  private static let badToken: StaticString = "BadDeviceToken"
  private static let otherTopic: StaticString = "DeviceTokenNotForTopic"

  /// Whether the reason is about the token.
  func blamesToken(_ bytes: RawSpan) -> Bool {
    guard let range = self[.reason] else { return false }
    return [Self.badToken, Self.otherTopic].contains { PushText.matches(range, $0, in: bytes) }
  }
}

extension String {
  /// Whether it can be a bundle id: what a log prints instead of a topic, such as `-` or `null`, is no app.
  fileprivate var isBundleID: Bool {
    utf8.count < 256 && contains(".") && contains(where: \.isLetter)
      && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
  }
}

extension PushFlags {
  /// The flags that tuples can have, too.
  fileprivate var asRecordFlags: RecordFlags {
    var flags: RecordFlags = []
    if contains(.uncorrelated) { flags.insert(.uncorrelated) }
    if contains(.unexpectedTokenLength) { flags.insert(.unexpectedTokenLength) }
    return flags
  }
}
