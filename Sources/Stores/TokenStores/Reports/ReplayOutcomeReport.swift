import Analysis
import Reports
import Basics

/// The result of a replay, as text and JSON (docs/spec/interface.md#replay).
package struct ReplayOutcomeReport {
  package var store: String
  package var dryRun: Bool
  package var owner: AppEnvironment
  package var inputs: Int
  /// Records of all inputs.
  package var tuples: Int
  /// Pushes with status 410.
  package var pushes: Int
  package var leftOut: PushesLeftOut
  /// Counts of the inputs: `files`, `findings` and `flags`.
  package var reading: [(String, JSONValue)]
  /// Invalid-token responses; nil if they were not requested.
  package var rejections: Int?
  package var answer: ReplayAnswer
  /// Why the replay was stopped, or that of a dry run would be; nil if it was not.
  package var stop: Message?
  /// The outcomes of apps that are replayed one by one; the other figures are then sums.
  package private(set) var apps: [ReplayOutcomeReport]?

  /// Number of tokens of each outcome that a dry run shows.
  package static let sampleLength = 3

  var counts: ReplayCounts { answer.counts }

  private static let meanings = [
    "active before, invalidated now", "invalidated before, now with a later time",
    "not in the store before, inserted as invalidated", "already invalidated",
    "registered at or after the time", "not in the store, not inserted",
    "all records carry flags, or accepted again",
  ]

  package var json: JSONValue {
    .object(
      [
        ("schema", .string(EvidenceObjects.schema)),
        ("store", .string(store)),
        ("dry_run", .bool(dryRun)),
        ("environment", .string(owner.environment.rawValue)),
        ("inputs", .int(inputs)),
        ("tuples", .int(tuples)),
        ("pushes_of_other_kinds", .int(leftOut.ofOtherKinds.values.reduce(0, +))),
        ("pushes_of_other_apps", .int(leftOut.ofOtherApps)),
        ("pushes_without_app", .int(leftOut.withoutApp)),
        ("apps", apps.map { .array($0.map { .object($0.outcome) }) } ?? .null),
      ] + outcome + reading)
  }

  /// The members that each app has, too.
  private var outcome: [(String, JSONValue)] {
    [
      ("app", apps == nil ? .string(owner.app) : .null),
      ("replay", JSONValue(answer.replay)),
      ("pushes", .int(pushes)),
      ("tokens", .int(counts.tokens)),
      ("rows", .int(answer.rows)),
      ("stopped", JSONValue(stop?.text)),
    ] + counts.named.map { ($0.name, .int($0.count)) }
  }

  func adding(_ apps: [ReplayOutcomeReport]) -> ReplayOutcomeReport {
    var sum = self
    sum.apps = apps
    for app in apps {
      sum.pushes += app.pushes
      sum.rejections = sum.rejections.map { $0 + (app.rejections ?? 0) }
      sum.answer.rows += app.answer.rows
      sum.stop = sum.stop ?? app.stop
      for (_, path) in ReplayCounts.paths { sum.answer.counts[keyPath: path] += app.counts[keyPath: path] }
    }
    return sum
  }

  /// One line for each outcome that occurred, with a heading for each app.
  package var table: String {
    if let apps { return apps.map { "\($0.owner.app)\n\($0.table)" }.joined(separator: "\n") }
    let rows = zip(counts.named, Self.meanings).filter { $0.0.count > 0 }
    let width = rows.map { String($0.0.count).count }.max() ?? 0
    return rows.map { row, meaning in
      let padding = String(repeating: " ", count: width - String(row.count).count)
      let name = row.name + String(repeating: " ", count: 12 - row.name.count)
      return "\(name)\(padding)\(row.count)  \(meaning)\n"
    }.joined() + sample
  }

  private var sample: String {
    let shown = ReplayOutcome.allCases.flatMap { outcome in answer.sample.filter { $0.outcome == outcome } }
    guard !shown.isEmpty else { return "" }
    return "\nfor example\n"
      + shown.map { "  \(Hex.string($0.token))\n    \($0.outcome.name): \(Self.reason($0))\n" }.joined()
  }

  private static func reason(_ token: ReplayedToken) -> String {
    let (seconds, milliseconds) = (token.time.seconds, token.time.milliseconds)
    let time = TokenRowWriter.time(seconds, milliseconds: milliseconds) ?? "\(seconds)"
    let found = "reported invalid at \(time)"
    let registered = TokenRowWriter.time(token.before?.registeredAt).map { "registered at \($0)" }
    let invalidated = TokenRowWriter.time(token.before?.invalidatedAt).map { "invalidated at \($0)" }
    return switch token.outcome {
    case .inserted, .unknown: "\(found), not in the store"
    case .kept: "\(found), but \(registered ?? "registered")"
    case .unchanged, .updated: "\(found), \(invalidated ?? "invalidated") in the store"
    case .invalidated: "\(found), \(registered ?? "no registration known")"
    }
  }

  package var sentence: Message {
    let records = [
      apps == nil && (tuples > 0 || pushes == 0) ? Count.of(tuples, "tuple") : nil,
      apps != nil || pushes > 0 ? Count.of(pushes, "invalidated push") : nil,
      rejections.map { Count.of($0, "invalid-token response") },
    ].compactMap { $0 }
    let names =
      records.count > 1
      ? "\(records.dropLast().joined(separator: ", ")) and \(records[records.count - 1])" : records[0]
    let owners = apps.map { "\(Count.of($0.count, "app")), \(owner.text)" } ?? owner.text
    let input = "\(names) with \(Count.of(counts.tokens, "distinct token")) of \(owners)"
    let tokens = answer.rows == counts.changes ? "" : " with \(Count.of(counts.changes, "token"))"
    let changed = "\(Count.of(answer.rows, "row"))\(tokens) of \(store)"
    return dryRun ? "dry run of \(input): \(changed) would change" : "replayed \(input): \(changed) changed"
  }
}
