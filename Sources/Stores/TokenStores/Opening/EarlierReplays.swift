import Basics

/// The replays that had inputs before, by the journal.
struct EarlierReplays {
  private let store: TokenStore
  private let owner: AppEnvironment
  /// Options of which a replay had the same to count; nil for any.
  private let options: [(String, JSONValue)]?
  /// By the SHA-256 of an input: the apps of the runs for each app that had it. Nil if there is one app.
  private var apps: [String: Set<String>]?

  /// The member of a replay's options with all apps of its run.
  static let option = "each_app"

  /// Those that decide which records of an input are replayed, and to what end.
  private static let deciding: Set = [
    "input", "include_flagged", "from_errors", "token_kind", "other_app", "grace", "known_only",
  ]

  /// - Parameter options: those of this replay, if others had to have the same.
  init(
    in store: TokenStore, for owner: AppEnvironment, eachApp: Bool, options: [(String, JSONValue)]? = nil
  ) throws {
    (self.store, self.owner) = (store, owner)
    self.options = options?.filter { Self.deciding.contains($0.0) }
    guard eachApp else { return }
    apps = [:]
    for record in try store.readableHistory().records
    where record.entry.mapping == store.mappingText && record.owner.environment == owner.environment {
      let options = try? JSONReader.value(of: Array(record.entry.options.utf8)[...])
      guard case .array(let names)? = options?[Self.option] else { continue }
      for input in record.entry.inputs {
        apps?[input.sha256, default: []].formUnion(names.compactMap(\.stringValue))
      }
    }
  }

  /// By SHA-256. For each app, an input counts if all these apps have a replay of it that is not undone: a run may
  /// end between two apps.
  func replays(ofInputs digests: [String]) throws -> [String: Int] {
    guard let apps else { return try store.replays(ofInputs: digests, for: owner, isCounted) }
    return try digests.reduce(into: [:]) { found, digest in
      let replays = try (apps[digest] ?? []).map { app in
        let owner = AppEnvironment(app: app, environment: owner.environment)
        return try store.replays(ofInputs: [digest], for: owner, isCounted)[digest]
      }
      if !replays.contains(nil) { found[digest] = replays.compactMap { $0 }.max() }
    }
  }

  private func isCounted(_ entry: JournalEntry) -> Bool {
    guard let options else { return true }
    let others = try? JSONReader.value(of: Array(entry.options.utf8)[...])
    return options.allSatisfy { others?[$0.0] == $0.1 }
  }
}
