import StoreTestSupport
import TokenStores

/// Rows of all owners, what calls for one of them do, and what the last replay changed.
struct MappedModel {
  let tested: MappedCase
  let inserts: Bool
  /// The owner, as the table has it: empty where it has no such column.
  let app: String
  let environment: String
  private(set) var rows: [ModelRow]
  private(set) var changes: [(before: ModelRow?, after: ModelRow?)] = []
  private var nextID = 100_000

  init(_ tested: MappedCase, inserts: Bool, _ owner: AppEnvironment, _ rows: [ModelRow]) {
    (self.tested, self.inserts, self.rows) = (tested, inserts, rows)
    app = tested.hasApp ? owner.app : ""
    environment = !tested.hasEnvironment ? "" : owner.environment == .production ? "prod" : "dev"
  }

  func isOwned(_ row: ModelRow) -> Bool {
    (!tested.hasApp || row.app == app) && (!tested.hasEnvironment || row.environment == environment)
  }

  private func found(_ token: [UInt8]) -> [Int] {
    rows.indices.filter { isOwned(rows[$0]) && rows[$0].token == token }
  }

  private func dead(_ row: ModelRow, at time: Int64) -> ModelRow? {
    var row = row
    switch tested.action {
    case .mark: row.died = time
    case .flag: break
    case .delete: return nil
    }
    row.isDead = true
    return row
  }

  private mutating func new(_ token: [UInt8]) -> ModelRow {
    nextID += 1
    return ModelRow(id: nextID, token: token, app: app, environment: environment, isDead: false)
  }

  mutating func replay(_ deaths: [Dated]) -> ReplayCounts {
    var counts = ReplayCounts()
    var made: [(before: ModelRow?, after: ModelRow?)] = []
    for death in deaths {
      let time = Int64(death.time)
      let found = found(death.token)
      let registered = tested.hasRegistered ? found.compactMap { rows[$0].registered }.max() : nil
      if found.isEmpty {
        guard inserts, tested.action != .delete else {
          counts.unknown += 1
          continue
        }
        counts.inserted += 1
        if let row = dead(new(death.token), at: time) {
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

  mutating func register(_ registrations: [Dated]) {
    let hasRegistered = tested.hasRegistered
    for one in registrations {
      let time = Int64(one.time)
      let found = found(one.token)
      if found.isEmpty, inserts {
        var row = new(one.token)
        if hasRegistered { row.registered = time }
        rows.append(row)
      }
      for index in found {
        let isLater = !hasRegistered || (rows[index].registered ?? .min) < time
        if case .mark = tested.action {
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
