import TokenStores

extension Journal {
  /// All replays and undos, in the order of their numbers.
  func records() throws -> [JournalRecord] { try isPresent() ? records(where: "true", []) : [] }

  /// - Throws: `StoreFault.noReplay`.
  func record(_ id: Int) throws -> JournalRecord {
    guard try isPresent(), let record = try records(where: "replays.id = $1", [.integer(id)]).first else {
      throw StoreFault.noReplay(id)
    }
    return record
  }

  private func records(where condition: String, _ parameters: [Parameter]) throws -> [JournalRecord] {
    let rows = try connection.run(
      """
      SELECT replays.id, replays.app::text, replays.environment::text, replays.at, replays.version, replays.options,
        replays.tuples, replays.rejected, replays.invalidated, replays.updated, replays.inserted,
        replays.unchanged, replays.kept, replays.unknown, replays.undoes, undos.id, replays.mapping
      FROM \(replays) AS replays LEFT JOIN \(replays) AS undos ON undos.undoes = replays.id
      WHERE \(condition) ORDER BY replays.id
      """, with: parameters)
    let inputs = try inputs(where: condition, parameters)
    return try (0..<rows.count).map { try record(rows, $0, inputs) }
  }

  /// The inputs by the replay's number. One query: asking for each replay would look at all of them each time.
  private func inputs(
    where condition: String, _ parameters: [Parameter]
  ) throws -> [Int: [ReplayedInput]] {
    let rows = try connection.run(
      """
      SELECT inputs.replay, inputs.source, inputs.sha256, inputs.bytes
      FROM \(inputs) AS inputs JOIN \(replays) AS replays ON replays.id = inputs.replay
      WHERE \(condition) ORDER BY inputs.id
      """, with: parameters)
    var inputs: [Int: [ReplayedInput]] = [:]
    for row in 0..<rows.count {
      inputs[rows.number(row, 0), default: []].append(
        ReplayedInput(
          source: rows.text(row, 1) ?? "", sha256: rows.text(row, 2) ?? "", bytes: rows.number(row, 3)))
    }
    return inputs
  }

  private func record(
    _ rows: QueryResult, _ row: Int, _ inputs: [Int: [ReplayedInput]]
  ) throws -> JournalRecord {
    var counts = ReplayCounts()
    counts.rejected = rows.number(row, 7)
    counts.invalidated = rows.number(row, 8)
    counts.updated = rows.number(row, 9)
    counts.inserted = rows.number(row, 10)
    counts.unchanged = rows.number(row, 11)
    counts.kept = rows.number(row, 12)
    counts.unknown = rows.number(row, 13)
    let id = rows.number(row, 0)
    let entry = JournalEntry(
      at: rows.integer(row, 3).flatMap(Timestamp.seconds) ?? 0, version: rows.text(row, 4) ?? "",
      inputs: inputs[id, default: []], options: rows.text(row, 5) ?? "", tuples: rows.number(row, 6),
      rejected: counts.rejected, mapping: rows.text(row, 16))
    return JournalRecord(
      id: id, owner: try rows.owner(row, appColumn: 1), entry: entry, counts: counts,
      undoes: rows.integer(row, 14).map { Int($0) }, undoneBy: rows.integer(row, 15).map { Int($0) })
  }

  /// Visits the changes of the replay `id`, in the order of their tokens.
  func changes(of id: Int, visit: (JournalChange) throws -> Void) throws {
    try packedChanges(of: id) { packed in
      try PackedChanges.visit(packed) { change in
        try visit(
          JournalChange(
            token: change.token, outcome: change.outcome, before: try change.before.map(Self.seconds),
            after: try Self.seconds(change.after)))
      }
    }
  }

  /// Rows that are fetched at once.
  private static let rowsAtOnce = 64

  /// Visits the rows of the replay's packed changes, in their order. The connection is free meanwhile.
  func packedChanges(of id: Int, visit: (_ packed: RawSpan) throws -> Void) throws {
    var next = 0
    while true {
      let rows = try connection.run(
        "SELECT packed FROM \(changes) WHERE replay = $1 AND part >= $2 ORDER BY part LIMIT \(Self.rowsAtOnce)",
        .integer(id), .integer(next))
      for row in 0..<rows.count { try rows.withBytes(row, 0, visit) }
      if rows.count < Self.rowsAtOnce { return }
      next += rows.count
    }
  }

  /// From microseconds of the server.
  private static func seconds(_ state: TokenState) throws(StoreFault) -> TokenState {
    TokenState(
      registeredAt: try Timestamp.seconds(of: state.registeredAt, "registered_at of apnsift_changes"),
      invalidatedAt: try Timestamp.seconds(of: state.invalidatedAt, "invalidated_at of apnsift_changes"))
  }

  /// The last replay for `owner` that had an input of that digest, unless one of that input was undone behind it: a
  /// second replay of it changed nothing, so nothing of it stands then.
  func replay(ofInput sha256: String, for owner: AppEnvironment, mapping: String? = nil) throws -> Int? {
    let found = try connection.run(
      """
      SELECT max(replays.id) FROM \(inputs) AS inputs JOIN \(replays) AS replays ON replays.id = inputs.replay
      WHERE inputs.sha256 = $1 AND replays.app = $2 AND replays.environment = $3 AND replays.undoes IS NULL
        AND replays.mapping IS NOT DISTINCT FROM $4
        AND NOT EXISTS (
          SELECT 1 FROM \(inputs) AS same JOIN \(replays) AS undos ON undos.undoes = same.replay
          WHERE same.sha256 = inputs.sha256 AND undos.id > replays.id
            AND undos.app = replays.app AND undos.environment = replays.environment
            AND undos.mapping IS NOT DISTINCT FROM replays.mapping)
      """, .text(sha256), .text(owner.app), .text(owner.environment.rawValue),
      mapping.map(Parameter.text) ?? .null)
    return found.integer(0, 0).map { Int($0) }
  }
}

extension QueryResult {
  /// A bigint that is not null.
  fileprivate func number(_ row: Int, _ column: Int) -> Int { Int(integer(row, column) ?? 0) }
}
