import TokenStores

/// What a replay would do, from one statement: so counts and sample are of one moment.
extension TokenWriter {
  func preview(_ options: ReplayOptions) throws -> ReplayAnswer {
    let found = try rows.connection.run(query(options.sampleLength), with: rows.key)
    var answer = ReplayAnswer()
    answer.counts = try understood(Tally(found, of: staged)).replay
    for row in 0..<found.count where !found.isNull(row, 2) {
      answer.sample.append(try token(found, row))
    }
    let invalidated = answer.counts.invalidated
    if options.brake.mayStop(invalidated) {
      answer.stop = try options.brake.stop(invalidated, of: rows.liveCount())
    }
    return answer
  }

  /// Rows of outcome and count, and where a sample is asked for, rows of outcome, null and a token.
  private func query(_ sampleLength: Int) -> String {
    let judged = judging.query(rows.table)
    let counts = "SELECT outcome::bigint, count(*)"
    let nothing = "NULL::bytea, NULL::timestamptz, NULL::boolean, NULL::timestamptz, NULL::timestamptz"
    if sampleLength == 0 { return "\(counts), \(nothing) FROM (\(judged)) AS judged GROUP BY outcome" }
    let samples = Judgement.ofReplays.map { judgement in
      """
      UNION ALL (SELECT outcome, NULL, token, invalidated_at, place IS NOT NULL, registered_before, invalidated_before
        FROM judged WHERE outcome = \(judgement.rawValue) ORDER BY token LIMIT \(sampleLength))
      """
    }
    return """
      WITH judged AS MATERIALIZED (\(judged))
      \(counts), \(nothing) FROM judged GROUP BY outcome
      \(samples.joined(separator: "\n")) ORDER BY 3
      """
  }

  /// One token of the sample, in `row`.
  private func token(_ found: QueryResult, _ row: Int) throws -> ReplayedToken {
    guard let outcome = found.integer(row, 0).flatMap(Judgement.init)?.outcome,
      let time = found.integer(row, 3).flatMap(Timestamp.seconds)
    else { throw StoreFault.failed(detail: "the server returned a sample that was not asked for") }
    return ReplayedToken(
      token: found.withBytes(row, 2) { $0.withUnsafeBytes { Array($0) } }, time: UInt32(clamping: time),
      before: found.flag(row, 4) ? try found.state(row, registeredAtColumn: 5) : nil, outcome: outcome)
  }
}
