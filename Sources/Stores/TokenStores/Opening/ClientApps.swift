import Analysis
import Basics
import PacketCapture

/// Collects the apps in the client certificates of decrypted streams.
final class ClientApps: EvidenceSink {
  /// More are not needed to see that they differ.
  private static let most = 64

  /// The first stream of each app.
  private var streams: [(app: String, source: String, number: Int)] = []

  func stream(_ stream: StreamSummary, report: StreamReport) {
    guard stream.records > 0, let app = stream.encryption?.clientUserID, streams.count < Self.most,
      !streams.contains(where: { $0.app == app })
    else { return }
    streams.append((app, stream.source, stream.number))
  }

  /// Stops the replay of another app's tokens, which would be invalidated for the wrong app.
  /// - Throws: a `CommandError` if a stream is of another app than `app`, unless that is accepted.
  func check(against app: String, store: String, acceptsOther: Bool) throws {
    guard let other = streams.first(where: { $0.app != app }) else { return }
    if app.isEmpty {
      guard streams.count > 1 else { return }
      return Console.note(
        .warning(
          "the certificates of clients name \(streams.count) apps, such as \(streams[0].app) and "
            + "\(streams[1].app): name the app of the tokens with --app, and replay each app on its own"))
    }
    let mismatch = Message(
      "\(other.source) stream \(other.number): the client's certificate names the app \(other.app), "
        + "not \(app)")
    try warn(mismatch, store: store, acceptsOther: acceptsOther)
  }
}

private func warn(_ mismatch: Message, store: String, acceptsOther: Bool) throws {
  guard acceptsOther else {
    throw CommandError(
      "\(store) is unchanged: \(mismatch); --app names the app of the tokens, and --other-app replays them "
        + "anyway")
  }
  Console.note(.warning(mismatch))
}

extension PushTopics {
  /// Likewise by the topics of pushes. Those of other apps than `app` are left out; if there are no others, a note says
  /// so. Pushes without a topic are doubtful if no topic is of `app`. Without `app`, pushes of several apps stop the
  /// replay: their tokens would all get one owner.
  /// - Throws: a `CommandError` for doubtful pushes, or without `app` for several apps, unless accepted.
  package func check(against app: String, store: String, acceptsOther: Bool) throws {
    let mismatch: Message
    let names = apps.prefix(5).map(\.app).joined(separator: ", ") + (apps.count > 5 ? ", …" : "")
    if app.isEmpty {
      guard apps.count > 1 else { return }
      mismatch =
        "the topics of pushes name \(apps.count) apps (\(names)), which --each-app replays one by one"
    } else {
      guard let other = apps.first(where: { !$0.isOwn }) else { return }
      if !acceptsOther, hasOwn { return }
      if !acceptsOther, !hasUnknown {
        return Console.note(
          "no push with an invalid token is of the app \(app): the topics name \(names); --app names the app "
            + "of the tokens")
      }
      let location = other.line.map { "line \($0)" } ?? "stream \(other.stream)"
      mismatch =
        "\(other.source) \(location): the push's topic is \(other.topic), not a topic of the app \(app)"
    }
    try warn(mismatch, store: store, acceptsOther: acceptsOther)
  }
}

extension PushesLeftOut {
  /// Prints the counts.
  /// - Parameter kind: the kind of tokens that was requested.
  func say(_ kind: TokenKind) {
    let kinds = TokenKind.allCases.compactMap { kind in ofOtherKinds[kind].map { "\($0) \(kind.rawValue)" } }
    let reasons = [
      (undated, "status 410 and no time of Apple's; in a log, --map timestamp=NAME names that time"),
      (untimed, "status 410 and no timestamp; --from-errors uses the capture time (read its help first)"),
      (uncaptured, "an invalid token, no time of Apple's and no plausible capture time: a log has none"),
      (withoutToken, "an invalid token: the token is unknown or not hex"),
      (
        refused,
        "BadDeviceToken or DeviceTokenNotForTopic; --from-errors invalidates their tokens (read its help first)"
      ),
      (ofOtherApps, "an invalid token and the topic of another app; --other-app replays them"),
      (withoutApp, "an invalid token and no topic that names an app; --app names it"),
      (
        ofOtherKinds.values.reduce(0, +),
        "an invalid token of another kind than \(kind.rawValue): \(kinds.joined(separator: ", ")); "
          + "--token-kind replays them"
      ),
    ]
    for (count, reason) in reasons where count > 0 {
      Console.note("skipped \(Count.of(count, "push")) with \(reason)")
    }
  }
}
