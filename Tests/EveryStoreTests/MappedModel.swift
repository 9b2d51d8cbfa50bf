import StoreTestSupport
import TokenStores

/// Rows of all owners, and what replays changed of them.
struct MappedModel {
  var action: InvalidationAction
  var hasRegistered: Bool
  var inserts: Bool
  var rows: [ModelRow] = []
  /// What the last replay changed.
  private(set) var changes: [(before: ModelRow?, after: ModelRow?)] = []
  private var nextID = 100_000

  init(_ tested: MappedCase, inserts: Bool) {
    action = tested.action
    hasRegistered = tested.hasRegistered
    self.inserts = inserts
  }

  private func dead(_ row: ModelRow, at time: Int64) -> ModelRow? {
    var row = row
    switch action {
    case .mark: row.died = time
    case .flag: break
    case .delete: return nil
    }
    row.isDead = true
    return row
  }

  private mutating func new(_ token: [UInt8], _ app: String, _ environment: String) -> ModelRow {
    nextID += 1
    return ModelRow(id: nextID, token: token, app: app, environment: environment, isDead: false)
  }

  func owned(_ app: String, _ environment: String, _ tested: MappedCase) -> (ModelRow) -> Bool {
    { row in
      (!tested.hasApp || row.app == app) && (!tested.hasEnvironment || row.environment == environment)
    }
  }

  mutating func replay(
    _ deaths: [Dated], _ app: String, _ environment: String, _ isOwned: (ModelRow) -> Bool
  ) -> ReplayCounts {
    var counts = ReplayCounts()
    var made: [(before: ModelRow?, after: ModelRow?)] = []
    for death in deaths {
      let time = Int64(death.time)
      let found = rows.indices.filter { isOwned(rows[$0]) && rows[$0].token == death.token }
      let registered = hasRegistered ? found.compactMap { rows[$0].registered }.max() : nil
      if found.isEmpty {
        guard inserts, action != .delete else {
          counts.unknown += 1
          continue
        }
        counts.inserted += 1
        if let row = dead(new(death.token, app, environment), at: time) {
          rows.append(row)
          made.append((nil, row))
        }
      } else if let registered, registered >= time {
        counts.kept += 1
      } else {
        let stale = found.filter { !rows[$0].isDead || rows[$0].died.map { $0 < time } ?? false }
        let outcome: ReplayOutcome =
          found.contains { !rows[$0].isDead } ? .invalidated : stale.isEmpty ? .unchanged : .updated
        counts.add(outcome)
        for index in stale.reversed() {
          let before = rows[index]
          let after = dead(before, at: time)
          made.append((before, after))
          if let after { rows[index] = after } else { rows.remove(at: index) }
        }
      }
    }
    changes = made
    return counts
  }

  mutating func register(
    _ registrations: [Dated], _ app: String, _ environment: String, _ isOwned: (ModelRow) -> Bool
  ) {
    for one in registrations {
      let time = Int64(one.time)
      let found = rows.indices.filter { isOwned(rows[$0]) && rows[$0].token == one.token }
      if found.isEmpty, inserts {
        var row = new(one.token, app, environment)
        if hasRegistered { row.registered = time }
        rows.append(row)
      }
      for index in found {
        let isLater = !hasRegistered || (rows[index].registered ?? .min) < time
        if case .mark = action {
          let registered = max(hasRegistered ? rows[index].registered ?? .min : .min, time)
          if let died = rows[index].died, died <= registered {
            (rows[index].died, rows[index].isDead) = (nil, false)
          }
        } else if isLater {
          rows[index].isDead = false
        }
        if hasRegistered, isLater { rows[index].registered = time }
      }
    }
  }
}
