import TokenStores

struct StoreKey: Hashable, Comparable {
  var environment: Environment
  var token: UInt8

  static func < (left: StoreKey, right: StoreKey) -> Bool {
    (left.environment.rawValue, left.token) < (right.environment.rawValue, right.token)
  }
}

/// The rows of a store and the entries of its journal, by docs/spec/interface.md#replay-rule and docs/stores.md alone.
struct StoreState {
  struct Change {
    var key: StoreKey
    var outcome: ReplayOutcome
    var before: TokenState?
    var after: TokenState
  }

  /// A replay or an undo.
  struct Entry {
    var id: Int
    var environment: Environment
    var undoes: Int?
    var changes: [Change] = []
    /// How many rows were changed, or restored.
    var rows = 0
    /// Whether a journal file does not say yet whether it was done.
    var isPending = false
  }

  /// Whether the journal is in a file of its own.
  var hasFile: Bool
  private(set) var rows: [StoreKey: TokenState] = [:]
  private(set) var entries: [Entry] = []

  init(hasFile: Bool) { self.hasFile = hasFile }

  var nextID: Int { (entries.map(\.id).max() ?? 0) + 1 }
  func entry(_ id: Int) -> Entry? { entries.first { $0.id == id } }

  // MARK: - Calls

  mutating func register(_ key: StoreKey, _ time: Int64) {
    var row = rows[key] ?? TokenState()
    row.registeredAt = max(row.registeredAt ?? time, time)
    if let died = row.invalidatedAt, let registered = row.registeredAt, died <= registered {
      row.invalidatedAt = nil
    }
    rows[key] = row
  }

  mutating func replay(
    _ tokens: [(token: UInt8, time: Int64)], _ environment: Environment, knownOnly: Bool
  ) -> ReplayCounts {
    var (entry, counts) = (Entry(id: nextID, environment: environment), ReplayCounts())
    for (token, time) in tokens {
      let key = StoreKey(environment: environment, token: token)
      let before = rows[key]
      let outcome: ReplayOutcome =
        if let before {
          (before.registeredAt ?? .min) >= time
            ? .kept
            : before.invalidatedAt == nil
              ? .invalidated : (before.invalidatedAt ?? 0) >= time ? .unchanged : .updated
        } else {
          knownOnly ? .unknown : .inserted
        }
      counts[outcome] += 1
      guard [.inserted, .invalidated, .updated].contains(outcome) else { continue }
      let after = TokenState(registeredAt: before?.registeredAt, invalidatedAt: time)
      rows[key] = after
      entry.changes.append(Change(key: key, outcome: outcome, before: before, after: after))
    }
    entry.rows = entry.changes.count
    entries.append(entry)
    return counts
  }

  /// Nil if the undo is refused.
  func undone(_ id: Int) -> StoreState? {
    guard let entry = entry(id), entry.undoes == nil, undo(of: id) == nil else { return nil }
    let tokens = Set(entry.changes.map(\.key))
    let isLater = entries.contains { later in
      later.id > id && later.environment == entry.environment && undo(of: later.id) == nil
        && later.changes.contains { tokens.contains($0.key) && isAfter($0) }
    }
    if isLater { return nil }
    var state = self
    let restored = entry.changes.filter(isAfter)
    for change in restored { state.rows[change.key] = change.before }
    if restored.isEmpty, !entry.changes.isEmpty { return self }
    state.entries.append(
      Entry(id: nextID, environment: entry.environment, undoes: id, rows: restored.count))
    return state
  }

  private func undo(of id: Int) -> Entry? { entries.first { $0.undoes == id } }

  private func isAfter(_ change: Change) -> Bool { rows[change.key] == change.after }
  private func isBefore(_ change: Change) -> Bool { rows[change.key] == change.before }

  // MARK: - A journal file

  /// After the beginning of a call for an owner: whether its pending entry was done is known from the rows.
  func settled(_ environment: Environment) -> StoreState {
    var state = self
    state.entries = entries.compactMap { entry in
      guard entry.isPending, entry.environment == environment else { return entry }
      let changes = entry.undoes.flatMap { self.entry($0) }?.changes ?? entry.changes
      let isAfter = changes.contains(where: isAfter)
      let isDone = entry.undoes == nil ? isAfter : !isAfter && changes.contains(where: isBefore)
      var settled = entry
      settled.isPending = false
      return isDone ? settled : nil
    }
    return state
  }

  /// What a call may leave if it is killed after `settled`, and at last this state: a journal file has an entry before the store
  /// has its rows, and says only afterwards that it was done.
  func stages(after settled: StoreState) -> [StoreState] {
    guard hasFile, entries.count > settled.entries.count else { return [settled, self] }
    var pending = self
    pending.entries[entries.count - 1].isPending = true
    var intended = pending
    intended.rows = settled.rows
    return [settled, intended, pending, self]
  }

  // MARK: - Texts

  /// What a listing and the history show.
  var shown: [String] {
    rows.sorted { $0.key < $1.key }.map { Self.text($0.key, $0.value) }
      + entries.map {
        Self.text(
          $0.id, $0.environment, undoes: $0.undoes, undoneBy: undo(of: $0.id)?.id, $0.rows, $0.isPending)
      }
  }

  static func text(_ key: StoreKey, _ state: TokenState) -> String {
    "row \(key.environment.rawValue) \(key.token) \(state.registeredAt ?? 0) \(state.invalidatedAt ?? 0)"
  }

  static func text(
    _ id: Int, _ environment: Environment, undoes: Int?, undoneBy: Int?, _ rows: Int, _ isPending: Bool
  ) -> String {
    "entry \(id) \(environment.rawValue) \(undoes ?? 0) \(undoneBy ?? 0) \(rows) \(isPending ? "pending" : "done")"
  }
}
