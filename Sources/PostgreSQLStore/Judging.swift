import TokenStores

/// What a row of the input does to the table: the number of its outcome in what a statement returns.
enum Judgement: Int64, CaseIterable {
  case inserted, unknown, kept, unchanged, updated, invalidated
  case added, revived, raised
  /// The row in the store cannot be understood.
  case foreign

  static let ofReplays: [Judgement] = [.inserted, .unknown, .kept, .unchanged, .updated, .invalidated]

  /// Nil where no replay has it.
  var outcome: ReplayOutcome? {
    switch self {
    case .inserted: .inserted
    case .unknown: .unknown
    case .kept: .kept
    case .unchanged: .unchanged
    case .updated: .updated
    case .invalidated: .invalidated
    case .added, .revived, .raised, .foreign: nil
    }
  }

  /// The branches of a CASE that gives the names of a replay's outcomes, as ReplayOutcome has them.
  static var names: String {
    ofReplays.map { judgement in "WHEN \(judgement.rawValue) THEN '\(judgement)'" }.joined(separator: " ")
  }
}

/// How a row of the input is written, as a number in statements.
enum Write {
  static let insert = 1
  static let update = 2
}

/// The rule as a query over the staged tokens and the table (interface.md, Rule).
///
/// Every query returns one row for each staged one: `outcome` (of `Judgement`), `write` (of `Write`, or null), `token`,
/// the stored row's `place` and its times before, and `registered_at` and `invalidated_at` as they are to be.
/// `$1` is the app, `$2` the environment. ReplayRule says the same in Swift; the tests hold them together.
enum Judging {
  /// - Parameter grace: as of `ReplayOptions`, in seconds.
  case replay(knownOnly: Bool, grace: UInt32)
  case registration

  /// Whether it matters which row came first.
  var needsOrder: Bool {
    if case .registration = self { true } else { false }
  }

  func query(_ table: DeviceTable) -> String {
    switch self {
    case .replay(let knownOnly, let grace): Self.replay(table, knownOnly: knownOnly, grace: grace)
    case .registration: Self.registration(table)
    }
  }

  private static func stored(_ table: DeviceTable) -> String {
    "LEFT JOIN \(table.name) AS stored ON stored.app = $1 AND stored.environment = $2 AND stored.token = staged.token"
  }

  /// Infinity is a value of the type, and no time.
  private static let isForeign = "NOT isfinite(stored.registered_at) OR NOT isfinite(stored.invalidated_at)"

  private static func number(_ judgement: Judgement) -> String { "\(judgement.rawValue)" }

  /// OFFSET 0 keeps the planner from writing the CASE of `outcome` into every place that mentions it, to be worked out
  /// at each anew.
  private static func replay(_ table: DeviceTable, knownOnly: Bool, grace: UInt32) -> String {
    let keeping = grace == 0 ? "staged.time" : "staged.time - make_interval(secs => \(grace))"
    return """
      SELECT outcome, CASE outcome WHEN \(number(.inserted)) THEN \(Write.insert)
          WHEN \(number(.updated)) THEN \(Write.update) WHEN \(number(.invalidated)) THEN \(Write.update) END AS write,
        token, place, registered_before, invalidated_before,
        registered_before AS registered_at, time AS invalidated_at
      FROM (
        SELECT staged.token, staged.time, stored.ctid AS place,
          stored.registered_at AS registered_before, stored.invalidated_at AS invalidated_before,
          CASE WHEN stored.token IS NULL THEN \(number(knownOnly ? .unknown : .inserted))
            WHEN \(isForeign) THEN \(number(.foreign))
            WHEN stored.registered_at >= \(keeping) THEN \(number(.kept))
            WHEN stored.invalidated_at IS NULL THEN \(number(.invalidated))
            WHEN stored.invalidated_at >= staged.time THEN \(number(.unchanged))
            ELSE \(number(.updated)) END AS outcome
        FROM \(Staging.tokens) AS staged \(stored(table)) OFFSET 0
      ) AS judged
      """
  }

  /// A token may be registered several times: each time counts, as if one came after the other, and the last writes
  /// what all of them come to. `earlier` is the latest time of those before, `latest` includes this one.
  ///
  /// A stored fraction of a second counts as its whole second, and stays where the time is not raised.
  private static func registration(_ table: DeviceTable) -> String {
    """
    SELECT CASE WHEN is_foreign THEN \(number(.foreign))
        WHEN is_new THEN \(number(.added))
        WHEN death_before IS NOT NULL AND death_after IS NULL THEN \(number(.revived))
        WHEN registration_before IS DISTINCT FROM registration_after THEN \(number(.raised))
        ELSE \(number(.unchanged)) END AS outcome,
      CASE WHEN NOT is_last OR is_foreign THEN NULL
        WHEN place IS NULL THEN \(Write.insert)
        WHEN registered_before IS DISTINCT FROM registration_written
          OR invalidated_before IS DISTINCT FROM death_after THEN \(Write.update) END AS write,
      token, place, registered_before, invalidated_before,
      registration_written AS registered_at, death_after AS invalidated_at
    FROM (
      SELECT staged.token, staged.is_last, stored.ctid AS place,
        stored.registered_at AS registered_before, stored.invalidated_at AS invalidated_before,
        coalesce(\(isForeign), false) AS is_foreign,
        stored.token IS NULL AND staged.earlier IS NULL AS is_new,
        greatest(date_trunc('second', stored.registered_at), staged.earlier) AS registration_before,
        greatest(date_trunc('second', stored.registered_at), staged.latest) AS registration_after,
        greatest(stored.registered_at, staged.latest) AS registration_written,
        CASE WHEN staged.earlier IS NULL OR date_trunc('second', stored.invalidated_at)
          > greatest(date_trunc('second', stored.registered_at), staged.earlier)
          THEN stored.invalidated_at END AS death_before,
        CASE WHEN date_trunc('second', stored.invalidated_at)
          > greatest(date_trunc('second', stored.registered_at), staged.latest)
          THEN stored.invalidated_at END AS death_after
      FROM (
        SELECT token, lead(1) OVER following IS NULL AS is_last,
          max(time) OVER (following ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier,
          max(time) OVER (following ROWS UNBOUNDED PRECEDING) AS latest
        FROM \(Staging.tokens) WINDOW following AS (PARTITION BY token ORDER BY number)
      ) AS staged \(stored(table))
    ) AS timed
    """
  }
}
