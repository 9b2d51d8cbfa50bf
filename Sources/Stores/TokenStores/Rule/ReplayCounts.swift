/// How many distinct tokens of a replay had each outcome (docs/spec/interface.md#replay-rule).
package struct ReplayCounts: Equatable, Sendable {
  package var invalidated = 0
  package var updated = 0
  package var inserted = 0
  package var unchanged = 0
  package var kept = 0
  package var unknown = 0
  /// Tokens whose records all have flags. The caller counts them: they do not reach a store.
  package var rejected = 0

  package init() {}

  /// The counts by their names in journals and reports.
  static let paths: [(name: String, path: WritableKeyPath<ReplayCounts, Int> & Sendable)] = [
    ("invalidated", \.invalidated), ("updated", \.updated), ("inserted", \.inserted),
    ("unchanged", \.unchanged), ("kept", \.kept), ("unknown", \.unknown), ("rejected", \.rejected),
  ]

  var named: [(name: String, count: Int)] { Self.paths.map { ($0.name, self[keyPath: $0.path]) } }
  /// All distinct tokens of the input; each has exactly one outcome.
  package var tokens: Int { named.reduce(0) { $0 + $1.count } }
  /// How many rows the replay wrote, or would write.
  package var changes: Int { ReplayOutcome.allCases.filter(\.isChange).reduce(0) { $0 + self[$1] } }

  package subscript(outcome: ReplayOutcome) -> Int {
    get {
      switch outcome {
      case .inserted: inserted
      case .unknown: unknown
      case .kept: kept
      case .unchanged: unchanged
      case .updated: updated
      case .invalidated: invalidated
      }
    }
    set {
      switch outcome {
      case .inserted: inserted = newValue
      case .unknown: unknown = newValue
      case .kept: kept = newValue
      case .unchanged: unchanged = newValue
      case .updated: updated = newValue
      case .invalidated: invalidated = newValue
      }
    }
  }

  package mutating func add(_ outcome: ReplayOutcome) { self[outcome] += 1 }

  package mutating func add(_ other: ReplayCounts, where isAdded: (ReplayOutcome) -> Bool = { _ in true }) {
    for outcome in ReplayOutcome.allCases where isAdded(outcome) { self[outcome] += other[outcome] }
  }
}

/// How many registrations had each outcome. Repeated registrations of a token count each time.
package struct RegistrationCounts: Equatable, Sendable {
  package var added = 0
  package var revived = 0
  package var raised = 0
  package var unchanged = 0
  /// Tokens that a mapped table does not have, and that are not inserted.
  package var unknown = 0

  package init() {}
  package var registrations: Int { added + revived + raised + unchanged + unknown }

  package mutating func add(_ outcome: RegistrationOutcome) {
    switch outcome {
    case .added: added += 1
    case .revived: revived += 1
    case .raised: raised += 1
    case .unchanged: unchanged += 1
    }
  }
}
