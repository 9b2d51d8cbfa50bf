import Analysis
import Basics

/// Pushes of several apps, each replayed for the app that its topic names (docs/spec/interface.md#each-app).
extension StoreReplay {
  /// Replays each push for the app that its topic names.
  /// - Throws: a `UsageError` if the table has no column of apps.
  package mutating func splitByApp() throws {
    guard store.mapping.app != nil else {
      throw UsageError(
        "--each-app needs a column of apps, and the mapping of \(store.mapping.name) names none (app: COLUMN); "
          + "--app replays one app")
    }
    (isForEachApp, owner.app) = (true, "")
  }

  /// The replay of each app, in order of the names.
  func replays(of apps: [String: AddedPushes]) throws -> [(replay: StoreReplay, added: AddedPushes)] {
    guard apps.count <= PushCollector.mostApps else {
      throw CommandError(
        "\(store.name) is unchanged: the topics of pushes name more than \(PushCollector.mostApps) apps; "
          + "--app replays one app")
    }
    let names = apps.keys.sorted()
    return apps.sorted { $0.key < $1.key }.map { app, added in
      var replay = self
      replay.owner.app = app
      replay.record?.options.append((EarlierReplays.option, .array(names.map { .string($0) })))
      return (replay, added)
    }
  }

  /// Runs replays one after the other, each in its own transaction. Before the first of several, a dry run of each has to
  /// succeed within its limit.
  func run(
    _ replays: [(replay: StoreReplay, added: AddedPushes)], _ collected: Collectors,
    _ examination: Examination
  ) throws -> [ReplayOutcomeReport] {
    if !options.dryRun, replays.count > 1 {
      let preview = try replays.map { replay, added in
        var replay = replay
        replay.options = replay.options.ofDryRun
        return replay.report(
          try replay.answer(to: added, collected, examination).answer, added, collected, examination)
      }
      if preview.contains(where: { $0.stop != nil }) { return preview }
    }
    var outcomes: [ReplayOutcomeReport] = []
    for (replay, added) in replays {
      do {
        let outcome = try replay.replay(added, collected, examination)
        if let stop = outcome.stop, !options.dryRun, replays.count > 1 { throw CommandError(stop) }
        outcomes.append(outcome)
      } catch  where !outcomes.isEmpty && !options.dryRun {
        Console.say(
          "\(outcomes.count) of \(Count.of(replays.count, "app")) were replayed before \(replay.owner.app) "
            + "failed; the same command continues")
        throw (error as? NamedStoreError)?.after(outcomes.reduce(0) { $0 + $1.answer.rows }) ?? error
      }
    }
    return outcomes
  }
}
