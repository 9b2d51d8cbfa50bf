import APNsPushes
import APNsWire
import Analysis
import Basics
import PacketCapture

/// The objects of NDJSON and JSON other than records (docs/spec/interface.md#export). docs/schemas/ has their JSON
/// Schemas.
package enum EvidenceObjects {
  /// Name and version of the format, at the head of every document.
  package static let schema = "apnsift/1"

  /// The header without its `type`, which only NDJSON needs; likewise of the summary.
  static func header(version: String, options: JSONValue) -> JSONValue {
    .object([("schema", .string(schema)), ("version", .string(version)), ("options", options)])
  }

  static func summary(_ summary: Summary, inputs: [InputSummary]) -> [(String, JSONValue)] {
    [
      ("inputs", .array(inputs.map(input))),
      ("streams", .int(summary.streams)),
      ("stream_bytes", .int(summary.streamBytes)),
      ("record_bytes", .int(summary.recordBytes)),
      ("skipped_bytes", .int(summary.skippedBytes)),
      ("truncated_bytes", .int(summary.truncatedBytes)),
      ("undecoded_bytes", .int(summary.undecodedBytes)),
      ("gap_bytes", .int(summary.gapBytes)),
      ("feedback", .int(summary.feedback)),
      ("distinct_tokens", JSONValue(summary.distinctTokens)),
      ("requests", .int(summary.gateway.requests)),
      ("responses", .int(summary.gateway.responses)),
      ("findings", .object(Severity.allCases.map { ($0.rawValue, .int(summary.findingCount($0))) })),
      ("flags", .object(summary.flagCounts.map { ($0.code, .int($0.count)) })),
      ("earliest", JSONValue(summary.times.map { Int($0.lowerBound) })),
      ("latest", JSONValue(summary.times.map { Int($0.upperBound) })),
    ] + (summary.tokens.map { [("tokens", tokens($0))] } ?? []) + members(summary.pushes)
      + members(summary.requests.broadcasts, "broadcasts", of: "broadcast")
      + members(summary.requests.channels, "channels", of: "channel") + keys(summary.providerKeys)
  }

  private static func tokens(_ counts: TokenCounts) -> JSONValue {
    let members = [
      ("all", counts.all), ("sent_to", counts.sentTo), ("invalidated", counts.invalidated),
      ("doubtful", counts.doubtful), ("recovered", counts.recovered), ("sent_after_410", counts.sentAfter410),
      ("sends_after_410", counts.sendsAfter410),
    ]
    return .object(members.map { ($0, .int($1)) })
  }

  /// Summaries without a provider token lack the members.
  private static func keys(_ keys: ProviderKeys) -> [(String, JSONValue)] {
    if keys.keys.isEmpty, keys.others == 0 { return [] }
    let rows = keys.keys.map { key in
      JSONValue.object([
        ("kid", JSONValue(key.id)), ("iss", JSONValue(key.team)), ("pushes", .int(key.pushes)),
        ("tokens", .int(key.tokens)), ("shortest_interval", JSONValue(key.shortestInterval)),
      ])
    }
    return [("provider_keys", .array(rows)), ("other_provider_tokens", .int(keys.others))]
  }

  private static func input(_ input: InputSummary) -> JSONValue {
    .object([
      ("source", .string(input.source)), ("format", JSONValue(input.format)), ("bytes", .int(input.bytes)),
      ("sha256", JSONValue(input.sha256)),
    ])
  }

  /// Summaries without pushes lack these members: expected outputs of corpora have none.
  private static func members(_ pushes: PushTally) -> [(String, JSONValue)] {
    guard pushes.counts.all > 0 else { return [] }
    let kinds = pushes.kinds.map { row in
      JSONValue.object(
        [("kind", JSONValue(row.kind?.rawValue))]
          + PushOutcome.allCases.map { ($0.rawValue, .int(row.counts[$0])) })
    }
    let hours = pushes.hours.hours.map { hour in
      let counts = zip(PushHours.statuses, hour.counts).filter { $1 > 0 }
      return JSONValue.object([
        ("hour", .string(UTCTime.text(hour.start))),
        ("statuses", .object(counts.map { ($0, .int($1)) })),
      ])
    }
    return [
      ("pushes", .int(pushes.counts.all)), ("push_answers", answers(pushes, "pushes")),
      ("push_topics", groups(pushes, "topic", "pushes")), ("push_kinds", .array(kinds)),
      ("push_hours", .array(hours)), ("pushes_in_other_hours", .int(pushes.hours.others)),
      ("undated_pushes", .int(pushes.hours.undated)), ("invalidation_lag", lags(pushes.lags)),
    ]
  }

  /// Of broadcasts, or of requests for channels.
  private static func members(
    _ tally: PushTally, _ plural: String, of noun: String
  ) -> [(String, JSONValue)] {
    if tally.counts.all == 0 { return [] }
    return [
      (plural, .int(tally.counts.all)), ("\(noun)_answers", answers(tally, plural)),
      ("\(noun)_apps", groups(tally, "app", plural)),
    ]
  }

  private static func answers(_ tally: PushTally, _ plural: String) -> JSONValue {
    .array(
      tally.answers.map { answer in
        let operation = plural == "channels" ? [("operation", JSONValue(answer.operation))] : []
        return .object(
          operation + [
            ("status", JSONValue(answer.status.map(Int.init))), ("reason", JSONValue(answer.text)),
            (plural, .int(answer.count)),
          ])
      })
  }

  private static func groups(_ tally: PushTally, _ name: String, _ plural: String) -> JSONValue {
    .array(tally.topics.map { .object([(name, JSONValue($0.text)), (plural, .int($0.count))]) })
  }

  private static func lags(_ lags: InvalidationLags) -> JSONValue {
    guard let median = lags.percentile(50), let p90 = lags.percentile(90) else { return .null }
    return .object([
      ("answers", .int(lags.count)), ("median_ms", .int(median)), ("p90_ms", .int(p90)),
      ("max_ms", .int(lags.longest)),
    ])
  }
}
