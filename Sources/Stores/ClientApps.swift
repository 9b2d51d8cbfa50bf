import Analysis
import Messages
import PacketCapture
import Platform

/// Collects the apps that the clients' certificates of decrypted streams name: whose feedback it is.
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

  /// Stops a replay of another app's feedback: its tokens would be invalidated for the wrong app.
  /// - Throws: a `Failure` if a stream is of another app than `app`, unless that is accepted.
  func check(against app: String, store: String, acceptsOther: Bool) throws {
    guard let other = streams.first(where: { $0.app != app }) else { return }
    if app.isEmpty {
      guard streams.count > 1 else { return }
      return Console.note(.warning(.clientsOfSeveralApps(streams.count, streams[0].app, streams[1].app)))
    }
    let mismatch = Message.clientOfOtherApp(other.source, stream: other.number, names: other.app, not: app)
    guard acceptsOther else { throw Failure(.otherAppStopsReplay(store, mismatch)) }
    Console.note(.warning(mismatch))
  }
}
